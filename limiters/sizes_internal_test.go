package limiters

import (
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
)

func TestBytesOfAKeyAreWhatTheDocumentationSays(t *testing.T) {
	for name, size := range map[string]uintptr{
		"fixed-window": unsafe.Sizeof(countedWindow{}),
		"token-bucket": unsafe.Sizeof(bucketLevel{}),
		"gcra":         unsafe.Sizeof(arrival{}),
		"leaky-meter":  unsafe.Sizeof(meterContent{}),
		"leaky-queue":  unsafe.Sizeof(departure{}),
	} {
		assert.EqualValues(t, 32, size, name)
	}
	assert.EqualValues(t, 40, unsafe.Sizeof(twoWindows{}))
	assert.EqualValues(t, 40, unsafe.Sizeof(intervalLevel{}))
	assert.EqualValues(t, 64, unsafe.Sizeof(logged{}))
	assert.EqualValues(t, 16, unsafe.Sizeof(logEntry{}))
}
