package workloads

import (
	"math"
	"time"

	"ratelab/internal/spec"
)

const (
	straddle      = "straddle"
	quietThenLoud = "quiet-then-loud"
	quiet         = 3 // requests before the story's first burst
)

func init() {
	register(Entry{
		Entry: spec.Entry{
			Name: "page-turn",
			Doc:  "bursts on both sides of a window's edge, where a fixed window is blind",
			Params: []spec.Param{
				{Name: "size", Unit: "requests", Doc: "requests around one edge"},
				{Name: "window", Unit: "duration", Doc: "the limiter's window, counted from 0"},
				{Name: "half", Unit: "duration", Default: "window/60 in the story", Doc: "from a burst to the edge; must be given to straddle"},
				{Name: "story", Unit: straddle + "|" + quietThenLoud, Default: straddle, Doc: "what happens around the edge"},
			},
			More: "straddle: size/2 requests, rounded down, at edge-half and the others at edge+half, for the edges window, 3·window, 5·window and so on,\n" +
				"for ever: both windows are empty before. A sliding window forgets one edge before the next if half <= window/2.\n" +
				"quiet-then-loud: once, around the edge at window. Three requests at window/30, 7/20 and 2/3 of the window; the others of the first\n" +
				"size/2, rounded down, at edge-half; the rest at edge+half. With size=200,window=1m: at 0:02, 0:21, 0:40, 97 at 0:59, 100 at 1:01.",
		},
		MeanRate: func(v *spec.Values) float64 {
			if v.Text("story") != straddle {
				return 0
			}
			return float64(v.Count("size")) / 2 / v.Duration("window").Seconds()
		},
		Law: func(v *spec.Values) Law {
			size, window, half := v.Count("size"), v.Duration("window"), v.Duration("half")
			before, after := float64(size/2), float64(size-size/2)
			return train(2*window, []time.Duration{window - half, window + half}, []int64{size / 2, size - size/2}).
				law((before*before+after*after)/float64(size), 0, "the average over the phase, exactly")
		},
		Build: func(v *spec.Values, _ Env) (Workload, error) {
			size, window := v.Count("size"), v.Duration("window")
			story := v.Choice("story", straddle, quietThenLoud)
			half := window / 60
			if v.Given("half") {
				half = v.Duration("half")
			} else if story == straddle {
				v.Fail("half", "must be given with story=%s, such as half=%s", straddle, spec.FormatDuration(max(1, half)))
			}
			if story == quietThenLoud {
				return newStory(v, size, window, half)
			}
			if size < 2 {
				v.Fail("size", "must be >= 2, one on each side, got %s", v.Text("size"))
			}
			if half >= window {
				v.Fail("half", "must be < window, or both bursts miss the windows at the edge, got %s", v.Text("half"))
			}
			if err := v.Err(); err != nil {
				return nil, err
			}
			return &pageTurn{at: window - half, left: size / 2, before: size / 2, after: size - size/2, window: window, half: half}, nil
		},
		Examples: []string{
			"page-turn:size=20,window=10s,half=50ms",
			"page-turn:size=7,window=1d,half=1ms", // 3 before the edge, 4 after it
			"page-turn:size=200,window=1m,story=quiet-then-loud",
		},
	})
}

// pageTurn straddles every second edge.
type pageTurn struct {
	at            time.Duration // the present burst, < 0 after the last
	left          int64         // arrivals of it still to come, >= 1
	turned        bool          // it lies after the edge
	before, after int64         // requests on each side of an edge, >= 1
	window, half  time.Duration // half in 1..window-1
}

func (p *pageTurn) Next() (Arrival, bool) {
	at := p.at
	if at < 0 {
		return Arrival{}, false
	}
	if p.left--; p.left == 0 {
		gap := p.half // half of the time to the next burst
		p.left = p.after
		if p.turned {
			gap = p.window - p.half
			p.left = p.before
		}
		p.turned = !p.turned
		if gap > (math.MaxInt64-at)/2 {
			p.at = -1
		} else {
			p.at += 2 * gap
		}
	}
	return Arrival{At: at, Cost: 1}, true
}

// newStory makes the workload of quiet-then-loud.
func newStory(v *spec.Values, size int64, window, half time.Duration) (Workload, error) {
	if size < 2*(quiet+1) {
		v.Fail("size", "must be >= %d with story=%s, %d of them quiet, got %s", 2*(quiet+1), quietThenLoud, quiet, v.Text("size"))
	}
	if window < 60 {
		v.Fail("window", "must be >= 60ns with story=%s, got %s", quietThenLoud, v.Text("window"))
	}
	if half > window/3 {
		v.Fail("half", "must be <= window/3, or the burst comes before the last quiet request, got %s", v.Text("half"))
	}
	if err := v.Err(); err != nil {
		return nil, err
	}
	at := func(sixtieth time.Duration) time.Duration { return window/60*sixtieth + window%60*sixtieth/60 }
	return &story{scenes: [...]scene{
		{at(2), 1}, {at(21), 1}, {at(40), 1},
		{window - half, size/2 - quiet},
		{window + half, size - size/2},
	}}, nil
}

// story sends the requests of its scenes, once.
type story struct {
	scenes [quiet + 2]scene
	now    int // the present scene
}

type scene struct {
	at   time.Duration // < 0 beyond the clock
	left int64
}

func (s *story) Next() (Arrival, bool) {
	if s.now == len(s.scenes) || s.scenes[s.now].at < 0 {
		return Arrival{}, false
	}
	a := Arrival{At: s.scenes[s.now].at, Cost: 1}
	if s.scenes[s.now].left--; s.scenes[s.now].left == 0 {
		s.now++
	}
	return a, true
}
