package conf

import (
	"go/format"
	"go/parser"
	"go/token"
	"math/big"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"ratelab/internal/spec"
	"ratelab/limiters"
	"ratelab/logs"
)

func rate(t require.TestingT, text string) spec.Rate {
	r, err := spec.ParseRate(text)
	require.NoError(t, err)
	return r
}

// window is how long a bucket takes to fill up, rounded up.
func window(r spec.Rate, burst int64) time.Duration {
	return time.Duration((burst*int64(r.P) + r.N - 1) / r.N)
}

func limit(t require.TestingT, text string, burst int64) Limit {
	r := rate(t, text)
	return Limit{Rate: r, Burst: burst, Window: window(r, burst), Key: "ip", Keys: 100}
}

// reading takes a rate per second and what passes at once out of a text, by another way than the text was written.
var reading = map[string]func(t require.TestingT, text string) (perSecond *big.Rat, atOnce int64){
	"nginx": func(t require.TestingT, text string) (*big.Rat, int64) {
		m := regexp.MustCompile(`rate=([0-9]+)r/([sm]);`).FindStringSubmatch(text)
		require.NotNil(t, m, text)
		q, _ := new(big.Rat).SetString(m[1])
		if m[2] == "m" {
			q.Quo(q, big.NewRat(60, 1))
		}
		burst := regexp.MustCompile(`limit_req zone=ratelab(?: burst=([0-9]+))?`).FindStringSubmatch(text)
		require.NotNil(t, burst, text)
		return q, whole(t, "0"+burst[1]) + 1
	},
	"haproxy": func(t require.TestingT, text string) (*big.Rat, int64) {
		ms := regexp.MustCompile(`http_req_rate\(([0-9]+)ms\)`).FindStringSubmatch(text)
		most := regexp.MustCompile(`sc_http_req_rate\(0\) gt ([0-9]+) }`).FindStringSubmatch(text)
		require.NotNil(t, ms, text)
		require.NotNil(t, most, text)
		return big.NewRat(1000*whole(t, most[1]), whole(t, ms[1])), whole(t, most[1])
	},
	"envoy": func(t require.TestingT, text string) (*big.Rat, int64) {
		m := regexp.MustCompile(`max_tokens: ([0-9]+)\s+tokens_per_fill: ([0-9]+)\s+fill_interval: ([0-9.]+)s\n`).FindStringSubmatch(text)
		require.NotNil(t, m, text)
		every, _ := new(big.Rat).SetString(m[3])
		assert.GreaterOrEqual(t, every.Cmp(big.NewRat(50, 1000)), 0, "Envoy wants 50 ms at least")
		q, _ := new(big.Rat).SetString(m[2])
		return q.Quo(q, every), whole(t, m[1])
	},
	"redis-cell": func(t require.TestingT, text string) (*big.Rat, int64) {
		f := strings.Fields(text)
		require.Len(t, f, 6)
		return big.NewRat(whole(t, f[3]), whole(t, f[4])), whole(t, f[2]) + 1
	},
	"go": func(t require.TestingT, text string) (*big.Rat, int64) {
		m := regexp.MustCompile(`rate\.Limit\(([0-9]+)(?:\.0/([0-9]+))?\), ([0-9]+)\)`).FindStringSubmatch(text)
		require.NotNil(t, m, text)
		q, _ := new(big.Rat).SetString(m[1])
		if m[2] != "" {
			d, _ := new(big.Rat).SetString(m[2])
			q.Quo(q, d)
		}
		return q, whole(t, m[3])
	},
}

func whole(t require.TestingT, text string) int64 {
	n, err := strconv.ParseInt(text, 10, 64)
	require.NoError(t, err)
	return n
}

