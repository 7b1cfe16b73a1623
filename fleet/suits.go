package fleet

import (
	"fmt"
	"slices"
	"strings"

	"ratelab/limiters"
)

// kinds are what limiters are to a coordination: a canonical limiter, one with
// a parameter that matters, or any dialect.
var kinds = []string{
	"fixed-window", "fixed-window:origin=first", "sliding-log", "sliding-counter",
	"token-bucket", "token-bucket:refill=interval", "gcra", "leaky-meter", "leaky-queue",
	"dialects",
}

// kindOf returns which of the kinds a limiter is.
func kindOf(l limiters.Spec) string {
	if _, dialect := limiters.DialectOf(l.Name()); dialect {
		return "dialects"
	}
	for _, k := range kinds {
		name, param, has := strings.Cut(k, ":")
		if param, value, _ := strings.Cut(param, "="); has && l.Name() == name && l.Param(param) == value {
			return k
		}
	}
	return l.Name()
}

// unsuited says which kinds of limiters do not work under a coordination, and
// why. A row with a condition is for the coordination with that parameter only.
// What is not here works.
var unsuited = []struct {
	coordination, condition string
	kinds                   []string
	why, instead            string
}{
	{"quota", "", []string{"dialects"},
		"their programs have no way to enforce a share of a limit", "a canonical limiter, such as token-bucket or fixed-window, or coordination local or central"},
	{"quota", "over=serving", []string{"sliding-log", "token-bucket:refill=interval", "leaky-meter", "leaky-queue"},
		"it can not change its limit under way", "token-bucket, gcra, fixed-window or sliding-counter, or over=fleet"},
	{"adaptive", "", []string{"sliding-log", "token-bucket:refill=interval", "leaky-meter", "leaky-queue", "dialects"},
		"it can not change its limit under way", "token-bucket, gcra, fixed-window or sliding-counter, or coordination quota"},
	{"central-racy", "", []string{"dialects"},
		"how their programs read and write apart is not known", "a canonical limiter, or coordination central"},
	{"central-racy", "write=set", []string{"fixed-window:origin=first", "sliding-log", "sliding-counter", "token-bucket", "token-bucket:refill=interval", "gcra", "leaky-meter", "leaky-queue"},
		"a server writes back one count, and only a fixed-window with origin=epoch is that", "fixed-window, or write=add"},
	{"sharded", "", []string{"dialects"},
		"their programs have no way to enforce a share of a limit", "a canonical limiter, such as token-bucket or fixed-window, or coordination central"},
	{"synced", "", []string{"fixed-window:origin=first"},
		"its windows would open at another time on each server", "fixed-window with origin=epoch"},
	{"synced", "", []string{"leaky-queue"},
		"a queue has an order, which counts that are exchanged do not tell", "gcra, which admits the same, or coordination central"},
	{"synced", "", []string{"dialects"},
		"how their programs would exchange counts is not known", "a canonical limiter, or coordination local or central"},
	{"synced", "debt=carry", []string{"sliding-log"},
		"it has no window's end over which a debt could be carried", "debt=forgive, or fixed-window"},
	{"leased", "", []string{"leaky-queue"},
		"a lease admits at once, and a queue delays", "gcra, which admits the same, or coordination central"},
	{"leased", "", []string{"dialects"},
		"how their programs would hand out several tokens at a time is not known", "a canonical limiter, or coordination central"},
}

// Suits returns an error that says why, and what would work, if the limiter
// does not work under the coordination.
func (c CoordinationSpec) Suits(l limiters.Spec) error {
	kind := kindOf(l)
	for _, u := range unsuited {
		if u.coordination == c.name && c.meets(u.condition) && slices.Contains(u.kinds, kind) {
			return fmt.Errorf("limiter %q does not work under coordination %q: %s; use %s", l, c, u.why, u.instead)
		}
	}
	return nil
}

// meets reports whether the coordination's parameters meet a row's condition.
func (c CoordinationSpec) meets(condition string) bool {
	name, value, _ := strings.Cut(condition, "=")
	return condition == "" || slices.Contains(strings.Split(value, "|"), c.values.Text(name))
}

// suitsText says which limiters work under a coordination.
func suitsText(name string) string {
	rest := slices.Clone(kinds)
	var notes []string
	for _, u := range unsuited {
		if u.coordination != name {
			continue
		}
		under := ""
		if u.condition != "" {
			under = " with " + u.condition
		} else {
			rest = slices.DeleteFunc(rest, func(k string) bool { return slices.Contains(u.kinds, k) })
		}
		notes = append(notes, fmt.Sprintf("Not%s %s: %s; use %s.", under, strings.Join(u.kinds, ", "), u.why, u.instead))
	}
	works := "Works with every limiter."
	if len(rest) < len(kinds) {
		works = "Works with " + strings.Join(rest, ", ") + "."
	}
	return strings.Join(append([]string{works}, notes...), "\n")
}
