package limiters

import (
	"time"

	"ratelab/internal/spec"
)

// policy says when a key is forgotten.
type policy struct {
	capacity int64         // most keys held; 0: no bound
	after    time.Duration // how long a key is idle before it may go; 0: for ever
	every    time.Duration // between sweeps; 0: see insert
	insert   bool          // sweep at each new key, and not at each request
	rest     bool          // sweep only what is at rest
	zone     bool          // as nginx's zone
}

var evictions = spec.Registry[func(*spec.Values) policy]{Kind: "eviction"}

func init() {
	evictions.Register(spec.Entry{
		Name: "none",
		Doc:  "every key is held for ever",
	}, func(*spec.Values) policy { return policy{} })
	evictions.Register(spec.Entry{
		Name: "lru",
		Doc:  "room for so many keys: a new one pushes out the least recently seen",
		Params: []spec.Param{
			{Name: "capacity", Unit: "keys", Doc: "most keys held"},
		},
		More: `Refused requests are seen too. gubernator holds 50000 keys like this.`,
	}, func(v *spec.Values) policy {
		p := policy{capacity: v.Count("capacity")}
		if p.capacity < 1 || p.capacity >= 1<<32-1 {
			v.Fail("capacity", "must lie in 1..%d, got %s", uint32(1<<32-2), v.Text("capacity"))
		}
		return p
	})
	evictions.Register(spec.Entry{
		Name: "idle",
		Doc:  "a key that was not seen for so long is forgotten",
		Params: []spec.Param{
			{Name: "after", Unit: "duration", Doc: "how long a key is idle before it goes; one idle exactly that long goes"},
			{Name: "sweep", Unit: "duration|insert|always", Default: "always", Doc: "when idle keys go: every so often, at each new key, or at once"},
			{Name: "rest", Unit: spec.Flag, Doc: "spare the keys whose loss could change a decision"},
		},
		More: `sweep=60s looks at all keys at every whole multiple of 60 s since the epoch, before a
request of that instant is decided. sweep=always is a lifetime that each request renews, as
the TTL of a key that is written each time. The memory store of sethvargo/go-limiter is
after=12h,sweep=6h.
With rest, a sweep every so often passes over what is not at rest; a sweep at each new key
or request stops there, so that it takes constant time.`,
	}, func(v *spec.Values) policy {
		p := policy{after: v.Duration("after"), rest: v.Given("rest")}
		switch v.Text("sweep") {
		case "always":
		case "insert":
			p.insert = true
		default:
			p.every = v.Duration("sweep")
		}
		return p
	})
	evictions.Register(spec.Entry{
		Name: "nginx-zone",
		Doc:  "a shared memory zone of nginx's limit_req: states in chunks of its slab, the least recently seen forced out",
		Params: []spec.Param{
			{Name: "size", Unit: "bytes", Doc: "of the zone, as in nginx: 32k, 10m"},
			{Name: "key", Unit: "bytes", Default: "4", Doc: "length of every key; 4 is an IPv4 address in $binary_remote_addr"},
		},
		More: `At each new key up to two of the least recently seen states go, if they are idle for 60 s
and their excess is 0. If there is still no room, the least recently seen goes by force, and
after it up to two more that are idle. For the limiter nginx, idle counts from the latest
accepted request, as in the program; for others from the latest seen, and the key must be
at rest. An excess of 0 is less than rest: at 1r/m a new key passes at once, one with
excess 0 only after 62.5 s, so that a limited client is let in early.
Capacity: a state takes 80 bytes and its key, in a chunk of the next power of two, 128 bytes
for keys up to 48. 32k hold 191 states, 1m 8095. That is the arithmetic of the slab on a
64-bit machine with pages of 4 KiB, for a zone name of at most 42 bytes, nothing else in the
zone, keys of one length, and no state that a request in a second zone holds on to.`,
	}, func(v *spec.Values) policy {
		size, key := parseZoneSize(v, "size"), v.Count("key")
		if key < 1 || key > zoneMostKey {
			v.Fail("key", "must lie in 1..%d, got %s", zoneMostKey, v.Text("key"))
		}
		if v.Err() != nil {
			return policy{}
		}
		return policy{zone: true, capacity: zoneStates(size, key)}
	})
}

// Evictions describes the evictions, sorted by name.
func Evictions() []spec.Entry { return evictions.Entries() }

// Eviction says how many keys a limiter holds and which it forgets, read from a
// text such as "lru:capacity=50000". The zero Eviction is none.
type Eviction struct {
	text   string
	policy policy
}

// ParseEviction reads an eviction's spec. Errors name the parameter and what
// would be right.
func ParseEviction(text string) (Eviction, error) {
	v, read, err := evictions.Parse(text)
	if err != nil {
		return Eviction{}, err
	}
	p := read(v)
	if err := v.Err(); err != nil {
		return Eviction{}, err
	}
	return Eviction{v.String(), p}, nil
}

// String returns the eviction's text.
func (e Eviction) String() string {
	if e.text == "" {
		return "none"
	}
	return e.text
}

// Forgets reports whether any key is ever forgotten.
func (e Eviction) Forgets() bool { return e.policy != policy{} }

// Capacity returns the most keys held at once; false if there is no bound.
func (e Eviction) Capacity() (int64, bool) { return e.policy.capacity, e.policy.capacity > 0 }

// New makes the limiter of a spec, see [Spec.New], that holds its keys in this
// way.
func (e Eviction) New(s Spec, seed uint64, keyText func(uint32) string) *Held {
	h := &Held{policy: e.policy, order: newRecency()}
	h.limiter = s.New(seed, func(p uint32) string {
		return textOf(h.order.places[p].key, keyText)
	})
	h.resting, _ = h.limiter.(Resting)
	h.zoned, _ = h.limiter.(zoned)
	return h
}
