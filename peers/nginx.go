package peers

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"time"

	"ratelab/limiters"
)

// nginx is a running nginx with one location and one zone for each spec of the
// dialect of that name.
type nginx struct {
	*server
	request, ping httpConn
	log           chan int // the excess, in thousandths, of every request that was held or refused
	specs         []nginxSpec
}

// nginxSpec is limit_req as configured: the rate and the delay as they are
// written, and in thousandths of a request.
type nginxSpec struct {
	rateText, limit string
	rate, delay     int
	zones           int // the zones that keys are dealt to
}

// nginxKeys is how many zones a spec gives its keys if its rate is low. When a
// new key arrives, nginx forgets up to two others of the zone that have been
// idle for 60 s, and with them up to one request's worth of excess; below 1r/s
// that can be seen.
const nginxKeys = 4

func nginxVersion() (string, error) {
	out, err := exec.Command("nginx", "-v").CombinedOutput()
	if err != nil {
		return "", err
	}
	_, version, ok := strings.Cut(strings.TrimSpace(string(out)), "nginx/")
	if !ok {
		return "", fmt.Errorf("nginx -v says %q", out)
	}
	return strings.Fields(version)[0], nil
}

// readNginxSpec turns a spec of the dialect into directives.
func readNginxSpec(text string) (n nginxSpec, err error) {
	n.zones = 1
	params := strings.Split(strings.TrimPrefix(text, "nginx:"), ",")
	for _, p := range params {
		name, value, _ := strings.Cut(p, "=")
		switch name {
		case "rate":
			n.rateText = value
			number, unit, _ := strings.Cut(value, "r/")
			if n.rate, err = strconv.Atoi(number); err != nil {
				return n, err
			}
			n.rate *= 1000
			if unit == "m" {
				n.rate /= 60
				n.zones = nginxKeys
			}
		case "nodelay":
			n.limit += " nodelay"
		case "delay":
			n.limit += " " + p
			if n.delay, err = strconv.Atoi(value); err != nil {
				return n, err
			}
			n.delay *= 1000
		case "burst":
			if value != "0" { // which nginx does not let one write: it is what is meant without
				n.limit += " " + p
			}
		default:
			return n, fmt.Errorf("no such parameter of limit_req: %q", p)
		}
	}
	return n, nil
}

// startNginx starts nginx at a time, with a location for every spec.
func startNginx(now time.Duration, specs ...string) (n *nginx, err error) {
	s, err := newServer(now)
	if err != nil {
		return nil, err
	}
	n = &nginx{server: s, log: make(chan int, 1024)}
	defer func() {
		if err != nil {
			n.close()
		}
	}()
	var zones, locations strings.Builder
	for i, text := range specs {
		spec, err := readNginxSpec(text)
		if err != nil {
			return nil, err
		}
		n.specs = append(n.specs, spec)
		for zone := range spec.zones {
			fmt.Fprintf(&zones, "limit_req_zone $arg_k zone=z%d.%d:1m rate=%s;\n", i, zone, spec.rateText)
			fmt.Fprintf(&locations, "location /%d.%d { limit_req zone=z%d.%d%s; empty_gif; }\n", i, zone, i, zone, spec.limit)
		}
	}
	// Nothing but limit_req may notice how the clock jumps.
	config := fmt.Sprintf(`daemon off; master_process off; worker_processes 1;
pid %[1]s/pid; error_log stderr warn;
events { worker_connections 64; }
http {
access_log off; limit_req_status 429; limit_req_log_level error;
client_body_temp_path %[1]s/b; proxy_temp_path %[1]s/p; fastcgi_temp_path %[1]s/f; uwsgi_temp_path %[1]s/u; scgi_temp_path %[1]s/s;
keepalive_timeout 20000d; keepalive_time 20000d; keepalive_requests 1000000000;
client_header_timeout 20000d; client_body_timeout 20000d; send_timeout 20000d; lingering_timeout 20000d;
%[2]sserver { listen 127.0.0.1:%[3]d;
location /ping { empty_gif; }
%[4]s}
}
`, s.dir, &zones, s.port, &locations)
	if err := os.WriteFile(s.path("nginx.conf"), []byte(config), 0o600); err != nil {
		return nil, err
	}
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	go n.follow(r)
	err = s.start(w, "nginx", "-e", "stderr", "-p", s.dir, "-c", s.path("nginx.conf"))
	w.Close()
	if err != nil {
		return nil, err
	}
	n.request.address, n.ping.address = s.address(), s.address()
	return n, nil
}

