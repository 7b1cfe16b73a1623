package logs

// sortByTime sorts records by time and keeps the order of those at the same time. It merges the runs that are in
// order already, of which logs have few long ones: n records in k runs take n·log₂(k) steps.
func sortByTime(records []Record) {
	var ends []int // of the runs
	for i := 1; i < len(records); i++ {
		if records[i].At < records[i-1].At {
			ends = append(ends, i)
		}
	}
	if len(ends) == 0 {
		return
	}
	ends = append(ends, len(records))
	from, to := records, make([]Record, len(records))
	for len(ends) > 1 {
		start, merged := 0, ends[:0]
		for i := 0; i < len(ends); i += 2 {
			middle, end := ends[i], ends[min(i+1, len(ends)-1)]
			merge(to[start:end], from[start:middle], from[middle:end])
			merged = append(merged, end)
			start = end
		}
		ends = merged
		from, to = to, from
	}
	if &from[0] != &records[0] {
		copy(records, from)
	}
}

// merge joins two sorted runs into one; at equal times a's come first.
func merge(into, a, b []Record) {
	for i := range into {
		if len(b) == 0 || len(a) > 0 && a[0].At <= b[0].At {
			into[i], a = a[0], a[1:]
		} else {
			into[i], b = b[0], b[1:]
		}
	}
}
