package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"strconv"
	"sync"
	"time"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"
	"golang.org/x/term"

	"ratelab/experiments/sweep"
)

// progress shows how far long work is: a bar on a terminal, a plain line now
// and then elsewhere.
type progress struct {
	out  io.Writer
	what string
	unit string // what is counted: cells
	bars bool   // out is a terminal

	mutex sync.Mutex
	now   sweep.Progress
	start time.Time
	said  time.Time
	box   *mpb.Progress // on a terminal, once there is something to show
	bar   *mpb.Bar
}

// sayEvery is how often a line appears where there is no terminal.
const sayEvery = 10 * time.Second

func newProgress(out io.Writer, what, unit string) *progress {
	file, isFile := out.(*os.File)
	now := time.Now()
	return &progress{out: out, what: what, unit: unit, bars: isFile && term.IsTerminal(int(file.Fd())), start: now, said: now}
}

// update says how far the work is.
func (p *progress) update(now sweep.Progress) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.now = now
	switch {
	case now.Done == now.Total && p.bar == nil:
		// there is nothing to wait for
	case p.bars:
		if p.bar == nil {
			p.show()
		}
		p.bar.SetTotal(int64(now.Total), false)
		p.bar.SetCurrent(int64(now.Done))
	case time.Since(p.said) >= sayEvery && now.Done > now.Cached:
		p.said = time.Now()
		_, left := pace(now, time.Since(p.start))
		fmt.Fprintf(p.out, "%s: %d of %d %s, about %s left\n", p.what, now.Done, now.Total, p.unit, left.Round(time.Second))
	}
}

// pace returns how many a second were done, without those that were there
// already, and how long the rest will take at that rate.
func pace(now sweep.Progress, elapsed time.Duration) (rate float64, left time.Duration) {
	done := now.Done - now.Cached
	if done <= 0 || elapsed <= 0 {
		return 0, 0
	}
	rate = float64(done) / elapsed.Seconds()
	return rate, time.Duration(float64(now.Total-now.Done) / rate * float64(time.Second))
}

// show draws the bar.
func (p *progress) show() {
	p.box = mpb.New(mpb.WithOutput(p.out), mpb.WithWidth(40), mpb.WithRefreshRate(100*time.Millisecond))
	cached := p.now.Cached
	p.bar = p.box.New(int64(p.now.Total), mpb.BarStyle(), mpb.BarRemoveOnComplete(),
		mpb.PrependDecorators(decor.Name(p.what+" ")),
		mpb.AppendDecorators(decor.Any(func(s decor.Statistics) string {
			now := sweep.Progress{Done: int(s.Current), Cached: cached, Total: int(s.Total)}
			text := fmt.Sprintf(" %d of %d %s", now.Done, now.Total, p.unit)
			if rate, left := pace(now, time.Since(p.start)); rate > 0 {
				text += fmt.Sprintf(", %s a second, %s left", strconv.FormatFloat(rate, 'f', decimals(rate), 64), left.Round(time.Second))
			}
			return text
		})),
	)
}

// decimals is how many decimals of a rate are worth showing.
func decimals(rate float64) int {
	if rate >= 10 {
		return 0
	}
	return 2
}

// say prints a line above the bar.
func (p *progress) say(format string, args ...any) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	out := p.out
	if p.box != nil {
		out = p.box
	}
	fmt.Fprintf(out, format+"\n", args...)
}

// done returns how many are done, and of how many.
func (p *progress) done() (done, total int) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	return p.now.Done, p.now.Total
}

// onInterrupt runs say when ctx ends, unless it has ended already. Call stop
// when the work is over: it waits until say has run.
func onInterrupt(ctx context.Context, say func()) (stop func()) {
	if ctx.Err() != nil {
		return func() {}
	}
	said := make(chan struct{})
	cancel := context.AfterFunc(ctx, func() {
		defer close(said)
		say()
	})
	return func() {
		if !cancel() {
			<-said
		}
	}
}

// interrupted is the error of work that was stopped, by how far it was.
func (p *progress) interrupted(rest string) error {
	done, total := p.done()
	return failure{fmt.Errorf("interrupted after %d of %d %s%s", done, total, p.unit, rest)}
}

// finish clears the bar.
func (p *progress) finish() {
	p.mutex.Lock()
	bar, box := p.bar, p.box
	p.bar, p.box, p.bars = nil, nil, false
	p.mutex.Unlock()
	if bar != nil {
		bar.Abort(true)
		box.Wait()
	}
}
