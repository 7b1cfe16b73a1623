package sweep

import (
	"fmt"
	"strconv"
	"strings"
)

// Shard is one of Count parts of the cells of a plan. The zero Shard is all of them.
type Shard struct {
	Index int `json:"index"` // from 0
	Count int `json:"count"`
}

// ParseShard reads a shard like 0/4.
func ParseShard(text string) (Shard, error) {
	index, count, _ := strings.Cut(text, "/")
	i, err1 := strconv.Atoi(index)
	n, err2 := strconv.Atoi(count)
	if err1 != nil || err2 != nil || n < 1 || i < 0 || i >= n {
		return Shard{}, fmt.Errorf("a shard is i/n with i in 0..n-1, as in 0/4, got %q", text)
	}
	return Shard{i, n}, nil
}

func (s Shard) String() string { return fmt.Sprintf("%d/%d", s.Index, s.Count) }

// Whole reports whether the shard is all cells.
func (s Shard) Whole() bool { return s.Count == 0 }

// ShardOf returns which of count shards the cell with this index in Plan.Cells belongs to. Neighbouring points go to
// different shards, and so do the replications of a point, which are much alike in what they cost.
func (p *Plan) ShardOf(i, count int) Shard {
	return Shard{(i/p.Reps + i%p.Reps) % count, count}
}

// Pick returns the cells of the plan, which are all of Plan.Cells, that belong to the shard.
func (s Shard) Pick(p *Plan, cells []Cell) []Cell {
	if s.Whole() {
		return cells
	}
	var picked []Cell
	for i, c := range cells {
		if p.ShardOf(i, s.Count) == s {
			picked = append(picked, c)
		}
	}
	return picked
}
