package advise

import (
	"fmt"
	"math/big"
	"slices"
	"strings"
	"time"

	"ratelab/internal/spec"
)

// Reasons says why a demand's choice is what it is, in sentences made from its numbers; the rules that decided come in
// their order.
func (r *Report) Reasons(d *Demand) []string {
	g, o := r.Options.Goals, d.Outcomes[d.Best]
	var list []string
	say := func(format string, args ...any) { list = append(list, fmt.Sprintf(format, args...)) }
	left := slices.Clone(d.Outcomes)
	// keep leaves those that are as good by a rule as the choice, and returns how many were left out.
	keep := func(rule rule) int {
		before := len(left)
		figure := g.figure(rule, o)
		left = slices.DeleteFunc(left, func(other *Outcome) bool { return g.figure(rule, other).Cmp(figure) > 0 })
		return before - len(left)
	}
	kept := g.order(d.Outcomes)[0] == keepsTotal
	if p := g.Protect; p != nil {
		out := 0
		if kept {
			out = keep(keepsTotal)
		}
		within := "in any " + spec.FormatDuration(p.Every)
		switch {
		case o.Total <= p.Most && out > 0:
			say("it admits %d at most %s of all keys together, and what stands behind takes %d; %d of %s would have admitted more than that", o.Total, within, p.Most, out, plural(int64(len(d.Outcomes)), "limiter"))
		case o.Total <= p.Most:
			say("it admits %d at most %s of all keys together, and what stands behind takes %d, as under all the others", o.Total, within, p.Most)
		default:
			say("no limiter here keeps all keys together at %s: this one comes to %d %s, %d above (%s), and the least of all to %d. A limit for each key does not bound how many keys there are: put one for all behind it, as replay --layer global=sliding-log:limit=%d,window=%s does", p.Text, o.Total, within, o.Total-p.Most, percent(o.Total-p.Most, p.Most), least(d.Outcomes), p.Most, spec.FormatDuration(p.Every))
		}
	}
	if k := o.Promise; k != nil {
		out := keep(keepsPromise) + keep(keepsShare)
		switch {
		case k.Refused == 0 && k.Short == 0:
			say("nobody is refused within the promise of %s: %s kept to it, and all others have at least as much as was promised%s", g.Promise, plural(int64(k.Keys), "key"), others(out, "break it"))
		default:
			say("no limiter that is left keeps the promise of %s better: of %s that kept to it, %d were refused something, %s in all; of the others, %s less than was promised%s", g.Promise,
				plural(int64(k.Keys), "key"), k.Broken, plural(k.Refused, "attempt"), have(k.Short), others(out, "break it more often"))
		}
	}
	missed := o.Lost + o.Waiting
	out := keep(serves)
	if unserved(o).Cmp(g.Tolerate) <= 0 {
		say("%s without success (%s), within the %s that are tolerated%s", remain(missed, o.Requests), percent(missed, o.Requests), share(g.Tolerate), others(out, "leave more"))
	} else {
		say("no limiter that is left leaves less than %s of the requests without success: %d of %d, above the %s that are tolerated", percent(missed, o.Requests), missed, o.Requests, share(g.Tolerate))
	}
	out = keep(answersSoon)
	switch {
	case o.MeanWait > g.Wait:
		say("no limiter that is left lets requests wait less: %s in the mean, above %s", short(o.MeanWait), spec.FormatDuration(g.Wait))
	case o.MaxWait > 0:
		say("requests that succeed wait %s in the mean, %s at most%s", short(o.MeanWait), short(o.MaxWait), others(out, "let them wait longer than "+spec.FormatDuration(g.Wait)+" in the mean"))
	case out > 0:
		say("no request waits; %d would let them wait longer than %s in the mean", out, spec.FormatDuration(g.Wait))
	}
	if !kept {
		if out := keep(keepsTotal); out > 0 {
			say("of the %d left, it comes least above what stands behind takes", len(left)+out)
		}
	}
	if out := keep(exposesLeast); out > 0 {
		say("of the %d left, it lets one key take least: %s of rate times %d at once%s", len(left)+out, rateOf(o), o.AtOnce(), others(out, "let it take more"))
	}
	out = keep(servesMost) + keep(refusesLeast) + keep(waitsLeast)
	if out > 0 {
		say("of the %d left, it refuses least: %s of %s", len(left)+out, plural(o.Refused, "attempt"), itoa(o.Attempts))
	}
	if out := keep(remembersLeast); out > 0 {
		say("of the %d left, it remembers least: %s", len(left)+out, memory(o))
	}
	if len(d.Twins) > 0 {
		var names []string
		for _, i := range d.Twins {
			names = append(names, d.Outcomes[i].Limiter.String())
		}
		say("as good by every rule: %s", strings.Join(names, ", "))
	}
	return list
}

