package experiments

import (
	"regexp"
	"strconv"
	"strings"
)

// Command returns the command line that runs experiments with these options.
func (o Options) Command(names ...string) string {
	words := append(append([]string{"ratelab", "run"}, names...), o.settings()...)
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
	return shell(append(append([]string{"ratelab", "run", name}, o.settings()...), "--cell", key))
}

// MergeCommand returns the command line that joins what shards ran.
func (o Options) MergeCommand(name string) string {
	words := []string{"ratelab", "merge", name}
	if o.Out != "results" {
		words = append(words, "--out", o.Out)
	}
	return shell(words)
}

// settings returns the flags that decide which cells there are and what they
// give, as far as they are not the defaults.
func (o Options) settings() []string {
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
		separator := ","
		if strings.ContainsAny(strings.Join(s.Values, ""), ":;,") {
			separator = " ; "
		}
		words = append(words, "--set", s.Factor+"="+strings.Join(s.Values, separator))
	}
	return words
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
