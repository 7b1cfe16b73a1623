package main

import (
	"fmt"
	"strings"
	"testing"
)

// TestCommands compares status, output and messages of whole command lines,
// run at the root of the repository, with golden files.
func TestCommands(t *testing.T) {
	const csv = "t,key,cost\n0,a,1\n0,a,1\n0.25,b,1\n0.5,a,1\n"
	const users = "t,user,ip\n0,ann,x\n0,ann,y\n0,ben,x\n0,cyd,z\n"
	for _, c := range []struct{ name, in, line string }{
		{"root", "", ""},
		{"help-decide", "", "help decide"},
		{"help-demo", "", "help demo"},
		{"list-limiters", "", "list limiters"},
		{"list-limiters-json", "", "list limiters --json"},
		{"list-balancers", "", "list balancers"},
		{"list-clients", "", "list clients"},
		{"list-budgets", "", "list budgets"},
		{"list-hints", "", "list hints"},
		{"show-client", "", "show backoff"},
		{"show-client-spec", "", "show backoff:base=100ms,cap=20s,timeout=3s,budget=ratio/min=5"},
		{"show-budget", "", "show budget/ratio"},
		{"list-metrics", "", "list metrics"},
		{"show-metric", "", "show overshoot"},
		{"show-balancer", "", "show balancer/weighted"},
		{"simulate-fleet", "", "simulate --limiter leaky-queue:rate=5/s,queue=5 --workload on-off:rate=20/s,on=1s,off=1s --servers 2 --coordination central --rtt 10ms --keys 3 --horizon 30s --warmup 5s --reps 2"},
		{"simulate-warmup", "", "simulate --limiter token-bucket:rate=10/s,burst=2000 --workload poisson:rate=20/s --horizon 1000s --warmup auto --reps 2"},
		{"simulate-warmup-csv", "", "simulate --limiter token-bucket:rate=10/s,burst=2000 --workload poisson:rate=20/s --horizon 1000s --warmup auto --reps 2 --format csv"},
		{"simulate-warmup-too-late", "", "simulate --limiter token-bucket:rate=10/s,burst=7000 --workload poisson:rate=20/s --horizon 1000s --warmup auto --reps 2"},
		{"simulate-faults", "", "simulate --limiter gcra:rate=50/s,burst=20 --workload tenants:rate=100/s,keys=5,greedy=4 --servers 4 --balancer least --coordination central:timeout=20ms,fail=local --rtt 5ms --skew 50ms --drift 100ppm --fault store-down=10s..20s --fault restart=3@15s --fault partition=0-1@25s..26s,lost=0.01 --fault doubled=0.01 --horizon 30s --reps 2"},
		{"simulate-clients", "", "simulate --limiter gcra:rate=20/s,burst=5 --workload poisson:rate=30/s --clients retry-after:jitter=1s,timeout=2s*0.8 --clients rude:timeout=1s*0.2 --population 50 --rounded --idempotent --loss 0.01 --horizon 30s --reps 2"},
		{"simulate-users", "", "simulate --limiter gcra:rate=5/s,burst=5 --clients paced:users=10,think=1s --hints place-in-line:rate=5/s --horizon 30s --reps 2 --format csv"},
		{"simulate-service", "", "simulate --limiter gcra:rate=1000/s,burst=1000 --workload flash-crowd:rate=280/s,peak=600/s,from=5s,to=7s --keys 10 --service exp:mean=3ms --workers-per-server 1 --queue 500 --slowdown 0.0001 --shed delay --tiers 1/6/3 --drop-abandoned --refusal-cost 1ms --refusal-at workers --clients rude:attempts=2,timeout=1s --recover-from 7s --horizon 20s --reps 2"},
		{"list-sheds", "", "list sheds"},
		{"list-faults", "", "list faults"},
		{"show-fault", "", "show partition"},
		{"show-hash", "", "show hash"},
		{"simulate-late", "", "simulate --limiter fixed-window:limit=100,window=1s --workload poisson:rate=400/s --servers 4 --horizon 20s --reps 2 --coordination central:capacity=100/s --rtt 2ms --metric admitted_over_rate --metric store_ops_rate --metric delay_max"},
		{"simulate-metric-csv", "", "simulate --limiter fixed-window:limit=10,window=1s --horizon 10s --reps 2 --metric delay_mean --metric overshoot --format csv"},
		{"list-services", "", "list services"},
		{"show-shed", "", "show shed/delay"},
		{"simulate-fault-without-meaning", "", "simulate --limiter gcra:rate=50/s,burst=20 --fault store-down=10s..20s --servers 2"},
		{"arrivals-tenants", "", "arrivals tenants:rate=2/s,keys=3,greedy=2 --horizon 3s"},
		{"show-tenants", "", "show tenants"},
		{"show-batch-spec", "", "show batch:rate=10/s,size=4,law=geometric"},
		{"simulate-nothing", "", "simulate --limiter fixed-window:limit=10,window=1m --workload steady:rate=1/h --horizon 1m --warmup 30s --reps 1"},
		{"simulate-many-keys", "", "simulate --limiter fixed-window:limit=1,window=1s --workload steady:rate=50000/s --keys 20000 --horizon 1s --reps 1"},
		{"simulate-trace-too-late", "", "simulate --limiter fixed-window:limit=10,window=1m --workload trace:file=logs/testdata/tour.log --horizon 10s --reps 1"},
		{"show-limiter", "", "show token-bucket"},
		{"show-limiter-spec", "", "show sliding-counter:limit=100,window=1m"},
		{"show-bucket-spec", "", "show token-bucket:rate=2/s,burst=20"},
		{"show-workload", "", "show on-off"},
		{"show-workload-spec", "", "show workloads/poisson:rate=10/s"},
		{"show-sum-spec", "", "show sum:(on-off:rate=20/s,on=1s,off=4s)+(shift:(burst-train:size=5,period=1m),by=30s)"},
		{"show-tokens-spec", "", "show llm-tokens:rate=60/m"},
		{"show-diurnal-spec", "", "show diurnal:low=20/s,high=100/s"},
		{"show-heavy-tail", "", "show heavy-tail"},
		{"show-sum", "", "show sum"},
		{"list-workloads", "", "list workloads"},
		{"show-story-spec", "", "show page-turn:size=200,window=1m,half=1s,story=quiet-then-loud"},
		{"show-balancer-spec", "", "show weighted:shares=4/2/1"},
		{"show-coordination-spec", "", "show quota:remainder=drop"},
		{"arrivals", "", "arrivals steady:rate=3/s --horizon 1s"},
		{"arrivals-keys", "", "arrivals poisson:rate=2/s --horizon 3s --keys 4 --seed 7"},
		{"arrivals-combined", "", "arrivals burst-train:size=3,period=1s --horizon 2s --keys 2 --format combined"},
		{"decide", csv, "decide --limiter token-bucket:rate=2/s,burst=1"},
		{"decide-stream", csv, "decide --stream --limiter fixed-window:limit=1,window=1s -"},
		{"decide-evict", "t,key\n0,a\n1,b\n2,c\n3,a\n", "decide --limiter fixed-window:limit=1,window=60s --evict lru:capacity=2"},
		{"replay-evict", "", "replay logs/testdata/tour.log --limiter gcra:rate=1/s,burst=10 --evict lru:capacity=4"},
		{"replay-evict-csv", csv, "replay - --limiter fixed-window:limit=1,window=1s --evict idle:after=250ms --format csv"},
		{"replay-evict-json", csv, "replay - --limiter fixed-window:limit=1,window=1s --evict idle:after=250ms --format json"},
		{"list-evictions", "", "list evictions"},
		{"show-eviction", "", "show idle"},
		{"show-eviction-spec", "", "show nginx-zone:size=32k,key=6"},
		{"decide-layers", users, "decide --layer user=gcra:rate=1/s,burst=1 --layer global=fixed-window:limit=2,window=1m --explain"},
		{"decide-layers-in-order", users, "decide --layer global=fixed-window:limit=2,window=1m --layer user=gcra:rate=1/s,burst=1 --charge in-order --explain"},
		{"decide-layers-no-column", users, "decide --layer group=gcra:rate=1/s,burst=1"},
		{"decide-headers", csv, "decide --limiter token-bucket:rate=2/s,burst=1 --headers"},
		{"decide-headers-layers", users, "decide --layer user=gcra:rate=1/s,burst=1 --layer global=fixed-window:limit=2,window=1m --headers --explain"},
		{"replay-layers", "", "replay logs/testdata/tour.log --layer ip=token-bucket:rate=1/s,burst=10 --layer global=token-bucket:rate=3/s,burst=60"},
		{"replay-layers-csv", users, "replay - --limiter gcra:rate=1/s,burst=2 --layer user=gcra:rate=1/s,burst=1 --layer ip=gcra:rate=1/s,burst=1 --charge always --format csv"},
		{"replay", "", "replay logs/testdata/tour.log --limiter token-bucket:rate=1/s,burst=10 --limiter sliding-log:limit=60,window=1m"},
		{"replay-csv", csv, "replay - --input csv --limiter fixed-window:limit=1,window=1s --format csv"},
		{"replay-json", csv, "replay - --limiter fixed-window:limit=1,window=1s --format json"},
		{"simulate", "", "simulate --limiter token-bucket:rate=2/s,burst=20 --workload poisson:rate=3/s --horizon 10m --reps 3"},
		{"simulate-fleet-csv", "", "simulate --limiter fixed-window:limit=10,window=1s --workload poisson:rate=50/s --servers 4 --balancer random --horizon 30s --warmup 10s --reps 3 --format csv"},
		{"simulate-central-json", "", "simulate --limiter gcra:rate=5/s,burst=5 --workload on-off:rate=20/s,on=1s,off=1s --servers 2 --coordination central --rtt 10ms --keys 3 --horizon 30s --reps 2 --format json"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Chdir(root)
			status, out, errOut := ratelab(t, c.in, strings.Fields(c.line)...)
			golden(t, c.name, fmt.Sprintf("$ ratelab %s\nstatus %d\n-- standard error --\n%s-- standard output --\n%s", c.line, status, errOut, out))
		})
	}
}
