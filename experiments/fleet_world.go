package experiments

import (
	"fmt"

	"ratelab/experiments/scenario"
	"ratelab/experiments/sweep"
	"ratelab/fleet"
	"ratelab/limiters"
	"ratelab/workloads"
)

// fleetTexts are the parts of a fleet's world as they are typed. Where the
// balancer, the coordination, the round trip or the faults are empty, they are
// those of a plain fleet.
type fleetTexts struct {
	limiter, workload, balancer, coordination, rtt, faults string
	servers                                                int
}

// world reads the parts and puts a cell's world together, without a horizon.
func (x fleetTexts) world(c sweep.Cell) (w scenario.Config, err error) {
	w = scenario.Default(limiters.Spec{}, workloads.Spec{})
	w.Servers, w.Seed, w.Rep = x.servers, c.Seed, c.Rep
	if w.Limiter, err = limiters.Parse(x.limiter); err != nil {
		return w, err
	}
	if w.Workload, err = workloads.Parse(x.workload); err != nil {
		return w, err
	}
	if x.balancer != "" {
		if w.Balancer, err = fleet.ParseBalancer(x.balancer); err != nil {
			return w, err
		}
	}
	if x.coordination != "" {
		if w.Coordination, err = fleet.ParseCoordination(x.coordination); err != nil {
			return w, err
		}
	}
	if x.rtt != "" {
		if w.RTT, err = fleet.ParseRTT(x.rtt); err != nil {
			return w, err
		}
	}
	w.Faults, err = fleet.ParseFaults(x.faults)
	return w, err
}

// fixedWindow writes the limiter that most questions about fleets are asked of.
func fixedWindow(limit, window string) string {
	return fmt.Sprintf("fixed-window:limit=%s,window=%s", limit, window)
}
