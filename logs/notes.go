package logs

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Found says in a few words what was taken of a file: combined; json by Caddy, gzip; log-format by nginx.
func (f *File) Found() string {
	text := string(f.Format)
	if f.Separator == "\t" {
		text += " separated by tabs"
	} else if f.Separator != "" {
		text += " separated by " + f.Separator
	}
	if f.Server != "" {
		text += " by " + f.Server
	}
	if f.Compression != "" {
		text += ", " + f.Compression
	}
	return text
}

// Times says how the times are written and which moment they are.
func (f *File) Times() string {
	text := f.TimeForm
	if f.TimeColumn != "" {
		text = Shown(f.TimeColumn) + ", " + text
	}
	text += ", in steps of " + duration(f.Resolution)
	if f.NoZone {
		text += ", without a zone: taken as UTC"
	}
	switch {
	case f.Stamp == StampStart:
		text += ", when requests arrived"
	case f.Stamp == StampCompletion && f.Took > 0:
		text += ", when requests were complete: they arrived earlier by what they took"
		if f.TookColumn != "" {
			text += " (" + Shown(f.TookColumn) + ")"
		}
	case f.Stamp == StampCompletion:
		text += ", when requests were complete: taken as arrivals"
	}
	return text
}

// Choices are sentences on what was taken because of its name alone, and what else could be chosen, each once; keyed says
// that the keys matter.
func (log *Log) Choices(keyed bool) []string {
	var choices []string
	say := func(format string, args ...any) {
		if choice := fmt.Sprintf(format, args...); !slices.Contains(choices, choice) {
			choices = append(choices, choice)
		}
	}
	for i := range log.Files {
		f := &log.Files[i]
		if f.TimeByName {
			say("the times are those of the column %s, by its name; --time names another", shown([]byte(f.TimeColumn)))
		}
		if keyed && len(f.MayBeKeys) > 0 {
			say("there is no column \"key\", so that all requests have one key; --key may name another, as %s", quotedList(f.MayBeKeys))
		}
	}
	return choices
}

// count counts a request of a key.
func (log *Log) count(key uint32) {
	for int(key) >= len(log.requests) {
		log.requests = append(log.requests, 0)
	}
	log.requests[key]++
}

// mix takes one more number into a sum over numbers in an order (the step of SplitMix64).
func mix(sum, n uint64) uint64 {
	sum = (sum ^ n) + 0x9e3779b97f4a7c15
	sum = (sum ^ sum>>30) * 0xbf58476d1ce4e5b9
	sum = (sum ^ sum>>27) * 0x94d049bb133111eb
	return sum ^ sum>>31
}

// Warnings are sentences on what is likely to be wrong with the choice of files and of the key; keyed says that the keys
// matter. It is known after the log was read.
func (log *Log) Warnings(keyed bool) []string {
	var list []string
	for i := range log.Files {
		for j := range i {
			a, b := &log.Files[j], &log.Files[i]
			if n := b.Lines - b.Bad; n > 1 && n == a.Lines-a.Bad && a.content == b.content {
				list = append(list, fmt.Sprintf("%s and %s hold the same %d requests: each of them counts twice; leave one of the files out",
					Shown(a.Name), Shown(b.Name), n))
			}
		}
	}
	if text := log.oneKey(); keyed && text != "" {
		list = append(list, text)
	}
	return list
}

// oneKey says that 99 % of the requests or more have one key, where the log has fields that tell more clients apart.
func (log *Log) oneKey() string {
	var most, all int64
	for _, n := range log.requests {
		most, all = max(most, n), all+n
	}
	if all == 0 || most < all-all/100 {
		return ""
	}
	var others []string
	forwarded := false
	for i := range log.Files {
		if f := &log.Files[i]; f.KeyColumn != "" || len(f.MayBeKeys) == 0 { // of which Choices tells
			others = append(others, f.others...)
		}
	}
	if len(others) == 0 {
		return ""
	}
	slices.Sort(others)
	others = slices.Compact(others)
	flags := "--key"
	for _, name := range others {
		if forwarded = forwarded || isForwarded(name); forwarded {
			flags = "--key or, behind proxies, --forwarded-depth"
		}
	}
	return fmt.Sprintf("%d of %d requests have one and the same key, while the log has %s with several values: choose with %s",
		most, all, quotedList(others), flags)
}

// Doubts are sentences on what the times of a log hide: each bounds an error of the arrival times.
func (f *File) Doubts() []string {
	var doubts []string
	requests := f.Lines - f.Bad
	say := func(format string, args ...any) { doubts = append(doubts, fmt.Sprintf(format, args...)) }
	if f.Resolution >= second/10 {
		say("the order and the gaps within %s are not known: requests of one step count as simultaneous, and a burst may look sharper than it was", duration(f.Resolution))
	}
	switch {
	case f.Stamp == StampCompletion && f.Took == 0:
		say("the log does not say how long requests took: each arrived earlier than it seems, by its own duration; a count over any length is off by at most the requests under way at its two ends")
	case f.Stamp == StampCompletion && f.Took < requests:
		say("%d of %d requests do not say how long they took, and are taken to have arrived when they were complete", requests-f.Took, requests)
	case f.Stamp == StampUnknown && f.Took > 0:
		say("requests took up to %s, and it is not known whether the times are their start or their completion: arrivals may be earlier by that; say which with --stamp", duration(f.TookMost))
	case f.Stamp == StampUnknown && (f.Format == Common || f.Format == Combined):
		say("Apache writes when a request arrived, nginx when it was complete, and the log does not say how long requests took: arrivals may be earlier by that")
	}
	if f.Unforwarded > 0 {
		say("%d of %d requests came with fewer forwarded addresses than the depth asked for, and have the first one or the peer as their key", f.Unforwarded, requests)
	}
	return doubts
}

// duration writes ns in the largest unit of which it is a whole number, or with three decimals.
func duration(ns int64) string {
	for _, u := range []struct {
		ns   int64
		name string
	}{{second, "s"}, {millisecond, "ms"}, {1000, "µs"}, {1, "ns"}} {
		if ns >= u.ns {
			text := strconv.FormatInt(ns/u.ns, 10)
			if rest := ns % u.ns * 1000 / u.ns; rest > 0 {
				text += "." + strings.TrimRight(fmt.Sprintf("%03d", rest), "0")
			}
			return text + " " + u.name
		}
	}
	return "0 s"
}
