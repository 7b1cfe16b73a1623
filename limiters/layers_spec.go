package limiters

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"ratelab/internal/spec"
)

// ChargeMode says who pays when several limiters stand one behind the other.
type ChargeMode string

const (
	// ChargeAdmitted asks every layer and charges all of them only if all
	// admit; otherwise none, not even one that counts refused requests.
	ChargeAdmitted ChargeMode = "admitted"
	// ChargeInOrder asks and charges layer by layer until one refuses. What
	// was charged before stays charged, and the layers behind do not see the
	// request.
	ChargeInOrder ChargeMode = "in-order"
	// ChargeAlways lets every layer decide and charge as if it were alone.
	ChargeAlways ChargeMode = "always"
)

// ParseChargeMode reads the name of a charge mode; "" is ChargeAdmitted.
func ParseChargeMode(text string) (ChargeMode, error) {
	switch c := ChargeMode(text); c {
	case "":
		return ChargeAdmitted, nil
	case ChargeAdmitted, ChargeInOrder, ChargeAlways:
		return c, nil
	}
	modes := []string{string(ChargeAdmitted), string(ChargeInOrder), string(ChargeAlways)}
	return "", fmt.Errorf("charge must be %s, %s or %s, got %q%s", modes[0], modes[1], modes[2], text, spec.DidYouMean(text, modes))
}

// Global is the column of a layer that all requests share.
const Global = "global"

// Layer is a limiter and what its keys are.
type Layer struct {
	Column string // user, ip, endpoint, …, or Global
	Spec   Spec
}

// String returns the layer's text, COLUMN=SPEC.
func (l Layer) String() string { return l.Column + "=" + l.Spec.String() }

// LayersSpec is several limiters, one behind the other, in the order in which
// they are named, and who pays. It has no state: [LayersSpec.New] makes the
// [Layers] that have. The zero LayersSpec has no layers.
type LayersSpec struct {
	Layers []Layer
	Charge ChargeMode // "" is ChargeAdmitted
}

// ParseLayers reads layers, each "COLUMN=SPEC" as in
// user=gcra:rate=1/s,burst=5.
func ParseLayers(texts []string, charge ChargeMode) (LayersSpec, error) {
	if len(texts) == 0 {
		return LayersSpec{}, errors.New("no layer given; a layer is COLUMN=SPEC, as in user=gcra:rate=1/s,burst=5")
	}
	s := LayersSpec{Charge: charge}
	for _, text := range texts {
		column, limiter, ok := strings.Cut(text, "=")
		if !ok || column == "" || strings.ContainsAny(column, ":,") {
			return LayersSpec{}, fmt.Errorf("a layer is COLUMN=SPEC, as in user=gcra:rate=1/s,burst=5, got %q", text)
		}
		parsed, err := Parse(limiter)
		if err != nil {
			return LayersSpec{}, fmt.Errorf("layer %q: %w", column, err)
		}
		s.Layers = append(s.Layers, Layer{column, parsed})
	}
	return s, nil
}

// String returns the layers and how they are charged, as in
// "user=gcra:rate=1/s,burst=5; global=gcra:rate=9/s,burst=9; charge=admitted".
func (s LayersSpec) String() string {
	var text strings.Builder
	for _, layer := range s.Layers {
		text.WriteString(layer.String() + "; ")
	}
	return text.String() + "charge=" + string(cmp.Or(s.Charge, ChargeAdmitted))
}

// Columns returns the columns that the layers take their keys from, each once;
// Global is none.
func (s LayersSpec) Columns() []string {
	var columns []string
	for _, layer := range s.Layers {
		if layer.Column != Global && !slices.Contains(columns, layer.Column) {
			columns = append(columns, layer.Column)
		}
	}
	return columns
}

// Names returns what each layer is called where it refuses: its column, or its
// whole text where another layer has the same column.
func (s LayersSpec) Names() []string {
	names := make([]string, len(s.Layers))
	for i, layer := range s.Layers {
		names[i] = layer.Column
		for j, other := range s.Layers {
			if i != j && layer.Column == other.Column {
				names[i] = layer.String()
			}
		}
	}
	return names
}

// Window returns the window of the layer that promises least over its own
// window, or over a second if it has none; of several such, the longest.
func (s LayersSpec) Window() time.Duration {
	var window time.Duration
	var promise int64
	for i, layer := range s.Layers {
		w, windowed := layer.Spec.Window()
		if !windowed {
			w = time.Second
		}
		if p := layer.Spec.Promise(w); i == 0 || p < promise || p == promise && w > window {
			window, promise = w, p
		}
	}
	return window
}

// Promise returns the smallest of the layers' promises for a time w, see
// [Spec.Promise].
func (s LayersSpec) Promise(w time.Duration) int64 {
	var promise int64
	for i, layer := range s.Layers {
		if p := layer.Spec.Promise(w); i == 0 || p < promise {
			promise = p
		}
	}
	return promise
}

// UnitCost returns the first layer whose limiter knows requests of cost 1
// only, and whether there is one.
func (s LayersSpec) UnitCost() (Layer, bool) {
	for _, layer := range s.Layers {
		if layer.Spec.UnitCost() {
			return layer, true
		}
	}
	return Layer{}, false
}

// New makes the layers' limiters, without keys. keyText gives the text of a
// layer's key, see [Spec.New]; nil stands for decimal numbers.
func (s LayersSpec) New(seed uint64, keyText func(layer int, key uint32) string) *Layers {
	l := &Layers{charge: cmp.Or(s.Charge, ChargeAdmitted), asked: make([]Decision, len(s.Layers))}
	for i, layer := range s.Layers {
		var text func(uint32) string
		if keyText != nil {
			text = func(key uint32) string { return keyText(i, key) }
		}
		l.limiters = append(l.limiters, layer.Spec.New(seed, text))
	}
	return l
}
