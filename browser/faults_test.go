package browser

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// bad has one of each fault that the tests look for.
const bad = `<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>bad</title><meta name="viewport" content="width=device-width">
<style>
:root { color-scheme: light dark; }
body { background: light-dark(#fff, #000); color: light-dark(#000, #fff); }
.faint { color: light-dark(#999, #666); }
.veil { background: rgb(0 0 0 / 0.5); color: #777; }
.wide { width: 1500px; }
</style></head><body>
<p class="faint">faint</p><p class="veil">half seen</p><p class="wide">wide</p><p id="a">one</p><p id="a">two</p>
<svg viewBox="0 0 1 1" role="img" aria-labelledby="b-title b-desc"><title id="b-title">A long enough title</title></svg>
<svg viewBox="0 0 1 1" role="img" aria-labelledby="c-title c-desc"><title id="c-title">A long enough title</title><desc id="c-desc">A long enough text</desc></svg>
<p>1</p><p>2</p><p>3</p><p>4</p><p>5</p><p>6</p>
<img src="http://127.0.0.1:9/nothing.png" alt="">
<script>console.error("said");</script>
</body></html>`

func TestFaultsAreSeen(t *testing.T) {
	browser := browse(t)
	file := filepath.Join(t.TempDir(), "bad.html")
	require.NoError(t, os.WriteFile(file, []byte(bad), 0o600))
	for _, v := range []view{{width: 390, height: 844}, {width: 1440, height: 900, dark: true}} {
		b := look(t, browser, file, v)
		wide := ask[[]string](b, `wide()`)
		require.NotEmpty(t, wide)
		assert.Contains(t, wide, "p.wide")
		faint := strings.Join(ask[[]string](b, `faint()`), "\n")
		assert.Contains(t, faint, "p.faint")
		if !v.dark {
			assert.Contains(t, faint, "p.veil")
		}
		assert.NotContains(t, faint, "p#a")
		assert.Equal(t, []string{"svg"}, ask[[]string](b, `undescribed()`), "one of the two")
		assert.Equal(t, []string{"a"}, ask[[]string](b, `twice()`))
		b.mu.Lock()
		assert.Contains(t, b.said, "console.error")
		assert.Contains(t, b.requests, "http://127.0.0.1:9/nothing.png")
		b.mu.Unlock()
	}
}
