package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestBadInput checks what a fault of the user's gets: status 2, one line that
// names it and says what would be right, nothing on standard output, and no
// file.
func TestBadInput(t *testing.T) {
	const bucket = "--limiter token-bucket:rate=2/s,burst=20"
	for _, c := range []struct{ name, line, want string }{
		{"command", "simulat", `unknown command "simulat" (did you mean "simulate"?); known: advise, arrivals, `},
		{"command to explain", "help simulat", `unknown command "simulat" (did you mean "simulate"?); known:`},
		{"flag", "simulate --limitr x", `simulate: unknown flag --limitr (did you mean "--limiter"?); see ratelab simulate --help`},
		{"flag of all", "--versio", `unknown flag --versio; see ratelab --help`},
		{"flag without a value", "decide --limiter", `decide: flag needs an argument: --limiter; see ratelab decide --help`},
		{"argument too many", "simulate now " + bucket, `simulate takes no arguments, got "now"; see ratelab simulate --help`},

		{"limiter", "simulate --limiter token-bukket:rate=2/s,burst=20", `unknown limiter "token-bukket" (did you mean "token-bucket"?)`},
		{"no limiter to simulate", "simulate", `simulate needs --limiter SPEC, as in --limiter token-bucket:rate=2/s,burst=20`},
		{"no limiter to decide", "decide good.csv", `decide needs --limiter SPEC, as in --limiter token-bucket:rate=2/s,burst=20`},
		{"no limiter to replay", "replay good.csv", `replay needs --limiter SPEC, as in --limiter token-bucket:rate=1/s,burst=10`},
		{"parameter missing", "simulate --limiter token-bucket:rate=2/s", `limiter "token-bucket" needs burst; write token-bucket:rate=…,burst=…`},
		{"parameter unknown", "simulate --limiter token-bucket:rate=2/s,bust=20", `limiter "token-bucket" has no parameter "bust" (did you mean "burst"?)`},
		{"parameter out of range", "simulate --limiter fixed-window:limit=10,window=-1s", `limiter "fixed-window": window must be > 0, got -1s`},
		{"eviction of a decision", "decide good.csv --evict lru:capcity=5 " + bucket, `--evict: eviction "lru" has no parameter "capcity" (did you mean "capacity"?)`},
		{"eviction of a replay", "replay good.csv --evict fifo " + bucket, `--evict: unknown eviction "fifo"`},
		{"workload", "simulate --workload bursty:on=1s " + bucket, `unknown workload "bursty"`},
		{"workload parameter", "simulate --workload on-off:rate=2/s,on=0s,off=1s " + bucket, `workload "on-off": on must be > 0`},
		{"workload of no file", "simulate --workload trace:file=nowhere.csv " + bucket, `ratelab: workload "trace": nowhere.csv: no such file or directory`},
		{"workload of a file without times", "arrivals trace:file=when.csv", `ratelab: workload "trace": when.csv: line 1: no column "t"; the header has "when", "key"` + "\n"},
		{"client", "simulate --clients ruude " + bucket, `unknown client "ruude" (did you mean "rude"?)`},
		{"clients' shares", "simulate --clients rude*0.5 " + bucket, `the shares of clients must add up to 1`},
		{"hints", "simulate --hints wndow " + bucket, `unknown hint "wndow" (did you mean "window"?)`},
		{"sender", "simulate --sender me " + bucket, `--sender must be key, turn or drawn, got "me"`},
		{"population of none", "simulate --clients rude --population -1 " + bucket, `population must lie in 0..16777216, got -1`},
		{"lost replies of none", "simulate --loss 0.5 " + bucket, `loss must be 0 where nobody waits for a reply`},
		{"users and a workload", "simulate --clients rude:users=1,think=1s --workload steady:rate=1/s " + bucket, `bring their own users: there must be no workload`},
		{"service", "simulate --service exp " + bucket, `service "exp" needs mean; write exp:mean=…`},
		{"queue without a service", "simulate --queue 5 " + bucket, `--queue needs a --service, as in --service exp:mean=10ms`},
		{"queue", "simulate --service exp:mean=1s --queue x " + bucket, `--queue must be a whole number`},
		{"shed", "simulate --service exp:mean=1s --shed lenght:most=1 " + bucket, `unknown shed "lenght" (did you mean "length"?)`},
		{"refusals' place", "simulate --refusal-at cellar " + bucket, `--refusal-at: refusals are written at the door or by the workers, got "cellar"`},
		{"refusals' place for nothing", "simulate --refusal-at door " + bucket, `--refusal-at needs a --refusal-cost`},
		{"recovery of nothing", "simulate --recover-from 1s " + bucket, `recovery is measured where there are clients`},
		{"balancer", "simulate --balancer robin " + bucket, `unknown balancer "robin"`},
		{"coordination", "simulate --coordination centrl " + bucket, `unknown coordination "centrl" (did you mean "central"?)`},

		{"no limiter to serve", "demo", `demo needs --limiter SPEC, as in --limiter token-bucket:rate=2/s,burst=20`},
		{"limiter of a server", "demo --limiter token-bukket:rate=2/s,burst=20", `--limiter: unknown limiter "token-bukket" (did you mean "token-bucket"?)`},
		{"every address", "demo --listen :8080 " + bucket, `--listen: ":8080" is every address; the demo listens on this machine only`},
		{"every address of IPv4", "demo --listen 0.0.0.0:8080 " + bucket, `--listen: "0.0.0.0" is 0.0.0.0, not a loopback address; the demo listens on this machine only`},
		{"every address of IPv6", "demo --listen [::]:8080 " + bucket, `--listen: "::" is ::, not a loopback address`},
		{"another address", "demo --listen 192.0.2.1:8080 " + bucket, `--listen: "192.0.2.1" is 192.0.2.1, not a loopback address`},
		{"another address in IPv6", "demo --listen [::ffff:192.0.2.1]:8080 " + bucket, `is 192.0.2.1, not a loopback address`},
		{"address without a port", "demo --listen localhost " + bucket, `--listen: want HOST:PORT like 127.0.0.1:8080, got "localhost"`},
		{"port out of range", "demo --listen localhost:65536 " + bucket, `--listen: port must lie in 0..65535, got "65536"`},
		{"port by name", "demo --listen localhost:http " + bucket, `--listen: port must lie in 0..65535, got "http"`},
		{"form of a reset", "demo --reset epoc " + bucket, `--reset must be delta or epoch, got "epoc" (did you mean "epoch"?)`},
		{"form of Retry-After", "demo --retry-after delta " + bucket, `--retry-after must be seconds or date, got "delta"`},
		{"no keys", "demo --max-keys 0 " + bucket, `--max-keys must lie in 1..4294967294, got 0`},
		{"header field", "demo --key X_User " + bucket, `--key must be the name of a header field, like X-User, got "X_User"`},

		{"limiter and layers", "decide good.csv --layer key=gcra:rate=1/s,burst=1 " + bucket, `--limiter and --layer exclude each other`},
		{"eviction and layers", "decide good.csv --layer global=gcra:rate=1/s,burst=1 --evict lru:capacity=5", `--evict and --layer exclude each other: layers hold all their keys, --evict is for those of --limiter`},
		{"eviction and layers of a replay", "replay good.csv --layer global=gcra:rate=1/s,burst=1 --evict lru:capacity=5 " + bucket, `--evict and --layer exclude each other: layers hold all their keys, --evict is for those of --limiter`},
		{"charge of one limiter", "decide good.csv --charge always " + bucket, `--charge says who pays of several layers; name them with --layer`},
		{"charge of a replay's limiter", "replay good.csv --charge always " + bucket, `--charge says who pays of several layers; name them with --layer`},
		{"charge", "decide good.csv --layer key=gcra:rate=1/s,burst=1 --charge in-ordr", `--charge: charge must be admitted, in-order or always, got "in-ordr" (did you mean "in-order"?)`},
		{"charge of a replay", "replay good.csv --layer key=gcra:rate=1/s,burst=1 --charge never", `--charge: charge must be admitted, in-order or always, got "never"`},
		{"layer", "decide good.csv --layer gcra:rate=1/s,burst=1", `--layer: a layer is COLUMN=SPEC, as in user=gcra:rate=1/s,burst=5, got "gcra:rate=1/s,burst=1"`},
		{"layer of a replay", "replay good.csv --layer key=gcra:rate=1/s", `--layer: layer "key": limiter "gcra" needs burst`},
		{"layer's column", "decide good.csv --layer user=gcra:rate=1/s,burst=1", `good.csv: line 1: no column "user"; the header has`},
		{"layer's column of a replay", "replay good.csv --layer user=gcra:rate=1/s,burst=1", `good.csv: line 1: no column "user"; the header has`},
		{"key without a limiter", "replay good.csv --key key --layer key=gcra:rate=1/s,burst=1", `--key is the column of --limiter; a layer names its own`},

		{"format of a scenario", "simulate --format xml " + bucket, `--format must be table, csv or json, got "xml"`},
		{"format of a replay", "replay good.csv --format xml " + bucket, `--format: unknown format "xml"; known: table, csv, json`},
		{"format of arrivals", "arrivals poisson:rate=1/s --format json", `--format must be csv or combined, got "json"`},
		{"format of a log", "replay good.csv --input apache " + bucket, `unknown format "apache"`},
		{"horizon", "simulate --horizon 0s " + bucket, `horizon must be > 0, got 0s`},
		{"horizon of arrivals", "arrivals poisson:rate=1/s --horizon -1s", `--horizon must be > 0, got -1s`},
		{"duration", "simulate --horizon soon " + bucket, `must be a duration like 250ms, 1m30s or 1d (units ns, us, ms, s, m, h, d), got "soon"`},
		{"warm-up", "simulate --horizon 1m --warmup 2m " + bucket, `warmup must lie in 0..horizon`},
		{"servers", "simulate --servers 0 " + bucket, `servers must lie in 1..`},
		{"keys", "simulate --keys 0 " + bucket, `keys must lie in 1..`},
		{"keys of arrivals", "arrivals poisson:rate=1/s --keys 0", `--keys must lie in 1..`},
		{"round trip", "simulate --rtt -1ms " + bucket, `rtt must be >= 0, got -1ms`},
		{"round trip to nowhere", "simulate --rtt 1ms " + bucket, `coordination "local" asks no store, so rtt must be 0, got 1ms; central makes a round trip a check`},
		{"replications", "simulate --reps 0 " + bucket, `--reps must be >= 1, got 0`},
		{"workers", "simulate --workers -1 " + bucket, `--workers must be >= 0, got -1`},
		{"seed", "simulate --seed 9223372036854775808 " + bucket, `--seed must be below 2^63, got 9223372036854775808`},
		{"seed that is no number", "simulate --seed one " + bucket, `invalid argument "one" for "--seed" flag`},

		{"file", "decide nowhere.csv " + bucket, `nowhere.csv: no such file or directory`},
		{"files too many", "decide good.csv good.csv " + bucket, `decide reads one file, got 2`},
		{"folder", "decide . " + bucket, `.: is a folder; want a file`},
		{"row", "decide bad.csv " + bucket, `bad.csv: line 3: column "t": want decimal seconds like 12.5, got "soon"`},
		{"nothing on standard input", "decide - " + bucket, `standard input: is empty; want a CSV header with a column t`},
		{"cost", "decide cost.csv " + bucket, `cost.csv: line 2: column "cost":`},
		{"log", "replay nowhere.log " + bucket, `nowhere.log: no such file or directory`},
		{"no log", "replay " + bucket, `replay needs a log file, or - for standard input`},
		{"log that is none", "replay prose.txt --input combined " + bucket, `prose.txt`},

		{"kind", "list limitrs", `list takes one of experiments, limiters, workloads, clients, budgets, hints, balancers, coordinations, faults, services, sheds, evictions, metrics, got "limitrs" (did you mean "limiters"?)`},
		{"name", "show toke-bucket", `nothing is called "toke-bucket" (did you mean "token-bucket"?); see ratelab list`},
		{"name of a kind", "show limiters/poisson", `none of the limiters is called "poisson"; see ratelab list limiters`},
		{"spec to show", "show poisson:rate=0/s", `workload "poisson": rate must be`},
		{"no name to show", "show", `show takes one name or spec, got 0; see ratelab list`},
		{"no workload", "arrivals", `arrivals takes one workload spec, got 0 arguments; see ratelab list workloads`},

		{"no experiment", "run", `name an experiment, or give --all; see ratelab list experiments`},
		{"experiment to run", "run boundry-burst", `unknown experiment "boundry-burst" (did you mean "boundary-burst"?); known: `},
		{"experiment to plot", "plot nothing-of-it", `unknown experiment "nothing-of-it"`},
		{"experiment to check", "check nothing-of-it", `unknown experiment "nothing-of-it"`},
		{"name and all", "run boundary-burst --all", `give either names or --all, got both (boundary-burst)`},
		{"factor", "run boundary-burst --set colour=red", `experiment "boundary-burst": unknown factor "colour"`},
		{"setting", "run boundary-burst --set limit", `--set takes FACTOR=VALUE,VALUE…, got "limit"`},
		{"values", "run boundary-burst --set limit=0.5..5", `--set limit: values "0.5..5": range "0.5..5": how does it go on? want 0.5..5 step 1 or 0.5..5 *2`},
		{"no values", "run boundary-burst --set limit=", `--set limit: values: none given`},
		{"warm-up", "simulate --warmup autos " + bucket, `got "autos"; or auto; see ratelab simulate --help`},
		{"warm-up of a short run", "simulate --warmup auto --horizon 10s " + bucket, `--warmup auto: a warm-up is found in 50 windows at least: horizon must be >= 50s, got 10s; or give the warm-up as a duration`},
		{"replications of a run", "run boundary-burst --reps 0", `--reps must be >= 1, got 0`},
		{"seed of a run", "run boundary-burst --seed 9223372036854775808", `seed must be below 2^63`},
		{"cell", "run boundary-burst --quick --cell rep=99999", `--cell: no cell "rep=99999" in "boundary-burst"`},
		{"shard", "run boundary-burst --shard 4/4", `--shard: a shard is i/n with i in 0..n-1, as in 0/4, got "4/4"`},
		{"shard of a cell", "run boundary-burst --shard 0/4 --cell rep=0", `--shard and --cell exclude each other`},
		{"no experiment to merge", "merge", `name an experiment, or give --all; see ratelab list experiments`},
		{"experiment to merge", "merge boundry-burst", `unknown experiment "boundry-burst" (did you mean "boundary-burst"?)`},
		{"nothing to merge", "merge boundary-burst --quick --set part=straddle --set limit=10 --set window=1s --reps 1", `results/boundary-burst/cells holds no cells of "boundary-burst" with these settings; run: ` +
			`ratelab run boundary-burst --quick --reps 1 --set part=straddle --set limit=10 --set window=1s`},
		{"values of a merge", "merge boundary-burst --set limit=0.5..5", `--set limit: values "0.5..5"`},
		{"factor of a merge", "merge boundary-burst --set colour=red", `experiment "boundary-burst": unknown factor "colour"`},
		{"value of a setting", "run boundary-burst --set limit", `--set takes FACTOR=VALUE,VALUE…, got "limit"`},
		{"formula", "run boundary-burst --set limit={2*limits}", `experiment "boundary-burst": factor "limit": value "{2*limits}": expression "2*limits": unknown factor "limits" (did you mean "limit"?)`},
		{"formula of itself", "run boundary-burst --set limit={limit}", `factor "limit" is computed from itself`},
		{"braces", "run boundary-burst --set limit={2*limit", `--set limit: values "{2*limit": value "{2*limit": { without }; a formula is written {2*rate}`},
		{"condition", "run boundary-burst --where limit", `expression "limit" is a value; want a comparison, like servers*burst <= 100`},
		{"condition of no point", "run boundary-burst --where limit>5000", `plan "boundary-burst": "limit>5000" keeps none of its 1140 points`},
		{"condition of a text", "run boundary-burst --where limiter=gcra", `unknown factor "gcra"; known: part, limiter, limit, window, delta, sixtieth; a text is quoted: 'gcra'`},
		{"precision", "run boundary-burst --precision 5", `a precision must lie above 0 and below 1 (0.05 is ±5 % of the mean), got 5`},
		{"precision 0", "run boundary-burst --precision 0", `--precision must lie above 0 and below 1 (0.05 is ±5 % of the mean), got 0`},
		{"precision and replications", "run boundary-burst --precision 0.1 --reps 5", `--precision and --reps exclude each other: a precision decides how many replications there are`},
		{"cap of a precision", "run boundary-burst --precision 0.1 --max-reps 5", `at most 10 must be allowed, got 5`},
		{"cap alone", "run boundary-burst --max-reps 5", `--max-reps goes with --precision`},
		{"metric alone", "run boundary-burst --precision-metric admitted", `--precision-metric goes with --precision`},
		{"metric of a precision", "run boundary-burst --precision 0.1 --precision-metric admited", `unknown metric "admited" (did you mean "admitted"?); known:`},
		{"precision of a shard", "run boundary-burst --precision 0.1 --shard 0/2", `a shard can not know its cells: run it whole, or give --reps`},
		{"nothing to compare", "compare", `compare takes one experiment, got 0; see ratelab list experiments`},
		{"comparison with nothing", "compare boundary-burst", `compare needs --b FACTOR=VALUE`},
		{"comparison with itself", "compare boundary-burst --quick --a part=straddle --a limit=10 --a window=1s --a limiter=gcra --b limiter=gcra", `nothing to compare with limiter=gcra; it changes nothing at 1 point, such as part=straddle,limiter=gcra,limit=10,window=1s`},
		{"comparison with two", "compare boundary-burst --b limit=10,100", `--b limit: want one value, got 2`},
		{"format of a comparison", "compare boundary-burst --b limit=10 --format json", `--format must be table or csv, got "json"`},
		{"flags at odds", "run boundary-burst --dry-run --cell rep=0", `--dry-run and --cell exclude each other`},
		{"failures", "run boundary-burst --keep-going --fail-fast", `--keep-going and --fail-fast exclude each other`},
		{"folder of a run", "run boundary-burst --out=", `--out must name a folder, got ''`},
		{"folder of a merge", "merge boundary-burst --out=", `--out must name a folder, got ''`},
		{"folder of a check", "check boundary-burst --out=", `--out must name a folder, got ''`},
		{"folder of a plot", "plot boundary-burst --out=", `--out must name a folder, got ''`},
		{"folder of a verification", "verify boundary-burst --out=", `--out must name a folder, got ''`},
		{"folder of a row", "verify boundary-burst --row=metric=half --out=", `--out must name a folder, got ''`},
		{"folder of a comparison", "compare boundary-burst --b limit=10 --out=", `--out must name a folder, got ''`},
		{"row without a metric", "verify boundary-burst --row=", `--row must name the metric of the row: metric=NAME`},
		{"time before now", "demo --for -1s " + bucket, `--for must be > 0, got -1s`},
		{"no time", "demo --for 0s " + bucket, `--for must be > 0, got 0s`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			for name, text := range map[string]string{
				"good.csv":  "t\n0\n1\n",
				"bad.csv":   "t\n0\nsoon\n2\n",
				"cost.csv":  "t,cost\n0,0\n",
				"when.csv":  "when,key\n0,a\n",
				"prose.txt": "It was a dark\nand stormy\nnight.\n",
			} {
				require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
			}
			before := files(t, ".")
			status, out, errOut := ratelab(t, "", strings.Fields(c.line)...)
			assert.Equal(t, 2, status)
			assert.Empty(t, out)
			assert.Contains(t, errOut, c.want)
			assert.Equal(t, 1, strings.Count(errOut, "\n"), "one line: %s", errOut)
			assert.Regexp(t, `^ratelab: .*\n$`, errOut)
			assert.Equal(t, before, files(t, "."))
		})
	}
}

