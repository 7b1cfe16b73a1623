package decide

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"ratelab/internal/spec"
	"ratelab/limiters"
	"ratelab/logs"
)

// canBeParsed reports whether the limiter of every layer is one that there is.
func canBeParsed(layers []string) bool {
	for _, layer := range layers {
		_, text, _ := strings.Cut(layer, "=")
		name, _, _ := strings.Cut(text, ":")
		if !slices.ContainsFunc(limiters.Entries(), func(e spec.Entry) bool { return e.Name == name }) {
			return false
		}
	}
	return true
}

func TestLayeredCases(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(testdata, "decide.jsonl"))
	require.NoError(t, err)
	answered, refused := 0, 0
	for line := range bytes.Lines(text) {
		var c struct {
			ID       string
			Layers   []string
			Charge   string
			Arrivals []map[string]any
			Expect   map[string][]any
			CSV      *string
			Error    string `json:"expect_error"`
		}
		decoder := json.NewDecoder(bytes.NewReader(line))
		decoder.UseNumber()
		if !bytes.Contains(line, []byte(`"layers"`)) {
			continue
		}
		require.NoError(t, decoder.Decode(&c))
		if !canBeParsed(c.Layers) {
			continue
		}
		opts := Options{Layers: c.Layers, Charge: c.Charge, Seed: 1}
		t.Run(c.ID, func(t *testing.T) {
			if c.CSV != nil {
				refused++
				got, err := run(t, *c.CSV, opts)
				var fault *logs.InputError
				require.ErrorAs(t, err, &fault)
				assert.Contains(t, strings.ToLower(err.Error()), c.Error)
				assert.Empty(t, got)
				return
			}
			answered++
			var columns []string
			for _, row := range c.Arrivals {
				for name := range row {
					if !slices.Contains(columns, name) {
						columns = append(columns, name)
					}
				}
			}
			slices.Sort(columns)
			input := strings.Join(columns, ",") + "\n"
			for _, row := range c.Arrivals {
				var fields []string
				for _, name := range columns {
					fields = append(fields, fmt.Sprint(row[name]))
				}
				input += strings.Join(fields, ",") + "\n"
			}
			got, err := run(t, input, opts)
			require.NoError(t, err)
			expectColumns(t, got, c.Expect, len(c.Arrivals))
		})
	}
	assert.GreaterOrEqual(t, answered, 8)
	assert.Equal(t, 2, refused, "an unknown charge, and a column that is not there")
}

func TestLayeredCorpus(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(testdata, "*", "layers-*.csv"))
	require.NoError(t, err)
	tried := 0
	for _, path := range files {
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		first, rest, _ := strings.Cut(string(text), "\n")
		layers := strings.Split(strings.TrimPrefix(strings.TrimSpace(first), "# layers: "), "; ")
		last := len(layers) - 1
		if !canBeParsed(layers[:last]) {
			continue
		}
		tried++
		t.Run(filepath.Base(path), func(t *testing.T) {
			opts := Options{Layers: layers[:last], Charge: strings.TrimPrefix(layers[last], "charge="), Seed: 1, Explain: true}
			got, err := run(t, rest, opts)
			require.NoError(t, err)
			opts.Stream, opts.Stdin = true, strings.NewReader(rest)
			var streamed bytes.Buffer
			require.NoError(t, Run("-", &streamed, opts))
			assert.Equal(t, got, streamed.String())

			want, err := csv.NewReader(strings.NewReader(rest)).ReadAll()
			require.NoError(t, err)
			rows, err := csv.NewReader(strings.NewReader(got)).ReadAll()
			require.NoError(t, err)
			require.Len(t, rows, len(want))
			from := slices.Index(want[0], "admitted")
			for i, row := range rows {
				require.Equal(t, want[i][from:], row[3:9], "line %d: %v", i+2, want[i][:from])
				if i > 0 {
					require.Equal(t, row[3] == "true", row[9] == "", "the refusal names its layer")
				}
			}
		})
	}
	assert.GreaterOrEqual(t, tried, 9)
}

