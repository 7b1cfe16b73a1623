package peers

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/go-redis/redis_rate/v10"
	"github.com/redis/go-redis/v9"

	"ratelab/limiters"
	"ratelab/limiters/contract"
)

// Our own scripts.
var (
	//go:embed redis/gcra.lua
	gcraScript string
	//go:embed redis/fixed_window.lua
	fixedWindowScript string
)

// redisServer is a running redis-server with one connection to it.
//
// Only its wall clock is moved; its monotonic one, by which it does things
// unasked, stands still. It deletes a key that has expired only when somebody
// asks for the key: when else it would is nobody's to say.
type redisServer struct {
	*server
	client *redis.Client
}

func redisVersion() (string, error) {
	out, err := exec.Command("redis-server", "--version").CombinedOutput()
	if err != nil {
		return "", err
	}
	for field := range strings.FieldsSeq(string(out)) {
		if v, ok := strings.CutPrefix(field, "v="); ok {
			return v, nil
		}
	}
	return "", fmt.Errorf("redis-server --version says %q", out)
}

// redisRateVersion is the module's, with that of Redis if that is another than
// was modelled.
func redisRateVersion() (string, error) {
	server, err := redisVersion()
	if err != nil {
		return "", err
	}
	module, err := moduleVersion("github.com/go-redis/redis_rate/v10")()
	if err == nil && server != redisModelled {
		module += " on Redis " + server
	}
	return module, err
}

func startRedis(now time.Duration) (*redisServer, error) {
	s, err := newServer(now)
	if err != nil {
		return nil, err
	}
	r := &redisServer{server: s}
	if err = s.start(nil, "redis-server", r.arguments()...); err == nil {
		r.client = redis.NewClient(r.options(1))
		err = r.client.Do(context.Background(), "DEBUG", "SET-ACTIVE-EXPIRE", "0").Err()
	}
	if err != nil {
		return nil, errors.Join(err, r.close())
	}
	return r, nil
}

// arguments are those of the server's command line.
func (r *redisServer) arguments() []string {
	return []string{"--port", strconv.Itoa(r.port), "--bind", "127.0.0.1", "--dir", r.dir,
		"--save", "", "--appendonly", "no", "--daemonize", "no", "--enable-debug-command", "yes"}
}

// options are those of a client with at most so many connections.
func (r *redisServer) options(pool int) *redis.Options {
	return &redis.Options{
		Addr: r.address(), PoolSize: pool, MaxRetries: -1, Protocol: 2, DisableIdentity: true,
		DialTimeout: longest, ReadTimeout: longest, WriteTimeout: longest, ConnMaxIdleTime: -1,
	}
}

// at sets the server's time.
func (r *redisServer) at(wall time.Duration) { r.set(wall, time.Hour) }

func (r *redisServer) close() error {
	var err error
	if r.client != nil {
		err = r.client.Close()
	}
	return errors.Join(err, r.server.close())
}

// decider answers a request at a time as the real program does. It may cut the
// time down to one that the program can be asked at.
type decider func(at *time.Duration, key string, cost int64) (limiters.Decision, error)

// redisRate is AllowN of redis_rate, with the rate and burst of a spec of the
// dialect, as they are written there.
func (r *redisServer) redisRate(text string) (decider, error) {
	m := regexp.MustCompile(`^redis-rate:rate=(\d+)/(\d*)([a-z]+),burst=(\d+)$`).FindStringSubmatch(text)
	if m == nil {
		return nil, fmt.Errorf("cannot be said to redis_rate: %q", text)
	}
	if m[2] == "" {
		m[2] = "1"
	}
	period, err := time.ParseDuration(m[2] + m[3])
	if err != nil {
		return nil, err
	}
	limit := redis_rate.Limit{Period: period}
	if limit.Rate, err = strconv.Atoi(m[1]); err != nil {
		return nil, err
	}
	if limit.Burst, err = strconv.Atoi(m[4]); err != nil {
		return nil, err
	}
	l := redis_rate.NewLimiter(r.client)
	return func(at *time.Duration, key string, cost int64) (d limiters.Decision, err error) {
		r.at(*at)
		result, err := l.AllowN(context.Background(), key, limit, int(cost))
		if err != nil {
			return d, err
		}
		d.Has = contract.AllHints
		d.Admitted = result.Allowed > 0
		d.Limit, d.Remaining, d.Reset = int64(result.Limit.Burst), int64(result.Remaining), known(result.ResetAfter)
		if !d.Admitted {
			d.RetryAfter = known(result.RetryAfter)
		}
		return d, nil
	}, nil
}

// known is a duration that was converted from floating point. Go leaves it to
// the machine what becomes of one beyond int64; amd64 makes it the least.
func known(d time.Duration) time.Duration {
	if d == math.MinInt64 {
		return limiters.Never
	}
	return d
}

