package peers

import (
	"fmt"
	"io"
	"runtime"
	"strings"
	"time"

	"ratelab/experiments/sweep"
)

// WriteStoreTable writes the comparisons as Markdown, with what its columns are.
// The cases differ in their coordination and their pause only.
func WriteStoreTable(w io.Writer, redis string, rows []*StoreComparison) error {
	c := rows[0].StoreCase
	var b strings.Builder
	fmt.Fprintf(&b, `This is from one run, on %d processors with Redis %s; another run and another machine give other numbers.
%d servers are dealt `+"`%s`"+` in turn, in real time, under `+"`fixed-window:limit=%d,window=%dms`"+`,
%d windows a row. Times are in ms: the median, and what 99 %% stay below. *Over the limit* is a mean over the windows
compared, those with no question under way at their ends, ± its 95 %% interval. *Replayed* is a simulation whose store
reads and writes for each request when Redis did: the test demands that no window differs. *Constant* is a simulation
of the recorded send times in which every round trip and every pause is the median; *formula* is Λd for `+"`add`"+` and LΛd
for `+"`set`"+`, d being the two medians together. Neither knows the round trips and pauses that are longer, and the formula
does not know that a machine which stands still sends what is late in one bunch: hence their differences from Redis.
Operations are of all windows, compared or not.

`, runtime.NumCPU(), redis, c.Servers, c.Workload, c.Limit, c.Window.Milliseconds(), c.Windows)
	b.WriteString("| coordination | pause | sent late | round trip | answer to write | windows compared | over the limit: Redis | replayed | constant | constant − Redis | formula | operations a request: Redis | replayed |\n")
	b.WriteString("|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n")
	for _, r := range rows {
		per := func(operations int64) string { return fmt.Sprintf("%.4f", float64(operations)/float64(r.Requests)) }
		held, formula := "", "0"
		if r.races() {
			held, formula = medianAndMost(r.Median.pause, r.Most.pause), fmt.Sprintf("%.2f", r.Theory)
		}
		row := []string{
			"`" + r.Coordination + "`", fmt.Sprint(r.Pause.Milliseconds()), medianAndMost(r.Median.late, r.Most.late),
			medianAndMost(r.Median.trip, r.Most.trip), held, fmt.Sprint(len(r.Compared)),
			withInterval(r.Over), fmt.Sprintf("%.2f", r.Replays.Mean), fmt.Sprintf("%.2f", r.Constants.Mean), withInterval(r.Differs), formula,
			per(r.Real.operations), per(r.Replayed.operations),
		}
		fmt.Fprintf(&b, "| %s |\n", strings.Join(row, " | "))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func medianAndMost(median, most time.Duration) string {
	ms := func(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
	return fmt.Sprintf("%.2f, %.2f", ms(median), ms(most))
}

func withInterval(e sweep.Estimate) string {
	lo, hi := e.Interval(0.95)
	return fmt.Sprintf("%.2f ± %.2f", e.Mean, (hi-lo)/2)
}