func TestARefusalNamesItsLayer(t *testing.T) {
	const input = "t,user,ip,key\n0,ann,a,k\n0,ann,a,k\n0,ben,a,k\n0,cyd,b,k\n0,ben,b,k\n"
	for name, c := range map[string]struct {
		layers []string
		want   string
	}{
		"the first that refused": {
			[]string{"user=gcra:rate=1/s,burst=1", "global=gcra:rate=1/s,burst=2"},
			"0,k,1,true,0,,1,0,1,\n0,k,1,false,0,1,1,0,1,user\n0,k,1,true,0,,1,0,2,\n0,k,1,false,0,1,1,0,2,global\n0,k,1,false,0,1,1,0,2,user\n",
		},
		"its spec where two have the column": {
			[]string{"global=gcra:rate=1/s,burst=3", "ip=gcra:rate=1/s,burst=2", "ip=gcra:rate=9/s,burst=9", "global=gcra:rate=9/s,burst=9"},
			"0,k,1,true,0,,2,1,1,\n0,k,1,true,0,,2,0,2,\n0,k,1,false,0,1,2,0,2,\"ip=gcra:rate=1/s,burst=2\"\n0,k,1,true,0,,2,0,3,\n0,k,1,false,0,1,2,0,3,\"global=gcra:rate=1/s,burst=3\"\n",
		},
		"a column that every input may have": {
			[]string{"key=gcra:rate=1/s,burst=1"},
			"0,k,1,true,0,,1,0,1,\n" + strings.Repeat("0,k,1,false,0,1,1,0,1,key\n", 4),
		},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := run(t, input, Options{Layers: c.layers, Explain: true})
			require.NoError(t, err)
			assert.Equal(t, Header+",layer\n"+c.want, got)
			got, err = run(t, input, Options{Layers: c.layers})
			require.NoError(t, err)
			assert.NotContains(t, got, "gcra")
			assert.True(t, strings.HasPrefix(got, Header+"\n"))
		})
	}
	got, err := run(t, "t\n0\n0\n0\n", Options{Limiter: bucket, Explain: true})
	require.NoError(t, err)
	assert.Equal(t, Header+",layer\n0,,1,true,0,,2,1,1,\n0,,1,true,0,,2,0,2,\n0,,1,false,0,1,2,0,2,key\n", got)
}

func TestLayeredOptionsAtFaultSayWhatWouldBeRight(t *testing.T) {
	layer := []string{"user=gcra:rate=1/s,burst=1"}
	for want, opts := range map[string]Options{
		"--limiter and --layer exclude each other":                         {Limiter: bucket, Layers: layer},
		"--evict and --layer exclude each other":                           {Layers: layer, Evict: "lru:capacity=9"},
		"--charge says who pays of several layers; name them with --layer": {Limiter: bucket, Charge: "always"},
		`--charge: charge must be admitted, in-order or always, got "al"`:  {Layers: layer, Charge: "al"},
		`--layer: a layer is COLUMN=SPEC`:                                  {Layers: []string{"user"}},
		`--layer: layer "user": unknown limiter "gcar"`:                    {Layers: []string{"user=gcar:rate=1/s"}},
		`line 1: no column "user" (did you mean "users"?); the header has`: {Layers: layer},
	} {
		got, err := run(t, "t,users\n0,a\n", opts)
		var fault *logs.InputError
		require.ErrorAs(t, err, &fault)
		assert.ErrorContains(t, err, want)
		assert.Empty(t, got)
	}
}

func TestMemoryOfLayersDoesNotGrowWithRows(t *testing.T) {
	opts := Options{Layers: []string{"user=gcra:rate=1/s,burst=1", "global=gcra:rate=1/s,burst=2"}, Charge: "in-order", Stream: true, Explain: true}
	allocations := func(rows int) float64 {
		input := "t,user\n" + strings.Repeat("0,a\n1,b\n", rows/2)
		return testing.AllocsPerRun(3, func() {
			opts.Stdin = strings.NewReader(input)
			require.NoError(t, Run("-", io.Discard, opts))
		})
	}
	assert.InDelta(t, allocations(1000), allocations(20_000), 20, "19000 more rows allocate nothing more")
}

func TestTheJitterOfALayerIsOfItsColumnsText(t *testing.T) {
	const window = "fixed-window:limit=1,window=10s,jitter=10s"
	var byKey, byUser strings.Builder
	byKey.WriteString("t,key\n")
	byUser.WriteString("user,t\n")
	for i := range 300 {
		fmt.Fprintf(&byKey, "%d.7,%d\n", i, 900+i*i%7)
		fmt.Fprintf(&byUser, "%d,%d.7\n", 900+i*i%7, i)
	}
	want, err := run(t, byKey.String(), Options{Limiter: window, Seed: 3})
	require.NoError(t, err)
	got, err := run(t, byUser.String(), Options{Layers: []string{"user=" + window}, Seed: 3})
	require.NoError(t, err)
	wanted := strings.Split(want, "\n")
	for i, line := range strings.Split(got, "\n")[1:] {
		if line != "" {
			at := strings.Split(line, ",")
			assert.Equal(t, strings.Split(wanted[i+1], ",")[2:], at[2:], "row %d", i)
		}
	}
}

func TestALimiterThatKnowsOnlyUnitCostsRefusesOthersWithTheirLine(t *testing.T) {
	const input = "t,user,cost\n0,a,1\n0,a,\n0,a,2\n"
	for _, opts := range []Options{
		{Limiter: "nginx:rate=1r/s,burst=1"},
		{Layers: []string{"user=gcra:rate=1/s,burst=1", "global=nginx:rate=1r/s,burst=1"}},
	} {
		got, err := run(t, input, opts)
		var fault *logs.InputError
		require.ErrorAs(t, err, &fault)
		assert.ErrorContains(t, err, `line 4: column "cost": nginx knows requests of cost 1 only, got 2`)
		assert.Empty(t, got)
		opts.Stream = true
		got, err = run(t, input, opts)
		require.ErrorAs(t, err, &fault)
		assert.Equal(t, 3, strings.Count(got, "\n"), "a stream has answered the two before")
		opts.Stream = false
		_, err = run(t, "t,user\n0,a\n", opts)
		require.NoError(t, err)
	}
}
