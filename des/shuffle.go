package des

// shuffle is a bijection of the 40-bit sequence numbers that is as good as
// random. Each of its steps can be undone: a sum and a product with an odd number
// within 40 bits, and an exclusive or with the upper half.
type shuffle [2]struct{ add, factor uint64 }

func newShuffle(seed uint64) *shuffle {
	f := new(shuffle)
	for i := range f {
		seed += 0x9e3779b97f4a7c15
		f[i].add = mix(seed)
		seed += 0x9e3779b97f4a7c15
		f[i].factor = mix(seed) | 1
	}
	return f
}

// mix is the finalizer of SplitMix64 (Steele, Lea and Flood, OOPSLA 2014).
func mix(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// rank returns the number in 0..maxSeq that takes the place of seq.
func (f *shuffle) rank(seq uint64) uint64 {
	for _, step := range f {
		seq = (seq + step.add) * step.factor & maxSeq
		seq ^= seq >> ((64 - slotBits) / 2)
	}
	return seq
}
