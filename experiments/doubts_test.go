package experiments

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestEveryExperimentSaysWhatItLeavesOutAndWhatWouldMakeItsClaimsFalse(t *testing.T) {
	for _, e := range All() {
		for what, text := range map[string]string{"Question": e.Question, "Hypothesis": e.Hypothesis} {
			assert.NotEmpty(t, text, "%s: %s", e.Name, what)
		}
		assert.NotEmpty(t, e.Threats, e.Name)
		assert.NotContains(t, e.Threats, "", e.Name)
		assert.NotEmpty(t, e.Claims, e.Name)
		texts := make(map[string]bool)
		for _, c := range e.Claims {
			assert.False(t, texts[c.Text], "%s has two claims that say %q", e.Name, c.Text)
			texts[c.Text] = true
			for what, text := range map[string]string{"Text": c.Text, "Domain": c.Domain, "Wrong": c.Wrong, "Source": c.Source, "Metric": c.Metric} {
				assert.NotEmpty(t, text, "%s, claim %q: %s", e.Name, c.Text, what)
			}
			assert.GreaterOrEqual(t, len(c.Points), 3, "%s, claim %q is checked at three points at least", e.Name, c.Text)
			assert.NotEmpty(t, c.Outside, "%s, claim %q is checked outside its domain", e.Name, c.Text)
		}
	}
}
