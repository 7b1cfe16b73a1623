package logs

import (
	"bytes"
	"encoding/csv"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// records reads all records; a bad one is shown as its fault.
func records(t testing.TB, r io.Reader) (all [][]string, starts []int64) {
	c := csvReader{lines: newLineReader(r)}
	for {
		fields, err := c.next()
		if err == io.EOF {
			return all, starts
		}
		var fault csvFault
		if errors.As(err, &fault) {
			all, starts = append(all, []string{"fault", fault.Error()}), append(starts, c.first)
			continue
		}
		require.NoError(t, err)
		if len(fields) == 0 {
			continue
		}
		var record []string
		for _, f := range fields {
			record = append(record, string(f))
		}
		all, starts = append(all, record), append(starts, c.first)
	}
}

func TestCSVRecords(t *testing.T) {
	for name, c := range map[string]struct {
		text  string
		want  [][]string
		lines []int64
	}{
		"plain":             {"a,b\nc,d\n", [][]string{{"a", "b"}, {"c", "d"}}, []int64{1, 2}},
		"no last line end":  {"a,b\nc,d", [][]string{{"a", "b"}, {"c", "d"}}, []int64{1, 2}},
		"CRLF":              {"a,b\r\nc,d\r\n", [][]string{{"a", "b"}, {"c", "d"}}, []int64{1, 2}},
		"empty fields":      {",\n,,\n", [][]string{{"", ""}, {"", "", ""}}, []int64{1, 2}},
		"empty lines":       {"\na\n\r\n\nb\n", [][]string{{"a"}, {"b"}}, []int64{2, 5}},
		"quotes":            {"\"a,b\",\"say \"\"hi\"\"\"\n\"\",x\n", [][]string{{"a,b", `say "hi"`}, {"", "x"}}, []int64{1, 2}},
		"a quoted nothing":  {"\"\"\n", [][]string{{""}}, []int64{1}},
		"lines in quotes":   {"\"a\nb\r\nc\",d\r\ne,f\n", [][]string{{"a\nb\r\nc", "d"}, {"e", "f"}}, []int64{1, 4}},
		"quotes at the end": {"a,\"b\"", [][]string{{"a", "b"}}, []int64{1}},
		"byte order mark":   {"\xef\xbb\xbft,key\n", [][]string{{"t", "key"}}, []int64{1}},
		"mark and quotes":   {"\xef\xbb\xbf\"t\",key\n", [][]string{{"t", "key"}}, []int64{1}},
		"blanks are kept":   {" a , b \n", [][]string{{" a ", " b "}}, []int64{1}},
		"a bare quote":      {"a\"b,c\nd\n", [][]string{{"fault", faultBareQuote.Error()}, {"d"}}, []int64{1, 2}},
		"text after quotes": {"\"a\"b,c\nd\n", [][]string{{"fault", faultAfter.Error()}, {"d"}}, []int64{1, 2}},
		"open quotes":       {"d\n\"a,b\nc\n", [][]string{{"d"}, {"fault", faultOpen.Error()}}, []int64{1, 2}},
	} {
		t.Run(name, func(t *testing.T) {
			got, lines := records(t, strings.NewReader(c.text))
			assert.Equal(t, c.want, got)
			assert.Equal(t, c.lines, lines)
			got, _ = records(t, iotest.OneByteReader(strings.NewReader(c.text)))
			assert.Equal(t, c.want, got, "read byte by byte")
		})
	}
}

func TestLinesOfAnyLengthInBoundedMemory(t *testing.T) {
	long := strings.Repeat("x", 1<<17) // longer than the buffer
	tooLong := strings.Repeat("y", maxLine+1)
	got, lines := records(t, strings.NewReader(long+",1\n"+tooLong+"\na\n\""+long+"\n"+tooLong+"\nb\nc,"+tooLong))
	assert.Equal(t, [][]string{
		{long, "1"}, {"fault", errLongLine.Error()}, {"a"}, {"fault", errLongLine.Error()}, {"b"}, {"fault", errLongLine.Error()},
	}, got)
	assert.Equal(t, []int64{1, 2, 3, 4, 6, 7}, lines)
}

func TestReadErrorsAreNotFaults(t *testing.T) {
	c := csvReader{lines: newLineReader(iotest.ErrReader(io.ErrUnexpectedEOF))}
	_, err := c.next()
	assert.Equal(t, io.ErrUnexpectedEOF, err)
}

func TestFieldsAreWrittenAsTheyAreRead(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := rapid.SliceOfN(rapid.StringOf(rapid.SampledFrom([]rune("ab,\"\n\r é"))), 2, 5).Draw(t, "fields")
		var line []byte
		for i, f := range want {
			if i > 0 {
				line = append(line, ',')
			}
			line = AppendField(line, f)
		}
		c := csvReader{lines: newLineReader(bytes.NewReader(append(line, '\n')))}
		got, err := c.next()
		require.NoError(t, err)
		require.Len(t, got, len(want))
		for i := range want {
			assert.Equal(t, want[i], string(got[i]))
		}
	})
}

// The oracle is encoding/csv, on texts whose line ends it leaves alone.
func FuzzCSV(f *testing.F) {
	for _, seed := range []string{"a,b\nc,d\n", "\"a,\"\"b\n\",c\n", "a\"b\n", "\"a\"b\n", "\"a", "\n\n,\n", "\"\"\n"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, _ := records(t, strings.NewReader(text)) // never panics, whatever comes
		if strings.ContainsAny(text, "\r") || strings.HasPrefix(text, string(utf8Mark)) {
			return
		}
		oracle := csv.NewReader(strings.NewReader(text))
		oracle.FieldsPerRecord = -1
		want, err := oracle.ReadAll()
		if err != nil {
			faults := 0
			for _, r := range got {
				if r[0] == "fault" {
					faults++
				}
			}
			require.Positive(t, faults)
			return
		}
		require.Equal(t, want, got)
	})
}
