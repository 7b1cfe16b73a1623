package experiments

import (
	"errors"
	"strconv"
	"strings"
	"time"

	"ratelab/experiments/sweep"
	"ratelab/internal/spec"
	"ratelab/limiters"
)

func init() {
	register(Experiment{
		Name:     "nginx-burst-delay",
		Question: "What do burst, delay and nodelay of nginx do, and how far is it from the queue that it stands for?",
		Hypothesis: "burst says how many pass beyond the rate, one more at once than it says; delay and nodelay say only how many of them wait. " +
			"At whole requests a second nginx is the leaky queue M/D/1/K, K = burst + 1, on a clock of milliseconds: up to a request in " +
			"tens of milliseconds nobody can tell, at one a millisecond anybody can.",
		Factors:   nginxFactors(),
		Metrics:   nginxMetrics(),
		Grids:     nginxGrids(),
		Where:     nginxApplies,
		Reps:      40,
		QuickReps: 22,
		Cell:      byPart(nginxParts),
		Claims:    nginxClaims(),
		Figures: []Figure{
			{Name: "story", Draw: nginxStoryFigure},
			{Name: "clock", Draw: nginxClockFigure},
		},
		Findings: nginxFindings,
		Threats: []string{
			"limit_req alone, one worker, one zone that is never full, and a clock that is read at every request: nginx reads it once a turn of its event loop.",
			"Who is held waits: a client that leaves while it is held has still been counted.",
			"Decisions and holds were held against nginx 1.22.1 itself; other versions may differ.",
			"Refused requests never come back.",
			"M/D/1/K is about Poisson arrivals; the bounds of the clock hold for all.",
		},
	})
}

// nginxParts are the parts of the experiment: what a cell does, and the factors
// that it needs beside part, all of them and no others.
var nginxParts = parts[cellFunc]{
	{"answers", "limiter case", nginxAnswers},
	{"at-once", "rate burst hold", nginxAtOnce},
	{"spacing", "rate burst", nginxSpacing},
	{"story", "burst hold moment", nginxStory},
	{"cut", "workload rate burst", nginxCut},
	{"poisson", "limiter workload rate burst load", nginxPoisson},
}

func nginxApplies(get func(factor string) string) bool {
	return nginxParts.fit(get, factorNames(nginxFactors()[1:])...)
}

func nginxFactors() []sweep.Factor {
	var cases []string
	for _, known := range nginxCases {
		cases = append(cases, known.name)
	}
	return []sweep.Factor{
		{Name: "part", Check: oneOf(nginxParts.names()...), Description: "sub-question: answers: requests that the real program has answered; at-once: many requests at one instant; " +
			"spacing: requests every millisecond; story: two bursts, and what has passed by a moment; cut: nginx beside the leaky queue on arrivals cut to whole milliseconds; poisson: long runs"},
		{Name: "limiter", Check: oneOf("nginx", "leaky-queue"), Description: "nginx, or the leaky queue of the same rate with as many waiting places as its burst"},
		{Name: "case", Check: oneOf(cases...), Description: "which requests of part answers"},
		{Name: "workload", Check: oneOf("poisson", "on-off"), Description: "arrival process; on-off brings bursts of 40 on average, at four times the mean rate"},
		{Name: "rate", Unit: "nginx rate", Check: nginxRateCheck, Description: "rate in nginx's own syntax"},
		{Name: "burst", Unit: "requests", Check: nginxBurstCheck, Description: "burst; the leaky queue's waiting places"},
		{Name: "hold", Check: nginxHoldCheck, Description: "how many of the burst pass at once: a number for delay=, or nodelay; 0 is nginx's default"},
		{Name: "load", Unit: "1", Check: leakyLoad, Description: "mean arrival rate / rate"},
		{Name: "moment", Unit: "s", Check: nginxMomentCheck, Description: "moment of the story"},
	}
}

func nginxRateCheck(value string) error {
	_, _, err := nginxRate(value)
	return err
}

func nginxBurstCheck(value string) error {
	if n, err := spec.ParseCount(value); err != nil || n > 1000 {
		return errors.New("must be a whole number from 0 to 1000")
	}
	return nil
}

