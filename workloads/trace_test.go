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

func TestTracesArePlayedAtASpeed(t *testing.T) {
	h := time.Hour
	in := []time.Duration{9*day + 13*h, 9*day + 14*h, 9*day + 14*h + 5, 10 * day}
	for text, want := range map[string][]time.Duration{
		"trace:file=f,speed=2":              {13 * h, 13*h + h/2, 13*h + h/2 + 2, 13*h + 11*h/2},
		"trace:file=f,speed=0.5,start=zero": {0, 2 * h, 2*h + 10, 22 * h},
		"trace:file=f,speed=0.1,start=asis": {9*day + 13*h, 9*day + 23*h, 9*day + 23*h + 50, 9*day + 123*h},
	} {
		assert.Equal(t, want, times(read(mustNew(t, text, openTimes(in...)), 100)), text)
	}
	slow := read(mustNew(t, "trace:file=f,speed=0.000000001,start=zero", openTimes(-5, 1e9, 1e10)), 100)
	assert.Equal(t, []time.Duration{0, 1_000_000_005_000_000_000}, times(slow), "until the clock ends")
}

func TestTracesAreFolded(t *testing.T) {
	for i, a := range read(mustNew(t, "trace:file=f,fold=3", openTimes(0, 1, 2, 3, 4, 5, 6)), 100) {
		assert.Equal(t, uint32(i%3), a.Key)
	}
	_, err := Parse("trace:file=f,fold=0")
	require.EqualError(t, err, `workload "trace": fold must lie in 1..1048576, got 0`)
}

func TestTracesAreLooped(t *testing.T) {
	h := time.Hour
	list := read(mustNew(t, "trace:file=f,loop=1d", openTimes(9*day+13*h, 10*day+12*h)), 5)
	assert.Equal(t, []time.Duration{13 * h, 36 * h, 37 * h, 60 * h, 61 * h}, times(list))
	assert.Equal(t, []uint32{0, 1, 0, 1, 0}, []uint32{list[0].Key, list[1].Key, list[2].Key, list[3].Key, list[4].Key})
	list = read(mustNew(t, "trace:file=f,loop=1h,start=zero,speed=2", openTimes(-h, -h+2)), 5)
	assert.Equal(t, []time.Duration{0, 1, h / 2, h/2 + 1, h}, times(list))
	assert.Empty(t, read(mustNew(t, "trace:file=f,loop=1h", openTimes()), 5))
	w := mustNew(t, "trace:file=f,loop=100000d,start=zero", openTimes(0, 5*day))
	assert.Len(t, read(w, 10), 4)
	_, ok := w.Next()
	assert.False(t, ok)

	s := mustParse(t, "trace:file=f,loop=1h")
	_, err := s.New(openTimes(0, 90*time.Minute))
	require.EqualError(t, err, `workload "trace": loop must be longer than from the first arrival of file f to any other, at least 1h30m0.000000001s, got 1h`)
	_, err = s.New(openTimes(math.MinInt64, math.MaxInt64))
	require.ErrorContains(t, err, "loop must be longer")
}
