package sweep

// CellKey returns the key of the cell that has these factor values in this replication: see Cell.Key.
func CellKey(factors, values []string, rep int) string {
	return Cell{Rep: rep, names: factors, values: values}.Key()
}
