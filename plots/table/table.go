// Package table holds what experiments found: columns with names, units and descriptions, and their values; and
// writes them to CSV and reads them back without losing a bit.
//
// A Table is made with New, filled row by row with Append, and stored with WriteFile. ReadFile brings it back, given
// the columns it must have. Where, Select, Distinct and GroupBy pick from it; Text, Ints and Floats hand out whole
// columns. DataPackage writes the same columns as a data dictionary.
//
// Three types of column are enough. Text is any UTF-8 text; Integer an int64; Number a float64, where NaN stands for
// a missing value and is an empty field in CSV. An infinity is refused: a result that is infinite is a mistake.
package table

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Type says what the cells of a column are.
type Type uint8

// The types of columns.
const (
	Text    Type = iota // UTF-8 text
	Integer             // int64, never missing
	Number              // float64, NaN is missing; never infinite
)

// String returns the name that Frictionless table schemas give to the type: string, integer or number.
func (t Type) String() string {
	switch t {
	case Text:
		return "string"
	case Integer:
		return "integer"
	case Number:
		return "number"
	}
	return fmt.Sprintf("Type(%d)", uint8(t))
}

// Column describes a column.
type Column struct {
	Name        string // header in CSV; unique in its table, never empty
	Unit        string // "s", "requests", "1" for shares; empty where no unit makes sense
	Description string
	Type        Type
	// Digits of a Number in CSV: 0 writes the shortest text that reads back as the same float64, 12 rounds to 12
	// significant digits. At most 17. Beyond 1e308 nothing is rounded.
	Digits int
}

// Table is a list of rows under named columns, stored by column. The zero value has no columns; use New.
type Table struct {
	columns []Column
	data    []vector
	rows    int
}

// vector is one column's cells: only the slice of its type is used.
type vector struct {
	text    []string
	integer []int64
	number  []float64
}

// Group is the rows of a table that share the values of some columns.
type Group struct {
	Values []string // in the order in which GroupBy was given the columns
	Table  *Table
}

// New returns an empty table, or an error if a column has no name, a name twice, or a type or digits out of range.
func New(columns ...Column) (*Table, error) {
	seen := make(map[string]bool, len(columns))
	for i, c := range columns {
		switch {
		case c.Name == "":
			return nil, fmt.Errorf("column %d has no name", i+1)
		case !utf8.ValidString(c.Name):
			return nil, fmt.Errorf("column %q: name must be UTF-8", c.Name)
		case seen[c.Name]:
			return nil, fmt.Errorf("column %q is there twice, names must be unique", c.Name)
		case c.Type > Number:
			return nil, fmt.Errorf("column %q: unknown type %d, want Text, Integer or Number", c.Name, c.Type)
		case c.Digits < 0 || c.Digits > 17:
			return nil, fmt.Errorf("column %q: digits must be 0 (exact) to 17, got %d", c.Name, c.Digits)
		case c.Digits > 0 && c.Type != Number:
			return nil, fmt.Errorf("column %q: only a Number can have digits", c.Name)
		}
		seen[c.Name] = true
	}
	return &Table{columns: slices.Clone(columns), data: make([]vector, len(columns))}, nil
}

// Append adds a row: a string for each Text column, an int64 or int for each Integer, a float64 for each Number. On an
// error, which names the column, the table is unchanged.
func (t *Table) Append(cells ...any) error {
	if len(cells) != len(t.columns) {
		return fmt.Errorf("row %d: want %d cells, got %d", t.rows+1, len(t.columns), len(cells))
	}
	for i, cell := range cells {
		if err := check(t.columns[i].Type, cell); err != nil {
			return fmt.Errorf("row %d, column %q: %w", t.rows+1, t.columns[i].Name, err)
		}
	}
	for i, cell := range cells {
		v := &t.data[i]
		switch cell := cell.(type) {
		case string:
			v.text = append(v.text, cell)
		case int:
			v.integer = append(v.integer, int64(cell))
		case int64:
			v.integer = append(v.integer, cell)
		case float64:
			v.number = append(v.number, cell)
		}
	}
	t.rows++
	return nil
}

