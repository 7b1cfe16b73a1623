package theory

import "math"

// positive reports whether x is a finite number above 0: the domain of every rate, load and mean count.
func positive(x float64) bool { return x > 0 && !math.IsInf(x, 1) }

// unit reports whether x lies in [0, 1].
func unit(x float64) bool { return x >= 0 && x <= 1 }

// poissonPMF returns P(N = n) for N ~ Poisson(a), a > 0, n >= 0, with a relative error of about 1e-14 everywhere.
//
// Source: C. Loader, "Fast and accurate computation of binomial probabilities" (2000): the saddle-point form
// e^(-stirlingError(n) - deviance(n, a)) / sqrt(2πn), which cancels nothing.
func poissonPMF(a float64, n int) float64 {
	if n == 0 {
		return math.Exp(-a)
	}
	x := float64(n)
	return math.Exp(-stirlingError(n)-deviance(x, a)) / math.Sqrt(2*math.Pi*x)
}

// stirlingError returns ln n! - ln(sqrt(2πn) (n/e)^n), n >= 1.
func stirlingError(n int) float64 {
	x := float64(n)
	if n <= 15 {
		lg, _ := math.Lgamma(x + 1)
		return lg - ((x+0.5)*math.Log(x) - x + 0.5*math.Log(2*math.Pi))
	}
	y := 1 / (x * x)
	return (1.0/12 - (1.0/360-(1.0/1260-(1.0/1680-y/1188)*y)*y)*y) / x
}

// deviance returns x ln(x/m) + m - x, by a series where x is near m.
func deviance(x, m float64) float64 {
	if math.Abs(x-m) >= 0.1*(x+m) {
		return x*math.Log(x/m) + m - x
	}
	v := (x - m) / (x + m)
	sum := (x - m) * v
	term := 2 * x * v
	for j := 3; ; j += 2 {
		term *= v * v
		next := sum + term/float64(j)
		if next == sum {
			return sum
		}
		sum = next
	}
}

// negligible is the share of a sum below which a further, ever smaller term is dropped.
const negligible = 1e-18

// poissonUpper returns P(N >= k): summed upwards from k above the mean, where it is the small side.
func poissonUpper(a float64, k int) float64 {
	if float64(k) <= a {
		return 1 - poissonLower(a, k-1)
	}
	term := poissonPMF(a, k)
	sum := term
	for n := k + 1; term > negligible*sum; n++ {
		term *= a / float64(n)
		sum += term
	}
	return sum
}

// poissonLower returns P(N <= n): summed downwards from n below the mean, where it is the small side.
func poissonLower(a float64, n int) float64 {
	if n < 0 {
		return 0
	}
	if float64(n) >= a {
		return 1 - poissonUpper(a, n+1)
	}
	term := poissonPMF(a, n)
	sum := term
	for k := n; k > 0 && term > negligible*sum; k-- {
		term *= float64(k) / a
		sum += term
	}
	return sum
}

// poissonTails returns P(N >= k) for k = 0..top, small tails with full relative precision: nothing is subtracted.
func poissonTails(a float64, top int) []float64 {
	t := make([]float64, top+1)
	t[top] = poissonUpper(a, top)
	for k := top - 1; k > 0; k-- {
		t[k] = t[k+1] + poissonPMF(a, k)
	}
	t[0] = 1
	return t
}

// poissonExcess returns E[(N-m)^+], m >= 0. Nothing is subtracted: above the mean it is summed upwards from m, below it
// it is (a-m) + E[(m-N)^+].
func poissonExcess(a float64, m int) float64 {
	if float64(m) < a {
		return (a - float64(m)) + poissonLack(a, m)
	}
	p := poissonPMF(a, m)
	sum := 0.0
	for n := m + 1; ; n++ {
		p *= a / float64(n)
		term := float64(n-m) * p
		sum += term
		if term <= negligible*sum {
			return sum
		}
	}
}

// poissonLack returns E[(m-N)^+] for m below the mean a, summed downwards from m.
func poissonLack(a float64, m int) float64 {
	p := poissonPMF(a, m)
	sum := 0.0
	for n := m - 1; n >= 0; n-- {
		p *= float64(n+1) / a
		term := float64(m-n) * p
		sum += term
		if term <= negligible*sum {
			break
		}
	}
	return sum
}

// poissonMin returns E[min(N, m)], from whichever of a - E[(N-m)^+] and m - E[(m-N)^+] subtracts the smaller part;
// 0 for m <= 0 or a = 0.
func poissonMin(a float64, m int) float64 {
	switch {
	case m <= 0 || a == 0:
		return 0
	case float64(m) < a:
		return float64(m) - poissonLack(a, m)
	default:
		return a - poissonExcess(a, m)
	}
}

// poissonBulk returns the probabilities of lo, lo+1, ..., which together hold all but about 1e-17 of the mass.
func poissonBulk(a float64) (lo int, pmf []float64) {
	mode := int(a)
	top := poissonPMF(a, mode)
	lo = mode
	for p := top; lo > 0 && p > negligible*top; lo-- {
		p *= float64(lo) / a
	}
	p := poissonPMF(a, lo)
	for n := lo; n <= mode || p > negligible*top; n++ {
		pmf = append(pmf, p)
		p *= a / float64(n+1)
	}
	return lo, pmf
}
