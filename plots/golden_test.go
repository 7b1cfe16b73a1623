package plots

import (
	"bytes"
	"crypto/sha256"
	"encoding/xml"
	"errors"
	"flag"
	"fmt"
	"image/png"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/plot/cmpimg"
)

var (
	update = flag.Bool("update", false, "rewrite the golden files in testdata")
	look   = flag.String("look", "", "a folder to draw all samples into, to be looked at")
)

func TestMain(m *testing.M) {
	if os.Getenv("PLOTS_PRINT_DIGESTS") != "" {
		fmt.Print(digests())
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// dotsPNG is drawn once for all tests that look at it: PNG is the slow format.
var dotsPNG = sync.OnceValues(func() ([]byte, error) { return PNG(sampleDots) })

// digests draws some samples in every format.
func digests() string {
	var out strings.Builder
	for _, f := range []Figure{sampleLine, sampleStep, sampleHeat, sampleGrid} {
		for _, render := range []func(Figure) ([]byte, error){SVG, PDF} {
			content, err := render(f)
			fmt.Fprintf(&out, "%s %x %v\n", f.Name, sha256.Sum256(content), err)
		}
	}
	content, err := PNG(sampleDots)
	fmt.Fprintf(&out, "%s %x %v\n", sampleDots.Name, sha256.Sum256(content), err)
	return out.String()
}

func TestTheSameFigureGivesTheSameBytesInThisAndInAnotherProcess(t *testing.T) {
	first := digests()
	assert.NotContains(t, first, "figure ", "no error")
	again, err := dotsPNG()
	require.NoError(t, err)
	assert.Contains(t, first, fmt.Sprintf("%x", sha256.Sum256(again)))
	for _, f := range []Figure{sampleLine, sampleStep, sampleHeat, sampleGrid} {
		for _, render := range []func(Figure) ([]byte, error){SVG, PDF} {
			again, err := render(f)
			require.NoError(t, err)
			assert.Contains(t, first, fmt.Sprintf("%x", sha256.Sum256(again)))
		}
	}
	other := exec.Command(os.Args[0])
	other.Env = append(os.Environ(), "PLOTS_PRINT_DIGESTS=1", "TZ=Asia/Tokyo")
	out, err := other.Output()
	require.NoError(t, err)
	assert.Equal(t, first, string(out))
}

func TestChartsLookAsTheyDid(t *testing.T) {
	for _, f := range []Figure{sampleLine, sampleStep, sampleHeat, sampleGrid, sampleTimeline, sampleTails, sampleMarks} {
		t.Run(f.Name, func(t *testing.T) {
			got, err := SVG(f)
			require.NoError(t, err)
			golden := filepath.Join("testdata", f.Name+".svg")
			if *update {
				require.NoError(t, os.WriteFile(golden, got, 0o644))
			}
			want, err := os.ReadFile(golden)
			require.NoError(t, err)
			if runtime.GOARCH != "amd64" {
				t.Skip("SVG bytes are compared on amd64: elsewhere the last printed digit may differ")
			}
			assert.True(t, bytes.Equal(want, got), "differs from %s: look at both, and run the test with -update if the new one is right", golden)
		})
	}
}

func TestPixelsLookAsTheyDid(t *testing.T) {
	if *look != "" {
		for _, f := range samples {
			require.NoError(t, Save(f, filepath.Join(*look, f.Name)))
		}
	}
	for name, draw := range map[string]func() ([]byte, error){
		"dots":     dotsPNG,
		"timeline": func() ([]byte, error) { return PNG(sampleTimeline) },
		"tails":    func() ([]byte, error) { return PNG(sampleTails) },
	} {
		t.Run(name, func(t *testing.T) {
			got, err := draw()
			require.NoError(t, err)
			golden := filepath.Join("testdata", name+".png")
			if *update {
				require.NoError(t, os.WriteFile(golden, got, 0o644))
			}
			want, err := os.ReadFile(golden)
			require.NoError(t, err)
			same, err := cmpimg.EqualApprox("png", got, want, 0.05)
			require.NoError(t, err)
			assert.True(t, same, "differs from %s by more than rounding", golden)
		})
	}
}

func TestPNGHasItsResolution(t *testing.T) {
	content, err := dotsPNG()
	require.NoError(t, err)
	config, err := png.DecodeConfig(bytes.NewReader(content))
	require.NoError(t, err)
	assert.Equal(t, 1500, config.Width, "360 pt at 300 dots per inch")
	assert.Equal(t, "pHYs", string(content[37:41]))
	_, err = png.Decode(bytes.NewReader(content))
	require.NoError(t, err, "the chunk has the right checksum and the image is whole")
}

func TestSVGDescribesItself(t *testing.T) {
	content, err := SVG(sampleLine)
	require.NoError(t, err)
	var document struct {
		XMLName xml.Name
		Role    string `xml:"role,attr"`
		Title   string `xml:"title"`
		Desc    string `xml:"desc"`
	}
	require.NoError(t, xml.Unmarshal(content, &document))
	assert.Equal(t, "svg", document.XMLName.Local)
	assert.Equal(t, "img", document.Role)
	assert.Equal(t, sampleLine.Title, document.Title)
	assert.Equal(t, sampleLine.Alt, document.Desc)
	assert.NotContains(t, string(content), "<text", "text is outlines")

	content, err = SVG(sampleTail) // no Alt
	require.NoError(t, err)
	require.NoError(t, xml.Unmarshal(content, &document))
	assert.Equal(t, sampleTail.Subtitle, document.Desc)

	decoder := xml.NewDecoder(bytes.NewReader(content))
	for {
		if _, err := decoder.Token(); errors.Is(err, io.EOF) {
			break
		} else {
			require.NoError(t, err, "the document is well formed")
		}
	}
}

func TestPDFNeedsNoFontsAndHasNoTime(t *testing.T) {
	content, err := PDF(sampleDots)
	require.NoError(t, err)
	assert.True(t, bytes.HasPrefix(content, []byte("%PDF-")))
	assert.NotContains(t, string(content), "/FontDescriptor")
	assert.Contains(t, string(content), "D:20000101000000")
}

func TestSaveWritesThreeFilesOrNone(t *testing.T) {
	folder := t.TempDir()
	require.NoError(t, Save(sampleDots, filepath.Join(folder, "dots-figure")))
	for _, extension := range []string{".svg", ".pdf", ".png"} {
		info, err := os.Stat(filepath.Join(folder, "dots-figure"+extension))
		require.NoError(t, err)
		assert.NotZero(t, info.Size())
	}

	bad := sampleDots
	bad.Chart = Line{}
	require.Error(t, Save(bad, filepath.Join(folder, "bad")))
	entries, err := os.ReadDir(folder)
	require.NoError(t, err)
	assert.Len(t, entries, 3)

	assert.ErrorContains(t, Save(sampleDots, filepath.Join(folder, "missing", "dots")), "dots.svg")
}
