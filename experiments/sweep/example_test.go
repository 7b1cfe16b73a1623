package sweep_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"

	"ratelab/experiments/sweep"
)

// A tiny sweep from plan to CSV: how high do dice land?
func Example() {
	plan := &sweep.Plan{
		Name:    "dice",
		Factors: []sweep.Factor{{Name: "dice", Description: "how many are thrown"}, {Name: "sides", Default: "6"}},
		Metrics: []sweep.Metric{{Name: "sum", Unit: "pips", Description: "what they show"}},
		Grids:   []sweep.Grid{{{Factor: "dice", Values: []string{"1", "2"}}}},
		Reps:    3,
		Seed:    1,
		Run: func(_ context.Context, c sweep.Cell, out *sweep.Row) error {
			random := rand.New(rand.NewPCG(c.Seed, uint64(c.Rep))) // the same in all points of a replication
			sum := int64(0)
			for range c.Int("dice") {
				sum += 1 + random.Int64N(c.Int("sides"))
			}
			out.Set("sum", float64(sum))
			return nil
		},
	}
	values, err := sweep.ParseValues("1..4 *2") // as from a command line
	check(err)
	check(plan.Override("dice", values))
	manifest, err := sweep.NewManifest(plan)
	check(err)
	manifest.Program = "the hash of this program"

	dir, err := os.MkdirTemp("", "dice")
	check(err)
	defer func() { check(os.RemoveAll(dir)) }()
	result, err := sweep.Execute(context.Background(), plan, sweep.Options{})
	check(err)
	check(result.Write(dir, manifest))
	check(sweep.Fresh(dir, manifest))

	for _, name := range []string{sweep.RunsFile, sweep.SummaryFile} {
		content, err := os.ReadFile(filepath.Join(dir, name))
		check(err)
		fmt.Print(string(content))
	}
	// Output:
	// dice,sides,rep,seed,sum
	// 1,6,0,1,4
	// 1,6,1,1,6
	// 1,6,2,1,5
	// 2,6,0,1,5
	// 2,6,1,1,7
	// 2,6,2,1,9
	// 4,6,0,1,11
	// 4,6,1,1,19
	// 4,6,2,1,19
	// dice,sides,metric,unit,n,mean,sd,ci_low,ci_high,min,max
	// 1,6,sum,pips,3,5,1,2.51586228825,7.48413771175,4,6
	// 2,6,sum,pips,3,7,2,2.0317245765,11.9682754235,5,9
	// 4,6,sum,pips,3,16.3333333333,4.61880215352,4.85959272067,27.807073946,11,19
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
