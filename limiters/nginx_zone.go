package limiters

import (
	"strings"
	"time"

	"ratelab/internal/spec"
)

// What a zone of nginx's limit_req module holds, by the page arithmetic of its
// slab allocator on a 64-bit machine with pages of 4 KiB.
const (
	zonePage       = 4096
	zoneDescriptor = 24                        // of a page
	zoneHeader     = 200 + (12-3)*(24+32)      // the pool, and for each size from 2³ to 2¹¹ a list and its statistics
	zoneLeast      = 8 * zonePage              // nginx refuses less
	zoneMost       = int64(1) << 38            // keys are numbered in 32 bits
	zoneNode       = 80                        // a state without its key
	zoneMostKey    = zonePage/2 - 1 - zoneNode // longer keys take whole pages
	zoneTree       = 128                       // what the head of tree and list takes, 80 bytes
	zoneIdle       = 60 * time.Second          // a state used within it is dropped by force only
)

// zoneStates returns how many states with keys of that many bytes a zone holds.
//
// A state takes a chunk of the next power of two. One page goes to the text
// that the zone puts into log messages; the head of tree and list takes a chunk
// of 128 bytes, out of the states' pages if they have chunks of that size.
func zoneStates(size int64, key int64) int64 {
	pages := (size - zoneHeader) / (zonePage + zoneDescriptor)
	start := (zoneHeader + pages*zoneDescriptor + zonePage - 1) / zonePage * zonePage
	pages = min(pages, (size-start)/zonePage)
	chunk := int64(zoneTree)
	for chunk < zoneNode+key {
		chunk *= 2
	}
	pages-- // the text
	if chunk == zoneTree {
		return pages*(zonePage/chunk) - 1
	}
	return (pages - 1) * (zonePage / chunk)
}

// parseZoneSize reads a size as nginx does: bytes, or with k or m.
func parseZoneSize(v *spec.Values, name string) int64 {
	text := v.Text(name)
	digits, unit := text, int64(1)
	switch {
	case strings.HasSuffix(text, "k"), strings.HasSuffix(text, "K"):
		digits, unit = text[:len(text)-1], 1<<10
	case strings.HasSuffix(text, "m"), strings.HasSuffix(text, "M"):
		digits, unit = text[:len(text)-1], 1<<20
	}
	n, err := spec.ParseCount(digits)
	switch {
	case err != nil:
		v.Fail(name, "must be bytes, as a number with or without k or m like 32k or 10m, got %q", text)
	case n > zoneMost/unit || n*unit < zoneLeast:
		v.Fail(name, "must lie in 32k..262144m, got %s", text)
	}
	return n * unit
}
