package plots

import "math"

// The samples are made-up data that show every chart kind at its worst and at its best. They are drawn by the golden
// tests; go test -look FOLDER draws all of them, to be looked at.
var samples = []Figure{
	sampleLine, sampleBunched, sampleTail, sampleOctaves, sampleStep, sampleDots, sampleHeat, sampleHeatLog, sampleGrid, sampleTimeline, sampleTails, sampleMarks,
}

func curve(n int, f func(i float64) float64) []float64 {
	v := make([]float64, n)
	for i := range v {
		v[i] = f(float64(i))
	}
	return v
}

// loads are 0.4, 0.5, … 1.6.
var loads = curve(13, func(i float64) float64 { return 0.4 + i/10 })

func share01(v float64) float64 { return min(1, max(0, v)) }

func band(name string, fall, spread float64) Series {
	s := Series{Name: name, X: loads}
	for i, x := range loads {
		y := share01(1 - fall*x*x)
		if x > 1 {
			y = share01((1 - fall) / x)
		}
		wobble := spread * (1 + float64(i%3))
		s.Y, s.Lo, s.Hi = append(s.Y, y), append(s.Lo, share01(y-wobble)), append(s.Hi, share01(y+wobble))
	}
	return s
}

var sampleLine = Figure{
	Name:     "line",
	Title:    "Fixed windows refuse a fifth of the traffic at the limit",
	Subtitle: "Share against load; mean and 95% CI, 20 replications of 1 M arrivals",
	Alt:      "Admitted share falls with load <for all limiters> & fastest for the fixed window.",
	Chart: Line{
		X: Axis{Label: "Offered load ρ = λ/r", Unit: "1"},
		Y: Axis{Label: "Admitted share", Max: math.NaN(), Percent: true},
		Series: []Series{
			band("token-bucket", 0.03, 0.01), band("gcra", 0.03, 0.01), band("sliding-counter:rule=fits", 0.13, 0.012),
			band("sliding-log", 0.1, 0.006), band("fixed-window", 0.21, 0.012),
		},
		Refs: []Ref{{Value: 1, Vertical: true, Label: "ρ = 1"}},
	},
}

var sampleBunched = Figure{
	Name: "bunched",
	Title: "Eight limiters that end at the same place are still told apart, and a title that is much too long for one " +
		"line wraps instead of being cut",
	Subtitle: "Requests admitted in the worst window; one replication, no interval, and a subtitle that goes on about n = 100,000 arrivals, seed 1, horizon 1 h ≥ 100·b²",
	Chart: Line{
		X: Axis{Label: "Servers N"},
		Y: Axis{Label: "Worst window", Unit: "requests", Zero: true},
		Series: func() []Series {
			var list []Series
			for i, name := range []string{"fixed-window", "sliding-log", "sliding-counter-fits", "sliding-counter-below",
				"token-bucket", "gcra", "leaky-meter", "leaky-queue"} {
				list = append(list, Series{Name: name, X: curve(9, func(k float64) float64 { return k + 1 }), Markers: i == 0,
					Y: curve(9, func(k float64) float64 {
						if i == 3 && k == 4 {
							return math.NaN()
						}
						return 12000 + float64(i*1000)*(8-k)/8
					})})
			}
			return list
		}(),
		Refs: []Ref{{Value: 12000, Label: "limit × N"}},
	},
}

var sampleTail = Figure{
	Name:     "tail",
	Title:    "The tail grows fivefold from ρ = 0.5 to 0.95",
	Subtitle: "Complementary distribution of the wait, both axes logarithmic; 20,000 requests",
	Width:    400,
	Chart: Line{
		X: Axis{Label: "Wait", Unit: "ms", Log: true, Ticks: []Tick{{1, "1"}, {10, "10"}, {100, "100"}, {1000, "1 s"}}},
		Y: Axis{Label: "P(wait > t)", Log: true, Percent: true, Min: 1e-4},
		Series: []Series{
			tail("ρ = 0.5", 11), tail("ρ = 0.8", 32), tail("ρ = 0.95", 70),
			{Name: "ρ = 0.5", Theory: true, X: tail("", 14).X, Y: tail("", 14).Y},
		},
	},
}

func tail(name string, mean float64) Series {
	s := Series{Name: name}
	for i := range 2000 {
		p := math.Pow(10, -4*float64(i)/1999)
		s.X = append(s.X, 1+mean*-math.Log(p)*(1+0.02*math.Sin(float64(i)/40)))
		s.Y = append(s.Y, p)
	}
	return s
}