// The text, read again, and the dialect have the same rate and let the same pass at once, and that is the limit's but
// for what is said to be rounded.
func TestTextAndDialectAreTheSameLimit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		unit := rapid.SampledFrom([]string{"s", "m", "h", "d", "13s", "100ms"}).Draw(t, "unit")
		l := limit(t, strconv.Itoa(rapid.IntRange(1, 5000).Draw(t, "n"))+"/"+unit, rapid.Int64Range(1, 1000).Draw(t, "burst"))
		program := rapid.SampledFrom(Programs).Draw(t, "program")
		c, err := For(program, l)
		asked := per(l.Rate, time.Second)
		if program == "nginx" && asked.Cmp(big.NewRat(1, 120)) < 0 {
			assert.ErrorContains(t, err, "nginx knows no rate below 1r/m")
			return
		}
		if program == "haproxy" && l.Window > 1<<30*time.Millisecond {
			assert.ErrorContains(t, err, "24.8 days")
			return
		}
		require.NoError(t, err)
		read, atOnce := reading[program](t, c.Text)
		assert.Equal(t, l.Burst, atOnce, c.Text)
		assert.Equal(t, l.Burst, c.Spec.Capacity(), c.Spec)
		own, ok := c.Spec.Rate()
		require.True(t, ok)
		dialect := per(own, time.Second)
		switch program {
		case "nginx": // keeps thousandths
			milli := new(big.Rat).Mul(read, big.NewRat(1000, 1))
			floor := new(big.Int).Quo(milli.Num(), milli.Denom())
			assert.Zero(t, dialect.Cmp(new(big.Rat).SetFrac(floor, big.NewInt(1000))), "%s %s", c.Spec, dialect)
			off := new(big.Rat).Sub(read, asked)
			assert.LessOrEqual(t, off.Abs(off).Cmp(big.NewRat(1, 120)), 0, "the nearest whole number a minute")
			assert.Equal(t, off.Sign() != 0, strings.Contains(strings.Join(c.Says, "\n"), "is the nearest"))
		case "haproxy": // rounds its period up to a ms
			assert.Zero(t, dialect.Cmp(read), c.Spec)
			period := new(big.Rat).Quo(new(big.Rat).SetInt64(l.Burst), read)
			exact := new(big.Rat).Quo(new(big.Rat).SetInt64(l.Burst), asked)
			over := period.Sub(period, exact)
			assert.GreaterOrEqual(t, over.Sign(), 0)
			assert.Negative(t, over.Cmp(big.NewRat(1_000_001, 1_000_000_000)))
		case "redis-cell": // a whole interval of ns
			assert.Zero(t, read.Cmp(asked), c.Text)
			ns := new(big.Rat).Quo(big.NewRat(1_000_000_000, 1), asked)
			cut := new(big.Int).Quo(ns.Num(), ns.Denom())
			assert.Zero(t, dialect.Cmp(new(big.Rat).SetFrac(big.NewInt(1_000_000_000), cut)), c.Spec)
		default:
			assert.Zero(t, read.Cmp(asked), c.Text)
			assert.Zero(t, dialect.Cmp(asked), c.Spec)
		}
	})
}

func TestGoIsGoWhateverTheRate(t *testing.T) {
	for _, text := range []string{"1/s", "20/m", "1/3d", "7/13s"} {
		c, err := For("go", limit(t, text, 5))
		require.NoError(t, err)
		_, err = parser.ParseFile(token.NewFileSet(), "ratelimit.go", c.Text, parser.AllErrors)
		assert.NoError(t, err, c.Text)
		formatted, err := format.Source([]byte(c.Text))
		require.NoError(t, err)
		assert.Equal(t, string(formatted), c.Text)
	}
}

func TestWhatAProgramCanNotHaveIsSaid(t *testing.T) {
	for _, c := range []struct {
		program, rate string
		burst         int64
		want          string
	}{
		{"nginx", "1/h", 1, "nginx knows no rate below 1r/m, and 1/h is nearer to none"},
		{"haproxy", "1/d", 30, "HAProxy's tables keep a count for 24.8 days at most"},
		{"haproxy", "1000000000/s", 1 << 33, "HAProxy counts to 2^32 at most"},
		{"envoy", "1/s", 1 << 33, "the filter of Envoy counts tokens to 2^32 at most"},
		{"redis-cell", "2000000000/s", 1, "redis-cell knows no rate above 1000000000/s"},
		{"go", "1/s", 1 << 33, "a burst of an int may have 32 bits"},
		{"ngnix", "1/s", 1, `unknown program "ngnix" (did you mean "nginx"?); known: nginx, haproxy, envoy, redis-cell, go`},
	} {
		_, err := For(c.program, limit(t, c.rate, c.burst))
		assert.ErrorContains(t, err, c.want)
	}
	_, err := For("go", Limit{})
	assert.ErrorContains(t, err, "needs a rate")
}

