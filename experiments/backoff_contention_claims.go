package experiments

import (
	"strconv"

	"ratelab/experiments/theory"
)

func backoffClaims() []Claim {
	return []Claim{
		backoffCalls(),
		backoffTimes(),
		backoffHalf(),
		backoffLongest(),
		backoffMost(),
		backoffShortest(),
		backoffReversal(),
	}
}

// backoffError is how far off a value of the other simulation may be at the
// level of the claims: twice the half-width of its 95 % interval, which is
// 3.9 standard deviations.
func backoffError(half float64) float64 { return 2 * half }

func backoffCalls() Claim {
	c := Claim{
		Text:   "the five algorithms make the calls that another simulation of the AWS study finds",
		Domain: "10 to 190 clients, a server that takes no time",
		Wrong:  "waits that count the attempt otherwise, a back-off that starts anew, reads counted, a server that takes its time",
		Source: "theory.AWSBackoff, 400 contests; error: twice the half-width of its 95 % interval",
		Metric: "calls", Relation: Equal,
	}
	for _, p := range theory.AWSBackoff() {
		point := Point{At: backoffEach(string(p.Algorithm), p.Clients, "0s"), Expected: p.Calls, Error: backoffError(p.CallsError)}
		c.Points = append(c.Points, point)
		if p.Clients == 100 {
			point.At = backoffEach(string(p.Algorithm), 100, "5ms")
			c.Outside = append(c.Outside, point)
		}
	}
	return c
}

// backoffTimes asks only where the other simulation itself is precise: its
// interval within 0.8 % to either side.
func backoffTimes() Claim {
	c := Claim{
		Text:   "and they end when that simulation does",
		Domain: "a server that takes no time; where the other simulation knows its mean within 0.8 %",
		Wrong:  "other legs of the network, other waits, a server that takes its time",
		Source: "theory.AWSBackoff, 400 contests; error: twice the half-width of its 95 % interval",
		Metric: "time", Relation: Equal,
	}
	for _, p := range theory.AWSBackoff() {
		if p.TimeError > 0.008*p.Time {
			continue
		}
		c.Points = append(c.Points, Point{
			At: backoffEach(string(p.Algorithm), p.Clients, "0s"), Expected: p.Time / 1000, Error: backoffError(p.TimeError) / 1000,
		})
	}
	for _, p := range theory.AWSBackoff() {
		if p.Clients == 100 {
			c.Outside = append(c.Outside, Point{
				At: backoffEach(string(p.Algorithm), 100, "5ms"), Expected: p.Time / 1000, Error: backoffError(p.TimeError) / 1000,
			})
		}
	}
	return c
}

func backoffHalf() Claim {
	return Claim{
		Text:   "full jitter makes less than half the calls of exponential back-off without jitter",
		Domain: "100 clients or more; with fewer, less is saved",
		Wrong:  "so few clients that their waits keep them apart, a server whose queue spreads them out",
		Source: "the words of the AWS study, of 100 clients: \"more than half\" of the calls are saved",
		Metric: backoffFullCalls, Relation: AtMost,
		Points:  backoffCompare(0.5, "0s", 100, 150, 190),
		Outside: append(backoffCompare(0.5, "0s", 10, 50), backoffCompare(0.5, "5ms", 100)...),
	}
}

func backoffLongest() Claim {
	return Claim{
		Text:   "exponential back-off without jitter takes longest",
		Domain: "10 to 190 clients, a server that takes no time",
		Wrong:  "a server that takes its time, which those who do not back off keep busy with writes that fail",
		Source: "the words of the AWS study: the \"clear loser\" in work and time",
		Metric: backoffExponentialTime, Relation: AtLeast,
		Points:  backoffCompare(1, "0s", 10, 50, 100, 150, 190),
		Outside: backoffCompare(1, "5ms", 100),
	}
}

func backoffMost() Claim {
	return Claim{
		Text:   "not to back off makes at least 5 % more calls than any other way",
		Domain: "50 clients or more; with 10, exponential back-off without jitter makes as many",
		Wrong:  "waits without jitter that keep all in step",
		Source: "theory.AWSBackoff has 11 % with 50 clients, 55 % with 190",
		Metric: backoffNoneCalls, Relation: AtLeast,
		Points:  backoffCompare(1.05, "0s", 50, 100, 150, 190),
		Outside: backoffCompare(1.05, "0s", 10),
	}
}

func backoffShortest() Claim {
	return Claim{
		Text:   "and yet it ends soonest",
		Domain: "a server that takes no time, however many ask at once",
		Wrong:  "a server that takes its time: 5 ms are enough with 100 clients",
		Source: "order: below the shortest of the four others",
		Metric: backoffNoneTime, Relation: AtMost,
		Points:  backoffCompare(1, "0s", 10, 50, 100, 150, 190),
		Outside: backoffCompare(1, "5ms", 100),
	}
}

func backoffReversal() Claim {
	return Claim{
		Text:   "equal jitter makes more calls than full jitter",
		Domain: "up to 150 clients; with 190 it makes fewer",
		Wrong:  "so many clients that the least wait of equal jitter spares more collisions than its lesser spread brings",
		Source: "the words of the AWS study, and theory.AWSBackoff, which has 1760.5 ± 1.3 against 1771.8 ± 1.2 with 190 clients",
		Metric: backoffEqualCalls, Relation: AtLeast,
		Points:  backoffCompare(1, "0s", 10, 50, 100, 150),
		Outside: backoffCompare(1, "0s", 190),
	}
}

func backoffEach(algorithm string, n int, service string) []string {
	return []string{"part", "each", "algorithm", algorithm, "clients", strconv.Itoa(n), "service", service}
}

func backoffCompare(expected float64, service string, clients ...int) (points []Point) {
	for _, n := range clients {
		points = append(points, Point{At: []string{"part", "compare", "clients", strconv.Itoa(n), "service", service}, Expected: expected})
	}
	return points
}
