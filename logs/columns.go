package logs

import (
	"fmt"
	"slices"
	"strings"
)

// usualTimes are names that columns of times have, in lower case and without what timeName takes off. A name that ends
// with another unit than seconds is not among them: a small number below it would be taken for seconds.
var usualTimes = []string{
	"t", "ts", "time", "timestamp", "@timestamp", "date", "datetime", "date_time", "epoch", "unixtime",
	"time_local", "time_iso8601", "start_time", "starttime", "startutc", "event_time", "eventtime", "request_timestamp",
}

// usualKeys are names of columns that tell clients apart, in lower case.
var usualKeys = []string{
	"key", "ip", "client", "client_ip", "clientip", "client_addr", "clienthost", "c-ip", "remote_addr", "remote_ip", "remote_host",
	"source_ip", "src_ip", "source.ip", "client.ip", "x_forwarded_for",
	"user", "user_id", "userid", "username", "remote_user", "account", "account_id", "tenant", "tenant_id", "customer_id", "api_key", "apikey",
}

// timeName returns the name of a column without what says no more than how its times are written: ts for TS_Unix_s.
func timeName(name string) string {
	name = strings.ToLower(strings.TrimSpace(name))
	for _, end := range []string{"_s", "_sec", "_seconds", "_unix", "_utc"} {
		name = strings.TrimSuffix(name, end)
	}
	return name
}

// columnsOfTimes returns the columns that have a usual name of one with times.
func columnsOfTimes(names []string) []string {
	return columnsThat(names, func(name string) bool { return slices.Contains(usualTimes, timeName(name)) })
}

// columnsOfKeys returns the columns that have a usual name of one that tells clients apart.
func columnsOfKeys(names []string) []string {
	return columnsThat(names, tellsClients)
}

// columnsThat returns the names for which a condition holds, each once, in their order.
func columnsThat(names []string, holds func(name string) bool) (found []string) {
	for _, name := range names {
		if holds(name) && !slices.Contains(found, name) {
			found = append(found, name)
		}
	}
	return found
}

// timeColumn says which column of a CSV holds the times: the one that was asked for, else t, else the only one with a
// usual name. byName says that it is the last.
func timeColumn(names []string, opts Options) (name string, byName bool, err error) {
	if opts.Time != "" {
		return opts.Time, false, nil
	}
	usual := columnsOfTimes(names)
	switch {
	case opts.fixed || slices.Contains(names, "t") || len(usual) == 0:
		return "t", false, nil
	case len(usual) > 1:
		return "", false, fmt.Errorf("several columns may hold the times: %s; choose one with --time", quotedList(usual))
	}
	return usual[0], true, nil
}

// quotedList writes names of the input for people.
func quotedList(names []string) string {
	list := make([]string, len(names))
	for i, name := range names {
		list[i] = shown([]byte(name))
	}
	return strings.Join(list, ", ")
}
