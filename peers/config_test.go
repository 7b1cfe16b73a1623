package peers

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"ratelab/internal/spec"
	"ratelab/logs/conf"
)

// configured are limits of all kinds: whole and odd rates, bursts of one and of many, every key, with and without a queue.
func configured(t *testing.T) (list []conf.Limit) {
	t.Helper()
	for i, key := range []string{"ip", "user", "endpoint", "method", "agent", "host", "", "tenant"} {
		text := []string{"20/m", "2/s", "5000/s", "7/13s", "100/m"}[i%5]
		rate, err := spec.ParseRate(text)
		require.NoError(t, err)
		burst := []int64{67, 1, 30}[i%3]
		list = append(list, conf.Limit{
			Rate: rate, Burst: burst, Window: time.Duration((burst*int64(rate.P) + rate.N - 1) / rate.N), Queue: i%2 == 1, Key: key, Keys: 1 + i*40_000,
		})
	}
	return list
}

// accepted has a program look at a file that a text is put into, for each of the limits.
func accepted(t *testing.T, program string, file func(dir, text string) string, command func(dir, path string) *exec.Cmd) {
	t.Helper()
	for _, l := range configured(t) {
		c, err := conf.For(program, l)
		require.NoError(t, err)
		dir := t.TempDir()
		path := filepath.Join(dir, "config.go") // the name matters to Go alone
		text := file(dir, c.Text)
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		out, err := command(dir, path).CombinedOutput()
		assert.NoError(t, err, "%s\n%s", out, text)
	}
}

func TestNginxTakesTheConfigurationThatIsWritten(t *testing.T) {
	need(t, "nginx")
	accepted(t, "nginx", func(dir, text string) string {
		return fmt.Sprintf(`pid %[1]s/pid; error_log stderr warn; events {} http {
access_log off;
client_body_temp_path %[1]s/b; proxy_temp_path %[1]s/p; fastcgi_temp_path %[1]s/f; uwsgi_temp_path %[1]s/u; scgi_temp_path %[1]s/s;
%[2]s
server { listen unix:%[1]s/socket; }
}
`, dir, text)
	}, func(dir, path string) *exec.Cmd {
		return exec.Command("nginx", "-t", "-e", "stderr", "-p", dir, "-c", path)
	})
}

func TestHAProxyTakesTheConfigurationThatIsWritten(t *testing.T) {
	need(t, "haproxy")
	accepted(t, "haproxy", func(dir, text string) string {
		backend, rules, found := strings.Cut(text, "# in your frontend\n")
		require.True(t, found, text)
		return fmt.Sprintf("defaults\n  mode http\n  timeout connect 1s\n  timeout client 1s\n  timeout server 1s\n%sfrontend f\n  bind unix@%s/socket\n%s  http-request return status 200\n",
			backend, dir, rules)
	}, func(_, path string) *exec.Cmd { return exec.Command("haproxy", "-c", "-f", path) })
}

// The test is run in the folder of the module that has golang.org/x/time.
func TestGoTakesTheProgramThatIsWritten(t *testing.T) {
	need(t, "go")
	accepted(t, "go", func(_, text string) string { return text },
		func(_, path string) *exec.Cmd { return exec.Command("go", "vet", path) })
}

// A wrong configuration is refused: the tests above can fail.
func TestAWrongConfigurationIsRefused(t *testing.T) {
	need(t, "nginx", "haproxy", "go")
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		return path
	}
	assert.Error(t, exec.Command("nginx", "-t", "-e", "stderr", "-p", dir, "-c",
		write("nginx.conf", "pid "+dir+"/pid; events {} http { limit_req_zone $binary_remote_addr zone=z:1m rate=0.5r/s; }")).Run())
	assert.Error(t, exec.Command("haproxy", "-c", "-f", write("haproxy.cfg", "backend b\n  stick-table type ipv6 size 0.5 store http_req_rate(1s)\n")).Run())
	assert.Error(t, exec.Command("go", "vet", write("x.go", "package x\n\nimport \"golang.org/x/time/rate\"\n\nvar _ = rate.NewLimiter(1)\n")).Run())
}
