package experiments

import (
	"regexp"
	"strconv"
	"strings"
)

// MaxReps is the cap of replications with a precision, if no other is given.
const MaxReps = 1000

// Command returns the command line that runs experiments with these options.
func (o Options) Command(names ...string) string {
	words := append(append([]string{"ratelab", "run"}, names...), o.flags()...)
	if o.Workers > 0 {
		words = append(words, "--workers", strconv.Itoa(o.Workers))
	}
	if o.KeepGoing {
		words = append(words, "--keep-going")
	}
	if !o.Shard.Whole() {
		words = append(words, "--shard", o.Shard.String())
	}
	if o.Out != "results" {
		words = append(words, "--out", o.Out)
	}
	return shell(words)
}

// CellCommand returns the command line that runs one cell alone.
func (o Options) CellCommand(name, key string) string {
	words := append(append([]string{"ratelab", "run", name}, o.flags()...), "--cell", key)
	if o.Out != "results" {
		words = append(words, "--out", o.Out)
	}
	return shell(words)
}

// MergeCommand returns the command line that joins what shards ran.
func (o Options) MergeCommand(name string) string {
	words := []string{"ratelab", "merge", name}
	if o.Out != "results" {
		words = append(words, "--out", o.Out)
	}
	return shell(words)
}

// flags returns the flags that decide which cells there are and what they
// give, as far as they are not the defaults.
func (o Options) flags() []string {
	var words []string
	if o.Quick {
		words = append(words, "--quick")
	}
	if o.Reps > 0 {
		words = append(words, "--reps", strconv.Itoa(o.Reps))
	}
	if o.Seed != 1 {
		words = append(words, "--seed", strconv.FormatUint(o.Seed, 10))
	}
	for _, s := range o.Set {
		words = append(words, "--set", s.text())
	}
	for _, zipped := range o.Zipped {
		texts := make([]string, len(zipped))
		for i, s := range zipped {
			texts[i] = s.text()
		}
		words = append(words, "--set", strings.Join(texts, " & "))
	}
	for _, condition := range o.Where {
		words = append(words, "--where", condition)
	}
	if p := o.Precision; p.On() {
		words = append(words, "--precision", strconv.FormatFloat(p.Target, 'g', -1, 64))
		for _, metric := range p.Metrics {
			words = append(words, "--precision-metric", metric)
		}
		if p.MaxReps != MaxReps {
			words = append(words, "--max-reps", strconv.Itoa(p.MaxReps))
		}
	}
	return words
}

// text writes a setting as --set reads it.
func (s Setting) text() string {
	separator := ","
	if strings.ContainsAny(strings.Join(s.Values, ""), ":;,") {
		separator = " ; "
	}
	return s.Factor + "=" + strings.Join(s.Values, separator)
}

var plainWord = regexp.MustCompile(`^[\w@%+=:,./-]+$`)

// shell writes words as a shell reads them.
func shell(words []string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		if !plainWord.MatchString(w) {
			w = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
		}
		quoted[i] = w
	}
	return strings.Join(quoted, " ")
}
