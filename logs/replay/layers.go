package replay

import (
	"fmt"
	"slices"
	"time"

	"ratelab/limiters"
	"ratelab/logs"
)

// replayLayers replays a log under a set of layers. Every request has a key in each column that a layer names; that of
// global is the same for all.
func replayLayers(log *logs.Log, spec limiters.LayersSpec, seed uint64, watch *observer) (Result, error) {
	from := make([]int, len(spec.Layers)) // which of the log's columns a layer has; global is behind the last
	global := len(log.Columns)
	for i, layer := range spec.Layers {
		if from[i] = global; layer.Column != limiters.Global {
			from[i] = slices.IndexFunc(log.Columns, func(c logs.Column) bool { return c.Name == layer.Column })
		}
		if from[i] < 0 {
			return Result{}, &logs.InputError{Err: fmt.Errorf("--layer: the log was read without the column %q", layer.Column)}
		}
	}
	text := func(column int, key uint32) string {
		if column == global {
			return ""
		}
		return log.Columns[column].Keys.Text(key)
	}
	layers := spec.New(seed, func(layer int, key uint32) string { return text(from[layer], key) })

	refused, offered := make([][]int64, global+1), make([][]int64, global+1)
	result := Result{Limiter: spec.String(), Requests: int64(len(log.Records))}
	for _, layer := range spec.Layers {
		result.Standing = append(result.Standing, standing(layer.Spec)...)
	}
	for _, column := range from {
		if refused[column] != nil {
			continue // of two layers with one column
		}
		n := 1
		if column < global {
			n = log.Columns[column].Keys.Len()
		}
		refused[column], offered[column] = make([]int64, n), make([]int64, n)
		result.Keys += n
	}
	byLayer, keys := make([]int64, len(from)), make([]uint32, len(from))
	for i := range log.Records {
		r := &log.Records[i]
		for layer, column := range from {
			if column < global {
				keys[layer] = log.ID(r, column)
			}
		}
		_, by := layers.Admit(time.Duration(r.At), keys, r.Cost)
		if by >= 0 {
			result.Refused++
			byLayer[by]++
			refused[from[by]][keys[by]]++
		}
		watch.decided(r, by < 0)
		for column, counts := range offered {
			switch {
			case counts == nil:
			case column == global:
				counts[0]++
			default:
				counts[log.ID(r, column)]++
			}
		}
	}
	result.Observed = watch.observed(log.Keys.Text)
	for i, name := range spec.Names() {
		result.Layers = append(result.Layers, LayerRefused{name, byLayer[i]})
	}
	for column := range refused {
		result.tell(refused[column], offered[column], func(key uint32) string {
			if column == global {
				return limiters.Global
			}
			return log.Columns[column].Name + "=" + text(column, key)
		})
	}
	result.rank()
	return result, nil
}
