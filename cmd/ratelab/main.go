// Ratelab is a laboratory for rate limiters: it simulates them on a fleet,
// replays real logs under them, and checks what theory says about them.
//
// Every subcommand is one file that reads flags, calls a room and prints.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	go func() {
		<-ctx.Done()
		stop() // a second signal ends the program at once
	}()
	os.Exit(execute(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// execute runs one command line and returns its exit status: 0 done, 1
// something failed or was interrupted, 2 bad usage or input.
func execute(ctx context.Context, args []string, in io.Reader, out, errOut io.Writer) int {
	root := newRoot()
	root.SetArgs(args)
	root.SetIn(in)
	root.SetOut(out)
	root.SetErr(errOut)
	err := root.ExecuteContext(ctx)
	var failed failure
	switch {
	case err == nil:
		return 0
	case errors.Is(err, syscall.EPIPE):
		return 1 // whoever read the output has seen enough
	case ctx.Err() != nil && err == ctx.Err(): // one that is wrapped says more
		fmt.Fprintln(errOut, "ratelab: interrupted")
		return 1
	case errors.As(err, &failed):
		if failed.error != nil {
			fmt.Fprintf(errOut, "ratelab: %s\n", oneLine(failed.error.Error()))
		}
		return 1
	default:
		fmt.Fprintf(errOut, "ratelab: %s\n", oneLine(err.Error()))
		return 2
	}
}

// failure is an error that is not the user's: the program tried and failed,
// or was interrupted. With a nil error everything has been said already.
type failure struct{ error }

func (f failure) Unwrap() error { return f.error }

// written turns an error of writing to standard output into a failure.
func written(err error) error {
	if err != nil {
		return failure{err}
	}
	return nil
}

// abandon does work that leaves nothing unfinished behind, and lets go of it
// when ctx ends: it may be waiting for input that never comes.
func abandon(ctx context.Context, work func() error) error {
	done := make(chan error, 1)
	go func() { done <- work() }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}
