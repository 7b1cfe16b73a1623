package plots

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"ratelab/plots/table"
)

func summary(t *testing.T) *table.Table {
	t.Helper()
	s, err := table.New(table.Column{Name: "limiter"}, table.Column{Name: "servers"}, table.Column{Name: "rtt"}, table.Column{Name: "metric"},
		table.Column{Name: "mean", Type: table.Number}, table.Column{Name: "ci_low", Type: table.Number}, table.Column{Name: "ci_high", Type: table.Number})
	require.NoError(t, err)
	for _, row := range [][]any{
		{"gcra", "8", "1ms", "admitted", 2.0, 1.5, 2.5},
		{"gcra", "1", "1s", "admitted", 1.0, 0.5, 1.5},
		{"gcra", "1", "1s", "refused", 9.0, 9.0, 9.0},
		{"fixed-window", "8", "1ms", "admitted", 4.0, math.NaN(), math.NaN()},
	} {
		require.NoError(t, s.Append(row...))
	}
	return s
}

func TestSeriesFromASummary(t *testing.T) {
	list, err := FromSummary(summary(t), "admitted", "limiter", "servers")
	require.NoError(t, err)
	require.Len(t, list, 2)
	assert.Equal(t, Series{Name: "gcra", X: []float64{1, 8}, Y: []float64{1, 2}, Lo: []float64{0.5, 1.5}, Hi: []float64{1.5, 2.5}}, list[0], "sorted by x")
	assert.Equal(t, "fixed-window", list[1].Name)

	list, err = FromSummary(summary(t), "admitted", "limiter", "rtt")
	require.NoError(t, err)
	assert.Equal(t, []float64{0.001, 1}, list[0].X, "durations are seconds")
	requireTidy(t, Figure{Title: "t", Chart: Line{Series: list}})
}

func TestHeatFromASummary(t *testing.T) {
	h, err := HeatFromSummary(summary(t), "admitted", "servers", "limiter")
	require.NoError(t, err)
	assert.Equal(t, []string{"8", "1"}, h.X)
	assert.Equal(t, []string{"gcra", "fixed-window"}, h.Y)
	assert.Equal(t, []float64{2, 1}, h.Z[0])
	assert.Equal(t, 4.0, h.Z[1][0])
	assert.True(t, math.IsNaN(h.Z[1][1]))
}

func TestSummariesThatDoNotGiveOneValueAPointAreRefused(t *testing.T) {
	s := summary(t)
	_, err := FromSummary(s, "admited", "limiter", "servers")
	assert.EqualError(t, err, `the summary has no rows of metric "admited", it has ["admitted" "refused"]`)
	_, err = FromSummary(s, "admitted", "limitr", "servers")
	assert.ErrorContains(t, err, `metric "admitted": no column "limitr"`)
	_, err = FromSummary(s, "admitted", "limiter", "severs")
	assert.ErrorContains(t, err, `no column "severs"`)
	_, err = FromSummary(s, "admitted", "servers", "limiter")
	assert.ErrorContains(t, err, `column "limiter": want a number or a duration to draw on an axis, got "gcra"`)
	require.NoError(t, s.Append("gcra", "8", "1s", "admitted", 3.0, 3.0, 3.0))
	_, err = FromSummary(s, "admitted", "limiter", "servers")
	assert.EqualError(t, err, `metric "admitted", limiter "gcra": two rows have servers = 8: another factor varies, pick one value of it with Where`)
	_, err = HeatFromSummary(s, "admitted", "servers", "limiter")
	assert.EqualError(t, err, `metric "admitted": two rows have servers = 8 and limiter = gcra: another factor varies, pick one value of it with Where`)
	for _, columns := range [][2]string{{"x", "limiter"}, {"servers", "x"}} {
		_, err = HeatFromSummary(s, "admitted", columns[0], columns[1])
		assert.ErrorContains(t, err, `no column "x"`)
	}
}
