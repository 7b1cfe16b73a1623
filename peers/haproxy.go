package peers

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"

	"ratelab/limiters"
)

// haproxy is a running HAProxy with one path and one stick table for each spec
// of the dialect of that name.
//
// It guards itself against a clock that jumps: it follows no step that is
// longer than it meant to sleep by more than 100 ms, and then goes on from
// where it was, for good. So the clock is moved in steps of at most 50 ms, and
// it is made to look at each.
type haproxy struct {
	*server
	request, ping httpConn
	now           time.Duration
}

const haproxyStep = 50 * time.Millisecond

func haproxyVersion() (string, error) {
	out, err := exec.Command("haproxy", "-v").CombinedOutput()
	if err != nil {
		return "", err
	}
	fields := strings.Fields(string(out))
	if len(fields) < 3 || fields[1] != "version" {
		return "", fmt.Errorf("haproxy -v says %q", out)
	}
	version, _, _ := strings.Cut(fields[2], "-")
	return version, nil
}

// startHAProxy starts HAProxy at a time, with a path for every spec.
func startHAProxy(now time.Duration, specs ...string) (h *haproxy, err error) {
	s, err := newServer(now)
	if err != nil {
		return nil, err
	}
	h = &haproxy{server: s, now: now}
	defer func() {
		if err != nil {
			h.close()
		}
	}()
	var rules, tables strings.Builder
	for i, text := range specs {
		spec, err := limiters.Parse(text)
		if err != nil {
			return nil, err
		}
		period, _ := spec.Window()
		fmt.Fprintf(&rules, "  http-request track-sc0 url_param(k) table t%d if { path /%d }\n", i, i)
		fmt.Fprintf(&rules, "  http-request deny deny_status 429 if { path /%d } { sc_http_req_rate(0) gt %d }\n", i, spec.Capacity())
		fmt.Fprintf(&tables, "backend t%d\n  stick-table type string len 32 size 1m store http_req_rate(%dms)\n", i, period.Milliseconds())
	}
	// No time-outs: HAProxy must have nothing to wake up for by itself. It makes
	// resolvers that wake up every second if it is not given any.
	config := fmt.Sprintf(`global
  nbthread 1
resolvers default
  timeout resolve 20d
defaults
  mode http
frontend f
  bind 127.0.0.1:%d
%s  http-request return status 200
%s`, s.port, &rules, &tables)
	if err := os.WriteFile(s.path("haproxy.cfg"), []byte(config), 0o600); err != nil {
		return nil, err
	}
	if err := s.start(nil, "haproxy", "-db", "-q", "-f", s.path("haproxy.cfg")); err != nil {
		return nil, err
	}
	h.request.address, h.ping.address = s.address(), s.address()
	return h, nil
}

// advance moves the clock on, never back.
func (h *haproxy) advance(now time.Duration) error {
	if now < h.now {
		return fmt.Errorf("HAProxy's clock cannot be moved back, from %s to %s", h.now, now)
	}
	for h.now < now {
		h.now = min(now, h.now+haproxyStep)
		h.set(h.now, h.now)
		status, err := h.ping.get("/ping")
		if err != nil || status != 200 {
			return fmt.Errorf("HAProxy answers a ping with %d: %w", status, err)
		}
	}
	return nil
}

// take sends a request to the path of a spec at a time.
func (h *haproxy) take(spec int, now time.Duration, key string) (d limiters.Decision, err error) {
	if err := h.advance(now); err != nil {
		return d, err
	}
	status, err := h.request.get(fmt.Sprintf("/%d?k=%s", spec, key))
	switch {
	case err != nil:
		return d, err
	case status != 200 && status != 429:
		return d, fmt.Errorf("HAProxy answers %d", status)
	}
	d.Admitted = status == 200
	return d, nil
}

func (h *haproxy) close() error {
	h.request.close()
	h.ping.close()
	return h.server.close()
}
