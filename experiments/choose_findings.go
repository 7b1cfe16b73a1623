package experiments

import (
	"fmt"
	"slices"
	"strings"

	"ratelab/limiters"
)

// chooseTolerable is the share of the well-behaved that may be refused where
// advice looks for the lowest worst window.
const chooseTolerable = 0.01

// chooseSpan writes chooseWindow.
func chooseSpan() string { return fmt.Sprintf("%.0f s", chooseWindow.Seconds()) }

// choosePlain is how a limiter is called in a sentence.
func choosePlain(limiter string) string {
	return strings.ReplaceAll(strings.Replace(limiter, "sliding-counter-", "sliding-counter with rule ", 1), "-", " ")
}

func choosePercent(share float64) string { return fmt.Sprintf("%.1f%%", 100*share) }

// chooseFindings gives advice by rules over what was measured.
func chooseFindings(d *Data) ([]string, error) {
	curve := fmt.Sprint(chooseMost)
	equal, err := chooseFind(d, curve)
	if err != nil {
		return nil, err
	}
	rates, err := chooseFind(d, "")
	if err != nil {
		return nil, err
	}
	mosts, err := chooseMosts(d)
	if err != nil {
		return nil, err
	}
	shapes := slices.DeleteFunc(chooseShapes(), func(shape string) bool {
		return len(chooseOf(equal, shape)) == 0 || len(chooseOf(rates, shape)) == 0
	})
	if len(shapes) == 0 {
		return nil, nothingMeasured("harm", []string{"part", "window", "most", curve})
	}
	var all []chooseFound // solved for at most so many
	var others []string   // answers at other worst windows
	sentences := make([]string, 1)
	for _, most := range mosts {
		list, err := chooseFind(d, most)
		if err != nil {
			return nil, err
		}
		all = append(all, list...)
		if most == curve {
			sentences[0] = chooseAnswer(most, all, shapes)
		} else if len(all) > 0 {
			others = append(others, chooseAnswer(most, all, shapes))
		}
	}
	sentences = append(append(append(sentences, chooseFamilies(equal, shapes)), others...), chooseAtRate(rates, shapes))
	if text := chooseGenerous(all, shapes); text != "" {
		sentences = append(sentences, text)
	}
	all = append(all, rates...)
	for _, shape := range shapes {
		sentences = append(sentences, chooseAdvice(shape, chooseOf(equal, shape), chooseOf(all, shape)))
	}
	for _, other := range chooseOtherCurves() {
		sentences = append(sentences, chooseSensitivity(other, equal, shapes))
	}
	return sentences, nil
}

// chooseWinner returns the one that refuses least, without delay, in the most
// shapes, as it was found in the first shape; in how many, and in which it does
// not.
func chooseWinner(list []chooseFound, shapes []string) (winner chooseFound, wins int, lost []string) {
	count := make(map[string]int)
	least := make(map[string][]chooseFound)
	for _, shape := range shapes {
		least[shape] = chooseLeast(chooseWhere(chooseOf(list, shape), chooseFound.atOnce), chooseFound.harm)
		for _, f := range least[shape] {
			if count[f.spec]++; count[f.spec] > wins {
				winner, wins = f, count[f.spec]
			}
		}
	}
	winner = list[slices.IndexFunc(list, func(f chooseFound) bool { return f.spec == winner.spec })]
	for _, shape := range shapes {
		if !slices.ContainsFunc(least[shape], func(f chooseFound) bool { return f.spec == winner.spec }) {
			lost = append(lost, shape)
		}
	}
	return winner, wins, lost
}

// isCurve reports whether it is the bucket that the well-behaved keep to.
func (f chooseFound) isCurve() bool {
	s, err := limiters.Parse(f.spec)
	if err != nil || f.limiter != "token-bucket" {
		return false
	}
	r, ok := s.Rate()
	return ok && s.Capacity() == chooseBurst && r.PerSecond() == chooseRate
}

// chooseAnswer is the answer at a worst window, in one sentence.
func chooseAnswer(most string, list []chooseFound, shapes []string) string {
	winner, wins, lost := chooseWinner(list, shapes)
	curve := ""
	if winner.isCurve() {
		curve = ", the arrival curve of the well-behaved itself,"
	}
	text := fmt.Sprintf("Where at most %s may pass in any %s and nobody may be delayed, %s%s refuses the fewest well-behaved requests in %d of %d traffic shapes, at %.0f bytes a key",
		most, chooseSpan(), winner.spec, curve, wins, len(shapes), winner.bytes())
	others := make(map[string][]string) // shapes by who is best there
	var order []string
	for _, shape := range lost {
		least := chooseLeast(chooseWhere(chooseOf(list, shape), chooseFound.atOnce), chooseFound.harm)[0].spec
		if len(others[least]) == 0 {
			order = append(order, least)
		}
		others[least] = append(others[least], shape)
	}
	for _, spec := range order {
		text += "; in " + strings.Join(others[spec], ", ") + " it is " + spec
	}
	return text + "."
}

