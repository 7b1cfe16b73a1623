package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"ratelab/internal/atomicfile"
	"ratelab/plots/notebook"
	"ratelab/plots/writeup"
)

func newNotebook() *cobra.Command {
	var (
		out, text string
		all       bool
	)
	cmd := &cobra.Command{
		Use:   "notebook [NAME... | --all]",
		Short: "Write the page that shows every experiment: answers, figures, claims, data",
		Long: `notebook reads the results of experiments and writes ` + notebook.File + ` into their
folder: one page with question, answer, figures, claims and their verdicts, data,
and the lines that repeat it. It opens from a file, and prints. Without names it
shows every experiment. It never simulates, and leaves it to check to fail if a
claim does.`,
		Example: `  ratelab run boundary-burst --quick --out results-quick && ratelab plot boundary-burst --out results-quick && ratelab notebook boundary-burst --out results-quick`,
		RunE: func(cmd *cobra.Command, args []string) error {
			loaded, err := load(args, all || len(args) == 0, out)
			if err != nil {
				return err
			}
			var parts []writeup.Section
			if text != "" {
				written, err := os.ReadFile(text)
				if err != nil {
					return err
				}
				if parts, err = writeup.Sections(written, filepath.Dir(text), writeup.Place{Folder: out, Below: 1, Prefix: notebook.TextPrefix}); err != nil {
					return err
				}
			}
			path := filepath.Join(out, notebook.File)
			err = atomicfile.Write(path, func(w io.Writer) error { return notebook.Write(w, loaded, parts...) })
			if err != nil {
				return failure{err}
			}
			fmt.Fprintln(cmd.OutOrStdout(), path)
			return nil
		},
	}
	cmd.Flags().StringVar(&out, "out", "results", "`FOLDER` of results")
	cmd.Flags().StringVar(&text, "text", "", "`FILE` that ratelab writeup wrote of these results, to be shown first")
	cmd.Flags().BoolVar(&all, "all", false, "every experiment, as without names")
	return cmd
}
