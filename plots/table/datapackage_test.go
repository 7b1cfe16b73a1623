package table

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "rewrite the golden files in testdata")

func TestDataPackageIsStable(t *testing.T) {
	got := DataPackage("boundary-burst", "What passes when a burst straddles a page turn & more.", []Resource{
		{Name: "runs", Path: "runs.csv", Description: "one row a cell", Columns: runColumns},
		{Name: "empty", Path: "empty.csv"},
	})
	golden := filepath.Join("testdata", "datapackage.json")
	if *update {
		require.NoError(t, os.WriteFile(golden, got, 0o644))
	}
	want, err := os.ReadFile(golden)
	require.NoError(t, err)
	assert.Equal(t, string(want), string(got))
}

// The data package is read as a stranger would read it, from the JSON alone, and every cell of the CSV is held to it.
func TestDataPackageDescribesTheCSV(t *testing.T) {
	r := runs(t)
	var text bytes.Buffer
	require.NoError(t, r.Write(&text))
	records, err := csv.NewReader(&text).ReadAll()
	require.NoError(t, err)

	var p struct {
		Name, Profile string
		Resources     []struct {
			Name, Path, Profile, Encoding string
			Dialect                       struct {
				Delimiter, LineTerminator string
				Header                    bool
			}
			Schema struct {
				Fields        []struct{ Name, Type, Unit, Description string }
				MissingValues []string
			}
		}
	}
	decoder := json.NewDecoder(bytes.NewReader(DataPackage("runs", "", []Resource{{Name: "runs", Path: "runs.csv", Columns: r.Columns()}})))
	require.NoError(t, decoder.Decode(&p))
	assert.Equal(t, "tabular-data-package", p.Profile)
	assert.Regexp(t, regexp.MustCompile(`^[-a-z0-9._/]+$`), p.Name)
	require.Len(t, p.Resources, 1)
	resource := p.Resources[0]
	assert.Equal(t, "tabular-data-resource", resource.Profile)
	assert.Equal(t, "utf-8", resource.Encoding)
	assert.Equal(t, ",", resource.Dialect.Delimiter)
	assert.Equal(t, "\n", resource.Dialect.LineTerminator)
	assert.True(t, resource.Dialect.Header)
	assert.Equal(t, []string{""}, resource.Schema.MissingValues)

	require.Len(t, records[0], len(resource.Schema.Fields))
	for c, field := range resource.Schema.Fields {
		assert.Equal(t, records[0][c], field.Name)
		assert.Equal(t, runColumns[c].Unit, field.Unit)
		assert.Equal(t, runColumns[c].Description, field.Description)
		for _, record := range records[1:] {
			switch field.Type {
			case "string":
			case "integer":
				_, err := strconv.ParseInt(record[c], 10, 64)
				assert.NoError(t, err)
			case "number":
				if record[c] != "" {
					_, err := strconv.ParseFloat(record[c], 64)
					assert.NoError(t, err)
				}
			default:
				t.Errorf("field %s has type %q", field.Name, field.Type)
			}
		}
	}
}
