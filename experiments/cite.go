package experiments

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"ratelab/experiments/sweep"
)

// Cited is a number of a summary, with what another text needs to repeat it:
// the mean of a metric at one point of an experiment's grid.
type Cited struct {
	Experiment string  `json:"experiment"`
	Metric     string  `json:"metric"`
	Unit       string  `json:"unit"`
	At         string  `json:"at"` // the factors that apply there, FACTOR=VALUE,…
	N          int     `json:"n"`  // replications
	Mean       float64 `json:"mean"`
	Low        float64 `json:"ci_low"` // of the 95 % interval; the mean with one replication
	High       float64 `json:"ci_high"`
	Run        string  `json:"run"`     // the command that makes the results
	Cite       string  `json:"cite"`    // the command that prints this
	Summary    string  `json:"summary"` // the file that it is from
	SHA256     string  `json:"sha256"`  // of that file
}

// Published reads the summary of an experiment as it lies in out/NAME: what git
// keeps, or what this program made. Results that another program made since
// are a [StaleError], unless program is "": then nothing is asked of them.
func Published(e Experiment, out, program string) (*Data, error) {
	dir := filepath.Join(out, e.Name)
	if program != "" && exists(filepath.Join(dir, sweep.ManifestFile)) {
		return Load(e, out, program)
	}
	d := &Data{Experiment: e, Dir: dir, plan: e.plan(trueLab(false))}
	var err error
	d.Summary, err = sweep.ReadSummary(dir, d.plan)
	if errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("%s holds no results of %q", dir, e.Name)
	}
	if err != nil {
		return nil, &StaleError{Experiment: e.Name, Why: err, Do: Options{Seed: 1, Out: out}.Command(e.Name)}
	}
	return d, nil
}

// Cite finds a number: the mean of a metric at the one point that at, factor,
// value, factor, value …, tells apart.
func (d *Data) Cite(metric string, at ...string) (Cited, error) {
	values, record, err := d.summaryRow(metric, at)
	if err != nil {
		return Cited{}, err
	}
	factors := factorNames(d.Experiment.Factors)
	record = record[len(factors):] // metric, unit, n, mean, sd, ci_low, ci_high, …
	c := Cited{Experiment: d.Experiment.Name, Metric: metric, Unit: record[1], At: placeOf(factors, values)}
	if c.N, err = strconv.Atoi(record[2]); err != nil {
		return Cited{}, err
	}
	if c.Mean, err = strconv.ParseFloat(record[3], 64); err != nil {
		return Cited{}, fmt.Errorf("%s: nothing was measured of %s at %s", filepath.Join(d.Dir, sweep.SummaryFile), metric, c.At)
	}
	c.Low, c.High = c.Mean, c.Mean
	if record[5] != "" {
		if c.Low, err = strconv.ParseFloat(record[5], 64); err != nil {
			return Cited{}, err
		}
		if c.High, err = strconv.ParseFloat(record[6], 64); err != nil {
			return Cited{}, err
		}
	}
	c.Summary = filepath.ToSlash(filepath.Join(d.Dir, sweep.SummaryFile))
	text, err := os.ReadFile(c.Summary)
	if err != nil {
		return Cited{}, err
	}
	sum := sha256.Sum256(text)
	c.SHA256 = hex.EncodeToString(sum[:])
	out := filepath.Dir(d.Dir)
	c.Run = Options{Seed: 1, Out: out, Quick: d.Quick}.Command(c.Experiment)
	words := []string{"ratelab", "cite", c.Experiment + "." + metric + "@" + c.At}
	if out != "results" {
		words = append(words, "--out", out)
	}
	c.Cite = shell(words)
	return c, nil
}

// placeOf is what [ParsePlace] reads, of the factors that apply.
func placeOf(factors, values []string) string {
	var at []string
	for i, v := range values {
		if v != "" {
			at = append(at, factors[i], v)
		}
	}
	return sweep.PointKey(at...)
}

// Text is the mean, times a factor of its unit (100 for per cent), as a text
// can have it: no more digits than its interval bears out, at most four that
// count.
func (c Cited) Text(factor float64) string {
	mean, half := c.Mean*factor, c.half()*factor
	most := 0
	if mean != 0 {
		most = 3 - exponent(mean)
	}
	if half == 0 {
		return trimmed(rounded(mean, most))
	}
	return rounded(mean, min(most, -exponent(half)))
}

// TextWithInterval is the mean ± half its interval, to the second digit of that
// and the fifth of the mean; the mean alone where all replications are equal,
// or as good as equal.
func (c Cited) TextWithInterval(factor float64) string {
	mean, half := c.Mean*factor, c.half()*factor
	if half == 0 {
		return c.Text(factor)
	}
	digits := 1 - exponent(half)
	if mean != 0 {
		digits = min(digits, 4-exponent(mean))
	}
	wide := rounded(half, digits)
	if strings.Trim(wide, "0.") == "" {
		return trimmed(rounded(mean, digits))
	}
	return rounded(mean, digits) + " ± " + wide
}

func (c Cited) half() float64 { return (c.High - c.Low) / 2 }

// exponent is the place of the first digit of x != 0: 0 for ones, -1 for tenths.
// It is read from the digits: a logarithm of 1000 may be less than 3, and not on
// all machines.
func exponent(x float64) int {
	_, e, _ := strings.Cut(strconv.FormatFloat(x, 'e', -1, 64), "e")
	n, _ := strconv.Atoi(e)
	return n
}

// rounded writes a number with so many decimals; negative ones round to tens,
// hundreds, ….
func rounded(x float64, digits int) string {
	if digits < 0 {
		unit := math.Pow10(-digits)
		x, digits = math.Round(x/unit)*unit, 0
	}
	text := strconv.FormatFloat(x, 'f', digits, 64)
	if strings.Trim(text, "-0.") == "" {
		return strings.TrimPrefix(text, "-")
	}
	return text
}

// trimmed leaves out the zeros that end decimals.
func trimmed(text string) string {
	if strings.Contains(text, ".") {
		text = strings.TrimRight(strings.TrimRight(text, "0"), ".")
	}
	return text
}