var sampleOctaves = Figure{
	Name:     "octaves",
	Title:    "N local limits admit N times the limit",
	Subtitle: "Long-run admitted rate over the limit; 10 replications, 95% CI",
	Chart: Line{
		X: Axis{Label: "Servers", Log: true, Base: 2},
		Y: Axis{Label: "Admitted over rate", Log: true, Base: 2},
		Series: []Series{
			{Name: "local", X: []float64{1, 2, 4, 8, 16, 32, 64}, Y: []float64{1, 2, 4, 8, 16, 32, 64}, Markers: true},
			{Name: "quota", X: []float64{1, 2, 4, 8, 16, 32, 64}, Y: []float64{1, 1, 0.98, 0.95, 0.9, 0.8, 0.6}, Markers: true,
				Lo: []float64{0.9, 0.9, 0.9, 0.85, 0.8, 0.7, 0.5}, Hi: []float64{1.1, 1.1, 1.1, 1.05, 1, 0.9, 0.7}},
			{Name: "central", X: []float64{1, 2, 4, 8, 16, 32, 64}, Y: []float64{1, 1, 1, 1, 1, 1, 1}, Markers: true},
			{Name: "synced", X: []float64{1, 2, 4, 8, 16}, Y: []float64{1, 1.4, 1.9, 2.4, 3}, Markers: true},
		},
	},
}

// burst is ninety-seven requests at 59 s and a hundred at 61 s after three early ones.
func burst() []float64 {
	times := []float64{2, 20, 40}
	for i := range 97 {
		times = append(times, 59+float64(i)/200)
	}
	for i := range 100 {
		times = append(times, 61+float64(i)/200)
	}
	return times
}

func admittedBy(name string, pass func(i int) bool) (Series, Dots) {
	s, d := Series{Name: name, X: []float64{0}, Y: []float64{0}}, Dots{Name: name, Times: burst()}
	count := 0.0
	for i, t := range burst() {
		ok := pass(i)
		if ok {
			count++
		}
		s.X, s.Y = append(s.X, t), append(s.Y, count)
		d.Admitted = append(d.Admitted, ok)
	}
	s.X, s.Y = append(s.X, 80), append(s.Y, count)
	return s, d
}

var sampleStep = func() Figure {
	fixed, fixedDots := admittedBy("fixed-window", func(int) bool { return true })
	log, logDots := admittedBy("sliding-log", func(i int) bool { return i < 100 })
	counter, counterDots := admittedBy("sliding-counter-below", func(i int) bool { return i < 102 })
	return Figure{
		Name:     "step",
		Title:    "Two hundred requests pass a limit of 100 a minute within two seconds",
		Subtitle: "Requests admitted since 0:00, quiet-then-loud story, limit 100 a minute",
		Chart: Step{
			X:      Axis{Label: "Time", Ticks: []Tick{{0, "0:00"}, {30, "0:30"}, {60, "1:00"}, {80, "1:20"}}},
			Y:      Axis{Label: "Admitted", Unit: "requests"},
			Series: []Series{fixed, log, counter},
			Refs:   []Ref{{Value: 100, Label: "limit 100"}, {Value: 60, Vertical: true, Label: "the page turns"}},
			Rows:   []Dots{fixedDots, logDots, counterDots},
		},
	}
}()

var sampleDots = func() Figure {
	var rows []Dots
	for i, name := range []string{"token-bucket", "leaky-meter"} {
		row := Dots{Name: name}
		for k := range 24 {
			row.Times = append(row.Times, float64(k)/4)
			row.Admitted = append(row.Admitted, k < 5 && i == 0 || k%2 == 0)
		}
		rows = append(rows, row)
	}
	return Figure{
		Name:  "dots",
		Title: "The bucket forgives a burst, the meter does not",
		Chart: Step{X: Axis{Label: "Time", Unit: "s"}, Rows: rows},
	}
}()

var sampleHeat = Figure{
	Name:     "heat",
	Title:    "A burst of 10 buys little above ρ = 0.9",
	Subtitle: "Admitted share, token bucket, mean of 20 replications",
	Chart: Heat{
		X: []string{"0.5", "0.7", "0.8", "0.9", "0.95", "1.0", "1.05", "1.2"}, Y: []string{"1", "2", "5", "10", "20", "50", "100"},
		XLabel: "Offered load ρ", YLabel: "Burst (tokens)",
		Z: func() [][]float64 {
			z := make([][]float64, 7)
			for i := range z {
				z[i] = curve(8, func(j float64) float64 { return share01(1.05 - 0.16*j + 0.09*float64(i)) })
			}
			z[0][7] = math.NaN()
			return z
		}(),
	},
}

var sampleHeatLog = Figure{
	Name:  "heat-log",
	Title: "Only the fixed window lets a burst of twice the limit pass",
	Chart: Heat{
		X:      []string{"steady", "poisson", "on-off bursts", "page-turn straddle", "quiet-then-loud"},
		Y:      []string{"fixed-window", "sliding-counter", "token-bucket"},
		XLabel: "Traffic",
		Z:      [][]float64{{100, 104, 170, 200, 197}, {100, 101, 103, 110, 101}, {100, 100, 140, 1000, 12345}},
		Format: "%.0f", Log: true,
	},
}

