package plots

import (
	"errors"
	"fmt"
)

// Grid is small multiples: several charts side by side, row by row, in one style. Axes with the same title (label and
// unit) have the same range in all panels, unless FreeX or FreeY is set; a panel whose axis sets an end keeps it. In
// each row, a series is labelled in the last panel that has it.
type Grid struct {
	Columns      int // 0: 2
	Panels       []Panel
	FreeX, FreeY bool
}

// Panel is one chart of a Grid, any but a Grid.
type Panel struct {
	Title string
	Chart Chart
}

func (g Grid) panels() ([]panel, int, error) {
	columns := g.Columns
	switch {
	case columns == 0:
		columns = 2
	case columns < 0:
		return nil, 0, fmt.Errorf("columns must be > 0, or 0 for 2, got %d", columns)
	}
	if len(g.Panels) == 0 {
		return nil, 0, errors.New("the grid has no panels")
	}
	var list []panel
	for i, p := range g.Panels {
		if p.Chart == nil {
			return nil, 0, fmt.Errorf("panel %d %q has no chart", i+1, p.Title)
		}
		if _, isGrid := p.Chart.(Grid); isGrid {
			return nil, 0, fmt.Errorf("panel %d %q: a grid cannot stand in a grid", i+1, p.Title)
		}
		one, _, err := p.Chart.panels()
		if err != nil {
			return nil, 0, fmt.Errorf("panel %d %q: %w", i+1, p.Title, err)
		}
		one[0].setTitle(p.Title)
		list = append(list, one[0])
	}
	return list, columns, nil
}

// share gives axes of the same title the same data range.
func share(list []panel, axis func(*xy) (Axis, *extent)) {
	for _, p := range list {
		a, isXY := p.(*xy)
		if !isXY {
			continue
		}
		mine, union := axis(a)
		for _, q := range list {
			if b, isXY := q.(*xy); isXY {
				if yours, data := axis(b); yours.title() == mine.title() && yours.Log == mine.Log && data.any {
					union.add(data.low)
					union.add(data.high)
				}
			}
		}
	}
}

// arrange decides which panel shows which axis titles, labels and key.
func arrange(list []panel, columns int) {
	keyShown := false
	for i, p := range list {
		a, isXY := p.(*xy)
		if !isXY {
			continue
		}
		a.showX = a.xAxis.title() != ""
		if below := i + columns; below < len(list) {
			if b, isXY := list[below].(*xy); isXY && b.xAxis.title() == a.xAxis.title() {
				a.showX = false
			}
		}
		a.showY = a.yAxis.title() != ""
		for _, neighbour := range []int{i - columns, i - 1} {
			if neighbour < 0 || neighbour == i-1 && i%columns == 0 {
				continue
			}
			if b, isXY := list[neighbour].(*xy); isXY && b.yAxis.title() == a.yAxis.title() {
				a.showY = false
			}
		}
		a.showKey = len(a.rows) > 0 && !keyShown
		keyShown = keyShown || a.showKey

		later := make(map[string]bool)
		for k := i + 1; k < len(list) && k/columns == i/columns; k++ {
			if b, isXY := list[k].(*xy); isXY {
				for _, s := range b.series {
					later[s.Name] = later[s.Name] || !s.Theory
				}
			}
		}
		a.labelled = make([]bool, len(a.series))
		for k, s := range a.series {
			a.labelled[k] = !s.Quiet && (!later[s.Name] && !s.Theory || s.Theory && s.Label != "")
		}
	}
}
