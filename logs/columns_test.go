package logs

import (
	"fmt"
	"strings"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestColumnsStayWithTheirRecords(t *testing.T) {
	const web = `192.0.2.1 - ann [10/Oct/2000:13:55:36 +0000] "GET /a?x HTTP/1.0" 200 1
192.0.2.2 - - [10/Oct/2000:13:55:34 +0000] "POST /b HTTP/1.0" 404 1
192.0.2.1 - ann [10/Oct/2000:13:55:35 +0000] "GET /b HTTP/1.0" 200 1
`
	const table = "status,t,key,endpoint,user\n500,2000-10-10T13:55:35.5Z,k,/c,ben\n200,2000-10-10T13:55:33Z,k,\"/a\",\n"
	first, second := write(t, "web.log", web), write(t, "table.csv", table)
	log, err := Read([]string{first, second}, Options{Columns: []string{"user", "endpoint", "status"}})
	require.NoError(t, err)
	var got []string
	for i := range log.Records {
		r := &log.Records[i]
		row := []string{log.Keys.Text(r.Key)}
		for c, column := range log.Columns {
			row = append(row, column.Name+"="+column.Keys.Text(log.ID(r, c)))
		}
		got = append(got, strings.Join(row, " "))
	}
	assert.Equal(t, []string{
		"k user= endpoint=/a status=200",
		"192.0.2.2 user=- endpoint=/b status=404",
		"192.0.2.1 user=ann endpoint=/b status=200",
		"k user=ben endpoint=/c status=500",
		"192.0.2.1 user=ann endpoint=/a status=200",
	}, got)
	assert.EqualValues(t, 40, unsafe.Sizeof(Record{}), "columns that nobody asks for take no memory")
}

func TestAColumnThatIsNotThereIsNamed(t *testing.T) {
	for text, want := range map[string]string{
		"t,users\n0,a\n": `standard input: line 1: no column "user" (did you mean "users"?); the header has "t", "users"`,
		`192.0.2.1 - - [10/Oct/2000:13:55:36 -0700] "GET / HTTP/1.0" 200 2326` + "\n": `standard input: is in common format, which has no key column "agent"; it has ip, user, endpoint, method, status`,
	} {
		_, err := Read([]string{"-"}, Options{Columns: []string{"user", "agent"}, Stdin: strings.NewReader(text)})
		var fault *InputError
		require.ErrorAs(t, err, &fault)
		assert.EqualError(t, err, want)
	}
}

func TestOptionalColumnsMayBeMissing(t *testing.T) {
	const common = `192.0.2.1 - - [10/Oct/2000:13:55:36 -0700] "GET /a HTTP/1.0" 200 2326`
	for text, want := range map[string]string{
		"t,endpoint\n0,/a\n":              `0 "" 1 -1 0 /a  lacks agent plan, agents 0`,
		common + "\n":                     `971211336 "192.0.2.1" 1 -1 200 /a  lacks agent plan, agents 0`,
		common + ` "-" "curl"` + "\n":     `971211336 "192.0.2.1" 1 -1 200 /a  lacks plan, agents 1`,
		`{"ts":1,"ip":"a","uri":"/a?b"}`:  `1 "a" 1 -1 0 /a  lacks plan agent, agents 0`,
		`{"ts":1,"plan":"x","agent":"y"}`: `1 "" 1 -1 0  x lacks endpoint, agents 1`,
	} {
		opts := Options{Columns: []string{"endpoint", "plan"}, Agents: true, Optional: true, Stdin: strings.NewReader(text)}
		log, err := Read([]string{"-"}, opts)
		require.NoError(t, err, text)
		lacks := log.Files[0].Lacks
		got := shownRecord(log, &log.Records[0]) + " lacks " + strings.Join(lacks, " ") + fmt.Sprintf(", agents %d", log.Agents(0))
		assert.Equal(t, want, got, text)
	}
}
