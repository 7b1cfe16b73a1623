package plots

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"pgregory.net/rapid"
)

func tickLabels(s scale) (labels []string) {
	for _, t := range s.ticks {
		labels = append(labels, t.Label)
	}
	return labels
}

func TestTicksAreHuman(t *testing.T) {
	for name, c := range map[string]struct {
		axis      Axis
		low, high float64
		n         int
		want      []string
	}{
		"tenths":           {Axis{}, 0, 0.5, 5, []string{"0.0", "0.1", "0.2", "0.3", "0.4", "0.5"}},
		"ones":             {Axis{}, 1, 9, 8, []string{"1", "2", "3", "4", "5", "6", "7", "8", "9"}},
		"twos":             {Axis{}, 0, 9, 5, []string{"0", "2", "4", "6", "8"}},
		"below zero":       {Axis{}, -1, 1, 4, []string{"−1.0", "−0.5", "0.0", "0.5", "1.0"}},
		"thousands":        {Axis{}, 0, 20000, 4, []string{"0", "5,000", "10,000", "15,000", "20,000"}},
		"below 10,000":     {Axis{}, 0, 2000, 2, []string{"0", "1000", "2000"}},
		"millions":         {Axis{}, 0, 2e6, 4, []string{"0", "0.5 M", "1 M", "1.5 M", "2 M"}},
		"shares":           {Axis{Percent: true}, 0, 1, 5, []string{"0%", "20%", "40%", "60%", "80%", "100%"}},
		"small shares":     {Axis{Percent: true}, 0, 0.01, 2, []string{"0.0%", "0.5%", "1.0%"}},
		"tiny":             {Axis{}, 0, 2e-9, 2, []string{"0", "1e-09", "2e-09"}},
		"decades":          {Axis{Log: true}, 0.001, 1000, 7, []string{"0.001", "0.01", "0.1", "1", "10", "100", "1000"}},
		"every other":      {Axis{Log: true}, 0.01, 1e6, 4, []string{"0.01", "1", "100", "10,000", "1 M"}},
		"percent decades":  {Axis{Log: true, Percent: true}, 1e-4, 1, 5, []string{"0.01%", "0.1%", "1%", "10%", "100%"}},
		"within a decade":  {Axis{Log: true}, 1.5, 9, 5, []string{"2", "5"}},
		"across a decade":  {Axis{Log: true}, 5, 60, 5, []string{"5", "10", "20", "50"}},
		"narrow":           {Axis{Log: true}, 1.2, 1.6, 4, []string{"1.2", "1.3", "1.4", "1.5", "1.6"}},
		"octaves":          {Axis{Log: true, Base: 2}, 0.25, 8, 6, []string{"0.25", "0.5", "1", "2", "4", "8"}},
		"every other two":  {Axis{Log: true, Base: 2}, 1, 1024, 5, []string{"1", "4", "16", "64", "256", "1024"}},
		"within an octave": {Axis{Log: true, Base: 2}, 1.1, 1.9, 4, []string{"1.2", "1.4", "1.6", "1.8"}},
		"given":            {Axis{Ticks: []Tick{{2, "two"}, {1, "one"}}}, 1, 2, 5, []string{"one", "two"}},
	} {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, c.want, tickLabels(c.axis.scale(extent{c.low, c.high, true}, c.n, false)))
		})
	}
}

