package experiments

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"ratelab/limiters"
)

// phaseMoved makes all windows of a lab start elsewhere.
func phaseMoved(origin string) breakage {
	return func(lab *Lab) {
		limiter := lab.Limiter
		lab.Limiter = func(s limiters.Spec, seed uint64) limiters.Limiter {
			moved, err := phaseLimiter(origin, s.Param("limit"))
			if err != nil {
				panic(err)
			}
			return limiter(moved, seed)
		}
	}
}

func TestWindowPhaseClaims(t *testing.T) {
	breaks := map[string]breakage{
		"windows of the epoch let the second burst pass if an edge lies between, however close it is to the first":            phaseMoved("first"),
		"windows that start with the key let it pass if it comes a window later, wherever the first one came":                 phaseMoved("epoch"),
		"after a pause the two differ: one keeps its edges, the other starts anew":                                            phaseMoved("first"),
		"with an offset of its own a key passes the second burst with the probability that an edge lies between":              boundaryWith("jitter", "5s"),
		"in the long run it is all one where windows start, if they do not wait for a request":                                phaseMoved("first"),
		"windows that open with a request admit less: one request and then a window's, in a window and the wait for the next": phaseMoved("epoch"),
		"an adversary gets twice the limit in a window wherever its edges are, if they do not wait":                           phaseMoved("first"),
		"and one less if a request has to open the window":                                                                    phaseMoved("epoch"),
	}
	for _, part := range []string{"3", "7"} {
		breaks["in part "+part+" of 10 of the epoch's windows all keys are admitted what their common window has left then"] = phaseMoved("jitter")
	}
	breaks["in part 3 of 10 of the epoch's windows keys with edges of their own are admitted what they are at all times"] = phaseMoved("epoch")
	testClaims(t, "window-phase", breaks)
}

func TestWindowPhaseFiguresSayWhatWasMeasured(t *testing.T) {
	d := quickly(t, "window-phase", trueLab(true), 2, func(get func(string) string) bool {
		return get("part") == "poisson" || get("part") == "profile" && get("load") == "2"
	})
	begin := map[string]string{"profile": "Just after a shared edge 100% pass, just before the next ", "decisions": "Other edges, the same long run: up to "}
	for figure, title := range drawAll(t, d) {
		assert.Contains(t, title, begin[figure])
	}
	drawsNothing(t, d)
}

func TestWindowPhaseRefusesSettingsThatMakeNoSense(t *testing.T) {
	refuses(t, "window-phase", [][3]string{
		{"part", "bursst", `did you mean "bursts"?`},
		{"origin", "epok", `did you mean "epoch"?`},
		{"limit", "0", "whole number in 1..1000"},
		{"load", "0", "0.01..1000"},
		{"position", "-1", "from 0 to 2"},
		{"gap", "3", "from 0 to 2"},
	})
}
