package decide

import (
	"encoding/csv"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"ratelab/limiters"
	"ratelab/limiters/contract"
	"ratelab/logs"
)

// table reads what Run prints: a row as what its columns hold.
func table(t *testing.T, text string) []map[string]string {
	t.Helper()
	rows, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	require.NoError(t, err)
	var table []map[string]string
	for _, row := range rows[1:] {
		columns := map[string]string{}
		for i, name := range rows[0] {
			columns[name] = row[i]
		}
		table = append(table, columns)
	}
	return table
}

// busy is arrivals of three users from two addresses, at irregular times, some with a cost.
func busy(costs int) string {
	random := rand.New(rand.NewPCG(1, 2))
	var b strings.Builder
	b.WriteString("t,key,user,ip,cost\n")
	at := int64(0)
	for range 400 {
		at += random.Int64N(700_000_000)
		fmt.Fprintf(&b, "%s,%d,%d,%d,%d\n", logs.FormatSeconds(at), random.IntN(3), random.IntN(3), random.IntN(2), 1+random.IntN(costs))
	}
	return b.String()
}

// told is the decision that the first columns of a row give.
func told(t *testing.T, row map[string]string) contract.Decision {
	t.Helper()
	d := contract.Decision{Admitted: row["admitted"] == "true"}
	seconds := func(column string) time.Duration {
		if row[column] == "never" {
			return contract.Never
		}
		ns, err := logs.ParseSeconds(row[column])
		require.NoError(t, err)
		return time.Duration(ns)
	}
	var err error
	if row["retry_after"] != "" {
		d.RetryAfter, d.Has = seconds("retry_after"), d.Has|contract.HintRetryAfter
	}
	if row["limit"] != "" {
		d.Limit, err = strconv.ParseInt(row["limit"], 10, 64)
		require.NoError(t, err)
		d.Has |= contract.HintLimit
	}
	if row["remaining"] != "" {
		d.Remaining, err = strconv.ParseInt(row["remaining"], 10, 64)
		require.NoError(t, err)
		d.Has |= contract.HintRemaining
	}
	if row["reset"] != "" {
		d.Reset, d.Has = seconds("reset"), d.Has|contract.HintReset
	}
	return d
}

func TestTheHeadersSayTheRoundedDecision(t *testing.T) {
	for spec, costs := range map[string]int{
		"token-bucket:rate=2/s,burst=5": 7, "fixed-window:limit=3,window=1500ms": 2, "sliding-log:limit=4,window=7s": 1,
		"leaky-queue:rate=1/s,queue=2": 1, "fixed-window:limit=0,window=1s": 1, "nginx:rate=1r/s,burst=1": 1,
		"throttled:rate=1/s,burst=2": 4, "httprate:limit=2,window=60s": 1, "x-time-rate:rate=1/s,burst=2": 2,
	} {
		t.Run(spec, func(t *testing.T) {
			plain, err := run(t, busy(costs), Options{Limiter: spec})
			require.NoError(t, err)
			got, err := run(t, busy(costs), Options{Limiter: spec, Headers: true, Explain: true})
			require.NoError(t, err)
			assert.True(t, strings.HasPrefix(got, Header+","+HTTPHeader+",layer\n"))
			refusals := 0
			for i, line := range strings.Split(strings.TrimSpace(plain), "\n") {
				assert.True(t, strings.HasPrefix(strings.Split(got, "\n")[i], line+","), "what there was is as it was: %s", line)
			}
			for _, row := range table(t, got) {
				status, err := strconv.Atoi(row["status"])
				require.NoError(t, err)
				read := contract.Parse(contract.Message{
					Status: status, RetryAfter: row["retry-after"], Limit: row["x-ratelimit-limit"], Remaining: row["x-ratelimit-remaining"],
					Reset: row["x-ratelimit-reset"], RateLimit: row["ratelimit"], Policies: row["ratelimit-policy"],
				}, 0)
				d := told(t, row)
				require.Equal(t, contract.Rounded(d), read.Decision)
				if !d.Admitted {
					refusals++
					require.Equal(t, contract.Throttled, read.Outcome)
				}
			}
			assert.Positive(t, refusals)
		})
	}
}

func TestEachLayerStandsAsIfItWereAlone(t *testing.T) {
	layers := []string{"user=gcra:rate=1/s,burst=3", "ip=fixed-window:limit=4,window=2s", "global=sliding-log:limit=6,window=3s"}
	got, err := run(t, busy(1), Options{Layers: layers, Charge: string(limiters.ChargeAlways), Headers: true})
	require.NoError(t, err)
	together := table(t, got)
	for i, layer := range layers {
		alone, err := run(t, busy(1), Options{Layers: []string{layer}})
		require.NoError(t, err)
		for j, row := range table(t, alone) {
			limits, err := contract.ParseLimits(together[j]["ratelimit"])
			require.NoError(t, err)
			column, _, _ := strings.Cut(layer, "=")
			require.Equal(t, column, limits[i].Name)
			require.Equal(t, row["remaining"], fmt.Sprint(limits[i].Available), "%s, arrival %d", layer, j)
		}
	}
}