// chooseFamilies says what each family refuses: its mean over shapes, and the
// most.
func chooseFamilies(equal []chooseFound, shapes []string) string {
	var each []string
	for _, l := range chooseTuned {
		sum, n, most, where := 0.0, 0, -1.0, ""
		for _, shape := range shapes {
			own := chooseWhere(chooseOf(equal, shape), func(f chooseFound) bool { return f.limiter == l.name })
			if len(own) == 0 {
				continue
			}
			harm := chooseLeast(own, chooseFound.harm)[0].harm()
			sum, n = sum+harm, n+1
			if harm > most {
				most, where = harm, shape
			}
		}
		if n > 0 {
			each = append(each, fmt.Sprintf("%s %s (most in %s, %s)", choosePlain(l.name), choosePercent(sum/float64(n)), where, choosePercent(most)))
		}
	}
	return fmt.Sprintf("Refused of the well-behaved at a worst window of %d, each limiter at its best tuning, on average over the shapes: ", chooseMost) + strings.Join(each, ", ") + "."
}

// chooseAtRate says what the same rate costs in the worst window.
func chooseAtRate(rates []chooseFound, shapes []string) string {
	winner, wins, _ := chooseWinner(rates, shapes)
	// Of the lowest worst window, with delay and without, the one that refuses
	// least on average.
	lowest := func(list []chooseFound) (spec string, proved, harm, delay float64) {
		proved = slices.MinFunc(list, func(a, b chooseFound) int { return int(a.proved - b.proved) }).proved
		for _, f := range list {
			if f.workload != list[0].workload || f.proved != proved {
				continue
			}
			own := chooseWhere(list, func(g chooseFound) bool { return g.spec == f.spec })
			h, d := 0.0, 0.0
			for _, g := range own {
				h, d = h+g.harm()/float64(len(own)), d+g.delay()/float64(len(own))
			}
			if spec == "" || h < harm {
				spec, harm, delay = f.spec, h, d
			}
		}
		return spec, proved, harm, delay
	}
	text := fmt.Sprintf("At an equal long-run rate of %d/s %s refuses the fewest in %d of %d shapes, and may let %.0f pass in %s",
		chooseRate, winner.spec, wins, len(shapes), winner.proved, chooseSpan())
	if at := chooseWhere(rates, chooseFound.atOnce); len(at) > 0 {
		spec, proved, harm, _ := lowest(at)
		text += fmt.Sprintf("; the lowest worst window without delay is %.0f, of %s, which refuses %s on average over the shapes", proved, spec, choosePercent(harm))
	}
	if queues := chooseWhere(rates, func(f chooseFound) bool { return !f.atOnce() }); len(queues) > 0 {
		spec, proved, harm, delay := lowest(queues)
		text += fmt.Sprintf("; with delay it is %.0f, of %s, which refuses %s and delays by %.1f s", proved, spec, choosePercent(harm), delay)
	}
	return text + "."
}

// chooseGenerous says where a bucket that is deeper and faster than the curve
// refuses more of the well-behaved than the curve itself: it spends tokens on
// others, and has none for them. It is empty if there is none.
func chooseGenerous(all []chooseFound, shapes []string) string {
	var worst, curve chooseFound
	n := 0
	for _, shape := range shapes {
		buckets := chooseWhere(chooseOf(all, shape), func(f chooseFound) bool { return f.limiter == "token-bucket" })
		exact := chooseWhere(buckets, chooseFound.isCurve)
		larger := chooseWhere(buckets, func(f chooseFound) bool {
			s, err := limiters.Parse(f.spec)
			r, ok := s.Rate()
			return err == nil && ok && s.Capacity() > chooseBurst && r.PerSecond() > chooseRate
		})
		if len(exact) == 0 || len(larger) == 0 || larger[0].lo <= exact[0].hi {
			continue
		}
		n++
		if larger[0].harm()-exact[0].harm() > worst.harm()-curve.harm() {
			worst, curve = larger[0], exact[0]
		}
	}
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("More room is not always kinder: in %d of %d shapes a bucket both deeper and faster than the arrival curve, which admits no fewer in all, refuses more of the requests that conform than the curve itself, for it spends tokens on others; most so in %s, where %s refuses %s and %s %s.",
		n, len(shapes), worst.workload, worst.spec, choosePercent(worst.harm()), curve.spec, choosePercent(curve.harm()))
}