func nginxHoldCheck(value string) error {
	if n, err := spec.ParseCount(value); value != "nodelay" && (err != nil || n > 1000) {
		return errors.New("must be nodelay or a whole number from 0 to 1000")
	}
	return nil
}

func nginxMomentCheck(value string) error {
	if x, err := spec.ParseNumber(value); err != nil || x < 0 || x > 100 {
		return errors.New("must be a number of seconds from 0 to 100")
	}
	return nil
}

// nginxRate returns a rate that nginx is configured with, and the thousandths
// of a request per second that it keeps of it.
func nginxRate(text string) (rate spec.Rate, milli int64, err error) {
	number, second := strings.CutSuffix(text, "r/s")
	scale, per := int64(1), "/s"
	if !second {
		number, scale, per = strings.TrimSuffix(text, "r/m"), 60, "/m"
	}
	n, err := spec.ParseCount(number)
	if err != nil || n < 1 || n > 1_000_000 || number == text {
		return rate, 0, errors.New("must be <number>r/s or <number>r/m, from 1 to 1000000")
	}
	rate, err = spec.ParseRate(number + per)
	return rate, n * 1000 / scale, err
}

func nginxSpec(rate, burst, hold string) (limiters.Spec, error) {
	text := "nginx:rate=" + rate + ",burst=" + burst
	switch hold {
	case "":
	case "nodelay":
		text += ",nodelay"
	default:
		text += ",delay=" + hold
	}
	return limiters.Parse(text)
}

// nginxQueue is the queue that nginx stands for.
func nginxQueue(rate spec.Rate, burst string) (limiters.Spec, error) {
	return limiters.Parse("leaky-queue:rate=" + rate.String() + ",queue=" + burst)
}

func nginxMetrics() []sweep.Metric {
	return append(fromDictionary("delay_mean", "admitted_over_rate"),
		sweep.Metric{Name: "wrong_answers", Unit: "requests", Description: "Requests that are admitted, refused or held otherwise than by nginx 1.22.1."},
		sweep.Metric{Name: "passed", Unit: "requests", Description: "Admitted of those that come at one instant; in part story, those that have left nginx by the moment."},
		sweep.Metric{Name: "held", Unit: "requests", Description: "Of those admitted at one instant, how many wait."},
		sweep.Metric{Name: "longest", Unit: "s", Description: "Longest wait of those that come at one instant."},
		sweep.Metric{Name: "spacing", Unit: "s", Description: "Mean time from one admitted request to the next, of requests every millisecond, once the burst is spent."},
		sweep.Metric{Name: "rate_share", Unit: "1", Description: "Admitted rate of such requests / the rate that nginx keeps: that which it is configured with, cut to thousandths of a request per second."},
		sweep.Metric{Name: "unlike_queue", Unit: "requests", Description: "Requests that nginx decides otherwise than the leaky queue, where that sees arrivals cut to whole milliseconds."},
		sweep.Metric{Name: "unlike_queue_uncut", Unit: "1", Description: "Share of requests that nginx decides otherwise than the leaky queue that sees arrivals as they are."},
		sweep.Metric{Name: "hold_gap", Unit: "s", Description: "How much longer, or shorter, the leaky queue on arrivals cut to whole milliseconds holds a request than nginx, at most."},
		sweep.Metric{Name: "loss", Unit: "1", Description: "Share of requests that are refused."},
	)
}

// nginxStoryMoments are those at which something happens, and just before.
func nginxStoryMoments() (moments []string) {
	for k := range 29 {
		moments = append(moments, strconv.FormatFloat(float64(k)/4, 'g', -1, 64))
	}
	return moments
}

