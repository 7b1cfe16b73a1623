package clients

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"ratelab/internal/spec"
	"ratelab/limiters/contract"
)

// budget limits the retries of a client, or of several that share it. A
// request's life is told to it in this order: begin; then for each attempt
// permit, heard and, where the policy wants another attempt, retry; then end.
type budget interface {
	// begin is told that a request begins.
	begin(now time.Duration)
	// permit reports whether an attempt may be sent. If not, the request ends.
	permit(now time.Duration, r *rand.Rand) bool
	// heard is told how an attempt ended.
	heard(now time.Duration, o contract.Outcome)
	// retry reports whether a failed request may be tried again, and spends
	// what that costs. again says that it was allowed a retry before.
	retry(now time.Duration, again bool, d contract.Decision) bool
	// end is told that a request has ended, and whether it was allowed a retry.
	end(retried bool)
}

// indifferent is a budget to which nothing matters. A budget embeds it and
// says what matters to it.
type indifferent struct{}

func (indifferent) begin(time.Duration)                               {}
func (indifferent) permit(time.Duration, *rand.Rand) bool             { return true }
func (indifferent) heard(time.Duration, contract.Outcome)             {}
func (indifferent) retry(time.Duration, bool, contract.Decision) bool { return true }
func (indifferent) end(bool)                                          {}

// BudgetEntry is a registered budget.
type BudgetEntry struct {
	spec.Entry
	// Examples are specs for the conformance suite and for "show".
	Examples []string
	read     func(v *spec.Values) newBudget
}

type newBudget func() budget

var (
	budgets       = spec.Registry[BudgetEntry]{Kind: "budget"}
	budgetEntries []BudgetEntry // sorted by name
)

func registerBudget(e BudgetEntry) {
	e.Params = append(e.Params, spec.Param{
		Name: "of", Unit: "client|all", Default: "client", Doc: "whose it is: each client's own, or one for all clients of the policy, as behind a proxy",
	})
	longest := slices.MaxFunc(e.Examples, func(a, b string) int { return cmp.Compare(len(a), len(b)) })
	e.More = strings.TrimLeft(e.More+"\nIn a client's spec it is written with / for : and , as in budget="+slashes(longest)+".", "\n")
	budgets.Register(e.Entry, e)
	i, _ := slices.BinarySearchFunc(budgetEntries, e.Name, func(e BudgetEntry, name string) int { return strings.Compare(e.Name, name) })
	budgetEntries = slices.Insert(budgetEntries, i, e)
}

// Budgets returns the registered budgets, sorted by name.
func Budgets() []BudgetEntry { return slices.Clone(budgetEntries) }

// BudgetSpec is a parsed budget, as in ratio:ttl=10s,min=10,percent=20. The
// zero value allows every retry.
type BudgetSpec struct {
	text   string
	new    newBudget
	shared bool
}

// ParseBudget reads a budget's spec.
func ParseBudget(text string) (BudgetSpec, error) {
	v, e, err := budgets.Parse(text)
	if err != nil {
		return BudgetSpec{}, err
	}
	b := BudgetSpec{text: v.String(), new: e.read(v), shared: v.Choice("of", "client", "all") == "all"}
	if err := v.Err(); err != nil {
		return BudgetSpec{}, err
	}
	return b, nil
}

// String writes the spec as [ParseBudget] reads it, or none.
func (b BudgetSpec) String() string {
	if b.new == nil {
		return "none"
	}
	return b.text
}

// slashes writes a budget's spec so that it fits into a client's.
func slashes(text string) string { return strings.NewReplacer(":", "/", ",", "/").Replace(text) }

// colons is the inverse of slashes.
func colons(text string) string {
	name, params, some := strings.Cut(text, "/")
	if !some {
		return text
	}
	return name + ":" + strings.ReplaceAll(params, "/", ",")
}

// thousandths reads a decimal from 0 on with at most three places as a whole
// number of thousandths, so that no float is ever added up.
func thousandths(v *spec.Values, name string) int64 {
	x := v.Number(name)
	n := math.Round(x * 1000)
	if n < 0 || n > 1e12 || n/1000 != x {
		v.Fail(name, "must be a decimal from 0 to a billion with at most three places, got %s", v.Text(name))
		return 0
	}
	return int64(n)
}
