package main

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"ratelab/plots/table"
)

func TestPrintTable(t *testing.T) {
	data, err := table.New(
		table.Column{Name: "what"},
		table.Column{Name: "n", Type: table.Integer},
		table.Column{Name: "share", Type: table.Number},
	)
	require.NoError(t, err)
	require.NoError(t, data.Append(`a "b", c`, int64(9007199254740993), 1.0/3))
	require.NoError(t, data.Append("d", int64(1), math.NaN()))
	for format, want := range map[string]string{
		"table": "what      n                 share\na \"b\", c  9007199254740993  0.333333\nd         1                 \n",
		"csv":   "what,n,share\n\"a \"\"b\"\", c\",9007199254740993,0.3333333333333333\nd,1,\n",
		"json":  "[\n  {\"what\": \"a \\\"b\\\", c\", \"n\": 9007199254740993, \"share\": 0.3333333333333333},\n  {\"what\": \"d\", \"n\": 1, \"share\": null}\n]\n",
	} {
		t.Run(format, func(t *testing.T) {
			var out strings.Builder
			require.NoError(t, printTable(&out, data, format))
			assert.Equal(t, want, out.String())
			if format == "json" {
				assert.True(t, json.Valid([]byte(out.String())))
			}
		})
	}
}
