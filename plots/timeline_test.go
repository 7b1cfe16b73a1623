package plots

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/recorder"
)

func TestAdmittedTicksStandAndRefusedOnesHang(t *testing.T) {
	f := Figure{Title: "t", Chart: Timeline{X: Axis{Min: 0, Max: 10}, Rows: []Dots{
		{Name: "gcra", Times: []float64{1, 5, 9}, Admitted: []bool{true, false, true}},
		{Name: "local", Times: []float64{5, 50}, Admitted: []bool{false, true}},
	}}}
	l, err := f.layout()
	require.NoError(t, err)
	canvas := &recorder.Canvas{}
	l.draw(&outline{Canvas: canvas})
	area := l.areas[0]
	var stand, hang []float64 // x of ticks, in the units of the axis
	for _, action := range canvas.Actions {
		s, ok := action.(*recorder.Stroke)
		if !ok || len(s.Path) != 2 || s.Path[0].Pos.X != s.Path[1].Pos.X {
			continue
		}
		x := float64((s.Path[0].Pos.X - area.Min.X) / area.Size().X * 10)
		if x < -0.01 || x > 10.01 {
			continue // of the key
		}
		switch rise := s.Path[1].Pos.Y - s.Path[0].Pos.Y; {
		case rise == vg.Length(admittedTick):
			stand = append(stand, x)
		case rise == -vg.Length(refusedTick):
			hang = append(hang, x)
		}
	}
	assert.InDeltaSlice(t, []float64{1, 9}, stand[:2], 1e-6)
	assert.InDeltaSlice(t, []float64{5, 5}, hang[:2], 1e-6)
}

func TestTimelinesRefuseWhatTheyCannotShow(t *testing.T) {
	for want, chart := range map[string]Timeline{
		"has no rows":         {},
		"vertical ones only":  {Rows: []Dots{{Name: "a", Times: []float64{1}, Admitted: []bool{true}}}, Refs: []Ref{{Value: 1}}},
		"as many admitted as": {Rows: []Dots{{Name: "a", Times: []float64{1}}}},
	} {
		_, err := SVG(Figure{Name: "timeline", Title: "t", Chart: chart})
		assert.ErrorContains(t, err, want)
	}
}
