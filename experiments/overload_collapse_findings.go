package experiments

import "fmt"

func overloadFindings(d *Data) ([]string, error) {
	r := &reading{d: d}
	stuck := func(load int, more ...string) float64 { return r.percent("stuck", overloadPlace(load, more...)...) }
	last := func(cure []string) float64 {
		at := []string{"part", "course"}
		for _, f := range [][2]string{{"jitter", "none"}, {"deadline", "no"}, {"budget", "none"}, {"limit", "none"}, {"queue", "unlimited"}} {
			value := f[1]
			if len(cure) > 0 && cure[0] == f[0] {
				value = cure[1]
			}
			at = append(at, f[0], value)
		}
		s, err := d.Series("course", "goodput", "from", at...)
		if err != nil {
			if r.err == nil {
				r.err = err
			}
			return 0
		}
		return s.Y[len(s.Y)-1]
	}
	cures := map[string]float64{}
	for _, cure := range overloadCures {
		cures[cure.label] = last(cure.at)
	}
	door := func(load int) float64 {
		return r.mean("goodput", overloadDoorPlace("steady", load, "refusals")...)
	}
	none := cures["no cure"]
	collapsed := none < overloadCapacity/10
	return r.say(
		fmt.Sprintf("%s a spike of 4 s at 240/s, a server of 300/s whose callers retry once serves %.0f/s in time a minute later; with a limit it serves %.0f/s, with a budget of retries %.0f/s, with a short queue %.0f/s.",
			either(collapsed, "By retries, which keep it busy with what nobody waits for any more: after", "After"), none, cures["limit"], cures["budget"], cures["short queue"]),
		fmt.Sprintf("With back-off alone it serves %.0f/s.", cures["back-off"]),
		fmt.Sprintf("%s with one retry %.0f%% of runs are stuck at the end at 130/s, %.0f%% at 170/s, and %.0f%% at 280/s with a queue of 200.",
			either(stuck(130) < stuck(170), "It heals by itself where load times attempts is below its capacity:", "Without a cure,"), stuck(130), stuck(170), stuck(280, "queue", "200")),
		fmt.Sprintf("Saying no takes time too: where a refusal costs 10 ms of the server, a limit of 20/s serves %.0f/s of 50/s, and %.0f/s of 120/s.", door(50), door(120)),
	)
}