// chooseAdvice is the sentence of one shape: who is best for refusals, for the
// worst window, with delay and without, and for memory.
func chooseAdvice(shape string, equal, all []chooseFound) string {
	atOnce := chooseWhere(equal, chooseFound.atOnce)
	least := chooseLeast(atOnce, chooseFound.harm)
	best := least[0]
	text := fmt.Sprintf("%s: at a worst window of %d %s refuses the fewest well-behaved, %s", shape, chooseMost, best.spec, choosePercent(best.harm()))
	var alike, against []string
	dearest := best
	for _, limiter := range []string{"token-bucket", "sliding-log", "sliding-counter-fits", "fixed-window"} {
		own := chooseLeast(chooseWhere(atOnce, func(f chooseFound) bool { return f.limiter == limiter }), chooseFound.harm)
		switch {
		case len(own) == 0:
			continue
		case limiter == best.limiter:
		case slices.ContainsFunc(least, func(f chooseFound) bool { return f.limiter == limiter }):
			alike = append(alike, "a "+choosePlain(limiter))
		default:
			against = append(against, fmt.Sprintf("%s by a %s", choosePercent(own[0].harm()), choosePlain(limiter)))
		}
		if own[0].bytes() > dearest.bytes() {
			dearest = own[0]
		}
	}
	if len(alike) > 0 {
		text += ", as few as " + andLast(alike)
	}
	if len(against) > 0 {
		text += ", against " + andLast(against)
	}
	text += fmt.Sprintf("; the lowest worst window that refuses at most %s is ", choosePercent(chooseTolerable))
	now, ok := chooseTightest(chooseWhere(all, chooseFound.atOnce))
	if ok {
		text += fmt.Sprintf("%.0f without delay, by %s", now.proved, now.spec)
	} else {
		text += "none of those looked at without delay"
	}
	if tight, also := chooseTightest(chooseWhere(all, func(f chooseFound) bool { return !f.atOnce() })); also && (!ok || tight.proved < now.proved) {
		text += fmt.Sprintf(", and %.0f with a mean delay of %.1f s, by %s", tight.proved, tight.delay(), tight.spec)
	}
	return text + fmt.Sprintf("; a key takes %.0f bytes of a %s and %.0f of a %s.", best.bytes(), choosePlain(best.limiter), dearest.bytes(), choosePlain(dearest.limiter))
}

// chooseTightest returns the one of the lowest proved window that refuses a
// tolerable share; of equal ones that which refuses least, to a tenth of a
// percentage point, then the cheapest.
func chooseTightest(list []chooseFound) (tight chooseFound, ok bool) {
	fine := chooseWhere(list, func(f chooseFound) bool { return f.harm() <= chooseTolerable })
	if len(fine) == 0 {
		return tight, false
	}
	lowest := slices.MinFunc(fine, func(a, b chooseFound) int { return int(a.proved - b.proved) }).proved
	return chooseLeast(chooseWhere(fine, func(f chooseFound) bool { return f.proved == lowest }), chooseFound.harm)[0], true
}

// chooseSensitivity says for which shapes another promise of the well-behaved
// changes who refuses the fewest of them, and for whom.
func chooseSensitivity(other chooseOther, equal []chooseFound, shapes []string) string {
	value := func(f chooseFound) float64 { return f.means[other.metric] }
	changed := make(map[string][]string)
	var order []string
	n := 0
	for _, shape := range shapes {
		atOnce := chooseWhere(chooseOf(equal, shape), chooseFound.atOnce)
		before := chooseLeast(atOnce, chooseFound.harm)[0]
		after := chooseLeast(atOnce, value)
		still := slices.IndexFunc(after, func(f chooseFound) bool { return f.spec == before.spec })
		if still >= 0 {
			continue
		}
		n++
		spec := after[0].spec
		if len(changed[spec]) == 0 {
			order = append(order, spec)
		}
		same := slices.IndexFunc(atOnce, func(f chooseFound) bool { return f.spec == before.spec })
		changed[spec] = append(changed[spec], fmt.Sprintf("%s (%s instead of %s)", shape, choosePercent(value(after[0])), choosePercent(value(atOnce[same]))))
	}
	text := fmt.Sprintf("If the well-behaved keep to %s instead of %s, at the same worst window of %d, the advice changes for ",
		other.says(), arrivalCurve{chooseBurst, chooseRate}.says(), chooseMost)
	if n == 0 {
		return text + fmt.Sprintf("none of %d shapes.", len(shapes))
	}
	text += fmt.Sprintf("%d of %d shapes", n, len(shapes))
	for i, spec := range order {
		text += map[bool]string{true: ": to ", false: "; to "}[i == 0] + spec + " for " + strings.Join(changed[spec], ", ")
	}
	return text + "."
}
