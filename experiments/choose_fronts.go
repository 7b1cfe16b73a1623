package experiments

import (
	"math"
	"slices"
	"strconv"

	"ratelab/plots/table"
)

// chooseFound is what was found of one limiter at one point.
type chooseFound struct {
	workload, limiter, tuning, spec string

	proved float64 // most in chooseWindow, whatever arrives; infinite without a limit
	means  map[string]float64
	lo, hi float64 // of the harm, 95 %
}

func (f chooseFound) harm() float64  { return f.means["harm"] }
func (f chooseFound) delay() float64 { return f.means["delay"] }
func (f chooseFound) bytes() float64 { return f.means["bytes_per_key"] }

// baseline reports whether it is nobody's choice.
func (f chooseFound) baseline() bool { return f.limiter == "none" || f.limiter == "optimum" }

// chooseRound are the differences that do not count: a tenth of a percentage
// point of refusals, a millisecond of delay.
const chooseRound = 1000

// costs are what the Pareto front is over: refusals of the well-behaved, worst
// window, delay, memory.
func (f chooseFound) costs() []float64 {
	return []float64{math.Round(f.harm() * chooseRound), f.proved, math.Round(f.delay() * chooseRound), f.bytes()}
}

// chooseFind reads what was found in part window at a worst window, or, with "",
// in part rate, in the order of the summary.
func chooseFind(d *Data, most string) (list []chooseFound, err error) {
	at, part := map[string]int{}, "window"
	if most == "" {
		part = "rate"
	}
	for i, c := range d.Summary.Columns() {
		at[c.Name] = i
	}
	for row := range d.Summary.Len() {
		cells := d.Summary.Record(row)
		get := func(column string) string { return cells[at[column]] }
		if get("part") != part || get("most") != most || get("limiter") == chooseGCRA {
			continue
		}
		f := chooseFound{workload: get("workload"), limiter: get("limiter"), tuning: get("tuning")}
		if k := len(list) - 1; k >= 0 && list[k].workload == f.workload && list[k].limiter == f.limiter && list[k].tuning == f.tuning {
			f = list[k]
		} else {
			if err := f.prove(most); err != nil {
				return nil, err
			}
			list = append(list, f)
		}
		var numbers [3]float64
		for i, column := range []string{"mean", "ci_low", "ci_high"} {
			if numbers[i], err = strconv.ParseFloat(get(column), 64); err != nil {
				numbers[i] = math.NaN() // one replication has no interval
			}
		}
		f.means[get("metric")] = numbers[0]
		if get("metric") == "harm" {
			f.lo, f.hi = numbers[1], numbers[2]
		}
		list[len(list)-1] = f
	}
	return list, nil
}

// prove fills in what follows from the parameters.
func (f *chooseFound) prove(most string) error {
	f.means = make(map[string]float64)
	switch f.limiter {
	case "none":
		f.spec, f.proved = f.limiter, math.Inf(1)
		return nil
	case "optimum":
		f.spec, f.proved = f.limiter, parsed(most)
		return nil
	}
	s, proved, err := chooseLimit(f.limiter, f.tuning, most)
	f.spec, f.proved = s.String(), proved
	if most != "" {
		f.proved = parsed(most) // what was asked for: a request less comes of rounding
	}
	return err
}

// parsed reads a number that has been checked.
func parsed(text string) float64 {
	x, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return math.NaN()
	}
	return x
}

// chooseOf returns what was found of a workload, without baselines.
func chooseOf(list []chooseFound, workload string) (some []chooseFound) {
	for _, f := range list {
		if f.workload == workload && !f.baseline() {
			some = append(some, f)
		}
	}
	return some
}

// chooseFronts says of each of them which of the same workload dominates it,
// nil if none does.
func chooseFronts(list []chooseFound) (by []*chooseFound) {
	by = make([]*chooseFound, len(list))
	for start := 0; start < len(list); {
		end := start
		for end < len(list) && list[end].workload == list[start].workload {
			end++
		}
		var indices []int
		var points [][]float64
		for i := start; i < end; i++ {
			if !list[i].baseline() {
				indices, points = append(indices, i), append(points, list[i].costs())
			}
		}
		for k, other := range dominated(points) {
			if other >= 0 {
				by[indices[k]] = &list[indices[other]]
			}
		}
		start = end
	}
	return by
}

