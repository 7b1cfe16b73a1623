// Package logs reads and writes traffic: who asked for what, and when.
//
// Two readers stand side by side, for two kinds of input.
//
//   - [ArrivalReader] reads an arrivals CSV (columns t, key, cost and any others by name), one row at a time. It is
//     strict: the first fault ends it, with the line, the column, the value and what would be right.
//   - [Read] reads logs of web servers (common and combined format) and CSV files with timestamps, whole. It forgives:
//     a line that does not parse is counted and dropped, lines out of order are sorted, and the [Log] says how many.
//     [Scan] reads the same logs request by request, in memory that does not grow with the lines.
//
// Every time is read exactly, to the nanosecond, as an int64 since the Unix epoch; nothing passes through a float.
// Keys are interned: a record holds a number, [Keys] holds the text.
//
// [WriteArrivals] and [WriteCombined] write what these readers read, and [Open] hands a file to a simulation.
//
// A fault of the input is an [InputError]; any other error means that reading or writing itself failed.
package logs
