package experiments

import (
	"fmt"
	"slices"
	"time"

	"ratelab/experiments/scenario"
	"ratelab/workloads"
)

// chooseScenes are the traffic shapes: every arrival process with a mean rate
// and unit costs, at a mean of chooseRate for a key. Where there are several
// specs, each is a sender of its own with the same key; else a key is a sender.
var chooseScenes = []struct {
	name  string
	keys  int
	specs []string
}{
	{"steady", 1, []string{"steady:rate=2/s"}},
	{"poisson", 1, []string{"poisson:rate=2/s"}},
	{"batch", 1, []string{"batch:rate=2/s,size=5,law=geometric"}},
	{"burst-train", 1, []string{"burst-train:size=20,period=10s,phase=3s"}},
	{"page-turn", 1, []string{"page-turn:size=40,window=10s,half=1s"}},
	{"page-load", 1, []string{"page-load:users=1,size=20,gap=50ms,think=9050ms"}},
	{"paced-herd", 1, []string{"paced-herd:clients=20,every=10s,jitter=4s"}},
	{"on-off", 1, []string{"on-off:rate=8/s,on=5s,off=15s"}},
	{"mmpp", 1, []string{"mmpp:rates=1/2/6/s,stay=12s/4s/3s"}},
	{"diurnal", 1, []string{"diurnal:low=1/s,high=3/s,period=10m"}},
	{"flash-crowd", 1, []string{"flash-crowd:rate=1/s,peak=7/s,from=30s,to=50s,every=2m"}},
	{"heavy-tail", 1, []string{"heavy-tail:rate=2/s"}},
	{"self-similar", 1, []string{"self-similar:rate=2/s,sources=4,on=5s,off=15s"}},
	{"tenants", 5, []string{"tenants:rate=4/s,keys=4,zipf=0,greedy=6"}},
	{"shared-key", 1, []string{"poisson:rate=1/s", "burst-train:size=50,period=50s,phase=25s"}},
	{chooseFlood, 1, []string{"steady:rate=200/s"}}, // for part flood alone
}

// chooseFlood is a hundred times as much as the limits of part rate let pass.
const chooseFlood = "flood"

// chooseShapes returns the names of the shapes, without the flood.
func chooseShapes() (names []string) {
	for _, s := range chooseScenes[:len(chooseScenes)-1] {
		names = append(names, s.name)
	}
	return names
}

// chooseRequest is an arrival, and who sent it.
type chooseRequest struct {
	at     time.Duration
	key    uint32
	sender uint32
}

// chooseTraffic returns the arrivals of a shape before the horizon, in order,
// and how many keys and senders there are.
func chooseTraffic(name string, seed uint64, rep int, horizon time.Duration) (requests []chooseRequest, keys, senders int, err error) {
	for _, scene := range chooseScenes {
		if scene.name != name {
			continue
		}
		keys, senders = scene.keys, max(scene.keys, len(scene.specs))
		for i, text := range scene.specs {
			entity := ""
			if len(scene.specs) > 1 {
				entity = fmt.Sprintf("sender-%d", i)
			}
			w, err := workloads.Parse(text)
			if err != nil {
				return nil, 0, 0, err
			}
			arrivals, err := scenario.Arrivals(w, 1, workloads.Streams(seed, rep, entity))
			if err != nil {
				return nil, 0, 0, err
			}
			for a, ok := arrivals.Next(); ok && a.At < horizon; a, ok = arrivals.Next() {
				r := chooseRequest{a.At, a.Key, a.Key}
				if entity != "" {
					r.sender = uint32(i)
				}
				requests = append(requests, r)
			}
		}
		if len(scene.specs) > 1 {
			slices.SortStableFunc(requests, func(a, b chooseRequest) int { return int(min(1, max(-1, a.at-b.at))) })
		}
		return requests, keys, senders, nil
	}
	return nil, 0, 0, fmt.Errorf("unknown workload %q", name)
}