func TestKeysAreThoseOfTheLog(t *testing.T) {
	for key, want := range map[string][2]string{
		"ip": {"$binary_remote_addr", "src"}, "user": {"$remote_user", "req.hdr(x-api-key)"}, "endpoint": {"$uri", "path"},
		"method": {"$request_method", "method"}, "agent": {"$http_user_agent", "req.hdr(user-agent)"}, "host": {"$host", "req.hdr(host)"},
		"": {"$server_name", "str(all)"}, "client_id": {"$http_x_api_key", "req.hdr(x-api-key)"},
	} {
		l := limit(t, "1/s", 2)
		l.Key = key
		a, err := For("nginx", l)
		require.NoError(t, err)
		assert.Contains(t, a.Text, "limit_req_zone "+want[0]+" zone")
		b, err := For("haproxy", l)
		require.NoError(t, err)
		assert.Contains(t, b.Text, "track-sc0 "+want[1]+" table")
	}
}

func TestAQueueWaitsInNginxAlone(t *testing.T) {
	l := limit(t, "2/s", 3)
	l.Queue = true
	for _, program := range Programs {
		c, err := For(program, l)
		require.NoError(t, err)
		assert.Equal(t, program != "nginx", strings.Contains(strings.Join(c.Says, "\n"), "it lets nothing wait"))
		assert.NotContains(t, c.Text, "nodelay")
	}
}

func TestDecisionsThatDifferAreCounted(t *testing.T) {
	parse := func(text string) limiters.Spec {
		s, err := limiters.Parse(text)
		require.NoError(t, err)
		return s
	}
	var records []logs.Record
	for i := range 10 { // 3/s is one request in 333⅓ ms: nginx's clock comes late
		records = append(records, logs.Record{At: int64(i) * 333_333_334, Cost: 1})
	}
	d, err := Compare(records, []string{""}, parse("token-bucket:rate=3/s,burst=1"), parse("nginx:rate=3r/s,burst=0,nodelay"), 1)
	require.NoError(t, err)
	assert.Positive(t, d.OnlyRefused)
	assert.EqualValues(t, 10, d.Requests)

	at := func(ns ...int64) (list []logs.Record) {
		for _, t := range ns {
			list = append(list, logs.Record{At: t, Cost: 1})
		}
		return list
	}
	d, err = Compare(at(0, 0, 0, 5), []string{""}, parse("token-bucket:rate=1/s,burst=2"), parse("token-bucket:rate=1/s,burst=3"), 1)
	require.NoError(t, err)
	assert.Equal(t, Difference{Requests: 4, OnlyPassed: 1}, d)
	assert.EqualValues(t, 1, d.Differ())
	d, err = Compare(at(0, 0, 0, 5), []string{""}, parse("token-bucket:rate=1/s,burst=3"), parse("leaky-queue:rate=1/s,queue=1"), 1)
	require.NoError(t, err)
	assert.Equal(t, Difference{Requests: 4, OnlyRefused: 1, Held: 1, LongestHeld: time.Second}, d)

	records = at(0)
	records[0].Cost = 2
	_, err = Compare(records, []string{""}, parse("gcra:rate=1/s,burst=2"), parse("haproxy:limit=1,period=1s"), 1)
	assert.EqualError(t, err, "haproxy knows requests of cost 1 only, got 2")
}

// Buckets in whole nanoseconds decide as the canonical one where the rate's interval is whole.
func TestWholeIntervalsDecideAlike(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		burst := rapid.Int64Range(1, 4).Draw(t, "burst")
		l := limit(t, rapid.SampledFrom([]string{"1/s", "20/m", "5/s", "100/s"}).Draw(t, "rate"), burst)
		canonical, err := limiters.Parse("token-bucket:rate=" + l.Rate.String() + ",burst=" + strconv.FormatInt(burst, 10))
		require.NoError(t, err)
		var records []logs.Record
		now := int64(1_700_000_000_000_000_000)
		for range 50 {
			now += rapid.Int64Range(0, 3_000).Draw(t, "gap") * 1_000_000
			records = append(records, logs.Record{At: now, Cost: 1})
		}
		c, err := For("redis-cell", l)
		require.NoError(t, err)
		d, err := Compare(records, []string{""}, canonical, c.Spec, 1)
		require.NoError(t, err)
		assert.Zero(t, d.Differ(), c.Spec)
	})
}
