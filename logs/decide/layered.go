package decide

import (
	"fmt"
	"slices"

	"ratelab/limiters"
	"ratelab/limiters/contract"
	"ratelab/logs"
)

// layered is several limiters, each keyed by a column of the input.
type layered struct {
	spec   limiters.LayersSpec
	layers *limiters.Layers
	names  []string    // of the layers
	wanted []string    // the columns that they take their keys from
	keys   []logs.Keys // of each of these columns
	from   []int       // which of them a layer has; -1 if all its requests have one key
	ids    []uint32    // of the row's key in each layer
	under  []contract.Standing
}

func newLayered(opts Options) (decider, error) {
	charge, err := limiters.ParseChargeMode(opts.Charge)
	if err != nil {
		return nil, &logs.InputError{Err: fmt.Errorf("--charge: %w", err)}
	}
	spec, err := limiters.ParseLayers(opts.Layers, charge)
	if err != nil {
		return nil, &logs.InputError{Err: fmt.Errorf("--layer: %w", err)}
	}
	l := &layered{spec: spec, names: spec.Names(), wanted: spec.Columns(), ids: make([]uint32, len(spec.Layers))}
	l.keys = make([]logs.Keys, len(l.wanted))
	for i, layer := range spec.Layers {
		l.from = append(l.from, slices.Index(l.wanted, layer.Column))
		l.under = append(l.under, contract.Standing{Policy: layer.Spec.Policy(l.names[i])})
	}
	l.layers = spec.New(opts.Seed, func(layer int, key uint32) string {
		if column := l.from[layer]; column >= 0 {
			return l.keys[column].Text(key)
		}
		return ""
	})
	return l, nil
}

func (l *layered) columns() []string { return l.wanted }

// forgotten is none: layers hold all their keys.
func (l *layered) forgotten() limiters.Forgotten { return limiters.Forgotten{} }

func (l *layered) unitCost() string {
	if layer, ok := l.spec.UnitCost(); ok {
		return layer.Spec.Name()
	}
	return ""
}

func (l *layered) decide(row *logs.Arrival) (contract.Decision, string) {
	for i, column := range l.from {
		if column >= 0 {
			l.ids[i] = l.keys[column].ID(row.Wanted[column])
		}
	}
	d := l.layers.Take(row.At, l.ids, row.Cost)
	if d.Admitted {
		return d, ""
	}
	return d, l.names[d.Layer]
}

func (l *layered) standings() []contract.Standing {
	for i, own := range l.layers.Asked() {
		l.under[i].Decision = own
	}
	return l.under
}
