package contract

import (
	"math"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// sunday is Sunday, 6 November 2033, 08:49:37.25.
const sunday = 2_014_879_777*time.Second + 250*time.Millisecond

func refused(wait, reset time.Duration) Reply {
	return Reply{Outcome: Throttled, Decision: Decision{RetryAfter: wait, Limit: 20, Remaining: 0, Reset: reset, Has: AllHints}}
}

func TestAReplyAsAMessage(t *testing.T) {
	user := Policy{Name: "user", Quota: 20, Seconds: 10}
	for name, c := range map[string]struct {
		style Style
		reply Reply
		want  Message
	}{
		"admitted": {Style{},
			Reply{Outcome: OK, Decision: Decision{Admitted: true, Limit: 20, Remaining: 19, Reset: 500 * time.Millisecond, Has: AllHints}},
			Message{Status: 200, Limit: "20", Remaining: "19", Reset: "1", RateLimit: `"user";r=19;t=1`, Policies: `"user";q=20;w=10`}},
		"refused": {Style{}, refused(500*time.Millisecond, 10*time.Second),
			Message{Status: 429, RetryAfter: "1", Limit: "20", Remaining: "0", Reset: "10", RateLimit: `"user";r=0;t=1`, Policies: `"user";q=20;w=10`, Violated: "user"}},
		"in the forms of an instant": {Style{DateRetryAfter: true, EpochReset: true}, refused(1500*time.Millisecond, 10*time.Second),
			Message{Status: 429, RetryAfter: "Sun, 06 Nov 2033 08:49:39 GMT", Limit: "20", Remaining: "0", Reset: "2014879788", RateLimit: `"user";r=0;t=1`, Policies: `"user";q=20;w=10`, Violated: "user"}},
		"no wait helps": {Style{}, refused(Never, 10*time.Second),
			Message{Status: 429, Limit: "20", Remaining: "0", Reset: "10", RateLimit: `"user";r=0;t=10`, Policies: `"user";q=20;w=10`, Violated: "user"}},
		"a wait that looks like a Unix time": {Style{}, refused(1e9*time.Second+1, 1e9*time.Second),
			Message{Status: 429, Limit: "20", Remaining: "0", Reset: "1000000000", RateLimit: `"user";r=0;t=1000000000`, Policies: `"user";q=20;w=10`, Violated: "user"}},
		"hints of instants that have passed": {Style{}, Reply{Outcome: Throttled, Decision: Decision{RetryAfter: -1, Remaining: -3, Reset: -5 * time.Second, Has: HintRetryAfter | HintRemaining | HintReset}},
			Message{Status: 429, RetryAfter: "0", Remaining: "0", Reset: "0", RateLimit: `"user";r=0;t=0`, Violated: "user"}},
		"a program without hints": {Style{}, Reply{Outcome: Throttled},
			Message{Status: 429, Violated: "user"}},
		"under pressure": {Style{}, Reply{Outcome: Shed, Decision: Decision{RetryAfter: time.Nanosecond, Has: HintRetryAfter}},
			Message{Status: 503, RetryAfter: "1"}},
		"the store is down": {Style{}, Reply{Outcome: StoreDown}, Message{Status: 503}},
		"no answer":         {Style{}, Reply{Outcome: Timeout, Decision: Decision{Limit: 5, Has: AllHints}}, Message{}},
	} {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, c.want, c.style.Format(c.reply, sunday, Standing{user, c.reply.Decision}))
		})
	}
}

func TestEveryPolicyHasAnItem(t *testing.T) {
	own := Decision{Limit: 5, Remaining: 0, RetryAfter: 700 * time.Millisecond, Reset: 5 * time.Second, Has: AllHints}
	all := Decision{Admitted: true, Limit: 9, Remaining: 8, Reset: time.Second, Has: AllHints}
	mute := Decision{Admitted: true}
	m := Style{}.Format(Reply{Outcome: Throttled, Decision: Decision{RetryAfter: own.RetryAfter, Remaining: 0, Layer: 2, Has: AllHints}}, 0,
		Standing{Policy{Name: "all", Quota: 9}, all}, Standing{Policy{Name: "mute", Quota: 7}, mute}, Standing{Policy{Name: `us"er`, Quota: 5, Seconds: 5}, own})
	assert.Equal(t, `"all";r=8;t=1, "us\"er";r=0;t=1`, m.RateLimit)
	assert.Equal(t, `"all";q=9, "us\"er";q=5;w=5`, m.Policies)
	assert.Equal(t, `us"er`, m.Violated)
	problem, ok := m.Problem()
	require.True(t, ok)
	assert.Equal(t, Problem{Type: quotaExceeded, Title: problem.Title, Status: 429, Violated: []string{`us"er`}}, problem)
}