var sampleGrid = Figure{
	Name:     "grid",
	Title:    "The four balancers differ only while some servers are idle",
	Subtitle: "Admitted rate over the limit; mean and 95% CI over 10 replications",
	Chart: Grid{Panels: []Panel{
		{"round-robin", balanced(1, "local", "quota", "central")}, {"random", balanced(0.8, "local", "quota", "central")},
		{"hash", balanced(0.5, "local", "quota", "central")}, {"least loaded", balanced(0.9, "local", "quota")},
	}},
}

func balanced(k float64, names ...string) Line {
	l := Line{X: Axis{Label: "Servers"}, Y: Axis{Label: "Admitted over rate", Unit: "1"}, Refs: []Ref{{Value: 1, Label: "limit"}}}
	for i, name := range names {
		s := Series{Name: name}
		for n := 1.0; n <= 8; n++ {
			y := []float64{1 + k*(n-1), 1 - 0.05*k*(n-1), 1}[i]
			s.X, s.Y, s.Lo, s.Hi = append(s.X, n), append(s.Y, y), append(s.Lo, y*0.95), append(s.Hi, y*1.05)
		}
		l.Series = append(l.Series, s)
	}
	return l
}

var sampleTimeline = func() Figure {
	times := []float64{0.8, 0.85, 0.9, 0.95, 1.05, 1.1, 1.15, 1.2, 2, 2.2, 2.4, 2.6, 3, 3, 3.002, 3.5}
	row := func(name, label string, pass func(i int) bool) Dots {
		d := Dots{Name: name, Label: label, Times: times}
		for i := range times {
			d.Admitted = append(d.Admitted, pass(i))
		}
		return d
	}
	return Figure{
		Name:     "timeline",
		Title:    "The same arrivals: a fixed window passes eight around its edge",
		Subtitle: "Limit of four a second; a queue lets go what it has kept",
		Chart: Timeline{
			X: Axis{Label: "Time", Unit: "s", Min: 0, Max: 4},
			Rows: []Dots{
				row("offered", "arrivals", func(int) bool { return true }),
				row("fixed-window", "fixed window 15", func(i int) bool { return i != 15 }),
				row("token-bucket", "token bucket 12", func(i int) bool { return i < 4 || i > 7 }),
				row("leaky-meter", "", func(i int) bool { return i%3 == 0 }),
			},
			Refs: []Ref{{Value: 1, Vertical: true, Label: "edge"}, {Value: 2, Vertical: true}},
		},
	}
}()

var sampleTails = func() Figure {
	sample := make([]float64, 400)
	for i := range sample {
		sample[i] = math.Max(0, -2*math.Log((float64(i)+0.5)/320))
	}
	measured, err := Above("token-bucket", 0, sample)
	if err != nil {
		panic(err)
	}
	proved := Series{Name: "token-bucket", Theory: true, X: curve(100, func(i float64) float64 { return i / 7 })}
	for _, x := range proved.X {
		proved.Y = append(proved.Y, 0.8*math.Exp(-x/2))
	}
	points := Series{Name: "leaky-queue", Markers: true, X: []float64{0, 2, 4, 6, 8}, Y: []float64{0.5, 0.06, 0.004, 0.0003, 0},
		Lo: []float64{0.4, 0.05, 0.003, 0, 0}, Hi: []float64{0.6, 0.07, 0.005, 0.0006, 0.0001}}
	return Figure{
		Name:     "tails",
		Title:    "One request in a hundred waits longer than 9 s, behind a queue 3 s",
		Subtitle: "Made up: a sample of 400, its law, and shares with their intervals, of which the last is 0",
		Chart:    Tail{X: Axis{Label: "Wait", Unit: "s", Min: 0, Max: 12}, Of: "Requests that wait longer", Series: []Series{measured, proved, points}},
	}
}()

// sampleMarks has every mark, without lines.
var sampleMarks = func() Figure {
	chart := Line{X: Axis{Label: "Servers"}, Y: Axis{Label: "Most admitted", Zero: true}}
	for i, name := range []string{"fixed-window", "sliding-log", "sliding-counter-fits", "sliding-counter-below", "token-bucket", "gcra", "leaky-meter", "leaky-queue"} {
		s := Series{Name: name, Markers: true}
		for k := range 6 {
			s.X, s.Y = append(s.X, float64(k), float64(k)), append(s.Y, float64(i+k), math.NaN())
		}
		chart.Series = append(chart.Series, s)
	}
	return Figure{Name: "marks", Title: "Eight limiters are told apart in grey", Chart: chart}
}()
