package main

import (
	"fmt"
	"io"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// progress shows how far long work is: a bar on a terminal, a plain line now
// and then elsewhere.
type progress struct {
	out   io.Writer
	what  string
	unit  string // what is counted: cells
	done  int
	total int
	bar   *progressbar.ProgressBar
	bars  bool
	start time.Time
	said  time.Time
}

// sayEvery is how often a line appears where there is no terminal.
const sayEvery = 10 * time.Second

func newProgress(out io.Writer, what, unit string) *progress {
	file, isFile := out.(*os.File)
	now := time.Now()
	return &progress{out: out, what: what, unit: unit, bars: isFile && term.IsTerminal(int(file.Fd())), start: now, said: now}
}

// update says that done of total are done; it is called one at a time.
func (p *progress) update(done, total int) {
	p.done, p.total = done, total
	if !p.bars {
		if now := time.Now(); done > 0 && done < total && now.Sub(p.said) >= sayEvery {
			p.said = now
			left := time.Duration(float64(now.Sub(p.start)) / float64(done) * float64(total-done))
			fmt.Fprintf(p.out, "%s: %d of %d %s, about %s left\n", p.what, done, total, p.unit, left.Round(time.Second))
		}
		return
	}
	if p.bar == nil {
		p.bar = progressbar.NewOptions(total,
			progressbar.OptionSetWriter(p.out),
			progressbar.OptionSetDescription(p.what),
			progressbar.OptionEnableColorCodes(false),
			progressbar.OptionShowCount(),
			progressbar.OptionShowIts(),
			progressbar.OptionSetItsString(p.unit),
			progressbar.OptionSetPredictTime(true),
			progressbar.OptionThrottle(100*time.Millisecond),
			progressbar.OptionClearOnFinish(),
		)
	}
	_ = p.bar.Set(done) // a bar that can not be drawn stops no work
}

// interrupted is the error of work that was stopped, by how far it was.
func (p *progress) interrupted(rest string) error {
	return failure{fmt.Errorf("interrupted after %d of %d %s%s", p.done, p.total, p.unit, rest)}
}

// finish clears the bar.
func (p *progress) finish() {
	if p.bar != nil {
		_ = p.bar.Clear()
	}
}