func TestParseIsAsStrictAsTheRFCs(t *testing.T) {
	const all = HintLimit | HintRemaining | HintReset
	for name, c := range map[string]struct {
		message Message
		want    Decision
	}{
		"seconds":                        {Message{RetryAfter: "120"}, Decision{RetryAfter: 2 * time.Minute, Has: HintRetryAfter}},
		"leading zeros":                  {Message{RetryAfter: "007"}, Decision{RetryAfter: 7 * time.Second, Has: HintRetryAfter}},
		"a fraction":                     {Message{RetryAfter: "1.5"}, Decision{}},
		"a sign":                         {Message{RetryAfter: "+1", Limit: "-1", Remaining: "+3", Reset: "-0"}, Decision{}},
		"a unit":                         {Message{RetryAfter: "1s"}, Decision{}},
		"two values":                     {Message{RetryAfter: "1, 2", Limit: "10, 10;w=1"}, Decision{}},
		"digits of another script":       {Message{RetryAfter: "١"}, Decision{}},
		"31 years":                       {Message{RetryAfter: "1000000000"}, Decision{RetryAfter: 1e9 * time.Second, Has: HintRetryAfter}},
		"a Unix time for seconds":        {Message{RetryAfter: "2014879780", Reset: "2014879778"}, Decision{RetryAfter: 2750 * time.Millisecond, Reset: 750 * time.Millisecond, Has: HintRetryAfter | HintReset}},
		"a Unix time that has passed":    {Message{RetryAfter: "1792152901", Reset: "1792152901"}, Decision{Has: HintRetryAfter | HintReset}},
		"more than any integer":          {Message{RetryAfter: strings.Repeat("9", 99), Limit: strings.Repeat("9", 99)}, Decision{RetryAfter: Never, Limit: math.MaxInt64, Has: HintRetryAfter | HintLimit}},
		"an IMF-fixdate":                 {Message{RetryAfter: "Sun, 06 Nov 2033 08:49:39 GMT"}, Decision{RetryAfter: 1750 * time.Millisecond, Has: HintRetryAfter}},
		"an RFC 850 date":                {Message{RetryAfter: "Sunday, 06-Nov-33 08:49:39 GMT"}, Decision{RetryAfter: 1750 * time.Millisecond, Has: HintRetryAfter}},
		"an asctime date":                {Message{RetryAfter: "Sun Nov  6 08:49:39 2033"}, Decision{RetryAfter: 1750 * time.Millisecond, Has: HintRetryAfter}},
		"a date that has passed":         {Message{RetryAfter: "Sun, 06 Nov 1994 08:49:37 GMT"}, Decision{Has: HintRetryAfter}},
		"a date beyond int64":            {Message{RetryAfter: "Sun, 06 Nov 9994 08:49:37 GMT"}, Decision{RetryAfter: Never, Has: HintRetryAfter}},
		"a structured field":             {Message{RateLimit: `"default";r=50;t=30`, Policies: `"default";q=100;w=60`}, Decision{Limit: 100, Remaining: 50, Reset: 30 * time.Second, Has: all}},
		"as renamed":                     {Message{RateLimit: `"default";a=50;w=30`}, Decision{Remaining: 50, Reset: 30 * time.Second, Has: HintRemaining | HintReset}},
		"both names":                     {Message{RateLimit: `"default";a=1;r=50;w=9`}, Decision{Remaining: 50, Has: HintRemaining}},
		"the tightest of several":        {Message{RateLimit: `"a";r=50;t=30, "b";r=9;t=10`, Policies: `"a";q=100,"b";q=10`}, Decision{Limit: 10, Remaining: 9, Reset: 30 * time.Second, Has: all}},
		"what counts bytes is not meant": {Message{RateLimit: `"a";r=50;t=30, "b";r=9;t=99`, Policies: `"b";q=10;qu="content-bytes"`}, Decision{Remaining: 50, Reset: 30 * time.Second, Has: HintRemaining | HintReset}},
		"requests by name":               {Message{RateLimit: `"b";r=9`, Policies: `"b";q=10;qu="requests"`}, Decision{Limit: 10, Remaining: 9, Has: HintLimit | HintRemaining}},
		"a window that is a Unix time":   {Message{RateLimit: `"b";r=9;t=2014879778`}, Decision{Remaining: 9, Reset: 750 * time.Millisecond, Has: HintRemaining | HintReset}},
		"one malformed item spoils all":  {Message{RateLimit: `"a";r=50;t=30, "b";r=-1`, Policies: `"a";q=100,"b"`}, Decision{}},
		"Retry-After over the window":    {Message{RetryAfter: "5", RateLimit: `"a";r=0;t=30`}, Decision{RetryAfter: 5 * time.Second, Reset: 30 * time.Second, Has: HintRetryAfter | HintRemaining | HintReset}},
		"X- fields first":                {Message{Limit: "7", Remaining: "6", Reset: "5", RateLimit: `"a";r=50;t=30`, Policies: `"a";q=100`}, Decision{Limit: 7, Remaining: 6, Reset: 5 * time.Second, Has: all}},
		"a malformed one gives way":      {Message{Limit: "7.0", Remaining: "six", Reset: "5s", RateLimit: `"a";r=50;t=30`, Policies: `"a";q=100`}, Decision{Limit: 100, Remaining: 50, Reset: 30 * time.Second, Has: all}},
	} {
		t.Run(name, func(t *testing.T) {
			c.message.Status = 429
			assert.Equal(t, Reply{Outcome: Throttled, Decision: c.want}, Parse(c.message, sunday))
		})
	}
}

