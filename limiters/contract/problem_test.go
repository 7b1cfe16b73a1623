package contract

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestTheBodyOfARefusal(t *testing.T) {
	for message, want := range map[Message]string{
		{Status: 429, Violated: "user"}: `{"type":"https://iana.org/assignments/http-problem-types#quota-exceeded","title":"The quota of this key is spent","status":429,"violated-policies":["user"]}`,
		{Status: 429}:                   `{"type":"https://iana.org/assignments/http-problem-types#quota-exceeded","title":"The quota of this key is spent","status":429,"violated-policies":[]}`,
		{Status: 503}:                   `{"type":"https://iana.org/assignments/http-problem-types#temporary-reduced-capacity","title":"The server is under pressure","status":503,"violated-policies":[]}`,
	} {
		problem, ok := message.Problem()
		require.True(t, ok)
		body, err := json.Marshal(problem)
		require.NoError(t, err)
		assert.Equal(t, want, string(body))
		again, err := ParseProblem(body)
		require.NoError(t, err)
		assert.Equal(t, problem, again)
	}
	for _, status := range []int{0, 200, 404} {
		_, ok := Message{Status: status}.Problem()
		assert.False(t, ok, "%d is no refusal", status)
	}
}

func FuzzParseProblem(f *testing.F) {
	f.Add([]byte(`{"status":429,"violated-policies":["a"]}`))
	f.Add([]byte(`{"violated-policies":"a"}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		if p, err := ParseProblem(body); err != nil && (p.Status != 0 || p.Violated != nil) {
			t.Fatalf("%q: a part of a malformed body", body)
		}
	})
}