var excessLine = regexp.MustCompile(`(delaying request|limiting requests), excess: ([0-9]+)[.]([0-9]{3}),? by zone`)

// follow reads the error log until nginx ends.
func (n *nginx) follow(r *os.File) {
	defer r.Close()
	defer close(n.log)
	for lines := bufio.NewScanner(r); lines.Scan(); {
		m := excessLine.FindStringSubmatch(lines.Text())
		if m == nil {
			n.output.Write([]byte(lines.Text() + "\n"))
			continue
		}
		if excess, err := strconv.Atoi(m[2] + m[3]); err == nil {
			n.log <- excess
		}
	}
}

// excess is what nginx logged of the latest request that did not simply pass.
func (n *nginx) excess() (int, error) {
	select {
	case e, ok := <-n.log:
		if !ok {
			return 0, fmt.Errorf("nginx ended: %s", &n.output)
		}
		return e, nil
	case <-time.After(longest):
		return 0, fmt.Errorf("nginx logged no excess: %s", &n.output)
	}
}

// turn sets the clock and lets nginx go round its event loop at that time,
// twice: what is due then has been done.
func (n *nginx) turn(now time.Duration) error {
	n.set(now, now)
	for range 2 {
		status, err := n.ping.get("/ping")
		if err != nil || status != 200 {
			return fmt.Errorf("nginx answers a ping with %d: %w", status, err)
		}
	}
	return nil
}

// take sends a request to the location of a spec at a time. How long a request
// is held is measured: the clock is moved to the instant that the logged
// excess lets expect and to 1 ms before it, and then back.
func (n *nginx) take(spec, zone int, now time.Duration, key string) (d limiters.Decision, err error) {
	n.set(now, now)
	c := n.specs[spec]
	if err := n.request.send(fmt.Sprintf("/%d.%d?k=%s", spec, zone%c.zones, key)); err != nil {
		return d, err
	}
	if err := n.turn(now); err != nil {
		return d, err
	}
	status, ok, err := n.request.arrived()
	if err != nil {
		return d, err
	}
	if ok {
		switch status {
		case 200:
			d.Admitted = true
		case 429:
			_, err = n.excess()
		default:
			err = fmt.Errorf("nginx answers %d", status)
		}
		return d, err
	}
	excess, err := n.excess()
	if err != nil {
		return d, err
	}
	guess := time.Duration((excess-c.delay)*1000/c.rate) * time.Millisecond
	at := now - now%time.Millisecond
	for wait := max(0, guess-time.Millisecond); wait < guess+time.Minute; wait += time.Millisecond {
		if err := n.turn(at + wait); err != nil {
			return d, err
		}
		if status, ok, err = n.request.arrived(); err != nil {
			return d, err
		}
		if !ok {
			continue
		}
		if wait > 0 && wait < guess {
			return d, fmt.Errorf("nginx held a request with excess %v for at most %s, not %s", excess, wait, guess)
		}
		if status != 200 {
			return d, fmt.Errorf("nginx answers %d to a request that it held", status)
		}
		d.Admitted, d.Delay = true, wait
		return d, nil
	}
	return d, fmt.Errorf("nginx still holds a request with excess %v a minute after %s", excess, guess)
}

func (n *nginx) close() error {
	n.request.close()
	n.ping.close()
	return n.server.close()
}
