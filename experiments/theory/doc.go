// Package theory says what mathematics says the answers are.
//
// An experiment simulates and then compares with a function of this package. Nothing here is simulated, but for the
// data of awsbackoff.go, and nothing is shared with the limiters: every function is a closed form, a sum or a small Markov chain, with its formula, the
// conditions under which it holds, and its source. Outside its domain a function returns NaN (or a value whose fields are NaN);
// it never panics.
//
// # Symbols
//
//	λ, Λ     arrival rate of one stream, of a whole fleet (requests per second)
//	r        refill rate (tokens per second); D = 1/r is the emission interval
//	ρ        load of a bucket or queue, λ/r (1)
//	b, K     burst of a bucket, places in a queue including the one in service (requests)
//	L, T     limit (requests) per window (seconds); a = λT is the mean number of arrivals per window
//	f        position in the current window as a share of it, 0 <= f < 1
//	P, C     counts of the previous and of the current window
//	N        servers
//	p, γ     share of time on, and 1/(correlation time), of an on/off stream
//	δ        length of a half-open interval
//
// # Models
//
//	tokenbucket.go     loss, admitted rate and share of time full of a token bucket under Poisson arrivals; refill at ticks
//	leakyqueue.go      waits of M/D/1 and M/D/1/K, delay of a bucket drained at ticks
//	fixedwindow.go     admitted per aligned window under Poisson arrivals
//	slidinglog.go      Erlang B; the log that also counts what it refused
//	slidingcounter.go  admit share of the weighted counter under Poisson arrivals, four variants
//	countererror.go    estimate minus truth of an unlimited counter: bounds, Poisson, one burst, on/off
//	dispersion.go      on/off streams: mean, variance and index of dispersion of counts; streams made to order; chains of rates, a rate that comes and goes
//	envelope.go        the most that any half-open interval can be admitted, in real time and on a nanosecond clock
//	flood.go           admitted per window when somebody always knocks
//	story.go           what passes on both sides of one page turn, quiet and then loud
//	fleet.go           N servers: random, weighted and round-robin splits of the whole limit or of quotas
//	sharded.go         quotas and shards under random and hashed choice; a key that moves
//	synced.go          overshoot of servers that exchange counts: fluid and Poisson, own hits counted or ignored
//	leases.go          calls, stranded and outliving tokens of a limit that is lent in batches
//	race.go            overshoot of a counter that is read, then written late
//	windowphase.go     where windows begin: bursts, Poisson arrivals, parts of a window
//	memory.go          bytes of states side by side and of rings; what a meter admits that forgets idle keys
//	nginx.go           a queue on a coarse clock; what burst and delay of nginx do, and its spacing
//	layers.go          one greedy user under two limits, by who pays; bills of a bucket and of a loop
//	store.go           latency of a central store, and what passes while it is down
//	storewait.go       how many wait longer than so for it
//	choices.go         the least loaded of d servers
//	retries.go         attempts under failures from outside, and behind a limiter that refuses
//	herd.go            how many come back at once: balls in bins, many waiters for one key
//	fulljitter.go      retries per second of clients with full jitter that are never served
//	retrybudget.go     attempts and success under retry budgets
//	throttling.go      clients that refuse their own requests
//	overload.go        when a server recovers from its clients' retries, and what refusing costs it
//	awsbackoff.go      the AWS study of back-off, as data
//	fairness.go        Jain's index; max-min and proportional shares
//	tenants.go         one limit for all: tenants that send batches, or try again
//	traces.go          the smallest limits that refuse nothing of given requests
//
// Under them lie poisson.go (probabilities and tails), counts.go (sums of whole numbers), chain.go (stationary laws without
// subtraction) and md1k.go (the queue that is both a token bucket and a leaky bucket).
package theory
