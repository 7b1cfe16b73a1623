package plots

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

func grow(r vg.Rectangle, d vg.Length) vg.Rectangle {
	return vg.Rectangle{Min: r.Min.Sub(vg.Point{X: d, Y: d}), Max: r.Max.Add(vg.Point{X: d, Y: d})}
}

func overlaps(r, q vg.Rectangle) bool {
	return r.Min.X < q.Max.X && q.Min.X < r.Max.X && r.Min.Y < q.Max.Y && q.Min.Y < r.Max.Y
}

func within(r, q vg.Rectangle) bool {
	return r.Min.X >= q.Min.X && r.Min.Y >= q.Min.Y && r.Max.X <= q.Max.X && r.Max.Y <= q.Max.Y
}

// touches tells whether a curve goes through a rectangle.
func touches(r vg.Rectangle, curve []vg.Point) bool {
	c := draw.Canvas{Rectangle: r}
	return len(curve) == 1 && c.Contains(curve[0]) || len(c.ClipLinesXY(curve)) > 0
}

// clearance is how far from a label the curves of others are at least.
const clearance = 5

// obstacles is what a label inside a chart must not cover, in coordinates of the plot area.
type obstacles struct {
	area   vg.Rectangle
	curves [][]vg.Point   // one line for each piece of a curve
	owner  []string       // the name of the series a curve belongs to
	taken  []vg.Rectangle // labels placed so far
}

func (o *obstacles) add(owner string, curve []vg.Point) {
	o.curves, o.owner = append(o.curves, curve), append(o.owner, owner)
}

// best returns the box, of those with a lower left corner among the candidates, where a label covers least, and what
// it covers there: 0 is nothing. The curve of the owner may come closer than others, which keep a distance, so that nobody
// takes the label for that of a neighbour.
func (o *obstacles) best(owner string, width, height, others vg.Length, candidates []vg.Point) (best vg.Rectangle, least int) {
	least = math.MaxInt
	for _, at := range candidates {
		r, n := vg.Rectangle{Min: at, Max: at.Add(vg.Point{X: width, Y: height})}, 0
		if !within(r, o.area) {
			n += 100
		}
		for _, t := range o.taken {
			if overlaps(grow(r, 2), t) {
				n += 10
			}
		}
		for i, curve := range o.curves {
			if o.owner[i] == owner && touches(grow(r, 2), curve) || o.owner[i] != owner && touches(grow(r, others), curve) {
				n++
			}
		}
		if n < least {
			best, least = r, n
		}
		if n == 0 {
			break
		}
	}
	return best, least
}

// beside looks for room for a label of this size next to the pieces of its curve: from the end backwards, on the right
// of it, above, below, on the left; if there is none, a little farther off, where others are twice as far.
func (o *obstacles) beside(name string, pieces [][]vg.Point, width, height vg.Length) (vg.Rectangle, bool) {
	steps := walk(slices.Concat(pieces...), 4)
	for _, gap := range []vg.Length{4.5, 8} {
		others := vg.Length(clearance)
		if gap > clearance {
			others = 2 * gap
		}
		for _, p := range steps {
			right, middle, left := p.X+gap, p.X-width/2, p.X-gap-width
			above, level, below := p.Y+gap, p.Y-height/2, p.Y-gap-height
			if r, n := o.best(name, width, height, others, []vg.Point{{X: right, Y: level}, {X: right, Y: above}, {X: right, Y: below},
				{X: middle, Y: above}, {X: middle, Y: below}, {X: left, Y: above}, {X: left, Y: below}, {X: left, Y: level}}); n == 0 {
				return r, true
			}
		}
	}
	return vg.Rectangle{}, false
}

// walk returns points along a curve, from its end to its start, no farther apart than step.
func walk(curve []vg.Point, step float64) []vg.Point {
	var steps []vg.Point
	for i := len(curve) - 1; i > 0; i-- {
		way := curve[i-1].Sub(curve[i])
		n := max(1, math.Ceil(distance(curve[i], curve[i-1])/step))
		for k := range int(n) {
			steps = append(steps, curve[i].Add(way.Scale(vg.Length(float64(k)/n))))
		}
	}
	return append(steps, curve[0])
}

// pushApart moves heights as little as it can so that they are at least space apart and lie within low and high. It
// keeps their order; of heights that are about equal, the one with the larger tie is on top. If there is no room for
// all, they get what room there is.
func pushApart(heights, ties []vg.Length, low, high, space vg.Length) []vg.Length {
	n := len(heights)
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(math.Round(float64(heights[b])), math.Round(float64(heights[a]))), cmp.Compare(ties[b], ties[a]))
	})
	if n > 1 {
		space = min(space, (high-low)/vg.Length(n-1))
	}
	// Clusters from the top down: a cluster is a run of labels that touch, centred on the mean of its heights.
	type cluster struct {
		from, to int // in order
		top      vg.Length
	}
	var clusters []cluster
	settle := func(from, to int) cluster {
		sum := vg.Length(0)
		for k := from; k < to; k++ {
			sum += heights[order[k]] + vg.Length(k-from)*space
		}
		span := vg.Length(to-from-1) * space
		return cluster{from, to, min(high, max(low+span, sum/vg.Length(to-from)))}
	}
	for k := range n {
		c := settle(k, k+1)
		for len(clusters) > 0 {
			above := clusters[len(clusters)-1]
			if above.top-vg.Length(above.to-above.from)*space >= c.top {
				break
			}
			clusters = clusters[:len(clusters)-1]
			c = settle(above.from, c.to)
		}
		clusters = append(clusters, c)
	}
	moved := make([]vg.Length, n)
	for _, c := range clusters {
		for k := c.from; k < c.to; k++ {
			moved[order[k]] = c.top - vg.Length(k-c.from)*space
		}
	}
	return moved
}