func nginxGrids() []sweep.Grid {
	axis := func(factor string, values ...string) sweep.Axis { return sweep.Axis{Factor: factor, Values: values} }
	part := func(name string, axes ...sweep.Axis) sweep.Grid {
		return append(sweep.Grid{axis("part", name)}, axes...)
	}
	var cases []string
	for _, known := range nginxCases {
		cases = append(cases, known.name)
	}
	poisson, queue, nginx := axis("workload", "poisson"), axis("limiter", "leaky-queue"), axis("limiter", "nginx")
	return []sweep.Grid{
		part("answers", axis("limiter", "nginx", "leaky-queue"), axis("case", cases...)),
		part("at-once", axis("rate", "1r/s", "10r/s", "30r/m", "7r/m"), axis("burst", "0", "3", "20"), axis("hold", "0", "2", "nodelay")),
		part("spacing", axis("rate", "1r/m", "7r/m", "100r/m", "3r/s", "10r/s", "2000r/s"), axis("burst", "0")),
		part("spacing", axis("rate", "7r/m", "100r/m", "500r/m", "3r/s", "10r/s"), axis("burst", "5")),
		part("story", axis("burst", "0", "5"), axis("hold", "0"), axis("moment", nginxStoryMoments()...)),
		part("story", axis("burst", "5"), axis("hold", "2", "nodelay"), axis("moment", nginxStoryMoments()...)),
		part("cut", axis("workload", "poisson", "on-off"), axis("rate", "3r/s", "10r/s", "100r/s", "1000r/s", "30r/m", "100r/m"), axis("burst", "0", "5")),
		part("poisson", nginx, poisson, axis("rate", "10r/s", "20r/s", "50r/s", "100r/s", "200r/s", "500r/s", "1000r/s"), axis("burst", "0", "5"), axis("load", "1")),
		part("poisson", nginx, poisson, axis("rate", "10r/s", "100r/s", "1000r/s"), axis("burst", "0", "5"), axis("load", "0.8", "1.5")),
		part("poisson", nginx, axis("workload", "on-off"), axis("rate", "10r/s", "1000r/s"), axis("burst", "5"), axis("load", "1")),
		part("poisson", queue, poisson, axis("rate", "10r/s", "1000r/s"), axis("burst", "0", "5"), axis("load", "0.8", "1", "1.5")),
		part("poisson", queue, poisson, axis("rate", "10r/s"), axis("burst", "20"), axis("load", "1", "1.5")),
		part("poisson", queue, axis("workload", "on-off"), axis("rate", "10r/s"), axis("burst", "5"), axis("load", "1")),
	}
}

// nginxCases are requests of one key, in order, that nginx 1.22.1 was seen to
// answer under a clock that was set: at which ms they came, which passed, 1 or
// 0, and where it was seen how long those were held, in ms.
var nginxCases = []struct {
	name, rate, burst, hold string
	at                      []int64
	passed                  string
	held                    []int64
}{
	{"at-once", "1r/s", "3", "", []int64{0, 0, 0, 0, 0}, "11110", []int64{0, 1000, 2000, 3000}},
	{"one-a-minute", "1r/m", "0", "nodelay", []int64{0, 60_000, 62_499, 62_500, 125_000}, "10011", nil},
	{"three-a-second", "3r/s", "0", "nodelay", []int64{0, 333, 334, 667, 668}, "10101", nil},
	{"polling", "30r/m", "1", "nodelay", []int64{0, 0, 1, 1999, 2000, 2000, 2001, 4000, 4001}, "110010010", nil},
	{"clock-back-30s", "1r/s", "3", "nodelay", []int64{100_000, 100_000, 100_000, 100_000, 100_000, 70_000, 100_000, 101_000}, "11110001", nil},
	{"clock-back-61s", "1r/s", "3", "nodelay", []int64{100_000, 100_000, 39_000, 40_000, 40_000, 40_000, 40_000, 41_000}, "11111001", nil},
	{"queue", "10r/s", "5", "", []int64{0, 0, 0, 50, 50}, "11111", []int64{0, 100, 200, 250, 350}},
}

// nginxStoryBursts are when the story's bursts come; each has nginxStorySize
// requests. The rate is nginxStoryRate.
var nginxStoryBursts = []time.Duration{0, 2 * time.Second}

const (
	nginxStorySize = 10
	nginxStoryRate = "2r/s"
)
