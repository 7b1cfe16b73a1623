package plots

import (
	"fmt"
	"image/color"
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Sizes of text, in points. They stay legible when a figure of the default width is shrunk to 8.5 cm.
const (
	titleSize    = 11.5
	subtitleSize = 9
	labelSize    = 9 // series, panels, axes
	tickSize     = 8.5
	noteSize     = 8 // reference lines, keys, cells
	smallestSize = 6 // below it, a figure is refused rather than drawn
)

// Lengths in points.
const (
	margin      = 6 // around the figure
	lineWidth   = 1.6
	hairline    = 0.6
	theoryWidth = 0.9
	tickLength  = 3
	labelSpace  = 11 // from one label to the next
	leaderSpace = 12 // from the end of a curve to its label
)

var (
	white = color.NRGBA{0xFF, 0xFF, 0xFF, 0xFF}
	ink   = color.NRGBA{0x22, 0x22, 0x22, 0xFF} // titles
	grey  = color.NRGBA{0x59, 0x59, 0x59, 0xFF} // subtitles, ticks
	pale  = color.NRGBA{0x99, 0x99, 0x99, 0xFF} // reference lines
	faint = color.NRGBA{0xE6, 0xE6, 0xE6, 0xFF} // grid
	blank = color.NRGBA{0xF3, 0xF3, 0xF3, 0xFF} // cells without a value
)

// The palette of Okabe and Ito, without yellow, which is lost on white.
var (
	blue      = color.NRGBA{0x00, 0x72, 0xB2, 0xFF}
	vermilion = color.NRGBA{0xD5, 0x5E, 0x00, 0xFF}
	green     = color.NRGBA{0x00, 0x9E, 0x73, 0xFF}
	purple    = color.NRGBA{0xCC, 0x79, 0xA7, 0xFF}
	orange    = color.NRGBA{0xE6, 0x9F, 0x00, 0xFF}
	sky       = color.NRGBA{0x56, 0xB4, 0xE9, 0xFF}
	black     = color.NRGBA{0x00, 0x00, 0x00, 0xFF}

	palette = []color.NRGBA{blue, vermilion, green, purple, orange, sky, black}
)

// Dashes are the second code beside colour, for eyes and printers without colour.
var (
	solid   []vg.Length
	dashed  = []vg.Length{5, 2}
	dotted  = []vg.Length{1.5, 1.5}
	dashdot = []vg.Length{6, 1.5, 1.5, 1.5}

	dashes = [][]vg.Length{solid, dashed, dotted, dashdot}
)

// newPlot is an empty plot in our style: a grid and labels, no y line; the figure draws the titles.
func newPlot() *plot.Plot {
	p := plot.New()
	p.BackgroundColor = nil
	for _, a := range []*plot.Axis{&p.X, &p.Y} {
		a.Padding, a.Width = 0, 0
		a.Tick.Length, a.Tick.LineStyle = 0, draw.LineStyle{Color: grey, Width: hairline}
		a.Tick.Label.Font, a.Tick.Label.Color = textStyle(regular, tickSize, nil).Font, grey
		a.Label.TextStyle.Font, a.Label.TextStyle.Color = textStyle(regular, labelSize, nil).Font, ink
	}
	p.Y.Tick.Label.YAlign = yTickMiddle
	p.Y.Padding, p.X.Label.Padding = 1.5, 4
	return p
}

// style is how a series looks.
type style struct {
	color color.NRGBA
	dash  []vg.Length
	mark  mark
	label string // the default label
}

// coded is a style whose mark is that of its dash: the second code where there is no line.
func coded(c color.NRGBA, dash []vg.Length, label string) style {
	return style{c, dash, dashMarks[dashIndex(dash)], label}
}

func dashIndex(dash []vg.Length) int {
	return slices.IndexFunc(dashes, func(d []vg.Length) bool { return slices.Equal(d, dash) })
}

// Kinds of what has the same look in every figure.
const (
	aLimiter = iota
	aCoordination
	aBalancer
	aBackoff
	aBudget // of retries
	aDefence
	anInput
)

// grammar fixes the look of what appears in many figures. A token bucket and GCRA decide alike, so that their curves
// often coincide: a dashed bright line on a solid dark one shows both. Kinds share colours, for a panel shows one kind.
var grammar = []struct {
	kind int
	name string
	style
}{
	{aLimiter, "fixed-window", style{vermilion, solid, square, "fixed window"}},
	{aLimiter, "sliding-log", style{black, solid, diamond, "sliding log"}},
	{aLimiter, "sliding-counter", style{green, dashed, upward, "sliding counter"}},
	{aLimiter, "sliding-counter-fits", style{green, dashed, upward, "sliding counter (fits)"}},
	{aLimiter, "sliding-counter-below", style{green, dotted, downward, "sliding counter (below)"}},
	{aLimiter, "token-bucket", style{blue, solid, round, "token bucket"}},
	{aLimiter, "gcra", style{purple, dashed, ring, "GCRA"}},
	{aLimiter, "leaky-meter", style{orange, dashdot, box, "leaky meter"}},
	{aLimiter, "leaky-queue", style{sky, dotted, hollow, "leaky queue"}},

	{aCoordination, "local", coded(vermilion, solid, "local")},
	{aCoordination, "quota", coded(green, dashed, "quota")},
	{aCoordination, "central", coded(blue, solid, "central")},
	{aCoordination, "adaptive", coded(purple, dashdot, "adaptive")},
	{aCoordination, "synced", coded(sky, dotted, "synced")},
	{aCoordination, "leased", coded(orange, dashed, "leased")},
	{aCoordination, "sharded", coded(blue, dotted, "sharded")},
	{aCoordination, "central-racy", coded(black, dashdot, "racy")},

	{aBalancer, "round-robin", coded(blue, solid, "round robin")},
	{aBalancer, "random", coded(vermilion, dashed, "random")},
	{aBalancer, "weighted", coded(green, dotted, "Zipf weights")},
	{aBalancer, "hash", coded(purple, dashdot, "hash by key")},
	{aBalancer, "least", coded(orange, solid, "least loaded")},
	{aBalancer, "two-choices", coded(sky, dashed, "two choices")},

	{aBackoff, "no-backoff", coded(orange, solid, "no back-off")},
	{aBackoff, "no-jitter", coded(blue, solid, "no jitter")},
	{aBackoff, "equal-jitter", coded(green, dotted, "equal jitter")},
	{aBackoff, "full-jitter", coded(purple, dashdot, "full jitter")},
	{aBackoff, "decorrelated-jitter", coded(vermilion, dashed, "decorrelated")},
	{aBudget, "3-retries", coded(blue, solid, "3 retries")},
	{aBudget, "active-budget", coded(vermilion, dashed, "20% of active")},
	{aBudget, "ratio-budget", coded(green, dotted, "ratio 20%")},
	{aBudget, "token-budget", coded(purple, dashdot, "bucket, 10%")},
	{aBudget, "grpc-budget", coded(orange, solid, "gRPC")},
	{aBudget, "adaptive-throttling", coded(sky, dashed, "throttling, K = 2")},

	{aDefence, "limits-by-tenant", coded(blue, solid, "limits by tenant")},
	{aDefence, "shedding", coded(vermilion, dashed, "shedding")},
	{aDefence, "neither", coded(green, dotted, "neither")},

	{anInput, "offered", coded(grey, solid, "offered")},
}

// Look is how a line looks wherever it is drawn.
type Look struct {
	Label string
	Color string // "#D55E00"
	Dash  string // lengths of dash and gap, "5,2"; empty: solid
	Mark  string // the shape of a point: "square"
}

func (s style) look() Look {
	var dash []string
	for _, length := range s.dash {
		dash = append(dash, strconv.FormatFloat(float64(length), 'f', -1, 64))
	}
	return Look{s.label, fmt.Sprintf("#%02X%02X%02X", s.color.R, s.color.G, s.color.B), strings.Join(dash, ","), s.mark.String()}
}

// Key returns the looks of limiters, then of coordinations: the same in every figure, as those of balancers, of what
// clients do, and of defences are (LookOf).
func Key() (looks []Look) {
	for _, entry := range grammar {
		if entry.kind == aLimiter || entry.kind == aCoordination {
			looks = append(looks, entry.look())
		}
	}
	return looks
}

// LookOf returns the look that a series of this name has in every figure, if it has one. The name is that of a limiter,
// a coordination, a balancer, what a client does or a defence, as in code ("round-robin"), as in figures ("round robin"),
// or a spec.
func LookOf(name string) (Look, bool) {
	_, s, ok := canonical(name)
	return s.look(), ok
}

// canonical finds the fixed look of a series name. A spec such as "gcra:rate=2/s,burst=20" counts as its limiter.
func canonical(name string) (base string, s style, ok bool) {
	base, parameters, isSpec := strings.Cut(name, ":")
	if base == "sliding-counter" && slices.Contains(strings.Split(parameters, ","), "rule=below") {
		base = "sliding-counter-below"
	}
	for _, entry := range grammar {
		if entry.name == base || entry.label == name {
			s = entry.style
			if isSpec {
				s.label = name
			}
			return entry.name, s, true
		}
	}
	return "", style{}, false
}

// assign gives every name of a figure its look, by order of appearance. Fixed looks come first; the other names take
// the colours that are left, in order, and then colours again with the next dash. Several specs of one limiter
// share its colour and differ by dash and mark.
func assign(names []string) map[string]style {
	styles := make(map[string]style)
	used := make(map[color.NRGBA]bool)
	variants := make(map[string]int)
	for _, name := range names {
		base, s, ok := canonical(name)
		if _, seen := styles[name]; seen || !ok {
			continue
		}
		if n := variants[base]; n > 0 {
			s.dash = dashes[(dashIndex(s.dash)+n)%len(dashes)]
			s.mark = mark((int(s.mark) + n) % int(marks))
		}
		variants[base]++
		used[s.color] = true
		styles[name] = s
	}
	var free []color.NRGBA
	for _, c := range palette {
		if !used[c] {
			free = append(free, c)
		}
	}
	if len(free) == 0 {
		free = palette
	}
	next := 0
	for _, name := range names {
		if _, seen := styles[name]; seen {
			continue
		}
		// Colour and dash move together, so that neighbours differ in both; each round shifts them by one.
		styles[name] = coded(free[next%len(free)], dashes[(next%len(free)+next/len(free))%len(dashes)], name)
		next++
	}
	return styles
}

// textColor darkens a colour until text in it has a contrast of 4.5 with white (WCAG 2.1, 1.4.3).
func textColor(c color.NRGBA) color.NRGBA {
	for luminance(c) > 1.05/4.5-0.05 {
		c.R, c.G, c.B = uint8(int(c.R)*15/16), uint8(int(c.G)*15/16), uint8(int(c.B)*15/16)
	}
	return c
}

// luminance is the relative luminance of WCAG 2.1, from 0 to 1.
func luminance(c color.NRGBA) float64 {
	linear := func(v uint8) float64 {
		x := float64(v) / 255
		if x <= 0.04045 {
			return x / 12.92
		}
		return math.Pow((x+0.055)/1.055, 2.4)
	}
	return 0.2126*linear(c.R) + 0.7152*linear(c.G) + 0.0722*linear(c.B)
}

// translucent is the colour of an interval band.
func translucent(c color.NRGBA) color.NRGBA {
	c.A = 46
	return c
}
