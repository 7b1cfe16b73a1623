package logs

import (
	"bytes"
	"errors"
	"math"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

type arrival struct {
	at            time.Duration
	key, endpoint uint32
	cost          int64
}

func iterate(arrivals []arrival) Iterator {
	i := 0
	return func() (time.Duration, uint32, uint32, int64, bool) {
		if i == len(arrivals) {
			return 0, 0, 0, 0, false
		}
		a := arrivals[i]
		i++
		return a.at, a.key, a.endpoint, a.cost, true
	}
}

var written = []arrival{
	{0, 0, 0, 1},
	{1, 1, 0, 2},
	{1500 * time.Millisecond, 255, 7, 1},
	{26 * time.Hour, 1<<24 - 2, math.MaxUint32, 1},
	{26*time.Hour + 1, 1<<24 - 1, 0, math.MaxInt64},
	{59 * 24 * time.Hour, math.MaxUint32, 0, 1},
	{-1, 0, 0, 1},
}

func TestWritesArrivals(t *testing.T) {
	var out bytes.Buffer
	require.NoError(t, WriteArrivals(&out, iterate(written)))
	golden(t, "written.csv", out.Bytes())
	rows, err := NewArrivalReader(&out, "out")
	require.NoError(t, err)
	var row Arrival
	for _, want := range written {
		require.NoError(t, rows.Next(&row))
		assert.Equal(t, want.at, row.At)
		assert.Equal(t, want.cost, row.Cost)
	}
}

func TestWritesCombined(t *testing.T) {
	var out bytes.Buffer
	require.NoError(t, WriteCombined(&out, iterate(written)))
	golden(t, "written.log", out.Bytes())
	text := out.String()
	log, err := Read([]string{"-"}, Options{Stdin: &out})
	require.NoError(t, err)
	assert.Equal(t, Combined, log.Files[0].Format)
	assert.Zero(t, log.Bad)
	assert.EqualValues(t, 1, log.Reordered)
	assert.Equal(t, 6, log.Keys.Len(), "a key, an address")
	assert.EqualValues(t, time.Date(2025, 12, 31, 23, 59, 59, 0, time.UTC).UnixNano(), log.Records[0].At, "cut down, not towards 0")
	for line := range strings.Lines(text) {
		address, err := netip.ParseAddr(line[:strings.IndexByte(line, ' ')])
		require.NoError(t, err)
		assert.True(t, address.IsPrivate() || netip.MustParsePrefix("2001:db8::/32").Contains(address), line)
	}
}

func TestAddressesAreDistinct(t *testing.T) {
	seen := map[string]uint32{}
	for _, around := range []uint32{0, 1 << 8, 1 << 16, 1<<24 - 1, 1 << 31, math.MaxUint32} {
		for d := range uint32(2000) {
			key := around + d - 1000 // wraps
			text := string(appendAddress(nil, key))
			other, there := seen[text]
			require.True(t, !there || other == key, text)
			seen[text] = key
		}
	}
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no space left") }

func TestWriteErrorsAreReported(t *testing.T) {
	assert.ErrorContains(t, WriteArrivals(full{}, iterate(written)), "no space left")
	assert.ErrorContains(t, WriteCombined(full{}, iterate(written)), "no space left")
	endless := func() (time.Duration, uint32, uint32, int64, bool) { return 0, 0, 0, 1, true }
	assert.ErrorContains(t, WriteArrivals(full{}, endless), "no space left")
	assert.ErrorContains(t, WriteCombined(full{}, endless), "no space left")
}
