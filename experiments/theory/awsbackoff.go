package theory

// The AWS study of back-off, simulated: there is no closed form. N clients each want one write to the same row, under optimistic
// concurrency control: read the version, write with it, and after a conflict wait and start over. A leg of the network takes
// |Normal(10, 2)| ms, drawn anew each time; the server takes none. Attempt n >= 1 that fails is followed by a wait of, with
// e = min(2000, 5·2^n) ms,
//
//	Exponential   e
//	EqualJitter   e/2 + U(0, e/2)
//	FullJitter    U(0, e)
//	Decorrelated  s = min(2000, U(5, 3s)), s the wait before, 5 at first
//	NoBackoff     0
//
// What the study said holds with 100 clients: full jitter needs less than half the writes of exponential back-off without jitter, which
// takes longest of all. That equal jitter needs more writes than full jitter holds up to about 150 clients, not with 190.

// AWSBackoffAlgorithm is how a client of the study waits.
type AWSBackoffAlgorithm string

const (
	Exponential  AWSBackoffAlgorithm = "exponential"
	Decorrelated AWSBackoffAlgorithm = "decorrelated"
	EqualJitter  AWSBackoffAlgorithm = "equal"
	FullJitter   AWSBackoffAlgorithm = "full"
	NoBackoff    AWSBackoffAlgorithm = "none"
)

// AWSBackoffPoint is a point of the study: means over 400 replications, each with the half-width of its 95 % interval.
type AWSBackoffPoint struct {
	Clients    int
	Algorithm  AWSBackoffAlgorithm
	Time       float64 // ms until all have written
	TimeError  float64
	Calls      float64 // writes of all clients, reads not counted
	CallsError float64
}

// AWSBackoff returns the points of the study, by clients. Source: an independent port of the simulator that the study published
// (aws-samples/aws-arch-backoff-simulator, commit 66cb169); the study itself gives figures, not numbers.
func AWSBackoff() []AWSBackoffPoint { return append([]AWSBackoffPoint(nil), awsBackoff[:]...) }

var awsBackoff = [...]AWSBackoffPoint{
	{10, Exponential, 3440.9, 128.7, 50.6, 0.4},
	{10, Decorrelated, 433.7, 7.9, 37.8, 0.2},
	{10, EqualJitter, 733.2, 19.1, 42.6, 0.2},
	{10, FullJitter, 470.2, 11.1, 39, 0.2},
	{10, NoBackoff, 378.7, 3.5, 50.8, 0.4},
	{50, Exponential, 36242.4, 326.8, 623.1, 2.9},
	{50, Decorrelated, 2250.3, 51.8, 374.2, 1.3},
	{50, EqualJitter, 4244.4, 51.1, 347.6, 0.5},
	{50, FullJitter, 2940.7, 54.6, 332.6, 0.5},
	{50, NoBackoff, 1140.5, 4.5, 690.2, 1.7},
	{100, Exponential, 63539, 395.1, 1856.7, 5.8},
	{100, Decorrelated, 4584.3, 62.4, 1002.1, 2.7},
	{100, EqualJitter, 6562.6, 63.2, 812.1, 0.7},
	{100, FullJitter, 4925.9, 51.3, 796.5, 0.7},
	{100, NoBackoff, 2027.9, 4.5, 2424.4, 3.2},
	{150, Exponential, 85822.2, 417.5, 3549.1, 10.1},
	{150, Decorrelated, 6542.6, 73.8, 1762.4, 4.6},
	{150, EqualJitter, 8367.7, 62, 1324.6, 1},
	{150, FullJitter, 6424.6, 55.3, 1318.8, 1},
	{150, NoBackoff, 2879, 4.4, 5144.5, 5.1},
	{190, Exponential, 101463.7, 413.6, 5167, 11.2},
	{190, Decorrelated, 7954.6, 86.8, 2434.5, 5.6},
	{190, EqualJitter, 9407, 59, 1760.5, 1.3},
	{190, FullJitter, 7479.8, 56.9, 1771.8, 1.2},
	{190, NoBackoff, 3535.8, 4.4, 8005.2, 6.9},
}