func chooseFrontColumns() []table.Column {
	number := func(name, unit, doc string) table.Column {
		return table.Column{Name: name, Unit: unit, Description: doc, Type: table.Number, Digits: 6}
	}
	return []table.Column{
		{Name: "most", Description: "the most that may pass in any 10 s; empty where the long-run rate is equal instead"},
		{Name: "workload", Description: "traffic shape"},
		{Name: "limiter", Description: "limiter, whose parameters are in the column spec; none and optimum are baselines"},
		{Name: "spec", Description: "the limiter as it was run"},
		number("harm", "1", "mean share of the well-behaved requests that are refused"),
		number("ci_low", "1", "lower end of its 95 % confidence interval"),
		number("ci_high", "1", "upper end of its 95 % confidence interval"),
		number("worst_window", "requests", "mean over replications of the most that passed in any half-open 10 s; empty where it was not looked at"),
		number("proved_window", "requests", "the most that can pass in any half-open 10 s, whatever arrives; empty without a limit"),
		number("delay", "s", "mean delay of the well-behaved requests that are admitted"),
		number("bytes_per_key", "bytes", "memory of a key's state; empty for who knows the future"),
		{Name: "front", Description: "yes: no other of the workload with the same `most` is as good in harm (to 0.1 percentage points), proved_window, delay (to 1 ms) and bytes_per_key, and better in one; no; baseline"},
		{Name: "dominated_by", Description: "the spec of one on that front that dominates it; empty for those on the front"},
		{Name: "front_of_all", Description: "the same over all rows of the workload"},
		{Name: "dominated_in_all_by", Description: "the spec of one on that front that dominates it"},
	}
}

// chooseMosts returns the worst windows of part window, from the lowest.
func chooseMosts(d *Data) ([]string, error) {
	rows, err := d.Summary.Where("part", "window")
	if err != nil {
		return nil, err
	}
	list, err := rows.Distinct("most")
	slices.SortFunc(list, func(a, b string) int { return int(parsed(a) - parsed(b)) })
	return list, err
}

// chooseFillFronts makes fronts.csv.
func chooseFillFronts(d *Data, t *table.Table) error {
	type place struct {
		chooseFound
		most string
		by   *chooseFound
	}
	var places []place
	mosts, err := chooseMosts(d)
	if err != nil {
		return err
	}
	for _, most := range append(mosts, "") { // and part rate
		list, err := chooseFind(d, most)
		if err != nil {
			return err
		}
		for i, by := range chooseFronts(list) {
			places = append(places, place{list[i], most, by})
		}
	}
	shapes := chooseShapes()
	slices.SortStableFunc(places, func(a, b place) int { return slices.Index(shapes, a.workload) - slices.Index(shapes, b.workload) })
	all := make([]chooseFound, len(places))
	for i, p := range places {
		all[i] = p.chooseFound
	}
	known := func(f chooseFound, metric string) float64 {
		if mean, ok := f.means[metric]; ok {
			return mean
		}
		return math.NaN()
	}
	said := func(f chooseFound, by *chooseFound) (front, dominator string) {
		switch {
		case f.baseline():
			return "baseline", ""
		case by != nil:
			return "no", by.spec
		}
		return "yes", ""
	}
	for i, inAll := range chooseFronts(all) {
		p := places[i]
		front, dominator := said(p.chooseFound, p.by)
		frontOfAll, dominatorInAll := said(p.chooseFound, inAll)
		if err := t.Append(p.most, p.workload, p.limiter, p.spec, p.harm(), p.lo, p.hi, known(p.chooseFound, "worst_window"), finite(p.proved), p.delay(), known(p.chooseFound, "bytes_per_key"),
			front, dominator, frontOfAll, dominatorInAll); err != nil {
			return err
		}
	}
	return nil
}

// chooseLeast returns those of which a value is least, to the tenth of a
// percentage point that counts, the cheapest in memory first.
func chooseLeast(some []chooseFound, value func(chooseFound) float64) (least []chooseFound) {
	best := math.Inf(1)
	for _, f := range some {
		best = min(best, math.Round(value(f)*chooseRound))
	}
	for _, f := range some {
		if math.Round(value(f)*chooseRound) == best {
			least = append(least, f)
		}
	}
	slices.SortStableFunc(least, func(a, b chooseFound) int { return int(a.bytes() - b.bytes()) })
	return least
}

// chooseWhere keeps those that a condition is true of.
func chooseWhere(some []chooseFound, keep func(chooseFound) bool) (kept []chooseFound) {
	for _, f := range some {
		if keep(f) {
			kept = append(kept, f)
		}
	}
	return kept
}

// atOnce reports whether it lets through at once what it admits.
func (f chooseFound) atOnce() bool { return f.limiter != "leaky-queue" }
