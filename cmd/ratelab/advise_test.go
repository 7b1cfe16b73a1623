package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestAdviseWritesAPage(t *testing.T) {
	page := filepath.Join(t.TempDir(), "advice.html")
	tour := filepath.Join(root, "logs", "testdata", "tour.log")
	line := []string{"advise", tour, "--html", page, "--protect", "15/s", "--config", "all", "--anonymize", "--salt", "x"}
	status, out, errOut := ratelab(t, "", line...)
	require.Equal(t, 0, status, errOut)
	first, err := os.ReadFile(page)
	require.NoError(t, err)
	assert.True(t, bytes.HasPrefix(first, []byte("<!DOCTYPE html>")))
	for _, text := range []string{"Which limit to choose for tour.log?", "leaky-queue:rate=2/s,queue=5", "limit_req_zone", "stick-table", "CL.THROTTLE &lt;key&gt;", "<svg"} {
		assert.Contains(t, string(first), text)
	}
	assert.NotContains(t, string(first), "10.0.0.")
	assert.NotContains(t, out, "10.0.0.")

	status, again, _ := ratelab(t, "", line...)
	require.Equal(t, 0, status)
	second, err := os.ReadFile(page)
	require.NoError(t, err)
	assert.Equal(t, out, again)
	assert.True(t, bytes.Equal(first, second), "the same log gives the same bytes")

	status, _, errOut = ratelab(t, "", "advise", tour, "--html", filepath.Join(t.TempDir(), "nowhere", "advice.html"))
	assert.Equal(t, 1, status)
	assert.Contains(t, errOut, "advice.html")
}

func TestAdviseRefusesALogThatLostItsMinutesUnlessForced(t *testing.T) {
	status, out, errOut := ratelab(t, mangled(), "advise", "-")
	assert.Equal(t, 2, status)
	assert.Empty(t, out)
	assert.Contains(t, errOut, "unfit for rates")
	assert.Contains(t, errOut, "--force advises all the same")
	status, out, _ = ratelab(t, mangled(), "advise", "-", "--force", "--rate", "1/s", "--burst", "5")
	assert.Equal(t, 0, status)
	assert.Contains(t, out, "warning   unfit for rates: ")
}

func TestAdviseTellsOfACompressedFileThatIsCutOff(t *testing.T) {
	status, _, errOut := ratelab(t, "\x1f\x8b\x08\x00", "advise", "-")
	assert.Equal(t, 2, status)
	assert.NotEmpty(t, errOut)
}
