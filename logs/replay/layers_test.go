package replay

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"ratelab/limiters"
	"ratelab/logs"
	"ratelab/logs/decide"
)

var chargeModes = []limiters.ChargeMode{limiters.ChargeAdmitted, limiters.ChargeInOrder, limiters.ChargeAlways}

func layersOf(t testing.TB, charge limiters.ChargeMode, texts ...string) limiters.LayersSpec {
	t.Helper()
	s, err := limiters.ParseLayers(texts, charge)
	require.NoError(t, err)
	return s
}

// decidedInLayers counts what decide refuses of a log's requests: in all, by
// layer, and by the key of the layer that refused.
func decidedInLayers(t *testing.T, log *logs.Log, layers []string, spec limiters.LayersSpec, seed uint64) (refused int64, byLayer, byKey map[string]int64) {
	t.Helper()
	var in, out bytes.Buffer
	in.WriteString("t,cost")
	for _, c := range log.Columns {
		in.WriteString("," + c.Name)
	}
	in.WriteString("\n")
	var rows [][]string
	for i := range log.Records {
		r := &log.Records[i]
		line := strconv.AppendInt(append(logs.AppendSeconds(nil, r.At), ','), r.Cost, 10)
		var row []string
		for c, column := range log.Columns {
			row = append(row, column.Keys.Text(log.ID(r, c)))
			line = logs.AppendField(append(line, ','), row[c])
		}
		rows = append(rows, row)
		in.Write(append(line, '\n'))
	}
	require.NoError(t, decide.Run("-", &out, decide.Options{Layers: layers, Charge: string(spec.Charge), Seed: seed, Explain: true, Stream: true, Stdin: &in}))
	answers, err := csv.NewReader(&out).ReadAll()
	require.NoError(t, err)
	require.Len(t, answers, 1+len(rows))
	byLayer, byKey = map[string]int64{}, map[string]int64{}
	for i, answer := range answers[1:] {
		layer := answer[9]
		if layer == "" {
			continue
		}
		refused++
		byLayer[layer]++
		column, _, _ := strings.Cut(layer, "=") // a column, or COLUMN=SPEC
		key := limiters.Global
		for c := range log.Columns {
			if log.Columns[c].Name == column {
				key = column + "=" + rows[i][c]
			}
		}
		byKey[key]++
	}
	return refused, byLayer, byKey
}

func compareLayers(t *testing.T, log *logs.Log, texts ...string) {
	t.Helper()
	for _, mode := range chargeModes {
		spec := layersOf(t, mode, texts...)
		report, err := Run(log, Options{Layers: []limiters.LayersSpec{spec}, Seed: 7})
		require.NoError(t, err)
		got := report.Limiters[0]
		refused, byLayer, byKey := decidedInLayers(t, log, texts, spec, 7)
		require.Positive(t, refused)
		require.Equal(t, refused, got.Refused, "%s", spec)
		for i, name := range spec.Names() {
			require.Equal(t, LayerRefused{name, byLayer[name]}, got.Layers[i], "%s", spec)
		}
		require.Equal(t, len(byKey), got.KeysRefused, "%s", spec)
		require.NotEmpty(t, got.Worst)
		for _, k := range got.Worst {
			require.Equal(t, byKey[k.Key], k.Refused, "%s: %s", spec, k.Key)
			require.LessOrEqual(t, k.Refused, k.Requests)
		}
	}
}

func TestLayersRefuseWhatDecideRefuses(t *testing.T) {
	web := read(t, logs.Options{Columns: []string{"ip", "endpoint", "status"}}, "../testdata/tour.log")
	compareLayers(t, web, "ip=token-bucket:rate=1/s,burst=5", "endpoint=sliding-log:limit=4,window=1s,count=all", "global=gcra:rate=2/s,burst=9")
	compareLayers(t, web, "status=fixed-window:limit=9,window=10s,jitter=10s", "ip=leaky-queue:rate=1/s,queue=3", "ip=fixed-window:limit=30,window=1m")

	var text strings.Builder // bursts with costs, some out of order
	text.WriteString("who,t,cost,where\n")
	for i := range 3000 {
		fmt.Fprintf(&text, "w%d,%d.%d,%d,e%d\n", i*i%11, i/9*(1+i%2), i%10, 1+i%5/4, i%3)
	}
	own := read(t, logs.Options{Columns: []string{"where", "who"}, Stdin: strings.NewReader(text.String())}, "-")
	compareLayers(t, own, "who=gcra:rate=1/10s,burst=3", "global=sliding-counter:limit=30,window=10s", "where=token-bucket:rate=3/10s,burst=8,refill=interval")
	compareLayers(t, own, "who=sliding-log:limit=3,window=10s,count=all", "where=sliding-counter:limit=9,window=10s,rule=below,count=all")
}

