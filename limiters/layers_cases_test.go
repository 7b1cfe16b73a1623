package limiters_test

import (
	"bufio"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"ratelab/internal/spec"
	"ratelab/limiters"
)

// known reports whether every limiter of the layers exists, and whether they
// are all canonical.
func known(layers []string) (exist, own bool) {
	exist, own = true, true
	for _, layer := range layers {
		_, text, _ := strings.Cut(layer, "=")
		name, _, _ := strings.Cut(text, ":")
		exist = exist && slices.ContainsFunc(limiters.Entries(), func(e spec.Entry) bool { return e.Name == name })
		own = own && isCanonical(text)
	}
	return exist, own
}

func parseLayers(t require.TestingT, charge string, layers ...string) limiters.LayersSpec {
	mode, err := limiters.ParseChargeMode(charge)
	require.NoError(t, err)
	s, err := limiters.ParseLayers(layers, mode)
	require.NoError(t, err)
	return s
}

// layered decides rows with named columns.
type layered struct {
	spec   limiters.LayersSpec
	layers *limiters.Layers
	keys   map[string]interner
}

func newLayered(s limiters.LayersSpec) *layered {
	l := &layered{spec: s, layers: s.New(1, nil), keys: map[string]interner{}}
	for _, column := range s.Columns() {
		l.keys[column] = interner{}
	}
	return l
}

// decide returns the answer to a row as the cases write it: hints that are not
// given are empty.
func (l *layered) decide(t *testing.T, row map[string]string) map[string]string {
	var keys []uint32
	for _, layer := range l.spec.Layers {
		if layer.Column == limiters.Global {
			keys = append(keys, 0)
			continue
		}
		text, ok := row[layer.Column]
		require.True(t, ok, layer.Column)
		keys = append(keys, l.keys[layer.Column].key(text))
	}
	cost := int64(1)
	if text, ok := row["cost"]; ok {
		var err error
		cost, err = strconv.ParseInt(text, 10, 64)
		require.NoError(t, err)
	}
	return given(l.layers.Take(seconds(t, row["t"]), keys, cost))
}

func TestLayersAnswerTheCorpusRowByRowInEveryColumn(t *testing.T) {
	files, err := filepath.Glob("testdata/*/layers-*.csv")
	require.NoError(t, err)
	ran := 0
	for _, file := range files {
		f, err := os.Open(file)
		require.NoError(t, err)
		defer f.Close()
		in := bufio.NewReader(f)
		first, err := in.ReadString('\n')
		require.NoError(t, err)
		layers := strings.Split(strings.TrimPrefix(strings.TrimSpace(first), "# layers: "), "; ")
		last := len(layers) - 1
		charge := strings.TrimPrefix(layers[last], "charge=")
		exist, own := known(layers[:last])
		if !exist {
			continue
		}
		if own {
			ran++
		}
		t.Run(strings.TrimSuffix(filepath.Base(file), ".csv"), func(t *testing.T) {
			l := newLayered(parseLayers(t, charge, layers[:last]...))
			assert.Equal(t, strings.TrimPrefix(strings.TrimSpace(first), "# layers: "), l.spec.String())
			r := csv.NewReader(in)
			header, err := r.Read()
			require.NoError(t, err)
			answers := slices.Index(header, "admitted")
			require.Len(t, header[answers:], 6)
			for line := 3; ; line++ {
				row, err := r.Read()
				if err == io.EOF {
					require.Greater(t, line, 300)
					break
				}
				require.NoError(t, err)
				given := map[string]string{}
				for i, name := range header[:answers] {
					given[name] = row[i]
				}
				got := l.decide(t, given)
				for i, name := range header[answers:] {
					require.Equal(t, row[answers+i], got[name], "line %d: %s at %v", line, name, row[:answers])
				}
			}
		})
	}
	assert.Equal(t, 9, ran, "files with canonical layers only")
	assert.Len(t, files, 10, "and one of nginx")
}

