// Package metrics counts what happens while a world runs, in bounded memory.
//
// Every type is a plain struct with one idea. A world tells it what happened,
// in time order, and asks for the answer at the end:
//
//	Counts        how many were offered, admitted, refused; rates
//	Window        the most admitted in any half-open interval of length w
//	Windows       the same for each key; the largest over keys
//	Pages         what lies above the promise in aligned windows
//	KeyedPages    the same for each key; the largest over keys
//	Delay         mean, maximum and quantiles of delays
//	Level         minimum, maximum, mean of a bucket's tokens, share of time full
//	OpenErrors    error of a two-window counter that refuses nothing
//	ClosedErrors  error of a two-window counter over its own admitted requests
//	Errors        the distribution that both fill
//	Compare       decisions against those of an exact log, and against the truth
//	Peak          the most events in any second, and in one of the clock's
//
// [Dictionary] holds the name, the unit and the meaning of every metric.
//
// # What is counted
//
// A [Span] is what is counted: a warm-up lies before its Start, and its End is
// the horizon, itself outside. Types that keep state take the span and must be
// told of everything: what lies before Start moves the state and is not counted.
// Types without a span ([Counts], [Window], [Windows], [Delay]) must be told
// only what lies inside. For a Window this means that an interval which begins
// before Start holds only what came after it.
//
// Where requests have costs, amounts are sums of costs and shares are of
// requests, unless the dictionary says otherwise. A quotient of nothing by
// nothing is NaN: no answer is not the answer 0.
//
// # Memory and exactness
//
// Memory is bounded by the largest number of distinct instants with an admitted
// request in one window, and by keys: a keyed type is exact for up to [MostKeys]
// keys; beyond that it follows the keys it met first, and says so (Sampled).
// Nothing allocates per observation once rings and tables have grown.
//
// Counts are integers, and quotients of them are rounded once. Sums of floats
// are compensated and made in the order of observation, so they are the same
// bits on every machine. Quantiles come from exact counts in log-linear buckets,
// and their error is bounded where they are defined.
package metrics
