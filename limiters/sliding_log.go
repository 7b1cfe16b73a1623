package limiters

import (
	"strconv"
	"time"
	"unsafe"

	"ratelab/internal/spec"
)

func init() {
	registerCanonical(spec.Entry{
		Name: "sliding-log",
		Doc:  "remember the time of every request; count those younger than the window",
		Params: []spec.Param{
			{Name: "limit", Unit: "requests", Doc: "most units admitted in any interval as long as the window"},
			{Name: "window", Unit: "duration", Doc: "how long a request counts"},
			{Name: "count", Unit: "admitted|all", Default: "admitted", Doc: "what is logged: admitted requests, or refused ones too"},
		},
		More: `A request of cost n at t is admitted if the costs logged in (t-window, t] + n <=
limit; an entry of age exactly window has left. With count=all a refused request is
logged too, unless its cost exceeds the limit: a client that keeps knocking stays out.
retry_after: until enough of the oldest entries have left, the refused request's own
entry included if it was logged. reset: until the newest entry has left.
Memory: at most limit entries a key.`,
	}, func(v *spec.Values) rule {
		return slidingLogRule{
			limit:  v.Count("limit"),
			length: v.Duration("window"),
			all:    v.Choice("count", "admitted", "all") == "all",
		}
	})
}

type slidingLogRule struct {
	limit  int64
	length time.Duration
	all    bool
}

func (r slidingLogRule) capacity() int64               { return r.limit }
func (r slidingLogRule) rate() (spec.Rate, bool)       { return windowRate(r.limit, r.length) }
func (r slidingLogRule) window() (time.Duration, bool) { return r.length, true }

func (r slidingLogRule) scaled(v *spec.Values, _, _, capacity int64) (string, error) {
	return withAll(v, "limit", strconv.FormatInt(capacity, 10))
}

func (r slidingLogRule) limiter(uint64, func(uint32) string) Limiter {
	return &slidingLog{limit: r.limit, length: r.length, all: r.all}
}

// slidingLog keeps a ring of (time, cost) for each key.
//
// The ring never holds more than limit entries, and is exact all the same.
// Costs at one instant are one entry. Entries are cut at the limit: an entry
// of the limit refuses everything while it lasts, and more can do no more.
// And an entry is dropped early if those after it already come to the limit:
// as long as it would count, they all do, and nothing is admitted whether it
// is there or not; once they do not, it has left as well. So the entries after
// the oldest come to less than the limit, and each is at least 1.
type slidingLog struct {
	slab[logged, *logged]
	limit   int64
	length  time.Duration
	all     bool
	entries int64 // room in all rings together
}

type logged struct {
	mark
	sum  int64      // the costs of the entries
	ring []logEntry // as long as it has room
	head int        // the oldest entry
	n    int        // how many entries there are
}

type logEntry struct {
	at   time.Duration
	cost int64
}

// place returns where the i-th oldest entry is.
func (s *logged) place(i int) int {
	if i += s.head; i >= len(s.ring) {
		i -= len(s.ring)
	}
	return i
}

func (s *logged) oldest() *logEntry { return &s.ring[s.head] }
func (s *logged) newest() *logEntry { return &s.ring[s.place(s.n-1)] }

func (s *logged) dropOldest() {
	s.sum -= s.oldest().cost
	s.head = s.place(1)
	s.n--
}

// seen brings the key's state to the latest of now and what it has seen.
func (l *slidingLog) seen(now time.Duration, key uint32) *logged {
	s := l.at(key)
	if !s.begun {
		l.known++
		s.begun, s.latest = true, now
	}
	t := s.see(now)
	for s.n > 0 && uint64(t)-uint64(s.oldest().at) >= uint64(l.length) {
		s.dropOldest()
	}
	return s
}

// log enters a cost at the key's latest time.
func (l *slidingLog) log(s *logged, cost int64) {
	if l.limit == 0 || cost < 1 {
		return // nothing is ever admitted, or nothing was asked for
	}
	cost = min(cost, l.limit)
	last := 0
	if s.n > 0 && s.newest().at == s.latest {
		last = 1
		cost = min(cost, l.limit-s.newest().cost)
	}
	s.sum += cost
	for s.n > last && s.sum-s.oldest().cost >= l.limit {
		s.dropOldest()
	}
	if last == 1 {
		s.newest().cost += cost
		return
	}
	if s.n == len(s.ring) {
		l.grow(s)
	}
	s.n++
	*s.newest() = logEntry{s.latest, cost}
}

func (l *slidingLog) grow(s *logged) {
	room := int(min(max(4, 2*int64(len(s.ring))), l.limit))
	l.entries += int64(room - len(s.ring))
	larger := make([]logEntry, room)
	k := copy(larger, s.ring[s.head:])
	copy(larger[k:], s.ring[:s.head])
	s.ring, s.head = larger, 0
}

func (l *slidingLog) decide(s *logged, cost int64) bool {
	admitted := cost <= l.limit-s.sum
	if admitted || l.all && cost <= l.limit {
		l.log(s, cost)
	}
	return admitted
}

func (l *slidingLog) Admit(now time.Duration, key uint32, cost int64) (bool, time.Duration) {
	return l.decide(l.seen(now, key), cost), 0
}

func (l *slidingLog) Take(now time.Duration, key uint32, cost int64) (d Decision) {
	s := l.seen(now, key)
	l.answer(&d, s, now, cost, l.decide(s, cost))
	return d
}

func (l *slidingLog) Ask(now time.Duration, key uint32, cost int64) (d Decision) {
	s := l.seen(now, key)
	l.answer(&d, s, now, cost, cost <= l.limit-s.sum)
	return d
}

func (l *slidingLog) Charge(now time.Duration, key uint32, cost int64) {
	l.log(l.seen(now, key), cost)
}

func (l *slidingLog) answer(d *Decision, s *logged, now time.Duration, cost int64, admitted bool) {
	answer(d, admitted, l.limit, l.limit-s.sum)
	if s.n > 0 {
		d.Reset = l.leaves(s, now, s.newest().at)
	}
	if !admitted {
		d.RetryAfter = Never
		if cost <= l.limit {
			d.RetryAfter = l.leaves(s, now, s.makesRoom(l.limit-cost).at)
		}
	}
}

// makesRoom returns the entry with which the sum has come down to room.
func (s *logged) makesRoom(room int64) *logEntry {
	sum := s.sum
	for i := 0; ; i++ {
		e := &s.ring[s.place(i)]
		if sum -= e.cost; sum <= room {
			return e
		}
	}
}

// leaves returns the time from now until an entry made at that time leaves.
func (l *slidingLog) leaves(s *logged, now, at time.Duration) time.Duration {
	age := uint64(s.latest) - uint64(at)
	return hint(now, s.latest, uint64(l.length)-age)
}

// Bytes returns the memory that the states and their rings take.
func (l *slidingLog) Bytes() int64 {
	return l.slab.Bytes() + l.entries*int64(unsafe.Sizeof(logEntry{}))
}

// Forget drops a key's state and its ring.
func (l *slidingLog) Forget(key uint32) {
	if s := l.find(key); s != nil {
		l.entries -= int64(len(s.ring))
	}
	l.slab.Forget(key)
}

// AtRest reports whether all entries have left.
func (l *slidingLog) AtRest(now time.Duration, key uint32) bool {
	s := l.find(key)
	return s == nil || s.latest <= now && (s.n == 0 || uint64(now)-uint64(s.newest().at) >= uint64(l.length))
}
