package plots

import (
	"cmp"
	"math"
	"slices"
)

// crossing tells whether a segment touches a rectangle.
func crossing(r rect, a, b point) bool {
	_, _, ok := r.clip(a, b)
	return ok
}

// obstacles is what a label inside a chart must not cover, in coordinates of the plot area.
type obstacles struct {
	area   rect
	curves [][]point // one polyline for each piece of a curve
	owner  []string  // the name of the series a curve belongs to
	taken  []rect    // labels placed so far
}

// free tells whether the label of a series can stand at r. Its own curve may come closer than others, so that nobody
// takes the label for that of a neighbour.
func (o *obstacles) free(r rect, name string) bool {
	if !r.within(o.area) {
		return false
	}
	for _, t := range o.taken {
		if r.grow(2).overlaps(t) {
			return false
		}
	}
	for i, curve := range o.curves {
		space := 5.0
		if o.owner[i] == name {
			space = 2
		}
		if touches(r.grow(space), curve) {
			return false
		}
	}
	return true
}

// conflicts counts what a label at r would cover.
func (o *obstacles) conflicts(r rect) int {
	n := 0
	if !r.within(o.area) {
		n += 100
	}
	for _, t := range o.taken {
		if r.grow(1).overlaps(t) {
			n += 10
		}
	}
	for _, curve := range o.curves {
		if touches(r.grow(1), curve) {
			n++
		}
	}
	return n
}

func touches(r rect, curve []point) bool {
	for k := range curve {
		if crossing(r, curve[max(k-1, 0)], curve[k]) {
			return true
		}
	}
	return false
}

// beside looks for room for a label of this size next to its curve: from the end of the curve backwards, on the right
// of it, above, below, on the left.
func (o *obstacles) beside(name string, curve []point, width, height float64) (rect, bool) {
	const gap = 4.5
	for _, p := range walk(curve, 4) {
		for _, c := range []point{ // lower left corners
			{p.x + gap, p.y - height/2},
			{p.x + gap, p.y + gap},
			{p.x + gap, p.y - gap - height},
			{p.x - width/2, p.y + gap},
			{p.x - width/2, p.y - gap - height},
			{p.x - gap - width, p.y + gap},
			{p.x - gap - width, p.y - gap - height},
			{p.x - gap - width, p.y - height/2},
		} {
			r := rect{c.x, c.y, c.x + width, c.y + height}
			if o.free(r, name) {
				return r, true
			}
		}
	}
	return rect{}, false
}

// walk returns points along a curve, from its end to its start, no farther apart than step.
func walk(curve []point, step float64) []point {
	var steps []point
	for i := len(curve) - 1; i >= 0; i-- {
		steps = append(steps, curve[i])
		if i == 0 {
			break
		}
		a, b := curve[i], curve[i-1]
		n := math.Ceil(math.Hypot(b.x-a.x, b.y-a.y) / step)
		for k := 1.0; k < n; k++ {
			steps = append(steps, point{a.x + (b.x-a.x)*k/n, a.y + (b.y-a.y)*k/n})
		}
	}
	return steps
}

// pushApart moves heights as little as it can so that they are at least space apart and lie within low and high. It
// keeps their order; of heights that are about equal, the one with the larger tie is on top. If there is no room for
// all, they get what room there is.
func pushApart(heights, ties []float64, low, high, space float64) []float64 {
	n := len(heights)
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(math.Round(heights[b]), math.Round(heights[a])), cmp.Compare(ties[b], ties[a]))
	})
	if n > 1 {
		space = min(space, (high-low)/float64(n-1))
	}
	// Clusters from the top down: a cluster is a run of labels that touch, centred on the mean of its heights.
	type cluster struct {
		from, to int // in order
		top      float64
	}
	var clusters []cluster
	settle := func(from, to int) cluster {
		sum := 0.0
		for k := from; k < to; k++ {
			sum += heights[order[k]] + float64(k-from)*space
		}
		span := float64(to-from-1) * space
		return cluster{from, to, min(high, max(low+span, sum/float64(to-from)))}
	}
	for k := range n {
		c := settle(k, k+1)
		for len(clusters) > 0 {
			above := clusters[len(clusters)-1]
			if above.top-float64(above.to-above.from)*space >= c.top {
				break
			}
			clusters = clusters[:len(clusters)-1]
			c = settle(above.from, c.to)
		}
		clusters = append(clusters, c)
	}
	moved := make([]float64, n)
	for _, c := range clusters {
		for k := c.from; k < c.to; k++ {
			moved[order[k]] = c.top - float64(k-c.from)*space
		}
	}
	return moved
}
