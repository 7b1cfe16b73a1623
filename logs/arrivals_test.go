package logs

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// readAll reads an arrivals CSV to its end or first error, one text a row.
func readAll(text string, columns ...string) ([]string, error) {
	rows, err := NewArrivalReader(strings.NewReader(text), "in.csv", columns...)
	if err != nil {
		return nil, err
	}
	var all []string
	var row Arrival
	for {
		if err := rows.Next(&row); err == io.EOF {
			return all, nil
		} else if err != nil {
			return all, err
		}
		all = append(all, fmt.Sprintf("%d %s %d %s %d %s", row.Line, row.T, int64(row.At), row.Key, row.Cost, row.Wanted))
	}
}

func TestArrivals(t *testing.T) {
	for name, c := range map[string]struct {
		text    string
		columns []string
		want    []string
	}{
		"all columns":             {"t,key,cost\n0.50,a,2\n-1,b,3\n", nil, []string{"2 0.50 500000000 a 2 []", "3 -1 -1000000000 b 3 []"}},
		"any order":               {"cost,t,key\n2,0,a\n", nil, []string{"2 0 0 a 2 []"}},
		"only t":                  {"t\n0\n1", nil, []string{"2 0 0  1 []", "3 1 1000000000  1 []"}},
		"no key, no cost":         {"t,key,cost\n0,,\n", nil, []string{"2 0 0  1 []"}},
		"other columns":           {"t,x,user,ip\n0,1,u,i\n", []string{"ip", "user"}, []string{"2 0 0  1 [i u]"}},
		"a wanted key":            {"t,key\n0,k\n", []string{"key"}, []string{"2 0 0 k 1 [k]"}},
		"no rows":                 {"t,key\n", nil, nil},
		"empty lines at the end":  {"t\n0\n\n\r\n", nil, []string{"2 0 0  1 []"}},
		"quoted, CRLF, BOM":       {"\xef\xbb\xbft,key\r\n0,\"a,\r\n\"\"b\"\r\n1,c\r\n", nil, []string{"2 0 0 a,\r\n\"b 1 []", "4 1 1000000000 c 1 []"}},
		"the largest cost":        {"t,cost\n0,9223372036854775807\n0,0001\n", nil, []string{"2 0 0  9223372036854775807 []", "3 0 0  1 []"}},
		"steps back, all of time": {"t\n9223372036.854775807\n-9223372036.854775808\n", nil, []string{"2 9223372036.854775807 9223372036854775807  1 []", "3 -9223372036.854775808 -9223372036854775808  1 []"}},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := readAll(c.text, c.columns...)
			require.NoError(t, err)
			assert.Equal(t, c.want, got)
		})
	}
}

