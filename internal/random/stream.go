package random

import (
	"crypto/sha256"
	"encoding/binary"
	"math/rand/v2"
)

// Stream returns the generator named by seed and path, at its beginning.
//
// The generator is PCG-DXSM of math/rand/v2. Its 128 bits of state are the
// first 16 bytes of the SHA-256 of the seed (8 bytes, little endian) followed
// by every path element, each after its length (8 bytes, little endian). The
// lengths keep ("a", "b") apart from ("ab") and from ("a", "b", "").
func Stream(seed uint64, path ...string) *rand.Rand {
	buf := make([]byte, 0, 128)
	buf = binary.LittleEndian.AppendUint64(buf, seed)
	for _, element := range path {
		buf = binary.LittleEndian.AppendUint64(buf, uint64(len(element)))
		buf = append(buf, element...)
	}
	sum := sha256.Sum256(buf)
	return rand.New(rand.NewPCG(
		binary.LittleEndian.Uint64(sum[0:8]),
		binary.LittleEndian.Uint64(sum[8:16]),
	))
}