func check(want Type, cell any) error {
	switch cell := cell.(type) {
	case string:
		if want == Text && !utf8.ValidString(cell) {
			return fmt.Errorf("text must be UTF-8, got %q", cell)
		}
		if want == Text {
			return nil
		}
	case int, int64:
		if want == Integer {
			return nil
		}
	case float64:
		if want == Number && math.IsInf(cell, 0) {
			return fmt.Errorf("want a finite number, or NaN for a missing one, got %v", cell)
		}
		if want == Number {
			return nil
		}
	}
	return fmt.Errorf("want %s, got %T %v", [...]string{"a string", "an int64 or int", "a float64"}[want], cell, cell)
}

// Len returns the number of rows.
func (t *Table) Len() int { return t.rows }

// Columns returns a copy of the columns.
func (t *Table) Columns() []Column { return slices.Clone(t.columns) }

// Record returns row i, from 0, as it stands in CSV, without quotes. It panics if i is out of range, as a slice does.
func (t *Table) Record(i int) []string {
	record := make([]string, len(t.columns))
	for c := range t.columns {
		record[c] = t.field(c, i)
	}
	return record
}

// Text returns a column of any type as it stands in CSV. The slice is the caller's.
func (t *Table) Text(column string) ([]string, error) {
	c, err := t.find(column)
	if err != nil {
		return nil, err
	}
	fields := make([]string, t.rows)
	for i := range fields {
		fields[i] = t.field(c, i)
	}
	return fields, nil
}

// Ints returns an Integer column. The slice is the caller's.
func (t *Table) Ints(column string) ([]int64, error) {
	c, err := t.find(column)
	if err != nil {
		return nil, err
	}
	if t.columns[c].Type != Integer {
		return nil, fmt.Errorf("column %q: want an integer column, got type %s", column, t.columns[c].Type)
	}
	return slices.Clone(t.data[c].integer), nil
}

// Floats returns a column as numbers: a Number column as it is, an Integer column converted, a Text column read as
// decimal numbers, empty text as NaN. The error names the first row, from 1, that is no number. The slice is the
// caller's.
func (t *Table) Floats(column string) ([]float64, error) {
	c, err := t.find(column)
	if err != nil {
		return nil, err
	}
	numbers := make([]float64, t.rows)
	for i := range numbers {
		switch t.columns[c].Type {
		case Number:
			numbers[i] = t.data[c].number[i]
		case Integer:
			numbers[i] = float64(t.data[c].integer[i])
		case Text:
			numbers[i], err = parseNumber(t.data[c].text[i])
			if err != nil {
				return nil, fmt.Errorf("column %q, row %d: %w", column, i+1, err)
			}
		}
	}
	return numbers, nil
}

// Where returns the rows in which each named column has the value that follows it, in the same order:
// Where("limiter", "gcra", "servers", "4"). Values are compared as they stand in CSV. No row may be left.
func (t *Table) Where(columnsAndValues ...string) (*Table, error) {
	if len(columnsAndValues)%2 != 0 {
		return nil, fmt.Errorf("column %q: no value to compare with", columnsAndValues[len(columnsAndValues)-1])
	}
	var where []int
	for i := 0; i < len(columnsAndValues); i += 2 {
		c, err := t.find(columnsAndValues[i])
		if err != nil {
			return nil, err
		}
		where = append(where, c)
	}
	var rows []int
next:
	for i := range t.rows {
		for k, c := range where {
			if t.field(c, i) != columnsAndValues[2*k+1] {
				continue next
			}
		}
		rows = append(rows, i)
	}
	return t.pick(rows), nil
}

// Select returns a copy of the table with these columns, in this order.
func (t *Table) Select(columns ...string) (*Table, error) {
	picked := make([]Column, len(columns))
	data := make([]vector, len(columns))
	for i, name := range columns {
		c, err := t.find(name)
		if err != nil {
			return nil, err
		}
		v := t.data[c]
		picked[i] = t.columns[c]
		data[i] = vector{text: slices.Clone(v.text), integer: slices.Clone(v.integer), number: slices.Clone(v.number)}
	}
	s, err := New(picked...)
	if err != nil {
		return nil, err
	}
	s.data, s.rows = data, t.rows
	return s, nil
}

