package browser

import (
	"context"
	_ "embed" // the questions
	"flag"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

// questions are what the tests ask a page, in its own language.
//
//go:embed ask.js
var questions string

var (
	pages pathList
	shots = flag.String("shots", "", "folder for screenshots")
)

func init() { flag.Var(&pages, "page", "HTML file to look at; may be given again") }

// pathList is a flag that may be given again.
type pathList []string

func (l *pathList) String() string { return strings.Join(*l, ",") }

// Set adds a path.
func (l *pathList) Set(path string) error {
	*l = append(*l, path)
	return nil
}

// view is how a page is looked at.
type view struct {
	width, height int64
	dark, bare    bool // bare: without JavaScript
	print         bool
}

func (v view) String() string {
	name := fmt.Sprintf("%d-light", v.width)
	if v.dark {
		name = fmt.Sprintf("%d-dark", v.width)
	}
	if v.bare {
		name += "-bare"
	}
	if v.print {
		name += "-print"
	}
	return name
}

// browse starts a browser that lives as long as the test.
func browse(t *testing.T) context.Context {
	t.Helper()
	var path string
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"} {
		if found, err := exec.LookPath(name); err == nil {
			path = found
			break
		}
	}
	if path == "" {
		require.Empty(t, os.Getenv("CI"), "no Chromium; .ci/run installs it")
		t.Skip("no Chromium: pages are not looked at")
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.NoSandbox, // root may not have one
		chromedp.UserDataDir(t.TempDir()), chromedp.WSURLReadTimeout(2*time.Minute))
	allocated, cancel := chromedp.NewExecAllocator(t.Context(), options...)
	t.Cleanup(cancel)
	browser, cancel := chromedp.NewContext(allocated)
	t.Cleanup(cancel)
	require.NoError(t, chromedp.Do(browser))
	return browser
}

// tab is a page in a window, and what it did.
type tab struct {
	t        *testing.T
	ctx      context.Context
	mu       sync.Mutex
	said     []string // on the console
	requests []string
}

// look opens a page.
func look(t *testing.T, browser context.Context, page string, v view) *tab {
	t.Helper()
	ctx, cancel := chromedp.NewContext(browser)
	t.Cleanup(cancel)
	b := &tab{t: t, ctx: ctx}
	require.NoError(t, chromedp.Listen(ctx, func(event any) {
		b.mu.Lock()
		defer b.mu.Unlock()
		switch event := event.(type) {
		case *runtime.EventConsoleAPICalled:
			b.said = append(b.said, fmt.Sprintf("console.%s", event.Type))
		case *runtime.EventExceptionThrown:
			b.said = append(b.said, event.ExceptionDetails.Text)
		case *log.EventEntryAdded:
			b.said = append(b.said, fmt.Sprintf("%s: %s %s", event.Entry.Level, event.Entry.Text, event.Entry.URL))
		case *network.EventRequestWillBeSent:
			b.requests = append(b.requests, event.Request.URL)
		}
	}))
	b.ctx, cancel = context.WithTimeout(ctx, 2*time.Minute)
	t.Cleanup(cancel)
	media := emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: "light"}}}
	if v.dark {
		media.Features[0].Value = "dark"
	}
	if v.print {
		media.Media = "print"
	}
	call(b, network.Enable, network.EnableParams{})
	call(b, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{
		Width: v.width, Height: v.height, DeviceScaleFactor: 1, Mobile: v.width < 500,
	})
	call(b, emulation.SetEmulatedMedia, media)
	call(b, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: v.bare})
	b.do(chromedp.Navigate(address(t, page)))
	return b
}

// address is the URL of a file.
func address(t *testing.T, page string) string {
	t.Helper()
	path, err := filepath.Abs(page)
	require.NoError(t, err)
	return (&url.URL{Scheme: "file", Path: filepath.ToSlash(path)}).String()
}

func (b *tab) do(actions ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	require.NoError(b.t, chromedp.Do(b.ctx, actions...))
}

// call sends a command to the browser.
func call[P, R any](b *tab, command cdp.Command[P, R], params P) R {
	b.t.Helper()
	out, err := chromedp.Call(b.ctx, command, params)
	require.NoError(b.t, err)
	return out
}

// eval evaluates JavaScript in the page and reads what it gives.
func eval[T any](b *tab, script string) T {
	b.t.Helper()
	out, err := chromedp.Run(b.ctx, chromedp.Evaluate[T](script))
	require.NoError(b.t, err)
	return out
}

// ask asks the page one of the questions of ask.js.
func ask[T any](b *tab, question string) T {
	b.t.Helper()
	return eval[T](b, questions+"; "+question)
}

// shoot saves what the window shows, if screenshots are wanted.
func (b *tab) shoot(page string, v view, name string) {
	b.t.Helper()
	if *shots == "" {
		return
	}
	png, err := chromedp.Run(b.ctx, chromedp.CaptureScreenshot())
	require.NoError(b.t, err)
	base := strings.TrimSuffix(filepath.Base(page), filepath.Ext(page))
	require.NoError(b.t, os.MkdirAll(*shots, 0o750))
	require.NoError(b.t, os.WriteFile(filepath.Join(*shots, fmt.Sprintf("%s-%s-%s.png", base, v, name)), png, 0o600))
}
