package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"ratelab/internal/spec"
)

func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:   "ratelab",
		Short: "A laboratory for rate limiters",
		Long: `ratelab simulates rate limiters on a fleet, replays real logs under them, and
checks what it measures against theory.`,
		Example:            `  ratelab simulate --limiter token-bucket:rate=2/s,burst=20 --workload poisson:rate=2/s`,
		SilenceErrors:      true,
		SilenceUsage:       true,
		DisableSuggestions: true,
		Args:               cobra.ArbitraryArgs,
	}
	root.CompletionOptions.DisableDefaultCmd = true
	root.SetHelpCommand(newHelp(root))
	root.AddCommand(
		newList(), newShow(), newTry(), newNew(),
		newArrivals(), newDecide(), newReplay(), newFit(), newAdvise(),
		newSimulate(), newWorst(),
		newRun(), newMerge(), newCompare(), newPlot(), newCheck(), newNotebook(), newVerify(),
		newCite(), newWriteup(),
		newDemo(),
	)
	root.RunE = func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return cmd.Help()
		}
		return unknownCommand(root, args[0])
	}
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		var names []string
		cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, "--"+f.Name) })
		text := err.Error()
		if name, ok := strings.CutPrefix(text, "unknown flag: "); ok {
			text = "unknown flag " + name + spec.DidYouMean(name, names)
		}
		var refused *pflag.InvalidValueError
		if errors.Is(err, errTwice) && errors.As(err, &refused) {
			text = "--" + refused.GetFlag().Name + " " + refused.Unwrap().Error()
		}
		if cmd.HasParent() {
			text = cmd.Name() + ": " + text
		}
		return fmt.Errorf("%s; see %s --help", text, cmd.CommandPath())
	})
	root.SetHelpTemplate(helpTemplate)
	setOnce(root)
	return root
}

// newHelp gives "ratelab help COMMAND" the help of "ratelab COMMAND --help".
func newHelp(root *cobra.Command) *cobra.Command {
	return &cobra.Command{
		Use:     "help [COMMAND]",
		Short:   "Explain a command",
		Example: "  ratelab help decide",
		RunE: func(_ *cobra.Command, args []string) error {
			found, rest, err := root.Find(args)
			if err != nil {
				return err
			}
			if len(rest) > 0 {
				return unknownCommand(root, rest[0])
			}
			found.InitDefaultHelpFlag() // so that it is listed
			return found.Help()
		},
	}
}

func unknownCommand(root *cobra.Command, name string) error {
	var names []string
	for _, c := range root.Commands() {
		if c.IsAvailableCommand() {
			names = append(names, c.Name())
		}
	}
	return fmt.Errorf("unknown command %q%s; known: %s", name, spec.DidYouMean(name, names), strings.Join(names, ", "))
}

// helpTemplate puts the example last, where the eye ends.
const helpTemplate = `{{with or .Long .Short}}{{. | trimTrailingWhitespaces}}

{{end}}Usage:{{if .HasAvailableSubCommands}}
  {{.CommandPath}} COMMAND [flags]

Commands:{{range .Commands}}{{if .IsAvailableCommand}}
  {{rpad .Name .NamePadding}} {{.Short}}{{end}}{{end}}{{else}}
  {{.UseLine}}{{end}}{{if .HasAvailableLocalFlags}}

Flags:
{{.LocalFlags.FlagUsages | trimTrailingWhitespaces}}{{end}}{{if .HasExample}}

Example:
{{.Example}}{{end}}
`

// oneLine keeps a message to one line, as every error is printed.
func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// noArgs refuses arguments with a message that names the first.
func noArgs(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return fmt.Errorf("%s takes no arguments, got %q; see %s --help", cmd.Name(), args[0], cmd.CommandPath())
	}
	return nil
}