func TestLayersRefuseWhatDecideRefusesOfARealWebLog(t *testing.T) {
	log := realLog(t, "apache_logs.elastic", logs.Options{Columns: []string{"ip", "endpoint", "agent"}})
	compareLayers(t, log, "ip=token-bucket:rate=1/10s,burst=9", "endpoint=fixed-window:limit=30,window=1h", "agent=gcra:rate=1/m,burst=50", "global=sliding-log:limit=300,window=1h")
}

func TestOneLayerIsALimiter(t *testing.T) {
	log := read(t, logs.Options{Columns: []string{"ip"}}, "../testdata/tour.log")
	for _, limiter := range every {
		layer := layersOf(t, limiters.ChargeInOrder, "ip="+limiter)
		report, err := Run(log, Options{Limiters: []string{limiter}, Layers: []limiters.LayersSpec{layer}, Seed: 7})
		require.NoError(t, err)
		one, set := report.Limiters[0], report.Limiters[1]
		assert.Positive(t, one.Refused)
		for i := range one.Worst {
			one.Worst[i].Key = "ip=" + one.Worst[i].Key
		}
		one.Limiter, one.Layers = layer.String(), []LayerRefused{{"ip", one.Refused}}
		assert.Equal(t, one, set)
	}
}

func TestReportsOfLayersAreAsTheyWere(t *testing.T) {
	t.Chdir("../testdata")
	log := read(t, logs.Options{Columns: []string{"ip", "agent"}}, "combined.log")
	t.Chdir("../replay")
	layers := []limiters.LayersSpec{
		layersOf(t, limiters.ChargeAdmitted, "ip=gcra:rate=1/m,burst=2", "agent=gcra:rate=1/m,burst=3", "global=fixed-window:limit=4,window=1h"),
		layersOf(t, limiters.ChargeAlways, "ip=gcra:rate=1/m,burst=1", "ip=fixed-window:limit=9,window=1d"),
	}
	for name, singles := range map[string][]string{"layers": nil, "both": {"gcra:rate=1/m,burst=2"}} {
		report, err := Run(log, Options{Limiters: singles, Layers: layers, Seed: 1})
		require.NoError(t, err)
		for _, format := range Formats {
			var out bytes.Buffer
			require.NoError(t, report.Write(&out, format))
			golden(t, name+"."+format+".golden", out.Bytes())
		}
	}
}

func TestALogWithoutTheColumnOfALayerIsRefused(t *testing.T) {
	_, err := Run(read(t, logs.Options{}, "../testdata/tour.log"), Options{Layers: []limiters.LayersSpec{layersOf(t, limiters.ChargeAlways, "ip=gcra:rate=1/s,burst=1")}})
	var fault *logs.InputError
	require.ErrorAs(t, err, &fault)
	assert.ErrorContains(t, err, `without the column "ip"`)
}

func TestLayersThatAreToForgetKeysAreRefused(t *testing.T) {
	eviction, err := limiters.ParseEviction("lru:capacity=9")
	require.NoError(t, err)
	_, err = Run(read(t, logs.Options{Columns: []string{"ip"}}, "../testdata/tour.log"), Options{
		Limiters: []string{"gcra:rate=1/s,burst=1"},
		Layers:   []limiters.LayersSpec{layersOf(t, limiters.ChargeAlways, "ip=gcra:rate=1/s,burst=1")},
		Eviction: eviction,
	})
	var fault *logs.InputError
	require.ErrorAs(t, err, &fault)
	assert.EqualError(t, err, "layers hold all their keys: eviction lru:capacity=9 is for single limiters")
}

func TestALimiterThatKnowsOnlyUnitCostsRefusesALogWithOthers(t *testing.T) {
	log := read(t, logs.Options{Columns: []string{"key"}}, "../testdata/arrivals.csv")
	const nginx = "nginx:rate=1r/s,burst=1"
	for _, run := range []func() (*Report, error){
		func() (*Report, error) { return Run(log, Options{Limiters: []string{nginx}, Seed: 1}) },
		func() (*Report, error) {
			return Run(log, Options{Layers: []limiters.LayersSpec{layersOf(t, limiters.ChargeAdmitted, "global=gcra:rate=1/s,burst=9", "key="+nginx)}})
		},
	} {
		_, err := run()
		var fault *logs.InputError
		require.ErrorAs(t, err, &fault)
		assert.EqualError(t, err, "nginx knows requests of cost 1 only, got 3, at 2026-01-01T00:00:00.000000001Z")
	}
}
