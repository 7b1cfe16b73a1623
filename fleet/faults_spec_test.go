package fleet

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestFaultsAreRead(t *testing.T) {
	faults, err := ParseFaults(" store-down=10s..20s, restart=3@30s,down=0-2@1m..1h , partition=5@0..1ms,lost=0.01,doubled=1")
	require.NoError(t, err)
	assert.Equal(t, Faults{
		{Kind: StoreDown, From: 10 * time.Second, To: 20 * time.Second},
		{Kind: Restart, First: 3, Last: 3, From: 30 * time.Second},
		{Kind: Down, First: 0, Last: 2, From: time.Minute, To: time.Hour},
		{Kind: Partition, First: 5, Last: 5, To: time.Millisecond},
		{Kind: Lost, Share: 0.01},
		{Kind: Doubled, Share: 1},
	}, faults)
	assert.Equal(t, "store-down=10s..20s,restart=3@30s,down=0-2@1m..1h,partition=5@0s..1ms,lost=0.01,doubled=1", faults.String())
	assert.True(t, faults.Has(Lost))
	none, err := ParseFaults("")
	require.NoError(t, err)
	assert.Empty(t, none)
	assert.Empty(t, none.String())
	assert.False(t, none.Has(Lost))
}

func TestFaultsOfOneKindMayNotOverlap(t *testing.T) {
	for text, ok := range map[string]bool{
		"down=3@30s..40s,down=3@40s..50s":       true,
		"down=3@30s..40s,down=0-2@30s..40s":     true,
		"down=3@30s..40s,down=2-4@39s..50s":     false,
		"restart=3@30s,restart=3@31s":           true,
		"restart=3@30s,restart=0-3@30s":         false,
		"store-down=1s..2s,store-down=2s..3s":   true,
		"store-down=1s..3s,store-down=2s..4s":   false,
		"store-down=1s..3s,partition=0@2s..4s":  true,
		"lost=0.1,doubled=0.1":                  true,
		"lost=0.1,lost=0.2":                     false,
		"partition=0@1s..9s,partition=0@2s..3s": false,
	} {
		_, err := ParseFaults(text)
		assert.Equal(t, ok, err == nil, "%s: %v", text, err)
	}
}

func TestFaultsHoldForTheirServersInAHalfOpenTime(t *testing.T) {
	f, err := ParseFaults("down=1-2@10s..20s")
	require.NoError(t, err)
	for _, c := range []struct {
		at     time.Duration
		server int
		want   bool
	}{{10e9 - 1, 1, false}, {10e9, 1, true}, {20e9 - 1, 2, true}, {20e9, 2, false}, {15e9, 0, false}, {15e9, 3, false}} {
		assert.Equal(t, c.want, f.at(c.at, Down, c.server), "%v", c)
	}
	assert.False(t, f.at(15e9, Partition, 1))
}

func TestFaultsAreRefusedWithAReason(t *testing.T) {
	for text, want := range map[string]string{
		"stor-down=1s..2s":        `unknown fault "stor-down" (did you mean "store-down"?); write store-down=10s..20s, partition=0-3@10s..20s, down=3@30s..40s, restart=3@30s, lost=0.01, doubled=0.01`,
		"store-down=1s":           `fault "store-down=1s": needs a beginning and an end, as in store-down=10s..20s`,
		"store-down":              `fault "store-down": needs a beginning and an end, as in store-down=10s..20s`,
		"store-down=2s..1s":       `fault "store-down=2s..1s": must end after it begins, as in store-down=10s..20s`,
		"store-down=-2s..1s":      `fault "store-down=-2s..1s": must not begin before 0, as in store-down=10s..20s`,
		"store-down=1..2":         `fault "store-down=1..2": time must be a duration like 250ms, 1m30s or 1d (units ns, us, ms, s, m, h, d), got "1", as in store-down=10s..20s`,
		"restart=30s":             `fault "restart=30s": needs servers and a time, as in restart=3@30s`,
		"restart=3@30s..40s":      `fault "restart=3@30s..40s": happens at one time, as in restart=3@30s`,
		"restart=x@30s":           `fault "restart=x@30s": servers must be one or a range, counted from 0, as in restart=3@30s`,
		"restart=-1@30s":          `fault "restart=-1@30s": servers must be one or a range, counted from 0, as in restart=3@30s`,
		"partition=3-0@1s..2s":    `fault "partition=3-0@1s..2s": servers must be one or a range, counted from 0, as in partition=0-3@10s..20s`,
		"down=99999999@1s..2s":    `fault "down=99999999@1s..2s": servers must be one or a range, counted from 0, as in down=3@30s..40s`,
		"lost=2":                  `fault "lost=2": share must be a number above 0, at most 1, as in lost=0.01`,
		"lost=0":                  `fault "lost=0": share must be a number above 0, at most 1, as in lost=0.01`,
		"doubled=1%":              `fault "doubled=1%": share must be a number above 0, at most 1, as in doubled=0.01`,
		"lost=0.1,,doubled=0.1":   `unknown fault ""; write store-down=10s..20s, partition=0-3@10s..20s, down=3@30s..40s, restart=3@30s, lost=0.01, doubled=0.01`,
		"down=1@1s..2s,down=0-1@": `fault "down=0-1@": needs a beginning and an end, as in down=3@30s..40s`,
		"lost=0.1,lost=0.2":       `fault "lost=0.2" overlaps "lost=0.1"`,
	} {
		_, err := ParseFaults(text)
		assert.EqualError(t, err, want)
	}
	for text, want := range map[string]string{
		"restart=3@1s":    `fault "restart=3@1s": the fleet has servers 0 to 2`,
		"down=0-2@1s..2s": `fault "down=0-2@1s..2s": with it all 3 servers are down at 1s; one at least must serve`,
		"down=0@0s..9s,down=1@5s..9s,down=2@8s..9s": `fault "down=2@8s..9s": with it all 3 servers are down at 8s; one at least must serve`,
	} {
		f, err := ParseFaults(text)
		require.NoError(t, err)
		assert.EqualError(t, f.check(3), want)
		assert.NoError(t, f.check(4))
	}
}

func FuzzParseFaults(f *testing.F) {
	for _, k := range faultKinds {
		f.Add(k.usage)
	}
	f.Add("store-down=0..1ns,restart=0-65535@1d,lost=0.0000000000000000000000000000000000000001,doubled=1")
	f.Fuzz(func(t *testing.T, text string) {
		faults, err := ParseFaults(text)
		if err != nil {
			return
		}
		again, err := ParseFaults(faults.String())
		require.NoError(t, err)
		require.Equal(t, faults, again)
		_ = faults.check(3)
	})
}