func TestWhatAStatusMeans(t *testing.T) {
	for status, want := range map[int]Outcome{0: Timeout, 200: OK, 204: OK, 404: OK, 429: Throttled, 503: Shed} {
		r := Parse(Message{Status: status, RetryAfter: "3"}, sunday)
		assert.Equal(t, want, r.Outcome, "%d", status)
		assert.Equal(t, want == OK, r.Decision.Admitted, "%d", status)
		assert.Equal(t, want == Throttled || want == Shed, r.Decision.Has == HintRetryAfter, "%d: only a refusal has a wait", status)
	}
}

func TestAMessageGoesThroughHeaders(t *testing.T) {
	sent := Style{}.Format(refused(time.Second, time.Minute), sunday, Standing{Policy{Name: "default", Quota: 20}, refused(time.Second, time.Minute).Decision})
	header := http.Header{}
	var names []string
	for name, value := range sent.Fields() {
		header.Add(name, " "+value+"\t")
		names = append(names, name)
	}
	assert.Equal(t, []string{"Retry-After", "X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset", "RateLimit", "RateLimit-Policy"}, names)
	for range sent.Fields() {
		break // a loop may end early
	}
	sent.Violated = "" // it is in the body
	assert.Equal(t, sent, Read(429, header.Values))

	header.Add("RateLimit", `"more";r=3`)
	header.Add("Retry-After", "2")
	twice := Read(429, header.Values)
	limits, err := ParseLimits(twice.RateLimit)
	require.NoError(t, err)
	assert.Len(t, limits, 2, "a list may come in pieces")
	assert.Zero(t, Parse(twice, sunday).Decision.Has&HintRetryAfter, "Retry-After may not")
	for name := range (Message{Status: 200}).Fields() {
		t.Errorf("%s is absent", name)
	}
}

// drawReply draws a reply that a limiter could give: Admitted goes with OK.
func drawReply(t *rapid.T) Reply {
	wait := rapid.OneOf(
		rapid.Int64Range(-2e9, 5e9), rapid.Map(rapid.Int64Range(0, 20), func(s int64) int64 { return s * 1e9 }),
		rapid.Int64Range(1e18-2e9, 1e18+2e9), rapid.Int64(), rapid.Just(int64(Never)))
	r := Reply{
		Outcome: rapid.SampledFrom([]Outcome{OK, Throttled, Shed, Timeout, StoreDown}).Draw(t, "outcome"),
		Server:  rapid.IntRange(0, 9).Draw(t, "server"),
		Decision: Decision{
			RetryAfter: time.Duration(wait.Draw(t, "retry after")),
			Limit:      rapid.Int64Range(0, math.MaxInt64).Draw(t, "limit"),
			Remaining:  rapid.Int64Range(-5, math.MaxInt64).Draw(t, "remaining"),
			Reset:      time.Duration(wait.Draw(t, "reset")),
			Has:        Hints(rapid.Uint8Range(0, uint8(AllHints)).Draw(t, "has")),
			Layer:      rapid.Int32Range(0, 1).Draw(t, "layer"),
		},
	}
	if r.Outcome == OK {
		r.Decision.Admitted, r.Decision.Delay = true, time.Second
	}
	for bit, value := range map[Hints]func(){
		HintRetryAfter: func() { r.Decision.RetryAfter = 0 }, HintLimit: func() { r.Decision.Limit = 0 },
		HintRemaining: func() { r.Decision.Remaining = 0 }, HintReset: func() { r.Decision.Reset = 0 },
	} {
		if r.Decision.Has&bit == 0 {
			value()
		}
	}
	return r
}

func drawStyle(t *rapid.T) Style {
	return Style{DateRetryAfter: rapid.Bool().Draw(t, "date"), EpochReset: rapid.Bool().Draw(t, "epoch")}
}

var anyClock = rapid.Custom(func(t *rapid.T) time.Duration {
	return time.Duration(rapid.OneOf(rapid.Int64(), rapid.Int64Range(0, 2e18), rapid.Int64Range(1e18-2e9, 1e18+2e9)).Draw(t, "now"))
})

