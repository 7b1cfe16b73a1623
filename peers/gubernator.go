package peers

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/gubernator-io/gubernator/v2"
	"github.com/mailgun/holster/v4/clock"
	"github.com/sirupsen/logrus"
	"google.golang.org/grpc"

	"ratelab/internal/spec"
	"ratelab/limiters"
	"ratelab/limiters/contract"
)

func gubernatorToken() Peer {
	texts := windows(24, time.Millisecond, rand.New(rand.NewPCG(6, 1)))
	return gubernatorPeer(gubernator.Algorithm_TOKEN_BUCKET, append(specs(len(texts), func(i int, r *rand.Rand) string {
		return fmt.Sprintf("gubernator-token:limit=%d,duration=%s", count(1, r), texts[i])
	}), "gubernator-token:limit=0,duration=1s", "gubernator-token:limit=1,duration=1ms"))
}

func gubernatorLeaky() Peer {
	texts := windows(24, time.Millisecond, rand.New(rand.NewPCG(7, 1)))
	return gubernatorPeer(gubernator.Algorithm_LEAKY_BUCKET, append(specs(len(texts), func(i int, r *rand.Rand) string {
		text := fmt.Sprintf("gubernator-leaky:limit=%d,duration=%s", count(1, r), texts[i])
		if r.IntN(2) == 0 {
			text += fmt.Sprintf(",burst=%d", count(0, r))
		}
		return text
	}), "gubernator-leaky:limit=3,duration=1s", "gubernator-leaky:limit=1000,duration=100ms"))
}

func gubernatorPeer(algorithm gubernator.Algorithm, specs []string) Peer {
	return Peer{
		Program:   "gubernator",
		Version:   moduleVersion("github.com/gubernator-io/gubernator/v2"),
		Start:     func([]string) (Program, error) { return startGubernator(algorithm) },
		Specs:     specs,
		Decisions: 120_000,
		Ways:      Ways{Resolution: time.Millisecond, Back: 2 * day},
		Note: "One node in process, asked as its peers ask it, on its frozen clock and with the created time set to the same. Its cache's limit of 50,000 keys, " +
			"behaviours (calendar windows, draining, resetting), limits that change and several nodes are not modelled.",
	}
}

// gubernatorNode is one node. Its clock is one for the whole process.
type gubernatorNode struct {
	node      *gubernator.V1Instance
	algorithm gubernator.Algorithm
}

var gubernatorClock sync.Mutex

func startGubernator(algorithm gubernator.Algorithm) (Program, error) {
	silent := logrus.New()
	silent.SetOutput(io.Discard)
	node, err := gubernator.NewV1Instance(gubernator.Config{
		GRPCServers: []*grpc.Server{grpc.NewServer()}, // never served: nothing listens
		Logger:      silent,
		Workers:     1,
	})
	if err != nil {
		return nil, err
	}
	return &gubernatorNode{node, algorithm}, nil
}

func (g *gubernatorNode) Close() error { return g.node.Close() }

func (g *gubernatorNode) Decide(c *Case) ([]limiters.Decision, error) {
	limit, err := spec.ParseCount(param(c.Spec, "limit"))
	if err != nil {
		return nil, err
	}
	duration, err := spec.ParseDuration(param(c.Spec, "duration"))
	if err != nil {
		return nil, err
	}
	burst := int64(0)
	if text := param(c.Spec, "burst"); text != "" {
		if burst, err = spec.ParseCount(text); err != nil {
			return nil, err
		}
	}
	gubernatorClock.Lock()
	defer gubernatorClock.Unlock()
	frozen := false
	defer func() {
		if frozen {
			clock.Unfreeze()
		}
	}()
	ctx, cancel := context.WithTimeout(background, longestCase)
	defer cancel()
	return eachArrival(c, func(a Arrival) (d limiters.Decision, err error) {
		clock.Freeze(time.Unix(0, int64(a.At)))
		frozen = true
		ms := time.Unix(0, int64(a.At)).UnixMilli()
		reply, err := g.node.GetPeerRateLimits(ctx, &gubernator.GetPeerRateLimitsReq{Requests: []*gubernator.RateLimitReq{{
			Name: "peers", UniqueKey: c.KeyText(a.Key), Hits: a.Cost, Limit: limit, Duration: duration.Milliseconds(),
			Burst: burst, Algorithm: g.algorithm, CreatedAt: &ms,
		}}})
		if err != nil {
			return d, err
		}
		one := reply.RateLimits[0]
		if one.Error != "" {
			return d, errors.New(one.Error)
		}
		d.Admitted = one.Status == gubernator.Status_UNDER_LIMIT
		d.Limit, d.Remaining = one.Limit, one.Remaining
		d.Reset = time.Duration(one.ResetTime)*time.Millisecond - a.At
		d.Has = contract.HintLimit | contract.HintRemaining | contract.HintReset
		return d, nil
	})
}
