// Package spec reads and writes the texts by which the laboratory's parts are
// named: name:param=value,param=value.
//
// A room that offers parts (limiters, workloads, balancers, coordinations)
// keeps a [Registry] of them. Each [Entry] says which parameters its part
// takes; [Registry.Parse] checks names, suggests the nearest for an unknown
// one, and hands back [Values], from which the part's constructor takes typed
// values. The first fault that a constructor meets is kept in the Values, so
// that constructors read as a list of parameters:
//
//	l := Limit{Limit: v.Count("limit"), Window: v.Duration("window")}
//	if err := v.Err(); err != nil { … }
//
// A part that is made of others takes their specs in parentheses, as in
// thin:(poisson:rate=2/s),keep=0.5: its parameter's unit begins with one.
//
// Numbers are read exactly: a rate is a ratio of integers, a duration a whole
// number of nanoseconds. Nothing is rounded on the way in.
package spec