// Distinct returns the values of a column as they stand in CSV, each once, in order of appearance.
func (t *Table) Distinct(column string) ([]string, error) {
	fields, err := t.Text(column)
	if err != nil {
		return nil, err
	}
	seen := make(map[string]bool)
	var distinct []string
	for _, f := range fields {
		if !seen[f] {
			seen[f] = true
			distinct = append(distinct, f)
		}
	}
	return distinct, nil
}

// GroupBy splits the table into groups of rows that share the values of these columns, in order of appearance. With
// no columns, it is one group of all rows, or none if there are no rows.
func (t *Table) GroupBy(columns ...string) ([]Group, error) {
	by := make([]int, len(columns))
	for i, name := range columns {
		c, err := t.find(name)
		if err != nil {
			return nil, err
		}
		by[i] = c
	}
	index := make(map[string]int)
	var values [][]string
	var rows [][]int
	for i := range t.rows {
		key := make([]string, len(by))
		for k, c := range by {
			key[k] = t.field(c, i)
		}
		joined := strings.Join(quoteAll(key), ",") // quotes keep ("a,b", "c") apart from ("a", "b,c")
		g, ok := index[joined]
		if !ok {
			g = len(values)
			index[joined] = g
			values = append(values, key)
			rows = append(rows, nil)
		}
		rows[g] = append(rows[g], i)
	}
	groups := make([]Group, len(values))
	for g := range groups {
		groups[g] = Group{Values: values[g], Table: t.pick(rows[g])}
	}
	return groups, nil
}

func quoteAll(fields []string) []string {
	quoted := make([]string, len(fields))
	for i, f := range fields {
		quoted[i] = strconv.Quote(f)
	}
	return quoted
}

// pick copies the rows with these numbers into a new table.
func (t *Table) pick(rows []int) *Table {
	p := &Table{columns: slices.Clone(t.columns), data: make([]vector, len(t.columns)), rows: len(rows)}
	for c := range t.columns {
		from, to := &t.data[c], &p.data[c]
		for _, i := range rows {
			switch t.columns[c].Type {
			case Text:
				to.text = append(to.text, from.text[i])
			case Integer:
				to.integer = append(to.integer, from.integer[i])
			case Number:
				to.number = append(to.number, from.number[i])
			}
		}
	}
	return p
}

// find returns the index of a column.
func (t *Table) find(column string) (int, error) {
	for i, c := range t.columns {
		if c.Name == column {
			return i, nil
		}
	}
	return 0, fmt.Errorf("no column %q, the table has %s", column, list(t.columns))
}

// list names columns for an error message.
func list(columns []Column) string {
	if len(columns) == 0 {
		return "none"
	}
	var names []string
	for _, c := range columns {
		names = append(names, c.Name)
	}
	return strings.Join(names, ", ")
}

// field is the text of a cell as it stands in CSV, without quotes.
func (t *Table) field(c, i int) string {
	switch t.columns[c].Type {
	case Integer:
		return strconv.FormatInt(t.data[c].integer[i], 10)
	case Number:
		return formatNumber(t.data[c].number[i], t.columns[c].Digits)
	default:
		return t.data[c].text[i]
	}
}

func formatNumber(v float64, digits int) string {
	if math.IsNaN(v) {
		return ""
	}
	if digits == 0 || math.Abs(v) > 1e308 { // rounding up there can pass the largest float64
		digits = -1
	}
	return strconv.FormatFloat(v, 'g', digits, 64)
}

// parseNumber reads a decimal number, empty text as NaN. It refuses what strconv would also read: inf, nan, hex.
func parseNumber(field string) (float64, error) {
	if field == "" {
		return math.NaN(), nil
	}
	if strings.Trim(field, "+-.eE0123456789") == "" {
		v, err := strconv.ParseFloat(field, 64)
		if err == nil {
			return v, nil
		}
		if math.IsInf(v, 0) {
			return 0, fmt.Errorf("%q is beyond the range of a float64", field)
		}
	}
	return 0, fmt.Errorf("want a decimal number such as 0.25 or 1e-06, or nothing for a missing one, got %q", field)
}

func parseInteger(field string) (int64, error) {
	v, err := strconv.ParseInt(field, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("want an integer from -2^63 to 2^63-1, got %q", field)
	}
	return v, nil
}
