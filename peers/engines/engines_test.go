package engines

import (
	"errors"
	"flag"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// With -table the table is measured and shown. `make bench` does so.
var (
	table  = flag.Bool("table", false, "measure, and show the table")
	rounds = flag.Int("rounds", 5, "how often each engine has its turn")
)

func TestEnginesComeToTheSameEnd(t *testing.T) {
	d := NewDraws()
	f, err := NewForeign(t.TempDir(), d)
	require.NoError(t, err)
	for _, w := range []Work{{"hold", 1, 1000}, {"hold", 100, 5000}, {"mm1", 0, 5000}} {
		want := RunDES(w, d).Check
		assert.Positive(t, want)
		assert.Equal(t, want, RunHeap(w, d).Check, w)
		if w.Model == "mm1" {
			assert.Equal(t, want, RunRaw(w, d).Check)
		}
		o, err := f.RunSimPy(w)
		if !errors.Is(err, ErrNotInstalled) {
			require.NoError(t, err)
			assert.Equal(t, want, o.Check, "SimPy: %s", w)
		}
		for _, s := range Schedulers {
			o, err := f.RunNS3(w, s)
			if !errors.Is(err, ErrNotInstalled) {
				require.NoError(t, err)
				assert.Equal(t, want, o.Check, "ns-3 %s: %s", s, w)
			}
		}
	}
	for _, missing := range []error{f.SimPy, f.NS3} {
		if missing != nil {
			t.Log(missing)
		}
	}
}

func TestTheOpenLoopAdmitsWhatItsRawLoopAdmits(t *testing.T) {
	sim, err := RunOpen(20_000)
	require.NoError(t, err)
	raw, err := RunOpenRaw(20_000)
	require.NoError(t, err)
	assert.Equal(t, raw.Check, sim.Check)
	assert.Greater(t, sim.Check, int64(19_000))
}

func TestTable(t *testing.T) {
	if !*table {
		t.Skip("run with -table, as `make bench` does")
	}
	require.NoError(t, WriteTable(os.Stdout, t.TempDir(), *rounds))
}
