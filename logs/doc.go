// Package logs reads and writes traffic: who asked for what, and when.
//
// Two readers stand side by side, for two kinds of input.
//
//   - [ArrivalReader] reads an arrivals CSV (columns t, key, cost and any others by name), one row at a time. It is
//     strict: the first fault ends it, with the line, the column, the value and what would be right.
//   - [Read] and [Scan] read logs of web servers and CSV files with timestamps. They forgive: a line that does not parse
//     is counted and dropped, lines out of order are sorted, and the [Log] says how many. Read keeps the whole log; Scan
//     hands out request by request, in memory that does not grow with the lines.
//
// A log is read in five steps, a file or two each: the compression is undone (compressed.go), the format recognised
// (format.go, source.go), a line becomes a request (combined.go, json.go, logformat.go, rows.go, with the names of
// servers.go), requests that are late in a file wait for each other (window.go, or spill.go), and files are merged
// (scan.go). [File] says what was taken for what, which moment of a request the times are and how exact they are;
// [File.Doubts] says what follows for who counts arrivals.
//
// Every time is read exactly, to the nanosecond, as an int64 since the Unix epoch; nothing passes through a float.
// Keys are interned: a record holds a number, [Keys] holds the text.
//
// [WriteArrivals] and [WriteCombined] write what these readers read, and [Open] hands a file to a simulation.
//
// A fault of the input is an [InputError]; any other error means that reading or writing itself failed.
package logs
