package experiments

import (
	"fmt"
	"math"
)

func phaseFindings(d *Data) ([]string, error) {
	r := &reading{d: d}
	part := func(i int, origin string) float64 {
		return r.percent(phasePart(i), "part", "profile", "origin", origin, "limit", "5", "load", "2")
	}
	unlike, apart := 0.0, 0.0
	for _, limit := range []string{"1", "5", "20"} {
		for _, load := range []string{"0.8", "1", "1.5"} {
			for _, origin := range []string{"jitter", "creation"} {
				at := func(origin string) []string {
					return []string{"part", "poisson", "origin", origin, "limit", limit, "load", load}
				}
				unlike = max(unlike, r.percent("unlike_epoch", at(origin)...))
				apart = max(apart, math.Abs(r.percent("admit_share", at(origin)...)-r.percent("admit_share", at("epoch")...)))
			}
		}
	}
	return r.say(
		fmt.Sprintf("%s twice the limit %.0f%% pass just after the shared edge and %.0f%% just before the next; with edges of their own, up to %.0f%% of decisions differ, and the share admitted by at most %.2f points.",
			either(part(0, "epoch") > part(phaseParts-1, "epoch")+10 && apart < 1, "At an edge that all keys share everybody notices, in the long run nobody: at", "At"),
			part(0, "epoch"), part(phaseParts-1, "epoch"), unlike, apart),
		fmt.Sprintf("Keys with offsets of their own pass %.0f%% just after the epoch's edge and %.0f%% just before the next.", part(0, "jitter"), part(phaseParts-1, "jitter")),
	)
}