// files lists what there is in a folder and below, with the content of files.
func files(t *testing.T, dir string) map[string]string {
	t.Helper()
	found := map[string]string{}
	require.NoError(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			found[path] = "folder"
			return err
		}
		text, err := os.ReadFile(path)
		found[path] = string(text)
		return err
	}))
	return found
}

// TestFailures checks what is not the user's fault: status 1.
func TestFailures(t *testing.T) {
	t.Chdir(root)
	for _, line := range []string{
		"list", "list --json", "show token-bucket:rate=2/s,burst=20", "arrivals steady:rate=1/s",
		"simulate --limiter token-bucket:rate=2/s,burst=20 --horizon 1s --reps 1",
		"decide --limiter token-bucket:rate=2/s,burst=20",
		"replay logs/testdata/tour.log --limiter token-bucket:rate=2/s,burst=20",
		"advise logs/testdata/tour.log --rate 2/s --burst 20 --config nginx",
	} {
		t.Run(line, func(t *testing.T) {
			var errOut strings.Builder
			status := execute(t.Context(), strings.Fields(line), strings.NewReader("t\n0\n"), full{}, &errOut)
			assert.Equal(t, 1, status)
			assert.Equal(t, "ratelab: the disk is full\n", errOut.String())
		})
	}
}

// full is where nothing can be written.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("the disk is full") }