func TestRangesFollowDataUnlessGiven(t *testing.T) {
	nan := math.NaN()
	for name, c := range map[string]struct {
		axis      Axis
		low, high float64
		loose     bool
		want      [2]float64
	}{
		"data":                  {Axis{}, 0.13, 0.87, false, [2]float64{0.13, 0.87}},
		"data, loose":           {Axis{}, 0.13, 0.87, true, [2]float64{0, 1}},
		"with zero":             {Axis{Zero: true}, 3, 4, false, [2]float64{0, 4}},
		"given":                 {Axis{Min: -1, Max: 2}, 0, 1, true, [2]float64{-1, 2}},
		"from 0":                {Axis{Max: 2}, 0.5, 1, true, [2]float64{0, 2}},
		"up to 0":               {Axis{Min: -2}, -1, -0.5, true, [2]float64{-2, 0}},
		"only min":              {Axis{Min: 0.25, Max: nan}, 0.5, 0.9, false, [2]float64{0.25, 0.9}},
		"only min, above zero":  {Axis{Min: 0.25}, 0.5, 0.9, false, [2]float64{0.25, 0.9}},
		"only min, zero":        {Axis{Max: nan}, 0.5, 0.9, false, [2]float64{0.5, 0.9}},
		"only max":              {Axis{Min: nan, Max: 5}, 2, 3, false, [2]float64{2, 5}},
		"log, only max":         {Axis{Log: true, Max: 100}, 2, 3, false, [2]float64{2, 100}},
		"log, loose":            {Axis{Log: true}, 0.02, 300, true, [2]float64{0.01, 1000}},
		"flat":                  {Axis{}, 5, 5, false, [2]float64{4.5, 5.5}},
		"flat at 0":             {Axis{}, 0, 0, false, [2]float64{-1, 1}},
		"next to nothing":       {Axis{}, 5e-324, 1.5e-323, false, [2]float64{-1, 1}},
		"flat log":              {Axis{Log: true}, 4, 4, false, [2]float64{2, 8}},
		"flat at its min":       {Axis{Min: 10}, 10, 10, false, [2]float64{10, 11}},
		"flat at its max":       {Axis{Min: nan, Max: 10}, 10, 10, false, [2]float64{9, 10}},
		"flat log at its min":   {Axis{Log: true, Min: 10}, 10, 10, false, [2]float64{10, 100}},
		"flat log at its max":   {Axis{Log: true, Max: 10}, 10, 10, false, [2]float64{1, 10}},
		"given ticks are shown": {Axis{Ticks: []Tick{{0, ""}, {7, ""}}}, 1, 2, true, [2]float64{0, 7}},
	} {
		t.Run(name, func(t *testing.T) {
			s := c.axis.scale(extent{c.low, c.high, true}, 5, c.loose)
			assert.InDeltaSlice(t, c.want[:], []float64{s.low, s.high}, 1e-12)
		})
	}
}

func TestTicksOfAnyRange(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := Axis{Log: rapid.Bool().Draw(t, "log"), Base: rapid.SampledFrom([]int{2, 10}).Draw(t, "base"), Percent: rapid.Bool().Draw(t, "percent")}
		value := rapid.Float64Range(-largest, largest)
		if a.Log {
			value = rapid.Float64Range(smallest, largest)
		}
		e := extent{any: true}
		e.low, e.high = value.Draw(t, "low"), value.Draw(t, "high")
		if e.low > e.high {
			e.low, e.high = e.high, e.low
		}
		n := rapid.IntRange(2, 12).Draw(t, "n")
		s := a.scale(e, n, rapid.Bool().Draw(t, "loose"))
		require.Less(t, s.low, s.high)
		require.LessOrEqual(t, len(s.ticks), 3*n+4)
		for i, tick := range s.ticks {
			require.True(t, s.inside(tick.Value))
			require.False(t, i > 0 && s.ticks[i-1].Value >= tick.Value, "ticks ascend")
		}
	})
}

func TestDataValuesAreTicksWhereTheyAreFewAndHuman(t *testing.T) {
	a := Axis{}
	labels := func(ticks []plot.Tick) []string { return tickLabels(scale{ticks: ticks}) }
	assert.Equal(t, []string{"1", "3", "4.5"}, labels(a.dataTicks([]float64{4.5, 1, 3, 1}, 5)))
	assert.Nil(t, a.dataTicks([]float64{1, 1}, 5), "a single one")
	assert.Nil(t, a.dataTicks([]float64{1, 1.0 / 3}, 5), "not human")
	assert.Nil(t, a.dataTicks([]float64{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, 9), "too many")
	assert.Nil(t, Axis{Ticks: []Tick{{1, "x"}}}.dataTicks([]float64{1, 2}, 5), "others are given")
}

func TestLabelsThatWouldTouchAreLeftOut(t *testing.T) {
	s := scale{low: 0, high: 10, ticks: []plot.Tick{{Value: 0, Label: "a"}, {Value: 1, Label: "b"}, {Value: 5, Label: "c"}}}
	wide := func(string) vg.Length { return 20 }
	assert.Equal(t, []string{"a", "", "c"}, tickLabels(scale{ticks: s.apart(100, wide)}))
	assert.Equal(t, []string{"a", "b", "c"}, tickLabels(scale{ticks: s.apart(200, wide)}))
}

func TestAxisTitles(t *testing.T) {
	assert.Equal(t, "Rate (requests/s)", Axis{Label: "Rate", Unit: "requests/s"}.title())
	assert.Equal(t, "Share", Axis{Label: "Share", Unit: "1"}.title())
	assert.Equal(t, "s", Axis{Unit: "s"}.title())
}
