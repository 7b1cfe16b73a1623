package main

import (
	"bytes"
	"errors"
	"fmt"
	"html/template"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"ratelab/internal/atomicfile"
	"ratelab/plots/page"
	"ratelab/plots/writeup"
)

func newWriteup() *cobra.Command {
	var (
		out, to, pageFile string
		check             bool
	)
	cmd := &cobra.Command{
		Use:   "writeup TEMPLATE",
		Short: "Fill a text with numbers, verdicts and figures from results",
		Long: `writeup fills a text/template in Markdown with what experiments found and writes it
beside the template, without the ending .tmpl. Every number is looked up in the
summaries of results, and a figure that is typed is refused. It never simulates.

  {{mean "NAME" "METRIC" "FACTOR=VALUE,…"}}   the mean ± its 95 % interval; | percent, | milli, | times, | bare
  {{verdicts "NAME"}}  {{finding "NAME"}}  {{range findings "NAME"}}…{{end}}
  {{range experiments}}  {{question "NAME"}}  {{range figures "NAME"}}
  {{figure "NAME" "FIGURE"}}  {{table "NAME" "METRIC" "ROWS" "COLUMNS" "FACTOR=VALUE,…"}}

--page FILE writes it as a page too, one file with all figures in it.`,
		Example: `  ratelab run boundary-burst --quick --out results-quick && echo 'Of the claims {{verdicts "boundary-burst"}}.' > note.md.tmpl && ratelab writeup note.md.tmpl --out results-quick`,
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := checkOut(out); err != nil {
				return err
			}
			if check && pageFile != "" {
				return errors.New("--check writes nothing, so there is no --page")
			}
			text, err := os.ReadFile(args[0])
			if err != nil {
				return err
			}
			if to == "" {
				var ok bool
				if to, ok = strings.CutSuffix(args[0], ".tmpl"); !ok {
					return fmt.Errorf("%s does not end in .tmpl; say with --to where the text goes", args[0])
				}
			}
			p, err := thisProgram()
			if err != nil {
				return failure{err}
			}
			folder := filepath.Dir(to)
			filled, err := writeup.Render(args[0], string(text), writeup.Source{Results: out, Folder: folder, Program: p.Hash})
			if err != nil {
				return err
			}
			if check {
				there, err := os.ReadFile(to)
				if err == nil && !bytes.Equal(there, filled) {
					err = fmt.Errorf("%s is not what %s says with these results; ratelab writeup %s makes it", to, args[0], args[0])
				}
				if err != nil {
					return failure{err}
				}
				return nil
			}
			if err := atomicfile.WriteBytes(to, filled); err != nil {
				return failure{err}
			}
			fmt.Fprintln(cmd.OutOrStdout(), to)
			if pageFile == "" {
				return nil
			}
			if err := writePage(pageFile, filled, folder); err != nil {
				return failure{err}
			}
			fmt.Fprintln(cmd.OutOrStdout(), pageFile)
			return nil
		},
	}
	cmd.Flags().StringVar(&out, "out", "results", "`FOLDER` of results")
	cmd.Flags().StringVar(&to, "to", "", "`FILE` of the text (default: the template without .tmpl)")
	cmd.Flags().BoolVar(&check, "check", false, "write nothing; exit with 1 if the text is not what would be written")
	cmd.Flags().StringVar(&pageFile, "page", "", "`FILE` of a page of it, in HTML")
	return cmd
}

// writePage writes a filled text that lies in a folder as a page.
func writePage(file string, text []byte, folder string) error {
	cut, err := writeup.Sections(text, folder, writeup.Place{Folder: filepath.Dir(file)})
	if err != nil {
		return err
	}
	type section struct {
		HTML   template.HTML
		Figure *page.Figure
	}
	var sections []section
	for _, c := range cut {
		s := section{HTML: c.HTML}
		if c.SVG != nil {
			s.Figure = &page.Figure{ID: "f-" + c.Name, SVG: c.SVG}
		}
		sections = append(sections, s)
	}
	title, _, _ := strings.Cut(strings.TrimPrefix(string(text), "# "), "\n")
	return atomicfile.Write(file, func(w io.Writer) error {
		return page.Write(w, page.Page{
			Title: title, Data: sections, Style: writeupStyle,
			Body: `<main class="text">{{range .}}{{.HTML}}{{with .Figure}}{{template "figure" .}}{{end}}{{end}}</main>`,
		})
	})
}

// writeupStyle keeps lines and figures to a page's measure.
const writeupStyle = `main.text { max-width: 44rem; margin: 2rem auto; padding: 0 1rem }
main.text figure { max-width: 34rem; margin-left: 0 }
@media print { main.text { margin-top: 0 } main.text figure svg { width: auto; max-width: 100%; max-height: 6.6cm } main.text td, main.text th { padding-top: 0; padding-bottom: 0 } }
`
