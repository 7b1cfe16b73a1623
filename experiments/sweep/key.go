package sweep

import "strings"

// CellKey returns the key of the cell that has these factor values in this replication: see Cell.Key.
func CellKey(factors, values []string, rep int) string {
	return Cell{Rep: rep, names: factors, values: values}.Key()
}

// PointKey writes factor, value, factor, value … as keys of cells are written, and an empty value, which says that the
// factor does not apply, as ”.
func PointKey(at ...string) string {
	var parts []string
	for i := 0; i+1 < len(at); i += 2 {
		part := pointKey(at[i:i+1], at[i+1:i+2])
		if part == "" {
			part = at[i] + "=''"
		}
		parts = append(parts, part)
	}
	return strings.Join(parts, ",")
}
