package fit

import (
	"bufio"
	"io"
	"strconv"
)

// WriteCSV writes the frontier of all requests: rate, of, quantile, burst. Rates and quantiles stand as they were
// written; of is keys or requests.
func (r *Report) WriteCSV(w io.Writer) error {
	out := bufio.NewWriter(w)
	_, _ = out.WriteString("rate,of,quantile,burst\n")
	for _, p := range r.Raw.Frontier.Points {
		_, _ = out.WriteString(p.Rate.Text + "," + string(p.Of) + "," + p.Share.Text + "," + strconv.FormatInt(p.Burst, 10) + "\n")
	}
	return out.Flush()
}
