package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const blink = "boundary-burst.admitted_in_blink@part=straddle,limiter=fixed-window,limit=10,window=1s"

func TestCite(t *testing.T) {
	out := t.TempDir()
	status, _, errOut := ratelab(t, "", "run", "boundary-burst", "--quick", "--out", out)
	require.Equal(t, 0, status, errOut)
	cite := func(args ...string) (int, string, string) {
		return ratelab(t, "", append([]string{"cite"}, append(args, "--out", out)...)...)
	}
	status, text, errOut := cite(blink)
	require.Equal(t, 0, status, errOut)
	assert.Contains(t, text, "20 requests\nadmitted_in_blink of boundary-burst at part=straddle,limiter=fixed-window,limit=10,window=1s\n95 % interval 20 to 20, 2 replications\nagain: ratelab run boundary-burst --quick --out "+out)

	status, text, _ = cite(blink, "--format", "json")
	require.Equal(t, 0, status)
	var c struct {
		Mean   float64
		SHA256 string `json:"sha256"`
	}
	require.NoError(t, json.Unmarshal([]byte(text), &c))
	assert.InDelta(t, 20, c.Mean, 0)
	assert.Len(t, c.SHA256, 64)
	_, text, _ = cite(blink, "--format", "markdown")
	assert.Regexp(t, `^20 <!-- ratelab run .*; sha256 [0-9a-f]{64} -->\n$`, text)
	_, text, _ = cite(blink, "--format", "latex")
	assert.Regexp(t, `^\$20\$ % ratelab run `, text)

	for line, want := range map[string]string{
		"boundary-burst":                                     "cite takes NAME.METRIC@FACTOR=VALUE",
		"boundary-burst.":                                    "cite takes NAME.METRIC@FACTOR=VALUE",
		"boundary-bust.admitted@part=story":                  `did you mean "boundary-burst"`,
		"boundary-burst.admited@part=story":                  `did you mean "admitted"`,
		"boundary-burst.admitted@part":                       `cite: behind @ want FACTOR=VALUE,…, got "part"`,
		"boundary-burst.admitted@part=story":                 "name also",
		"boundary-burst.admitted@parts=story":                "parts",
		"token-vs-leaky.loss@part=loss,burst=5":              "run: ratelab run token-vs-leaky --out " + out,
		"boundary-burst.admitted_in_blink@limiter=leaky-pot": "has no row at limiter=leaky-pot; limiter is fixed-window, ",
		"boundary-burst.admitted@part=story,window=2d":       "has no row at part=story,window=2d; window is ",
	} {
		status, text, errOut := cite(line)
		assert.Equal(t, 2, status, line)
		assert.Empty(t, text)
		assert.Contains(t, errOut, want, line)
	}
	status, _, errOut = cite(blink, "--format", "txt")
	assert.Equal(t, 2, status)
	assert.Contains(t, errOut, `--format must be one of text, markdown, latex, json, got "txt"`)
}

func TestWriteup(t *testing.T) {
	dir := t.TempDir()
	write := func(text string) string {
		file := filepath.Join(dir, "text.md.tmpl")
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
		return file
	}
	published := filepath.Join(root, "results")
	if _, err := os.Stat(filepath.Join(published, "boundary-burst", "manifest.json")); err == nil {
		// This checkout has results of some program's own: take what git keeps of one.
		published = t.TempDir()
		require.NoError(t, os.CopyFS(filepath.Join(published, "boundary-burst"), os.DirFS(filepath.Join(root, "results", "boundary-burst"))))
		require.NoError(t, os.Remove(filepath.Join(published, "boundary-burst", "manifest.json")))
	}
	file := write("# Title\n\n{{mean \"boundary-burst\" \"admitted_in_blink\" \"part=straddle,limiter=fixed-window,limit=10,window=1s\"}} pass\n\n{{figure \"boundary-burst\" \"story\"}}\n")
	status, out, errOut := ratelab(t, "", "writeup", file, "--out", published, "--page", filepath.Join(dir, "text.html"))
	require.Equal(t, 0, status, errOut)
	assert.Equal(t, filepath.Join(dir, "text.md")+"\n"+filepath.Join(dir, "text.html")+"\n", out)
	text, err := os.ReadFile(filepath.Join(dir, "text.md"))
	require.NoError(t, err)
	assert.Contains(t, string(text), "# Title\n\n20 pass\n\n![")
	page, err := os.ReadFile(filepath.Join(dir, "text.html"))
	require.NoError(t, err)
	assert.Contains(t, string(page), "<title>Title</title>")
	assert.Contains(t, string(page), "<svg")

	status, _, errOut = ratelab(t, "", "writeup", file, "--out", published, "--check")
	assert.Equal(t, 0, status, errOut)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "text.md"), []byte("old"), 0o600))
	status, _, errOut = ratelab(t, "", "writeup", file, "--out", published, "--check")
	assert.Equal(t, 1, status)
	assert.Contains(t, errOut, "is not what "+file+" says with these results")

	status, _, errOut = ratelab(t, "", "writeup", file, "--out", published, "--check", "--page", "text.html")
	assert.Equal(t, 2, status)
	assert.Contains(t, errOut, "--check writes nothing, so there is no --page")

	status, _, errOut = ratelab(t, "", "writeup", write("one\ntwo 7.9 times"), "--out", published)
	assert.Equal(t, 2, status)
	assert.Contains(t, errOut, `text.md.tmpl:2: "7.9" is typed`)
	status, _, errOut = ratelab(t, "", "writeup", filepath.Join(dir, "text.md"), "--out", published)
	assert.Equal(t, 2, status)
	assert.Contains(t, errOut, "does not end in .tmpl; say with --to where the text goes")
	status, _, errOut = ratelab(t, "", "writeup", filepath.Join(dir, "absent.tmpl"))
	assert.Equal(t, 2, status)
	assert.Contains(t, errOut, "absent.tmpl")
}
