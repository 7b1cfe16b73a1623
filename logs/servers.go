package logs

import (
	"bytes"
	"slices"
	"strings"
)

// server is what is known of the logs of one server: which field of its own is what.
type server struct {
	name   string
	marks  []string // names that no other's fields have: one is enough to know it
	stamp  Stamp
	times  []string // fields that may hold the time, the best first
	took   []tookField
	fields []serverField
}

// serverField is what users call a field, and the fields that it may be, the best first.
type serverField struct {
	name string
	from []fieldPart
}

// fieldPart is a field, or what a function makes of it.
type fieldPart struct {
	field string
	cut   func([]byte) []byte
}

// tookField is a field with the time that a request took, in units of so many ns.
type tookField struct {
	field string
	unit  int64
}

func whole(fields ...string) (from []fieldPart) {
	for _, f := range fields {
		from = append(from, fieldPart{f, nil})
	}
	return from
}

// Names as the servers' manuals have them: Caddy's structure of the log of requests, nginx's variables, Envoy's command
// operators in the lower case that its examples and Istio's defaults use, Traefik's fields, Apache's mod_log_config.
var servers = []server{
	{
		name: "Caddy", marks: []string{"request.remote_ip", "request.client_ip", "request.remote_addr"}, stamp: StampCompletion,
		times: []string{"ts"},
		took:  []tookField{{"duration", second}},
		fields: []serverField{
			{"ip", append(whole("request.client_ip", "request.remote_ip"), fieldPart{"request.remote_addr", withoutPort})},
			{"user", whole("user_id")},
			{"endpoint", []fieldPart{{"request.uri", pathOf}}},
			{"method", whole("request.method")},
			{"status", whole("status")},
			{"agent", whole("request.headers.User-Agent")},
			{"host", whole("request.host")},
			{"forwarded", whole("request.headers.X-Forwarded-For")},
		},
	},
	{
		name: "Traefik", marks: []string{"StartUTC", "StartLocal", "ClientHost", "DownstreamStatus", "RouterName"}, stamp: StampStart,
		times: []string{"StartUTC", "StartLocal"},
		took:  []tookField{{"Duration", 1}},
		fields: []serverField{
			{"ip", append(whole("ClientHost"), fieldPart{"ClientAddr", withoutPort})},
			{"user", whole("ClientUsername")},
			{"endpoint", []fieldPart{{"RequestPath", pathOf}}},
			{"method", whole("RequestMethod")},
			{"status", whole("DownstreamStatus", "OriginStatus")},
			{"agent", whole("request_User-Agent")},
			{"host", whole("RequestHost", "RequestAddr")},
			{"forwarded", whole("request_X-Forwarded-For")},
		},
	},
	{
		name: "Envoy", marks: []string{"downstream_remote_address", "downstream_direct_remote_address", "response_flags", "upstream_cluster"}, stamp: StampStart,
		times: []string{"start_time"},
		took:  []tookField{{"duration", millisecond}},
		fields: []serverField{
			{"ip", []fieldPart{{"downstream_remote_address", withoutPort}, {"downstream_direct_remote_address", withoutPort}}},
			{"endpoint", []fieldPart{{"path", pathOf}}},
			{"method", whole("method")},
			{"status", whole("response_code")},
			{"agent", whole("user_agent")},
			{"host", whole("authority")},
			{"forwarded", whole("x_forwarded_for")},
		},
	},
	nginx,
	{
		times: []string{"time", "timestamp", "@timestamp", "ts", "t", "datetime", "date", "start_time"},
		took:  []tookField{{"request_time", second}, {"duration_ms", millisecond}, {"latency_ms", millisecond}, {"duration_us", 1000}, {"duration_ns", 1}},
		fields: []serverField{
			{"key", whole("key")},
			{"ip", whole("ip", "client_ip", "remote_ip", "clientip", "client", "source.ip", "client.ip", "remote_host")},
			{"user", whole("user", "user_id", "username", "user.name", "user.id")},
			{"endpoint", []fieldPart{{"endpoint", pathOf}, {"path", pathOf}, {"uri", pathOf}, {"url", pathOf}, {"url.path", pathOf}, {"request", endpointOf}}},
			{"method", append(whole("method", "http.request.method"), fieldPart{"request", methodOf})},
			{"status", whole("status", "status_code", "response_code", "http.response.status_code")},
			{"agent", whole("agent", "user_agent", "user_agent.original")},
			{"host", whole("host", "hostname")},
			{"forwarded", whole("x_forwarded_for", "forwarded_for", "xff")},
		},
	},
}

