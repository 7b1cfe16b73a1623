package logs

import (
	"archive/tar"
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// readText reads one log.
func readText(t *testing.T, text string, opts Options) *Log {
	t.Helper()
	opts.Stdin = strings.NewReader(text)
	log, err := Read([]string{"-"}, opts)
	require.NoError(t, err)
	return log
}

func TestOneKeyWhereTheLogTellsClientsApartIsAWarning(t *testing.T) {
	const proxied = `10.0.0.1 - - [10/Oct/2000:13:55:36 -0700] "GET / HTTP/1.0" 200 1 "-" "-" "192.0.2.%d"` + "\n"
	for name, c := range map[string]struct {
		line string // with a number that changes
		head string
		opts Options
		want string // empty: no warning
	}{
		"forwarded addresses in combined format": {proxied, "", Options{}, `"X-Forwarded-For" with several values: choose with --key or, behind proxies, --forwarded-depth`},
		"chosen by depth":                        {proxied, "", Options{ForwardedDepth: 1}, ""},
		"another column":                         {"%d,a,10.0.0.%[1]d\n", "t,key,remoteAddress\n", Options{}, `"remoteAddress" with several values: choose with --key`},
		"a column with one value":                {"%d,a,10.0.0.1\n", "t,key,client_ip\n", Options{}, ""},
		"a column that tells no clients apart":   {"%d,a,%[1]d\n", "t,key,size\n", Options{}, ""},
		"no key in JSON":                         {`{"time":%d.5,"remoteAddress":"10.0.0.%[1]d:4%[1]d"}` + "\n", "", Options{}, `"remoteAddress" with several values`},
		"ports alone":                            {`{"time":1.5,"client":"10.0.0.1:4%d"}` + "\n", "", Options{}, ""},
		"a list in JSON":                         {`{"time":1.5,"ip":"10.0.0.1","x_forwarded_for":["192.0.2.%d"]}` + "\n", "", Options{Key: "ip"}, `"x_forwarded_for" with several values: choose with --key or, behind proxies, --forwarded-depth`},
		"a log format": {"10.0.0.1 [%d.5] \"192.0.2.%[1]d\"\n", "", Options{LogFormat: `$remote_addr [$msec] "$http_x_forwarded_for"`},
			`"http_x_forwarded_for" with several values: choose with --key or, behind proxies, --forwarded-depth`},
		"a log format of Apache": {"10.0.0.1 [10/Oct/2000:13:55:36 -0700] \"192.0.2.%d\"\n", "", Options{LogFormat: `%h %t "%{X-Forwarded-For}i"`},
			`"{X-Forwarded-For}i" with several values`},
		"many keys":              {"%d,a%[1]d,10.0.0.%[1]d\n", "t,key,client_ip\n", Options{}, ""},
		"no key, told as choice": {"%d,10.0.0.%[1]d\n", "t,client_ip\n", Options{}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			text := c.head
			for i := range 5 {
				text += fmt.Sprintf(c.line, i)
			}
			log := readText(t, text, c.opts)
			warnings := log.Warnings(true)
			if c.want == "" {
				assert.Empty(t, warnings)
			} else {
				require.Len(t, warnings, 1)
				assert.Contains(t, warnings[0], "5 of 5 requests have one and the same key, while the log has "+c.want)
			}
			assert.Empty(t, log.Warnings(false), "keys do not matter")
		})
	}
}

func TestOneKeyIsThatOfNinetyNineInAHundred(t *testing.T) {
	log := func(others int) *Log {
		text := "t,key,user\n"
		for i := range 200 {
			key := "a"
			if i < others {
				key = "b"
			}
			text += fmt.Sprintf("%d,%s,%d\n", i, key, i)
		}
		return readText(t, text, Options{})
	}
	assert.Len(t, log(2).Warnings(true), 1)
	assert.Empty(t, log(3).Warnings(true))
}