// ownScript runs one of our scripts with its first arguments, at whole
// microseconds: Redis tells a script no finer time.
func (r *redisServer) ownScript(script string, args ...any) decider {
	s := redis.NewScript(script)
	return func(at *time.Duration, key string, cost int64) (d limiters.Decision, err error) {
		*at = at.Truncate(time.Microsecond)
		r.at(*at)
		reply, err := s.Run(context.Background(), r.client, []string{key}, append(args[:len(args):len(args)], cost)...).Int64Slice()
		if err != nil {
			return d, err
		}
		if len(reply) != 5 {
			return d, fmt.Errorf("five numbers were expected, not %d", len(reply))
		}
		d = limiters.Decision{
			Admitted:   reply[0] == 1,
			Limit:      reply[1],
			Remaining:  reply[2],
			RetryAfter: time.Duration(reply[3]) * time.Microsecond,
			Reset:      time.Duration(reply[4]) * time.Microsecond,
			Has:        contract.AllHints,
		}
		if reply[3] < 0 {
			d.RetryAfter = limiters.Never
		}
		return d, nil
	}
}

// gcra runs our GCRA script with the rate and burst of a spec.
func (r *redisServer) gcra(s limiters.Spec) decider {
	rate, _ := s.Rate()
	n, p := int64(rate.N)*1000, int64(rate.P) // units in p microseconds
	g := divisor(n, p)
	return r.ownScript(gcraScript, n/g, p/g, s.Capacity())
}

func divisor(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// fixedWindow runs our fixed-window script with the limit and window of a spec.
func (r *redisServer) fixedWindow(s limiters.Spec) decider {
	window, _ := s.Window()
	return r.ownScript(fixedWindowScript, s.Capacity(), window.Microseconds())
}

// upstashPackage is the release of @upstash/ratelimit that was the newest at
// the commit that the dialect follows.
const upstashPackage = "@upstash/ratelimit@2.0.8"

// upstash holds the scripts of the npm package, which is fetched by npm and
// not kept.
type upstash struct {
	version                    string
	sliding, cachedFixedWindow string
}

// fetchedUpstash is the package, fetched once.
var fetchedUpstash = sync.OnceValues(fetchUpstash)

func upstashVersion() (string, error) {
	u, err := fetchedUpstash()
	if err != nil {
		return "", err
	}
	if server, err := redisVersion(); err != nil || server != redisModelled {
		return u.version + " on Redis " + server, err
	}
	return u.version, nil
}

// fetchUpstash packs the package into a temporary folder and reads it there.
func fetchUpstash() (u upstash, err error) {
	dir, err := os.MkdirTemp("", "peers-npm-")
	if err != nil {
		return u, err
	}
	defer os.RemoveAll(dir)
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	run := func(program string, args ...string) error {
		c := exec.CommandContext(ctx, program, args...)
		c.Dir, c.WaitDelay = dir, time.Second
		if out, err := c.CombinedOutput(); err != nil {
			return fmt.Errorf("%s: %w\n%s", program, err, out)
		}
		return nil
	}
	if err := run("npm", "pack", "--silent", "--ignore-scripts", upstashPackage); err != nil {
		return u, err
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.tgz"))
	if err != nil || len(files) != 1 {
		return u, fmt.Errorf("npm pack made %d files: %v", len(files), err)
	}
	if err := run("tar", "xzf", files[0], "package/package.json", "package/dist/index.js"); err != nil {
		return u, err
	}
	read := func(name, pattern string) string {
		if err != nil {
			return ""
		}
		f, openErr := os.Open(filepath.Join(dir, "package", name))
		if err = openErr; err != nil {
			return ""
		}
		defer f.Close()
		text, readErr := io.ReadAll(io.LimitReader(f, 1<<22))
		if err = readErr; err != nil {
			return ""
		}
		m := regexp.MustCompile(pattern).FindSubmatch(text)
		if m == nil {
			err = fmt.Errorf("%s of %s has no %s", name, upstashPackage, pattern)
			return ""
		}
		return string(m[1])
	}
	u.version = read("package.json", `"version":\s*"v?([^"]+)"`)
	u.sliding = read("dist/index.js", "(?s)var slidingWindowLimitScript = `(.*?)`;")
	u.cachedFixedWindow = read("dist/index.js", "(?s)var cachedFixedWindowLimitScript = `(.*?)`;")
	return u, err
}

// upstashSliding runs the script of the package as its client does: with the
// client's time, which is the server's here, and the counters of two windows.
func (r *redisServer) upstashSliding(u upstash, s limiters.Spec) decider {
	script := redis.NewScript(u.sliding)
	length, _ := s.Window()
	window, limit := length.Milliseconds(), s.Capacity()
	return func(at *time.Duration, key string, cost int64) (d limiters.Decision, err error) {
		r.at(*at)
		ms := at.Milliseconds()
		k := ms / window
		keys := []string{fmt.Sprintf("%s:%d", key, k), fmt.Sprintf("%s:%d", key, k-1), ""}
		reply, err := script.Run(context.Background(), r.client, keys, limit, ms, window, cost).Int64Slice()
		if err != nil {
			return d, err
		}
		if len(reply) != 2 {
			return d, fmt.Errorf("two numbers were expected, not %d", len(reply))
		}
		d.Admitted = reply[0] >= 0
		d.Limit, d.Remaining = reply[1], max(0, reply[0])
		d.Reset = time.Duration((k+1)*window)*time.Millisecond - *at
		d.Has = contract.HintLimit | contract.HintRemaining | contract.HintReset
		return d, nil
	}
}