var nginx = server{
	name: "nginx", marks: []string{"remote_addr", "time_local", "time_iso8601", "msec"}, stamp: StampCompletion,
	times: []string{"msec", "time_iso8601", "time_local", "time", "timestamp", "@timestamp", "ts"},
	took:  []tookField{{"request_time", second}},
	fields: []serverField{
		{"ip", whole("remote_addr", "realip_remote_addr", "binary_remote_addr")},
		{"user", whole("remote_user")},
		{"endpoint", []fieldPart{{"request_uri", pathOf}, {"uri", pathOf}, {"document_uri", pathOf}, {"request", endpointOf}}},
		{"method", append(whole("request_method", "method"), fieldPart{"request", methodOf})},
		{"status", whole("status")},
		{"agent", whole("http_user_agent", "user_agent")},
		{"host", whole("host", "http_host", "server_name")},
		{"forwarded", whole("http_x_forwarded_for", "proxy_add_x_forwarded_for", "x_forwarded_for")},
	},
}

var apache = server{
	name: "Apache", stamp: StampStart,
	took: []tookField{{"D", 1000}, {"{us}T", 1000}, {"{ms}T", millisecond}, {"T", second}, {"{s}T", second}},
	fields: []serverField{
		{"ip", whole("h", "a", "{c}a")},
		{"user", whole("u")},
		{"endpoint", []fieldPart{{"U", nil}, {"Uq", pathOf}, {"r", endpointOf}}},
		{"method", append(whole("m"), fieldPart{"r", methodOf})},
		{"status", whole("s")},
		{"agent", whole("{User-Agent}i")},
		{"host", whole("v", "V", "{Host}i")},
		{"forwarded", whole("{X-Forwarded-For}i")},
	},
}

// serverOf says whose fields these are; the last of servers is nobody's in particular.
func serverOf(names []string) *server {
	for i := range servers {
		if slices.ContainsFunc(servers[i].marks, func(mark string) bool { return slices.Contains(names, mark) }) {
			return &servers[i]
		}
	}
	return &servers[len(servers)-1]
}

// withoutPort takes the port off an address: 192.0.2.1:80 and [2001:db8::1]:80 have one, 2001:db8::1 has none.
func withoutPort(address []byte) []byte {
	i := bytes.LastIndexByte(address, ':')
	if i < 0 {
		return address
	}
	host := address[:i]
	if n := len(host); n > 2 && host[0] == '[' && host[n-1] == ']' {
		return host[1 : n-1]
	}
	if bytes.IndexByte(host, ':') >= 0 {
		return address
	}
	return host
}

// pathOf returns the path of a URI, without its query.
func pathOf(uri []byte) []byte {
	if i := bytes.IndexByte(uri, '?'); i >= 0 {
		return uri[:i]
	}
	return uri
}

// unitOf returns the ns of the unit that the name of a duration ends with, or a second.
func unitOf(field string) int64 {
	lower := strings.ToLower(field)
	for _, u := range []struct {
		end  string
		unit int64
	}{
		{"_ms", millisecond}, {"millis", millisecond}, {"milliseconds", millisecond}, {"_us", 1000}, {"micros", 1000}, {"microseconds", 1000},
		{"_ns", 1}, {"nanos", 1}, {"nanoseconds", 1},
	} {
		if strings.HasSuffix(lower, u.end) {
			return u.unit
		}
	}
	return second
}