func TestTheSameRequestsTwiceAreAWarning(t *testing.T) {
	dir := t.TempDir()
	const text = "t,key\n1,a\n2,b\n2,a\n"
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		return path
	}
	packed := func(name string) string {
		var b bytes.Buffer
		w := gzip.NewWriter(&b)
		_, err := w.Write([]byte(text))
		require.NoError(t, err)
		require.NoError(t, w.Close())
		return file(name, b.String())
	}
	plain := file("a.csv", text)
	for name, c := range map[string]struct {
		paths []string
		pairs int
	}{
		"compressed":              {[]string{plain, packed("a.csv.gz")}, 1},
		"named twice":             {[]string{plain, plain}, 1},
		"the key first":           {[]string{plain, file("b.csv", "key,t\na,1\nb,2\na,2\n")}, 1},
		"three":                   {[]string{plain, plain, plain}, 3},
		"another key":             {[]string{plain, file("c.csv", "t,key\n1,a\n2,c\n2,a\n")}, 0},
		"another order":           {[]string{plain, file("d.csv", "t,key\n1,a\n2,a\n2,b\n")}, 0},
		"one more":                {[]string{plain, file("e.csv", text+"3,a\n")}, 0},
		"another cost":            {[]string{plain, file("f.csv", "t,key,cost\n1,a,1\n2,b,1\n2,a,2\n")}, 0},
		"one request each, alike": {[]string{file("g.csv", "t\n1\n"), file("h.csv", "t\n1\n")}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			log, err := Read(c.paths, Options{})
			require.NoError(t, err)
			warnings := log.Warnings(false)
			require.Len(t, warnings, c.pairs)
			for _, w := range warnings {
				assert.Contains(t, w, "hold the same 3 requests: each of them counts twice")
			}
			scanned, err := Scan(c.paths, Options{}, func(*Log, *Record) error { return nil })
			require.NoError(t, err)
			assert.Equal(t, warnings, scanned.Warnings(false), "Scan knows it, too")
		})
	}
}

func TestFieldsOfACSVMayBeSeparatedOtherwise(t *testing.T) {
	want := "1.5 \"a\" 2\n2 \"b;\\t,\" 1\n"
	for name, c := range map[string]struct {
		text  string
		opts  Options
		found string
	}{
		"by commas":             {"t,key,cost\n1.5,a,2\n2,\"b;\t,\",1\n", Options{}, "csv"},
		"by semicolons":         {"t;key;cost\n1.5;a;2\n2;\"b;\t,\";1\n", Options{}, "csv separated by ;"},
		"by tabs":               {"t\tkey\tcost\n1.5\ta\t2\n2\t\"b;\t,\"\t1\n", Options{}, "csv separated by tabs"},
		"with a named time":     {"\xef\xbb\xbfwhen;key;cost\r\n1.5;a;2\r\n2;\"b;\t,\";1\r\n", Options{Time: "when"}, "csv separated by ;"},
		"a comma in the header": {"t;key;cost;a,b\n1.5;a;2;\n2;\"b;\t,\";1;\n", Options{Format: CSV}, "csv separated by ;"},
	} {
		t.Run(name, func(t *testing.T) {
			log := readText(t, c.text, c.opts)
			assert.Equal(t, c.found, log.Files[0].Found())
			_, records, _ := strings.Cut(described(log), "reordered\nall:")
			_, records, _ = strings.Cut(records, "\n")
			assert.Equal(t, want, records)
		})
	}
	_, err := Read([]string{"-"}, Options{Stdin: strings.NewReader("Dear reader; it is time\nto go; now\n")})
	assert.ErrorContains(t, err, "in no format that is known")
}

func TestArchivesAndCutOffFilesSaySo(t *testing.T) {
	var archive bytes.Buffer
	zip := gzip.NewWriter(&archive)
	tape := tar.NewWriter(zip)
	require.NoError(t, tape.WriteHeader(&tar.Header{Name: "access.log", Size: 4, Mode: 0o600}))
	_, err := tape.Write([]byte("t\n1\n"))
	require.NoError(t, err)
	require.NoError(t, tape.Close())
	require.NoError(t, zip.Close())
	_, err = Read([]string{"-"}, Options{Stdin: &archive})
	assert.ErrorContains(t, err, "is a tar archive; unpack it first, as in: tar -xOf FILE | ratelab … -")

	var text bytes.Buffer
	text.WriteString("t\n")
	for i := range 400_000 {
		fmt.Fprintf(&text, "%d.%d\n", i, i*i%1000)
	}
	var packed bytes.Buffer
	w, err := zstd.NewWriter(&packed)
	require.NoError(t, err)
	_, err = w.Write(text.Bytes())
	require.NoError(t, err)
	require.NoError(t, w.Close())
	_, err = Read([]string{"-"}, Options{Stdin: bytes.NewReader(packed.Bytes()[:packed.Len()*3/4])})
	assert.ErrorContains(t, err, "is cut off: its zstd data end too early; ")
	assert.ErrorContains(t, err, "requests could be read before, the last of 1970-01-0")
	_, err = Read([]string{"-"}, Options{Stdin: bytes.NewReader(packed.Bytes()[:100])})
	assert.EqualError(t, err, "standard input: is cut off: its zstd data end too early; no request could be read before")
}