func TestArrivalFaultsNameTheirPlace(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", "in.csv: is empty; want a CSV header with a column t"},
		{"\n0\n", `in.csv: line 1: no column "t"; the header is empty`},
		{"time,key\n0,a\n", `in.csv: line 1: no column "t"; the header has "time", "key"`},
		{"T,key\n0,a\n", `in.csv: line 1: no column "t"; the header has "T", "key"`},
		{"t,key,t\n0,a,1\n", `in.csv: line 1: the header names the column "t" twice`},
		{"t,key,key\n0,a,1\n", `in.csv: line 1: the header names the column "key" twice`},
		{"t,us\"er\n", `in.csv: line 1: has a " inside a field`},
		{"t,key\n0,a\nnoon,a\n", `in.csv: line 3: column "t": want decimal seconds like 12.5, got "noon"`},
		{"t,key\n0,a\n,a\n", `in.csv: line 3: column "t": want decimal seconds like 12.5, got ""`},
		{"t\n0.0000000001\n", `in.csv: line 2: column "t": want at most 9 decimals, whole nanoseconds, got "0.0000000001"`},
		{"t\n9223372037\n", `in.csv: line 2: column "t": want seconds within ±9223372036.854775807, int64 nanoseconds, got "9223372037"`},
		{"t,cost\n0,1\n1,1\n2,0\n", `in.csv: line 4: column "cost": want a whole number >= 1, got "0"`},
		{"t,cost\n0,1.5\n", `in.csv: line 2: column "cost": want a whole number >= 1, got "1.5"`},
		{"t,cost\n0,-1\n", `in.csv: line 2: column "cost": want a whole number >= 1, got "-1"`},
		{"t,cost\n0,9223372036854775808\n", `in.csv: line 2: column "cost": want a whole number from 1 to 9223372036854775807, got "9223372036854775808"`},
		{"t,key\n0,a\n1\n", `in.csv: line 3: has 1 field; want 2, as in the header`},
		{"t,key\n0,a,b\n", `in.csv: line 2: has 3 fields; want 2, as in the header`},
		{"t\n0\n\n1\n", `in.csv: line 3: is empty, and rows follow it`},
		{"t,key\n0,\"a\nb\nc", `in.csv: line 2: opens a " that is not closed`},
		{"t,key\n0,\"a\nb\"\nx,c", `in.csv: line 4: column "t": want decimal seconds`},
		{"t,key\n" + strings.Repeat("9", 100) + "a\n", `in.csv: line 2: has 1 field`},
		{"t\n" + strings.Repeat("x", 100) + "\n", `in.csv: line 2: column "t": want decimal seconds like 12.5, got "` + strings.Repeat("x", 60) + `"…`},
		{"\x1f\x8b\x08", "in.csv: is compressed with gzip"},
	} {
		_, err := readAll(c.text)
		var fault *InputError
		require.ErrorAs(t, err, &fault, c.text)
		assert.Contains(t, err.Error(), c.want, c.text)
		assert.NotContains(t, err.Error(), "\n")
	}
	_, err := readAll("t,ip\n0,a\n", "user")
	assert.EqualError(t, err, `in.csv: line 1: no column "user"; the header has "t", "ip"`)
}

func TestAFailedReadIsNoFaultOfTheInput(t *testing.T) {
	rows, err := NewArrivalReader(io.MultiReader(strings.NewReader("t\n0\n"), iotest.ErrReader(errors.New("the disk broke"))), "in.csv")
	require.NoError(t, err)
	var row Arrival
	require.NoError(t, rows.Next(&row))
	err = rows.Next(&row)
	var fault *InputError
	assert.False(t, errors.As(err, &fault))
	assert.EqualError(t, err, "read in.csv: the disk broke")
}

// manyArrivals is a CSV with n rows of ten keys.
func manyArrivals(n int) []byte {
	var b bytes.Buffer
	i := 0
	_ = WriteArrivals(&b, func() (time.Duration, uint32, uint32, int64, bool) {
		i++
		return time.Duration(i) * 123457, uint32(i % 10), 0, int64(1 + i%3), i <= n
	})
	return b.Bytes()
}

func TestRowsDoNotAllocate(t *testing.T) {
	text := manyArrivals(2000)
	var keys Keys
	allocations := testing.AllocsPerRun(5, func() {
		rows, err := NewArrivalReader(bytes.NewReader(text), "in.csv", "cost")
		require.NoError(t, err)
		var row Arrival
		for rows.Next(&row) == nil {
			keys.ID(row.Key)
		}
	})
	assert.Less(t, allocations, 40.0, "a few for the reader, none for its 2000 rows")
}

func FuzzArrivals(f *testing.F) {
	for _, seed := range []string{"t,key,cost\n0,a,1\n", "t\n\n", "t,key\n\"0\",\"a\"\"\"\n", "t\n-0.1\n\n\n", "cost,t\n,1"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		rows, err := NewArrivalReader(strings.NewReader(text), "in.csv")
		if err != nil {
			return
		}
		var row Arrival
		for last := int64(1); ; last = row.Line {
			if err = rows.Next(&row); err != nil {
				break
			}
			require.Greater(t, row.Line, last)
			require.GreaterOrEqual(t, row.Cost, int64(1))
			at, err := ParseSeconds(string(row.T))
			require.NoError(t, err)
			require.Equal(t, at, int64(row.At))
		}
		var fault *InputError
		require.True(t, err == io.EOF || errors.As(err, &fault))
	})
}
