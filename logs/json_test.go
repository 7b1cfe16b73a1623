package logs

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// found returns the wanted fields of a line.
func found(t testing.TB, line string, paths ...string) []string {
	var j jsonLine
	for _, p := range paths {
		j.want(p)
	}
	require.NoError(t, j.parse([]byte(line)), line)
	texts := make([]string, len(paths))
	for i, v := range j.values {
		if texts[i] = string(v); v == nil {
			texts[i] = "none"
		}
	}
	return texts
}

func TestFieldsAreFoundByTheirPaths(t *testing.T) {
	for line, want := range map[string][]string{
		`{"a":1,"b":{"c":"x","d":[3,4]},"e":null}`:         {"1", "x", "3", "none"},
		`{"b":{"d":[],"c":""},"a":-1.5e+3}`:                {"-1.5e+3", "", "none", "none"},
		`{"b.c":"dotted","b":{"c":"inside","cc":1}}`:       {"none", "inside", "none", "none"},
		`{"b":{"c":"inside"},"b.c":"dotted","a":true}`:     {"true", "dotted", "none", "none"},
		`{"a":"\u00e9\"\\\/\n\ud83d\ude00","e":"\ud800"}`:  {"é\"\\/\n😀", "none", "none", "\ufffd"},
		`{"a":{"x":1},"b":[{"c":"first"},{"c":"second"}]}`: {"none", "first", "none", "none"},
		` { "a" : [ [ 7 ] , 8 ] } `:                        {"7", "none", "none", "none"},
		`{"\u0061":1,"a":null}`:                            {"none", "none", "none", "none"},
		`{"a":"x","a":{}}`:                                 {"none", "none", "none", "none"},
	} {
		assert.Equal(t, want, found(t, line, "a", "b.c", "b.d", "e"), line)
	}
}

func TestLinesThatAreNoJSONAreRefused(t *testing.T) {
	for _, line := range []string{"", "1", "[]", "{", `{"a"}`, `{"a":}`, `{"a":1,}`, `{"a":01}`, `{"a":1.}`, `{"a":"x}`, `{"a":"\x"}`,
		`{"a":"\u12"}`, "{\"a\":\"\t\"}", `{"a":nul}`, `{"a":1}x`, `{a:1}`, `{"a":[1}`, `{"a":1 "b":2}`, `{"a":-}`, `{"a":1e}`} {
		var j jsonLine
		j.want("a")
		assert.Equal(t, errJSON, j.parse([]byte(line)), line)
	}
	var j jsonLine
	assert.Equal(t, errJSONDepth, j.parse([]byte(`{"a":`+strings.Repeat("[", 200)+strings.Repeat("]", 200)+`}`)))
}

// atPath is the oracle: encoding/json and a walk through what it makes.
func atPath(v any, path string) (string, bool) {
	if list, ok := v.([]any); ok {
		if len(list) == 0 {
			return "", false
		}
		return atPath(list[0], path)
	}
	if path == "" {
		switch v := v.(type) {
		case string:
			return v, true
		case json.Number:
			return v.String(), true
		case bool:
			return map[bool]string{true: "true", false: "false"}[v], true
		}
		return "", false
	}
	object, ok := v.(map[string]any)
	if !ok {
		return "", false
	}
	name, rest, _ := strings.Cut(path, ".")
	return atPath(object[name], rest)
}

func FuzzJSON(f *testing.F) {
	for _, seed := range []string{
		`{"ts":1646861401.5241024,"request":{"remote_ip":"127.0.0.1","headers":{"User-Agent":["curl/7.82.0"]}},"status":200}`,
		`{"a":"\u00e9\"\\\/\n\ud83d\ude00","b":{"c":[[1,2],-0.5e-3]}}`, `{"a":{},"b":[],"c":null,"d":true}`, `{"a":"\ud800\u0041"}`, `{}`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, line string) {
		j := jsonLine{}
		paths := []string{"a", "b.c", "request.headers.User-Agent", "ts"}
		for _, p := range paths {
			j.want(p)
		}
		err := j.parse([]byte(line))
		if err == errJSONDepth {
			return
		}
		decoder := json.NewDecoder(strings.NewReader(line))
		decoder.UseNumber()
		var want map[string]any
		valid := json.Valid([]byte(line)) && strings.HasPrefix(strings.TrimLeft(line, " \t\r\n"), "{")
		require.Equal(t, valid, err == nil, "%q: %v", line, err)
		// Names said twice and names with points in them are not what the oracle is for.
		if err != nil || decoder.Decode(&want) != nil || strings.Count(line, `"`) != strings.Count(strings.ToValidUTF8(line, ""), `"`) {
			return
		}
		again, _ := json.Marshal(want)
		if strings.Count(string(again), ":") != strings.Count(line, ":") || strings.ToValidUTF8(line, "") != line {
			return
		}
		if deepDots(want) {
			return
		}
		for i, path := range paths {
			text, ok := atPath(want, path)
			require.Equal(t, ok, j.values[i] != nil, "%s of %q", path, line)
			require.Equal(t, text, string(j.values[i]), "%s of %q", path, line)
		}
	})
}

// deepDots reports whether a name somewhere has a point in it.
func deepDots(v any) bool {
	switch v := v.(type) {
	case map[string]any:
		for name, inner := range v {
			if strings.Contains(name, ".") || deepDots(inner) {
				return true
			}
		}
	case []any:
		for _, inner := range v {
			if deepDots(inner) {
				return true
			}
		}
	}
	return false
}
