package browser

import (
	"context"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// views are a phone, a tablet and a desk, light and dark.
func views() (all []view) {
	for _, size := range [][2]int64{{390, 844}, {768, 1024}, {1440, 900}} {
		for _, dark := range []bool{false, true} {
			all = append(all, view{width: size[0], height: size[1], dark: dark})
		}
	}
	return all
}

// TestPages looks at each page in each view.
func TestPages(t *testing.T) {
	if len(pages) == 0 {
		require.Empty(t, os.Getenv("CI"), "no page to look at; .ci/run has make browser write them")
		t.Skip("no page to look at: make browser writes one")
	}
	browser := browse(t)
	for _, file := range pages {
		for _, v := range views() {
			t.Run(filepath.Base(file)+"/"+v.String(), func(t *testing.T) { aPage(t, browser, file, v) })
		}
		t.Run(filepath.Base(file)+"/print", func(t *testing.T) { printed(t, browser, file) })
		t.Run(filepath.Base(file)+"/bare", func(t *testing.T) { bare(t, browser, file) })
		t.Run(filepath.Base(file)+"/added", func(t *testing.T) { added(t, browser, file) })
	}
}

// aPage is what holds of every page in every view.
func aPage(t *testing.T, browser context.Context, file string, v view) {
	b := look(t, browser, file, v)
	b.shoot(file, v, "top")
	for i, at := range ask[[]float64](b, `places()`) {
		ask[any](b, `to(`+number(at)+`)`)
		b.shoot(file, v, "place"+number(float64(i)))
	}
	assert.Empty(t, ask[[]string](b, `wide()`), "what is wider than the window")
	ask[any](b, `unfold()`)
	for i, selector := range []string{".claim", ".data", ".command"} {
		if eval[bool](b, `document.querySelector("`+selector+`") !== null`) {
			eval[any](b, `(document.querySelector("`+selector+`").scrollIntoView({ behavior: "instant" }), null)`)
			b.shoot(file, v, "unfolded"+number(float64(i)))
		}
	}
	assert.Empty(t, ask[[]string](b, `wide()`), "what is wider than the window, unfolded")
	assert.Empty(t, ask[[]string](b, `faint()`), "text with a contrast below 4.5")
	assert.Empty(t, ask[[]string](b, `undescribed()`), "figures without a description")
	assert.Empty(t, ask[[]string](b, `twice()`), "ids that are there twice")
	if scales := ask[[]float64](b, `scales()`); len(scales) > 0 {
		assert.Len(t, scales, 1, "figures at one scale, so that their text is of one size")
		assert.Greater(t, scales[0], 1.3, "text in figures can be read")
	}
	links := ask[[]string](b, `links()`)
	for _, link := range links {
		if place, inside := strings.CutPrefix(link, "#"); inside {
			assert.True(t, eval[bool](b, `document.getElementById("`+place+`") !== null`), "nothing is called %s", link)
			continue
		}
		parsed, err := url.Parse(link)
		require.NoError(t, err)
		if assert.Empty(t, parsed.Scheme+parsed.Host, "%s leaves the page's folder", link) {
			assert.FileExists(t, filepath.Join(filepath.Dir(file), filepath.FromSlash(parsed.Path)))
		}
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	assert.Empty(t, b.said, "the console is silent")
	for _, request := range b.requests {
		assert.True(t, request == address(t, file) || strings.HasPrefix(request, "data:"), "a request for %s", request)
	}
}

// printed is what a printer gets: nothing is cut off, and it is light.
func printed(t *testing.T, browser context.Context, file string) {
	v := view{width: 794, height: 1123, dark: true, print: true} // A4
	b := look(t, browser, file, v)
	assert.Empty(t, ask[[]string](b, `wide()`))
	assert.Empty(t, ask[[]string](b, `faint()`))
	assert.Equal(t, "rgb(255, 255, 255)", eval[string](b, `getComputedStyle(document.body).backgroundColor`))
	assert.Empty(t, ask[[]string](b, `shown("button, input")`))
	pdf, err := chromedp.Run(b.ctx, chromedp.PrintToPDF())
	require.NoError(t, err)
	assert.Greater(t, len(pdf), 10_000)
	if *shots != "" {
		require.NoError(t, os.WriteFile(filepath.Join(*shots, strings.TrimSuffix(filepath.Base(file), filepath.Ext(file))+".pdf"), pdf, 0o600))
	}
}

// bare is a page without JavaScript: all is there but what JavaScript adds.
func bare(t *testing.T, browser context.Context, file string) {
	with := look(t, browser, file, view{width: 1440, height: 900})
	without := look(t, browser, file, view{width: 1440, height: 900, bare: true})
	assert.NotEmpty(t, ask[[]string](with, `shown("button")`), "the script ran")
	assert.Empty(t, ask[[]string](without, `shown("button, input")`), "nothing that does nothing")
	for _, b := range []*tab{with, without} {
		ask[any](b, `unfold()`)
	}
	count := `["figure", "article", "h1", "h2", "tr", "summary", ".command", ".verdict"].map((s) => s + " " + document.querySelectorAll(s).length + " " + shown(s).length)`
	assert.Equal(t, ask[[]string](with, count), ask[[]string](without, count))
	assert.Equal(t, ask[[]string](with, `links()`), ask[[]string](without, `links()`))
}

// added is what JavaScript adds: it does what it says.
func added(t *testing.T, browser context.Context, file string) {
	b := look(t, browser, file, view{width: 1440, height: 900})
	ground := func() string { return eval[string](b, `getComputedStyle(document.body).backgroundColor`) }
	light := ground()
	assert.Equal(t, "Dark", eval[string](b, `document.querySelector(".theme").textContent`))
	b.do(chromedp.Click(chromedp.CSS(".theme")))
	assert.NotEqual(t, light, ground(), "the theme is the reader's choice")
	b.do(chromedp.Click(chromedp.CSS(".theme")))
	assert.Equal(t, light, ground())

	if eval[bool](b, `document.querySelector("figure") !== null`) {
		ask[any](b, `unfold()`)
		b.do(chromedp.Click(chromedp.CSS("figcaption button")), chromedp.WaitVisible(chromedp.CSS("dialog.large[open] .plot")))
		assert.Empty(t, ask[[]string](b, `twice()`))
		assert.Greater(t, eval[float64](b, `document.querySelector("dialog .plot").getBoundingClientRect().width`),
			eval[float64](b, `document.querySelector("figure .plot").getBoundingClientRect().width`), "figures open large")
		b.shoot(file, view{width: 1440}, "enlarged")
		b.do(chromedp.Click(chromedp.CSS("dialog.large button")), chromedp.WaitNotPresent(chromedp.CSS("dialog.large")))
	}
	if eval[bool](b, `document.querySelector(".command") !== null`) {
		b.do(chromedp.Click(chromedp.CSS(".command button")))
		_, err := chromedp.Run(b.ctx, chromedp.Poll[bool](`/^(Copied|Selected)$/.test(document.querySelector(".command button").textContent)`))
		require.NoError(t, err)
	}
	if eval[bool](b, `document.querySelector(".data th.n button") !== null`) {
		column := `(() => { const table = document.querySelector(".data th.n").closest("table"); const at = document.querySelector(".data th.n").cellIndex;
			return [...table.tBodies[0].rows].map((row) => parseFloat(row.cells[at].textContent)).filter((x) => !Number.isNaN(x)); })()`
		ask[any](b, `unfold()`)
		for _, less := range []string{"a - b", "b - a"} {
			eval[any](b, `document.querySelector(".data th.n button").click()`)
			assert.Equal(t, eval[[]float64](b, column+`.sort((a, b) => `+less+`)`), eval[[]float64](b, column), "a head sorts by value")
		}
	}
	for _, filter := range ask[[]string](b, `filters()`) {
		b.do(chromedp.SendKeys(chromedp.CSS(filter), "no row has this"))
		assert.Empty(t, ask[[]string](b, `kept("`+filter+`")`), "%s hides what does not match", filter)
		eval[any](b, `(() => { const f = document.querySelector("`+filter+`"); f.value = ""; f.dispatchEvent(new Event("input")); })()`)
		assert.NotEmpty(t, ask[[]string](b, `kept("`+filter+`")`), filter)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	assert.Empty(t, b.said, "the console is silent")
}

func number(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }
