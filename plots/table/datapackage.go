package table

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// Resource is one CSV file of a data package.
type Resource struct {
	Name        string // lower case letters, digits, '.', '_', '-', '/'; unique in the package
	Path        string // of the CSV file, relative to datapackage.json, with forward slashes
	Description string
	Columns     []Column
}

// DataPackage returns the text of a datapackage.json: a Frictionless tabular data package
// (https://specs.frictionlessdata.io/tabular-data-package/), which tells what every column of every file means. It
// holds no time and no host, so the same columns give the same bytes. The name follows the rule of Resource.Name.
func DataPackage(name, description string, resources []Resource) []byte {
	type field struct {
		Name        string `json:"name"`
		Type        string `json:"type"`
		Unit        string `json:"unit,omitempty"`
		Description string `json:"description,omitempty"`
	}
	type schema struct {
		Fields        []field  `json:"fields"`
		MissingValues []string `json:"missingValues"`
	}
	type dialect struct {
		Delimiter      string `json:"delimiter"`
		LineTerminator string `json:"lineTerminator"`
		QuoteChar      string `json:"quoteChar"`
		DoubleQuote    bool   `json:"doubleQuote"`
		Header         bool   `json:"header"`
	}
	type resource struct {
		Name        string  `json:"name"`
		Path        string  `json:"path"`
		Description string  `json:"description,omitempty"`
		Profile     string  `json:"profile"`
		Format      string  `json:"format"`
		MediaType   string  `json:"mediatype"`
		Encoding    string  `json:"encoding"`
		Dialect     dialect `json:"dialect"`
		Schema      schema  `json:"schema"`
	}
	list := make([]resource, len(resources))
	for i, r := range resources {
		fields := make([]field, len(r.Columns))
		for k, c := range r.Columns {
			fields[k] = field{Name: c.Name, Type: c.Type.String(), Unit: c.Unit, Description: c.Description}
		}
		list[i] = resource{
			Name: r.Name, Path: r.Path, Description: r.Description,
			Profile: "tabular-data-resource", Format: "csv", MediaType: "text/csv", Encoding: "utf-8",
			Dialect: dialect{Delimiter: ",", LineTerminator: "\n", QuoteChar: `"`, DoubleQuote: true, Header: true},
			Schema:  schema{Fields: fields, MissingValues: []string{""}},
		}
	}
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	err := encoder.Encode(struct {
		Name        string     `json:"name"`
		Profile     string     `json:"profile"`
		Description string     `json:"description,omitempty"`
		Resources   []resource `json:"resources"`
	}{name, "tabular-data-package", description, list})
	if err != nil {
		panic(fmt.Sprintf("table: strings and booleans do not encode: %v", err)) // encoding/json has no such case
	}
	return out.Bytes()
}