// arrivalCurve is what a well-behaved sender keeps to: in any interval of
// length t at most burst + rate·t requests.
type arrivalCurve struct {
	burst int64
	rate  int64 // a second
}

// conform says of each request whether it is well-behaved. Of a sender's
// requests those are that a counter of what is above the rate, which falls
// evenly and counts them alone, finds with room for one more: the largest
// set, taken as they come, that keeps to the curve. Where all keep to it, all
// are.
//
// Source: the generic cell rate algorithm in its form as a leaky bucket,
// ITU-T I.371; whole numbers, in 1e-9 of a request.
func (c arrivalCurve) conform(requests []chooseRequest, senders int) []bool {
	const one = int64(time.Second)
	above := make([]int64, senders)
	latest := make([]time.Duration, senders)
	well := make([]bool, len(requests))
	for i, r := range requests {
		fell := min(above[r.sender], c.rate*int64(r.at-latest[r.sender])) // at most an hour passes
		above[r.sender] -= fell
		latest[r.sender] = r.at
		if above[r.sender]+one <= c.burst*one {
			well[i] = true
			above[r.sender] += one
		}
	}
	return well
}

// says puts the curve in words.
func (c arrivalCurve) says() string { return fmt.Sprintf("a burst of %d and %d/s", c.burst, c.rate) }

// windowContract is another promise that the well-behaved may keep to: at most
// so many requests in any chooseWindow.
type windowContract int

// conform says of each request whether it is well-behaved: those are that find
// room in the window before them, if they alone are counted.
func (c windowContract) conform(requests []chooseRequest, senders int) []bool {
	latest := make([][]time.Duration, senders)
	well := make([]bool, len(requests))
	for i, r := range requests {
		list := latest[r.sender]
		if k := len(list); k < int(c) || r.at-list[k-int(c)] >= chooseWindow {
			well[i] = true
			latest[r.sender] = append(list, r.at)
		}
	}
	return well
}

// says puts the contract in words.
func (c windowContract) says() string {
	return fmt.Sprintf("at most %d in any %s", int(c), chooseSpan())
}

// goodStanding is an arrival curve that one must have kept to for some time:
// whoever exceeds it is not well-behaved until what is above the rate has had
// the time to fall from the burst to nothing.
type goodStanding struct{ arrivalCurve }

// conform says of each request whether it is well-behaved.
func (c goodStanding) conform(requests []chooseRequest, senders int) []bool {
	well := c.arrivalCurve.conform(requests, senders)
	from := make([]time.Duration, senders) // again in good standing
	for i, r := range requests {
		if !well[i] {
			from[r.sender] = r.at + c.time()
		}
		well[i] = well[i] && r.at >= from[r.sender]
	}
	return well
}

func (c goodStanding) time() time.Duration {
	return time.Duration(c.burst) * time.Second / time.Duration(c.rate)
}

// says puts it in words.
func (c goodStanding) says() string {
	return fmt.Sprintf("%s, and have not exceeded it for %s,", c.arrivalCurve.says(), c.time())
}

// chooseOther is what the well-behaved might keep to instead, and the metric
// that is measured by it.
type chooseOther struct {
	metric string
	promised
}

// promised tells the well-behaved from others.
type promised interface {
	conform(requests []chooseRequest, senders int) []bool
	says() string
}

func chooseOtherCurves() []chooseOther {
	return []chooseOther{
		{"harm_burst_halved", arrivalCurve{chooseBurst / 2, chooseRate}},
		{"harm_burst_doubled", arrivalCurve{chooseBurst * 2, chooseRate}},
		{"harm_rate_halved", arrivalCurve{chooseBurst, chooseRate / 2}},
		{"harm_rate_doubled", arrivalCurve{chooseBurst, chooseRate * 2}},
		{"harm_by_window", windowContract(chooseMost)},
		{"harm_in_standing", goodStanding{arrivalCurve{chooseBurst, chooseRate}}},
	}
}
