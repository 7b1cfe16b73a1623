package workloads

import (
	"errors"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func openTimes(at ...time.Duration) Env {
	return Env{Open: func(string) (Workload, error) {
		r := &recorded{}
		for i, d := range at {
			r.list = append(r.list, Arrival{At: d, Key: uint32(i), IP: 7, Endpoint: 8, Cost: int64(i + 1)})
		}
		return r, nil
	}}
}

func TestTraceStartsWhereItIsTold(t *testing.T) {
	h := time.Hour
	for _, c := range []struct {
		name, spec string
		in, out    []time.Duration
	}{
		{"whole days go, the hour stays", "trace:file=f", []time.Duration{9*day + 13*h, 9*day + 14*h, 10*day + 1}, []time.Duration{13 * h, 14 * h, day + 1}},
		{"less than a day stays", "trace:file=f,start=day", []time.Duration{5, day}, []time.Duration{5, day}},
		{"before the epoch", "trace:file=f", []time.Duration{-1, 0}, []time.Duration{day - 1, day}},
		{"whole days before the epoch", "trace:file=f", []time.Duration{-2 * day, 0}, []time.Duration{0, 2 * day}},
		{"from zero", "trace:file=f,start=zero", []time.Duration{-3, 4, 4}, []time.Duration{0, 7, 7}},
		{"as it is", "trace:file=f,start=asis", []time.Duration{9*day + 1, 9*day + 2}, []time.Duration{9*day + 1, 9*day + 2}},
		{"until the clock ends", "trace:file=f,start=zero", []time.Duration{-3, math.MaxInt64 - 3, math.MaxInt64 - 2}, []time.Duration{0, math.MaxInt64}},
		{"empty", "trace:file=f", nil, []time.Duration{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			list := read(mustNew(t, c.spec, openTimes(c.in...)), 100)
			assert.Equal(t, c.out, times(list))
			for i, a := range list {
				assert.Equal(t, Arrival{At: c.out[i], Key: uint32(i), IP: 7, Endpoint: 8, Cost: int64(i + 1)}, a, "only the time moves")
			}
		})
	}
}

func TestTraceSaysWhatIsWrongWithItsFile(t *testing.T) {
	s := mustParse(t, "trace:file=access.log")
	_, err := s.New(Env{})
	require.EqualError(t, err, `workload "trace": file access.log: files can not be read here`)

	broken := errors.New("access.log: line 3: noon is no time")
	_, err = s.New(Env{Open: func(string) (Workload, error) { return nil, broken }})
	require.EqualError(t, err, `workload "trace": access.log: line 3: noon is no time`)
	require.ErrorIs(t, err, broken)

	_, err = s.New(openTimes(math.MinInt64))
	require.ErrorContains(t, err, "access.log: its first arrival lies too far before 0")

	s, err = s.With("start", "asis")
	require.NoError(t, err)
	_, err = s.New(openTimes(-90 * time.Second))
	require.EqualError(t, err, `workload "trace": start must be day or zero for file access.log, whose first arrival lies 1m30s before 0, got asis`)

	_, err = Parse("trace:file=")
	require.EqualError(t, err, `workload "trace": file must be the name of a file, got ""`)
}

func TestTraceOpensItsFileAnewEachTime(t *testing.T) {
	s := mustParse(t, "trace:file=f,start=zero")
	for range 2 {
		w, err := s.New(openTimes(1, 2, 3))
		require.NoError(t, err)
		assert.Len(t, read(w, 10), 3)
	}
}
