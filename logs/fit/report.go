package fit

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"ratelab/internal/spec"
	"ratelab/logs"
)

// Report is what there is to say of a log.
type Report struct {
	Input *Input
	Raw   *Analysis // of all requests
	// WithoutRetries is of the requests that are no retries; nil if there are none.
	WithoutRetries *Analysis
	Within         time.Duration // after a refusal, of retries
	Names          Names         // of the keys; nil: as in the log
	Seed           uint64
	Typed          string // what names the log on a command line, with the flags to read it; empty: nothing is proposed
}

// NewReport analyzes a log that was read.
func NewReport(in *Input, opts Options) *Report {
	r := &Report{Input: in, Seed: opts.Seed}
	all := in.Traffic.Arrivals(nil)
	if opts.Grain < 0 {
		opts.Grain = in.grain(all)
	}
	r.Raw = Analyze(all, opts)
	if in.Retries > 0 {
		if opts.Rates == nil {
			opts.Rates = r.Raw.Frontier.Rates
		}
		r.WithoutRetries = Analyze(in.Traffic.Arrivals(func(i int) bool { return in.Retried[i] }), opts)
	}
	return r
}

// grain returns what the stamps are cut to. Arrivals that are stamps less what their requests took are no multiples of it.
func (in *Input) grain(all *Arrivals) int64 {
	if grain := all.Grain(); grain > 0 {
		return grain
	}
	for _, f := range in.Log.Files {
		if f.Resolution < second {
			return 0
		}
	}
	return second
}

// name returns the text of a key for people.
func (r *Report) name(key int) string {
	text := r.Input.Log.Keys.Text(uint32(key))
	if r.Names != nil {
		return r.Names(text)
	}
	return text
}

// Choices says what was taken of the log because of its name alone, and what else could be chosen.
func (r *Report) Choices() []string { return r.Input.Log.Choices(true) }

// Unfit says why rates can not be read from the log at all, or nothing.
func (r *Report) Unfit() string { return unfit(r.Raw.First, r.Raw.Last, r.Raw.Clock) }

// Warnings says what a reader must know before believing a number, the worst first.
func (r *Report) Warnings() []string {
	var list []string
	warn := func(format string, args ...any) { list = append(list, fmt.Sprintf(format, args...)) }
	in, a := r.Input, r.Raw
	if why := r.Unfit(); why != "" {
		warn("unfit for rates: %s", why)
	}
	if a.Requests == 1 {
		warn("one request alone tells nothing of a rate or a burst: what follows holds for every log")
	}
	list = append(list, in.Log.Warnings(true)...)
	if n := in.Log.Bad; n > 0 {
		warn("%s did not parse and %s left out", plural(n, "line"), wasWere(n))
	}
	if n := in.Log.Reordered; n > 0 {
		warn("%s came earlier than a line before; sorted by time", plural(n, "line"))
	}
	if in.Refused > 0 {
		by := "key and path"
		if !in.RetriesByPath {
			by = "key (the log has no paths)"
		}
		warn("requests answered 429 or 503: %d. The log was written behind a limit, so that its demand is what that limit made of it. Taken for retries (the same %s within %s of a refusal): %d%s",
			in.Refused, by, spec.FormatDuration(r.Within), in.Retries, r.between())
	}
	if a.Grain > 0 {
		whole, within := "whole "+GrainText(a.Grain)+"s", "a "+GrainText(a.Grain)
		if _, usual := grainNames[a.Grain]; !usual {
			whole, within = "cut to "+GrainText(a.Grain), GrainText(a.Grain)
		}
		warn("times are %s: bursts of keys are given with (low..high), over all times that the stamps may stand for. No limit on what happens within %s can be judged from this log",
			whole, within)
	}
	r.warnOfStamps(warn)
	if a.Knee == nil {
		warn("no knee: at none of the rates does a bucket that refuses nothing to %s %% of the keys fill up within the log, which is %s long", r.Raw.Frontier.Shares[0].Percent(), rough(a.Span()))
	}
	if !a.UnitCosts {
		warn("costs differ: shares of requests are not given, as a larger burst may admit fewer requests. A bucket below the largest cost never admits it: no burst here is")
	}
	return list
}

// between says what the two answers of a log with retries are.
func (r *Report) between() string {
	if r.Input.Retries == 0 {
		return ""
	}
	return ". What is asked for without them is reported apart. The truth lies between the two answers: the one with the retries counts requests that nobody would have made without that limit, and the one without is a lower bound, as those who gave up are missing"
}

// warnOfStamps says what the times of the files hide, and by how much bursts are off.
func (r *Report) warnOfStamps(warn func(string, ...any)) {
	off := false
	for _, f := range r.Input.Log.Files {
		if r.Raw.Grain > 0 {
			f.Resolution = 1 // more has been said of it
		}
		for _, doubt := range f.Doubts() {
			name := ""
			if len(r.Input.Log.Files) > 1 {
				name = shownText(f.Name) + ": "
			}
			warn("%s%s", name, doubt)
		}
		off = off || f.Resolution >= second/10 || f.Stamp == logs.StampCompletion && f.Took < f.Lines-f.Bad ||
			f.Stamp == logs.StampUnknown && (f.Took > 0 || f.Format == logs.Common || f.Format == logs.Combined)
	}
	if off {
		warn("if arrivals are off by up to D, bursts are off by at most rate × D")
	}
}

// spec returns the point as a limiter of package limiters.
func (p Point) spec() string {
	return fmt.Sprintf("token-bucket:rate=%s,burst=%d", p.Rate.Text, p.Burst)
}

// why says what makes a key ask for more.
func (m Misfit) why(work string) string {
	kind := "burst"
	switch {
	case m.Refused == 0:
		kind = "fits"
	case m.Sustained:
		kind = "sustained"
	}
	text := strconv.FormatInt(m.Work, 10) + " " + work
	if m.Work == 1 {
		text = strings.TrimSuffix(text, "s")
	}
	if m.Length == 0 {
		return kind + ": " + text + " at once"
	}
	return kind + ": " + text + " within " + rough(m.Length)
}
