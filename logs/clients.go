package logs

import (
	"bytes"
	"slices"
	"strings"
)

// clientNames are names of fields that tell clients apart, as plainName has them.
var clientNames = func() map[string]bool {
	names := map[string]bool{}
	for _, name := range slices.Concat(usualKeys, []string{
		"c_ip", "remote_address", "client_address", "downstream_remote_address", "source_address",
		"http_x_forwarded_for", "x_forwarded_for", "forwarded_for", "xff", "forwarded", "x_real_ip", "http_x_real_ip", "real_ip", "true_client_ip", "cf_connecting_ip",
	}) {
		names[plainName(name)] = true
	}
	return names
}()

// plainName returns the last part of a field's name in lower case, without what joins its words: remoteaddress of
// request.remote_address, remoteAddress and %{Remote-Address}i.
func plainName(name string) string {
	if i, j := strings.IndexByte(name, '{'), strings.IndexByte(name, '}'); i >= 0 && i < j {
		name = name[i+1 : j]
	}
	name = name[strings.LastIndexByte(name, '.')+1:]
	return strings.NewReplacer("_", "", "-", "", " ", "").Replace(strings.ToLower(name))
}

// tellsClients reports whether a field has a usual name of one that tells clients apart.
func tellsClients(name string) bool { return clientNames[plainName(name)] }

// isForwarded reports whether a field is X-Forwarded-For by its name.
func isForwarded(name string) bool {
	plain := plainName(name)
	return strings.HasSuffix(plain, "forwardedfor") || plain == "xff" || plain == "forwarded"
}

// mostSeen is how many of the first lines of a file are looked at for fields that tell clients apart.
const mostSeen = 500

// sightings are the fields of a file's first lines that look as if they told clients apart.
type sightings struct {
	first   map[string]string // the first value of each
	several []string          // those that had another one, too
}

// see takes in a field. The port of an address tells no clients apart.
func (s *sightings) see(name string, value []byte) {
	value = bytes.TrimSpace(value)
	if len(value) == 0 || string(value) == "-" || !tellsClients(name) {
		return
	}
	value = withoutPort(value)
	first, seen := s.first[name]
	switch {
	case !seen:
		if s.first == nil {
			s.first = map[string]string{}
		}
		s.first[name] = string(value)
	case first != string(value) && !slices.Contains(s.several, name):
		s.several = append(s.several, name)
	}
}

// but returns those with several values, except one that is the key.
func (s *sightings) but(key string) []string {
	return slices.DeleteFunc(s.several, func(name string) bool { return name == key })
}