// NextBest says what comes next to the choice, and what decides between them; empty if there is nothing.
func (r *Report) NextBest(d *Demand) string {
	if d.Next < 0 {
		return ""
	}
	g, o, next := r.Options.Goals, d.Outcomes[d.Best], d.Outcomes[d.Next]
	_, by := g.compare(g.order(d.Outcomes), o, next)
	text := ""
	missed := func(o *Outcome) string { return percent(o.Lost+o.Waiting, o.Requests) }
	switch by {
	case keepsTotal:
		text = fmt.Sprintf("it comes to %d of all keys together, and the choice to %d, where %d are allowed", next.Total, o.Total, g.Protect.Most)
	case keepsPromise:
		text = fmt.Sprintf("it breaks the promise %d times, the choice %d", next.Promise.Refused, o.Promise.Refused)
	case keepsShare:
		text = fmt.Sprintf("under it %s less than was promised, under the choice %s", have(next.Promise.Short), have(o.Promise.Short))
	case serves, servesMost:
		text = fmt.Sprintf("it leaves %s of the requests without success, the choice %s", missed(next), missed(o))
	case answersSoon, waitsLeast:
		text = fmt.Sprintf("requests wait %s in the mean, and under the choice %s", short(next.MeanWait), short(o.MeanWait))
	case exposesLeast:
		ratio, _ := new(big.Rat).Quo(exposure(next.Limiter), exposure(o.Limiter)).Float64()
		text = fmt.Sprintf("it lets one key take %.3g times as much, rate × at once", ratio)
	case refusesLeast:
		text = fmt.Sprintf("it refuses %s, the choice %d", plural(next.Refused, "attempt"), o.Refused)
	case remembersLeast:
		text = fmt.Sprintf("it remembers %s, the choice %s", memory(next), memory(o))
	}
	return fmt.Sprintf("%s: %s", next.Limiter, text)
}

// saysChange says at which value of a goal something else is chosen.
func saysChange(d *Demand, c Change) string {
	o := d.Outcomes[c.Other]
	return fmt.Sprintf("--%s %s: %s, which leaves %s without success and admits %d at most of all keys together", c.Goal, c.When, o.Limiter, percent(o.Lost+o.Waiting, o.Requests), o.Total)
}

// least is the smallest total.
func least(outcomes []*Outcome) int64 {
	total := outcomes[0].Total
	for _, o := range outcomes {
		total = min(total, o.Total)
	}
	return total
}

func others(n int, what string) string {
	switch {
	case n == 0:
		return ""
	case n == 1:
		return "; 1 other would " + what
	}
	return fmt.Sprintf("; %d others would %s", n, what)
}

func have(keys int) string {
	if keys == 1 {
		return "1 key has"
	}
	return fmt.Sprintf("%d keys have", keys)
}

func remain(n, of int64) string {
	switch n {
	case 0:
		return fmt.Sprintf("none of the %d requests remains", of)
	case 1:
		return fmt.Sprintf("1 of the %d requests remains", of)
	}
	return fmt.Sprintf("%d of the %d requests remain", n, of)
}

// share writes a share that was given, in percent.
func share(q *big.Rat) string {
	text := new(big.Rat).Mul(q, big.NewRat(100, 1)).FloatString(6)
	return strings.TrimSuffix(strings.TrimRight(text, "0"), ".") + " %"
}

func rateOf(o *Outcome) string {
	r, ok := o.Limiter.Rate()
	if !ok {
		return "0/s"
	}
	return rateOr(r)
}

// rateOr writes a rate as a person would: as so many a second, minute, hour or day, or one every so long.
func rateOr(r spec.Rate) string {
	if r.N == 1 && r.P > time.Second && r.P%time.Millisecond == 0 && time.Minute%r.P != 0 && time.Hour%r.P != 0 {
		return "1/" + spec.FormatDuration(r.P)
	}
	return r.String()
}

func memory(o *Outcome) string {
	text := fmt.Sprintf("%s, %d a key", size(o.Bytes), perKey(o))
	if o.Copies > 1 {
		text += fmt.Sprintf(", in each of up to %d places", o.Copies)
	}
	return text
}

func perKey(o *Outcome) int64 { return (o.Bytes + int64(o.KeysHeld)/2) / int64(max(1, o.KeysHeld)) }
