package main

import (
	"errors"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"ratelab/logs"
)

// logFlags are the flags of the commands that read logs.
type logFlags struct {
	input, logFormat, time, key, cost, status, took, stamp string
	forwarded                                              int
	sort                                                   bool
}

// add declares them.
func (l *logFlags) add(f *pflag.FlagSet) {
	f.StringVar(&l.input, "input", "auto", "format of the logs: auto, common, combined, json, csv or log-format")
	f.StringVar(&l.logFormat, "log-format", "", "`FORMAT` of the lines: a log_format of nginx or a LogFormat of Apache, as it is configured")
	f.StringVar(&l.time, "time", "", "`FIELD` that holds the time: a CSV's column (default t, or the only one with a usual name), a JSON path like request.ts, a variable of the log format")
	f.StringVar(&l.key, "key", "", "`FIELD` that holds the key; in a web server's log also ip (default), user, endpoint, method, status or agent")
	f.StringVar(&l.cost, "cost", "", "`FIELD` that holds the cost")
	f.StringVar(&l.status, "status", "", "`FIELD` that holds the HTTP status")
	f.StringVar(&l.took, "took", "", "`FIELD[:UNIT]` that holds how long the request took, in s, ms, us or ns")
	f.StringVar(&l.stamp, "stamp", "", "what the times are, `start|completion`: when a request arrived, or when it had been answered (default what the server is known for)")
	f.IntVar(&l.forwarded, "forwarded-depth", 0, "take the client's address from X-Forwarded-For, the `N`th from the right")
}

// typed is how the logs and the flags to read them are typed again.
func (l *logFlags) typed(cmd *cobra.Command, args []string) string {
	var words []string
	for _, arg := range args {
		words = append(words, shellWord(arg))
	}
	for _, name := range []string{"input", "log-format", "time", "key", "cost", "status", "took", "stamp", "forwarded-depth"} {
		if f := cmd.Flags().Lookup(name); f.Changed {
			words = append(words, "--"+name, shellWord(f.Value.String()))
		}
	}
	return strings.Join(words, " ")
}

// shellWord quotes a word for a shell where it must be.
func shellWord(word string) string {
	plain := func(r rune) bool {
		return r == '-' || r >= '+' && r <= ':' || r >= '@' && r <= 'Z' || r == '_' || r >= 'a' && r <= 'z' || r == '='
	}
	if word != "" && strings.IndexFunc(word, func(r rune) bool { return !plain(r) }) < 0 {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// addSort declares the flag of the commands that read logs as a stream.
func (l *logFlags) addSort(f *pflag.FlagSet) {
	f.BoolVar(&l.sort, "sort", false, "sort logs of which lines come out of order by more than some 100000 lines, in a temporary file")
}

// options are what they say, and the standard input of the command.
func (l *logFlags) options(cmd *cobra.Command) (logs.Options, error) {
	opts := logs.Options{
		LogFormat: l.logFormat, Time: l.time, Key: l.key, Cost: l.cost, Status: l.status, Took: l.took,
		ForwardedDepth: l.forwarded, Sort: l.sort, Stdin: cmd.InOrStdin(),
	}
	if cmd.Flags().Changed("forwarded-depth") && l.forwarded < 1 {
		return opts, errors.New("--forwarded-depth must be >= 1: 1 is the last address of X-Forwarded-For")
	}
	var err error
	if opts.Format, err = logs.ParseFormat(l.input); err != nil {
		return opts, err
	}
	opts.Stamp, err = logs.ParseStamp(l.stamp)
	return opts, err
}
