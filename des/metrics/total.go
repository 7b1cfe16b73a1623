package metrics

// total is a compensated sum of float64: what each addition rounds away is
// summed beside it (Knuth's TwoSum; Ogita, Rump and Oishi 2005, algorithm Sum2).
// Its error is about one rounding of the result plus n²·2⁻¹⁰⁶ of the sum of
// magnitudes. The zero value is 0.
type total struct{ sum, lost float64 }

func (t *total) add(x float64) {
	s := t.sum + x
	b := s - t.sum
	t.lost += (t.sum - (s - b)) + (x - b)
	t.sum = s
}

func (t *total) merge(other *total) {
	t.add(other.sum)
	t.add(other.lost)
}

func (t *total) value() float64 { return t.sum + t.lost }
