package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"ratelab/experiments/scenario"
	"ratelab/internal/spec"
	"ratelab/limiters"
	"ratelab/workloads"
)

func newTry() *cobra.Command {
	var root string
	cmd := &cobra.Command{
		Use:   "try FILE | WORKLOAD-SPEC",
		Short: "Say what a workload looks like, and what every limiter makes of it",
		Long: `try builds the Go file of a workload in with the rest of a checkout, wherever the
file lies, and prints what its first example looks like and what every canonical
limiter admits of it, at half, equal and twice its mean rate. Of a spec it prints
the same, and needs no checkout.`,
		Example: `  ratelab try on-off:rate=20/s,on=1s,off=4s`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return fmt.Errorf("try takes the Go file of a workload, or a spec, got %d arguments", len(args))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if filepath.Ext(args[0]) == ".go" {
				return tryFile(cmd, root, args[0])
			}
			return trySpec(cmd.Context(), cmd.OutOrStdout(), args[0])
		},
	}
	cmd.Flags().StringVar(&root, "dir", ".", "root of the checkout, the `FOLDER` with go.mod")
	return cmd
}

// tryFile builds ratelab with the file in place, by an overlay, and lets the
// result try the file's workload.
func tryFile(cmd *cobra.Command, root, file string) error {
	if err := checkout(root); err != nil {
		return err
	}
	example, err := exampleOf(file)
	if err != nil {
		return err
	}
	at, err := filepath.Abs(file)
	if err != nil {
		return failure{err}
	}
	place, err := filepath.Abs(filepath.Join(root, "workloads", filepath.Base(file)))
	if err != nil {
		return failure{err}
	}
	dir, err := os.MkdirTemp("", "ratelab-try-")
	if err != nil {
		return failure{err}
	}
	defer func() { _ = os.RemoveAll(dir) }()
	overlay, err := json.Marshal(map[string]map[string]string{"Replace": {place: at}})
	if err != nil {
		return failure{err}
	}
	list, program := filepath.Join(dir, "overlay.json"), filepath.Join(dir, "ratelab")
	if err := os.WriteFile(list, overlay, 0o600); err != nil {
		return failure{err}
	}
	build := exec.CommandContext(cmd.Context(), "go", "build", "-ldflags", "-s -w", "-overlay", list, "-o", program, "./cmd/ratelab")
	build.Dir = root
	if said, err := build.CombinedOutput(); err != nil {
		if _, ran := errors.AsType[*exec.ExitError](err); !ran {
			return failure{err}
		}
		_, _ = cmd.ErrOrStderr().Write(said)
		return fmt.Errorf("%s does not build; the compiler's words are above", file)
	}
	run := exec.CommandContext(cmd.Context(), program, "try", example)
	run.Stdout, run.Stderr = cmd.OutOrStdout(), cmd.ErrOrStderr()
	if err := run.Run(); err != nil {
		return failure{} // it has said why
	}
	return nil
}

// exampleOf reads the first of the Examples in the Go file of a workload.
func exampleOf(file string) (example string, err error) {
	parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
	if err != nil {
		return "", err
	}
	if parsed.Name.Name != "workloads" {
		return "", fmt.Errorf("%s: a workload is in package workloads, got %s", file, parsed.Name.Name)
	}
	ast.Inspect(parsed, func(n ast.Node) bool {
		pair, ok := n.(*ast.KeyValueExpr)
		if !ok || example != "" {
			return example == ""
		}
		if key, ok := pair.Key.(*ast.Ident); ok && key.Name == "Examples" {
			if list, ok := pair.Value.(*ast.CompositeLit); ok && len(list.Elts) > 0 {
				if text, ok := list.Elts[0].(*ast.BasicLit); ok {
					example, err = strconv.Unquote(text.Value)
				}
			}
		}
		return true
	})
	if example == "" {
		return "", fmt.Errorf(`%s registers no example; write Examples: []string{"name:rate=100/s"}`, file)
	}
	return example, err
}

// trySpec prints a look at a workload and what limiters make of it.
func trySpec(ctx context.Context, out io.Writer, text string) error {
	l, err := lookAt(text)
	if err != nil {
		return err
	}
	fmt.Fprintln(out, text)
	if err := l.print(out); err != nil {
		return err
	}
	rate, ok := l.spec.MeanRate()
	horizon := l.From + l.Horizon
	if !ok {
		if l.Arrivals == 0 {
			return errors.New("nothing arrives, so there is nothing to limit")
		}
		rate = float64(l.Arrivals) / l.Horizon.Seconds()
	}
	window := time.Second
	for rate*window.Seconds() < 10 && window < 24*time.Hour {
		window *= 10
	}
	limit := max(2, int64(rate*window.Seconds()+0.5))
	fmt.Fprintf(out, "\nshare admitted in %s, by a limit of half, as much as and twice the mean rate (%d in %s; bursts and queues of as many):\n",
		spec.FormatDuration(horizon), limit, spec.FormatDuration(window))
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "limiter\thalf\tequal\ttwice")
	for _, name := range limiters.Canonical() {
		row := name
		for _, n := range []int64{max(1, limit/2), limit, 2 * limit} {
			share, err := admitted(ctx, l.spec, limiterOf(name, n, window), horizon)
			if err != nil {
				return err
			}
			row += "\t" + share
		}
		fmt.Fprintln(w, row)
	}
	return written(w.Flush())
}

// limiterOf writes a limiter that promises n in a window, its own parameters
// filled in.
func limiterOf(name string, n int64, window time.Duration) string {
	rate := fmt.Sprintf("%d/%s", n, spec.FormatDuration(window))
	for _, e := range limiters.Entries() {
		if e.Name != name {
			continue
		}
		var given []string
		for _, p := range e.Params {
			switch {
			case p.Default != "" || p.Unit == spec.Flag:
			case p.Unit == "rate":
				given = append(given, p.Name+"="+rate)
			case p.Unit == "duration":
				given = append(given, p.Name+"="+spec.FormatDuration(window))
			default:
				given = append(given, p.Name+"="+strconv.FormatInt(n, 10))
			}
		}
		return name + ":" + strings.Join(given, ",")
	}
	return name
}

// admitted simulates one server and returns the share of requests admitted.
func admitted(ctx context.Context, w workloads.Spec, limiter string, horizon time.Duration) (string, error) {
	s, err := limiters.Parse(limiter)
	if err != nil {
		return "", err
	}
	c := scenario.Default(s, w)
	c.Horizon, c.Seed = horizon, lookSeed
	r, err := scenario.Run(ctx, c)
	if err != nil {
		return "", failure{err}
	}
	return fmt.Sprintf("%.3f", r.Get("admitted")/r.Get("offered")), nil
}
