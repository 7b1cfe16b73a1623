package workloads

import (
	"fmt"
	"math"
	"math/bits"
	"time"

	"ratelab/internal/random"
	"ratelab/internal/spec"
)

const day = 24 * time.Hour

func init() {
	register(Entry{
		Entry: spec.Entry{
			Name: "trace",
			Doc:  "the arrivals of a file",
			Params: []spec.Param{
				{Name: "file", Unit: "file", Doc: "a CSV or a web server's log"},
				{Name: "start", Unit: "day|zero|asis", Default: "day", Doc: "where the file's first arrival comes to lie"},
				{Name: "speed", Unit: "speed", Default: "1", Doc: "2 plays twice as fast, 0.5 half as fast, from the first arrival on; > 0"},
				{Name: "fold", Unit: "keys", Default: "none", Doc: "so many keys at most, up to 1048576: key k becomes k modulo this"},
				{Name: "loop", Unit: "duration", Default: "never", Doc: "the file begins anew so often, counted in the file's own time: longer than from its first arrival to its last"},
			},
			More: "start=day moves the file back by the whole days before its first arrival, so that windows that divide a day keep their edges;\n" +
				"start=zero puts its first arrival at 0; start=asis moves nothing. The keys are the file's own. The name can not hold a comma.\n" +
				"With loop the arrivals are held in memory, 32 bytes each, and never end: loop=1d repeats a day. A time t after the first arrival\n" +
				"becomes t/speed, rounded down to the nanosecond.",
		},
		SetsKeys: true,
		Build: func(v *spec.Values, env Env) (Workload, error) {
			file, start := v.Text("file"), v.Choice("start", "day", "zero", "asis")
			if file == "" {
				v.Fail("file", "must be the name of a file, got \"\"")
			}
			num, den := v.Ratio("speed")
			t := &trace{num: num, den: den}
			if v.Given("fold") {
				if t.fold = v.Count("fold"); t.fold < 1 || t.fold > random.MaxTable {
					v.Fail("fold", "must lie in 1..%d, got %s", random.MaxTable, v.Text("fold"))
				}
			}
			if v.Given("loop") {
				t.loop = v.Duration("loop")
			}
			if err := v.Err(); err != nil {
				return nil, err
			}
			if env.Open == nil {
				return nil, fmt.Errorf("workload %q: file %s: files can not be read here", v.Entry.Name, file)
			}
			w, err := env.Open(file)
			if err != nil {
				return nil, fmt.Errorf("workload %q: %w", v.Entry.Name, err)
			}
			if t.w = w; t.loop > 0 {
				if t.w, err = newLooped(w, file, t.loop); err != nil {
					return nil, err
				}
			}
			return t, t.begin(file, start)
		},
		Examples: []string{"trace:file=access.log", "trace:file=access.log,start=zero", "trace:file=arrivals.csv,start=asis",
			"trace:file=access.log,speed=2.5,fold=2", "trace:file=access.log,start=zero,loop=1d,speed=0.5"},
	})
}

// trace gives the arrivals of w, moved and scaled.
type trace struct {
	w        Workload
	next     Arrival // as the file has it
	more     bool    // next is an arrival
	first    time.Duration
	shift    time.Duration // what the first is moved back by
	num, den int64         // the speed
	fold     int64         // number of keys, 0 for all
	loop     time.Duration // 0 for never
}

// begin reads the first arrival and finds out by how much all are moved.
func (t *trace) begin(file, start string) error {
	t.next, t.more = t.w.Next()
	t.first = t.next.At
	switch {
	case start == "zero":
		t.shift = t.first
	case start == "asis" && t.first < 0:
		return fmt.Errorf(`workload "trace": start must be day or zero for file %s, whose first arrival lies %s before 0, got asis`,
			file, spec.FormatDuration(t.first)[1:])
	case start == "day":
		if t.first < math.MinInt64+day {
			return fmt.Errorf(`workload "trace": file %s: its first arrival lies too far before 0, at %s`, file, spec.FormatDuration(t.first))
		}
		// Rounded towards the past, so that the first arrival comes to lie in [0, 1d).
		t.shift = t.first / day * day
		if t.first < t.shift {
			t.shift -= day
		}
	}
	return nil
}

func (t *trace) Next() (Arrival, bool) {
	if !t.more {
		return Arrival{}, false
	}
	a := t.next
	// From the first on, as far as an int64 reaches.
	after := uint64(a.At) - uint64(t.first)
	if t.num != t.den {
		over, product := bits.Mul64(after, uint64(t.den))
		if over >= uint64(t.num) {
			after = math.MaxUint64
		} else {
			after, _ = bits.Div64(over, product, uint64(t.num))
		}
	}
	first := t.first - t.shift // >= 0
	if after > uint64(math.MaxInt64-first) {
		t.more = false
		return Arrival{}, false
	}
	a.At = first + time.Duration(after)
	if t.fold > 0 {
		a.Key %= uint32(t.fold)
	}
	t.next, t.more = t.w.Next()
	return a, true
}

// looped repeats the arrivals of a file for ever.
type looped struct {
	list  []Arrival
	now   int
	every time.Duration
	moved time.Duration // the present round
}

func newLooped(w Workload, file string, every time.Duration) (*looped, error) {
	l := &looped{every: every}
	for a, ok := w.Next(); ok; a, ok = w.Next() {
		l.list = append(l.list, a)
		if span := uint64(a.At) - uint64(l.list[0].At); span >= uint64(every) {
			return nil, fmt.Errorf(`workload "trace": loop must be longer than from the first arrival of file %s to any other, at least %s, got %s`,
				file, spec.FormatDuration(time.Duration(min(span+1, math.MaxInt64))), spec.FormatDuration(every))
		}
	}
	return l, nil
}

func (l *looped) Next() (Arrival, bool) {
	if len(l.list) == 0 {
		return Arrival{}, false
	}
	if l.now == len(l.list) {
		if l.every > math.MaxInt64-l.moved {
			return Arrival{}, false
		}
		l.now, l.moved = 0, l.moved+l.every
	}
	a := l.list[l.now]
	if a.At > 0 && l.moved > math.MaxInt64-a.At {
		l.now, l.every = len(l.list), math.MaxInt64 // and so it ends
		return Arrival{}, false
	}
	l.now++
	a.At += l.moved
	return a, true
}