func TestLayeredDecideCases(t *testing.T) {
	f, err := os.Open("testdata/decide.jsonl")
	require.NoError(t, err)
	defer f.Close()
	answered, faulty := 0, 0
	for d := json.NewDecoder(f); ; {
		var c struct {
			ID       string            `json:"id"`
			Why      string            `json:"why"`
			Layers   []string          `json:"layers"`
			Charge   string            `json:"charge"`
			Arrivals []json.RawMessage `json:"arrivals"`
			Expect   map[string][]any  `json:"expect"`
		}
		if err := d.Decode(&c); err == io.EOF {
			break
		} else {
			require.NoError(t, err)
		}
		exist, own := known(c.Layers)
		if len(c.Layers) == 0 || !exist {
			continue
		}
		if c.Expect == nil { // err-13 is about a column of the input
			if c.ID != "err-13" {
				faulty++
				_, err := limiters.ParseChargeMode(c.Charge)
				assert.ErrorContains(t, err, "charge", c.ID)
			}
			continue
		}
		if own {
			answered++
		}
		t.Run(c.ID, func(t *testing.T) {
			l := newLayered(parseLayers(t, c.Charge, c.Layers...))
			for i, raw := range c.Arrivals {
				var values map[string]any
				require.NoError(t, json.Unmarshal(raw, &values))
				row := map[string]string{}
				for name, value := range values {
					row[name] = fmt.Sprint(value)
				}
				got := l.decide(t, row)
				for name, want := range c.Expect {
					if want[i] != nil {
						require.Equal(t, fmt.Sprint(want[i]), got[name], "arrival %d: %s\n%s", i, name, c.Why)
					}
				}
			}
		})
	}
	assert.Equal(t, 8, answered, "cases with canonical layers only")
	assert.Equal(t, 1, faulty)
}

func TestFaultyLayersAreRefusedWithTheRightWord(t *testing.T) {
	for text, want := range map[string]string{
		"":                           `a layer is COLUMN=SPEC, as in user=gcra:rate=1/s,burst=5, got ""`,
		"user":                       `got "user"`,
		"=gcra:rate=1/s,burst=5":     `got "=gcra:rate=1/s,burst=5"`,
		"gcra:rate=1/s,burst=5":      `got "gcra:rate=1/s,burst=5"`,
		"user=gcra:rate=1/s":         `layer "user": limiter "gcra"`,
		"user=gcar:rate=1/s,burst=5": `layer "user": unknown limiter "gcar" (did you mean "gcra"?)`,
	} {
		_, err := limiters.ParseLayers([]string{"global=gcra:rate=1/s,burst=5", text}, limiters.ChargeAlways)
		assert.ErrorContains(t, err, want)
	}
	_, err := limiters.ParseLayers(nil, "")
	assert.ErrorContains(t, err, "no layer given")
	_, err = limiters.ParseChargeMode("inorder")
	assert.EqualError(t, err, `charge must be admitted, in-order or always, got "inorder" (did you mean "in-order"?)`)
	mode, err := limiters.ParseChargeMode("")
	require.NoError(t, err)
	assert.Equal(t, limiters.ChargeAdmitted, mode)
}

func TestLayersSayTheirColumnsNamesAndPromise(t *testing.T) {
	s := parseLayers(t, "", "user=gcra:rate=1/s,burst=5", "global=fixed-window:limit=4,window=1m", "ip=gcra:rate=9/s,burst=9", "user=sliding-log:limit=7,window=2s")
	assert.Equal(t, []string{"user", "ip"}, s.Columns())
	assert.Equal(t, []string{"user=gcra:rate=1/s,burst=5", "global", "ip", "user=sliding-log:limit=7,window=2s"}, s.Names())
	assert.Equal(t, "user=gcra:rate=1/s,burst=5; global=fixed-window:limit=4,window=1m; ip=gcra:rate=9/s,burst=9; user=sliding-log:limit=7,window=2s; charge=admitted", s.String())
	assert.Equal(t, 60000*ms, s.Window())
	assert.Equal(t, 2000*ms, parseLayers(t, "", "user=gcra:rate=1/s,burst=5", "ip=sliding-log:limit=6,window=2s", "global=sliding-log:limit=7,window=9s").Window(),
		"both promise 6, one in a second, the other in two")
	assert.EqualValues(t, 4, s.Promise(1000*ms))
	assert.EqualValues(t, 5, parseLayers(t, "", "user=gcra:rate=1/s,burst=2", "ip=gcra:rate=9/s,burst=1").Promise(3000*ms))
}

func FuzzParseLayers(f *testing.F) {
	f.Add("user=gcra:rate=1/s,burst=5", "global=fixed-window:limit=4,window=1m", "in-order")
	f.Add("user=gcra:rate=1/s,burst=5", "user=gcra:rate=9/s,burst=9", "")
	f.Add("gcra:rate=1/s,burst=5", "==", "always")
	f.Fuzz(func(t *testing.T, first, second, charge string) {
		mode, err := limiters.ParseChargeMode(charge)
		if err != nil {
			return
		}
		s, err := limiters.ParseLayers([]string{first, second}, mode)
		if err != nil {
			assert.NotEmpty(t, err.Error())
			return
		}
		again, err := limiters.ParseLayers([]string{s.Layers[0].String(), s.Layers[1].String()}, mode)
		require.NoError(t, err, "%q reads back", s)
		require.Equal(t, s.String(), again.String())
		require.Positive(t, s.Window())
		require.LessOrEqual(t, s.Promise(s.Window()), s.Layers[1].Spec.Promise(s.Window()))
	})
}
