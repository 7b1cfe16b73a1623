package theory

import "slices"

// counts is a measure on whole numbers: mass[i] on least + i.
type counts struct {
	least int
	mass  []float64
}

// times returns the law of the sum of two independent numbers, trimmed.
func (l counts) times(o counts) counts {
	mass := make([]float64, len(l.mass)+len(o.mass)-1)
	for i, p := range l.mass {
		for j, q := range o.mass {
			mass[i+j] += p * q
		}
	}
	return counts{l.least + o.least, mass}.trimmed()
}

// trimmed returns l without ends that are negligible.
func (l counts) trimmed() counts {
	floor := negligible * slices.Max(l.mass)
	for len(l.mass) > 1 && l.mass[0] <= floor {
		l.mass, l.least = l.mass[1:], l.least+1
	}
	for len(l.mass) > 1 && l.mass[len(l.mass)-1] <= floor {
		l.mass = l.mass[:len(l.mass)-1]
	}
	return l
}

// power returns the law of the sum of n >= 1 independent such numbers.
func (l counts) power(n int) counts {
	if n == 1 {
		return l
	}
	half := l.power(n / 2)
	if half = half.times(half); n%2 == 1 {
		half = half.times(l)
	}
	return half
}

// at returns the mass on c, upTo that on all up to c.
func (l counts) at(c int) float64 {
	if c < l.least || c >= l.least+len(l.mass) {
		return 0
	}
	return l.mass[c-l.least]
}

func (l counts) upTo(c int) float64 {
	sum := 0.0
	for i, p := range l.mass {
		if l.least+i > c {
			break
		}
		sum += p
	}
	return sum
}