func TestWhatIsReadIsTheRoundedReply(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r, s, now := drawReply(t), drawStyle(t), anyClock.Draw(t, "now")
		under := []Standing{{Policy{Name: "a", Quota: 5}, r.Decision}, {NewPolicy("ü b", 7, 1, time.Second), r.Decision}}
		message := s.Format(r, now, under[:rapid.IntRange(0, 2).Draw(t, "policies")]...)
		require.Equal(t, s.Rounded(r, now), Parse(message, now), "%+v", message)
		if (s == Style{}) && r.Outcome == Throttled {
			require.Equal(t, Rounded(r.Decision), Parse(message, now).Decision)
		}
	})
}

func TestRetryAfterIsNeverEarlyAndLessThanASecondLate(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r, s, now := drawReply(t), drawStyle(t), anyClock.Draw(t, "now")
		r.Outcome, r.Decision.Admitted, r.Decision.Has = Throttled, false, AllHints
		got := Parse(s.Format(r, now), now).Decision
		for _, hint := range []struct {
			has        Hints
			true, read time.Duration
		}{{HintRetryAfter, r.Decision.RetryAfter, got.RetryAfter}, {HintReset, r.Decision.Reset, got.Reset}} {
			if hint.true > 1e9*time.Second {
				require.Zero(t, got.Has&hint.has)
				continue
			}
			late := hint.read - max(0, hint.true)
			require.NotZero(t, got.Has&hint.has)
			require.True(t, late >= 0 && late < time.Second, "true %v, read %v", hint.true, hint.read)
		}
	})
}

func TestRetryAfterIsNotBeforeTheEndOfTheWindow(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r, s, now := drawReply(t), drawStyle(t), anyClock.Draw(t, "now")
		r.Outcome, r.Decision.Admitted, r.Decision.Has = Throttled, false, AllHints
		m := s.Format(r, now, Standing{Policy{Name: "a"}, r.Decision})
		limits, err := ParseLimits(m.RateLimit)
		require.NoError(t, err)
		if d := Parse(m, now).Decision; d.Has&HintRetryAfter != 0 && limits[0].Windowed {
			require.LessOrEqual(t, time.Duration(limits[0].Window)*time.Second, d.RetryAfter)
		}
	})
}

func TestRoundingAgainIsNoChange(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		once := Rounded(drawReply(t).Decision)
		require.Equal(t, once, Rounded(once))
	})
}

func TestRoundedDoesNotAllocate(t *testing.T) {
	r := refused(1500*time.Millisecond, time.Minute)
	assert.Zero(t, testing.AllocsPerRun(100, func() {
		r.Decision = Rounded(r.Decision)
		r = Style{DateRetryAfter: true, EpochReset: true}.Rounded(r, sunday)
	}))
}

func FuzzParse(f *testing.F) {
	f.Add(429, "120", "10", "0", "60", `"default";r=50;t=30`, `"default";q=100;w=60`)
	f.Add(503, "Sun, 06 Nov 1994 08:49:37 GMT", "-1", "1e3", "1792152901", `"a";a=1;w=2`, `"a";q=1;qu="content-bytes"`)
	f.Add(200, "99999999999999999999", "٣", " 7", "", `"a";r=999999999999999;t=999999999999999`, `tok;q=1`)
	f.Fuzz(func(t *testing.T, status int, retry, limit, remaining, reset, rateLimit, policies string) {
		m := Message{Status: status, RetryAfter: retry, Limit: limit, Remaining: remaining, Reset: reset, RateLimit: rateLimit, Policies: policies}
		r := Parse(m, sunday)
		d := r.Decision
		if d.RetryAfter < 0 || d.Limit < 0 || d.Remaining < 0 || d.Reset < 0 {
			t.Fatalf("a hint is negative: %+v", d)
		}
		if retryAfter := d.Has&HintRetryAfter != 0; retryAfter && r.Outcome == OK {
			t.Fatalf("an admitted request is to wait: %+v", r)
		}
		if again := Parse((Style{}).Format(r, sunday), sunday); again != (Style{}).Rounded(r, sunday) {
			t.Fatalf("%+v came back as %+v", r, again)
		}
	})
}

func FuzzParseRetryAfter(f *testing.F) {
	for _, seed := range []string{"0", "120", "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994", "-1", "1.5", ""} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		wait, ok := parseRetryAfter(text, sunday)
		if wait < 0 {
			t.Fatalf("%q: a negative wait", text)
		}
		_, err := strconv.ParseUint(text, 10, 64)
		_, isDate := parseDate(text, sunday)
		if err == nil && !ok {
			t.Fatalf("%q is a number of seconds", text)
		}
		if isDate {
			if _, err := http.ParseTime(text); err != nil && !strings.Contains(text, ":60") {
				t.Fatalf("%q is a date to us, to net/http: %v", text, err)
			}
		}
	})
}
