package main

import (
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"sett/internal/app"
	"sett/internal/app/operate"
)

func groupCommand(environ []string) *cobra.Command {
	cmd := &cobra.Command{Use: "group", Short: "Explain how events are grouped into errors"}
	cmd.AddCommand(groupExplainCommand(environ))
	return cmd
}

func groupExplainCommand(environ []string) *cobra.Command {
	var rules string
	cmd := &cobra.Command{
		Use:   "explain FILE [FILE]",
		Short: "Explain which part of an event decided its group, by which rule",
		Long: "Explain to which error an event belongs: which part of it decides, and by which rule. FILE has the body of a request of any\n" +
			"client: sett's and Honeybadger's, Sentry's, Airbrake's or OpenTelemetry's. Write - for standard input. With two files, the\n" +
			"command also says whether they are one error, and why. It needs no server and no database.",
		Example: "  sett group explain event.json\n  sett group explain before.json after.json --rules rules.txt",
		Args:    files,
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		return withConfig(environ, func(cmd *cobra.Command, cfg app.Config) error {
			return explainGroups(cmd, args, rules, cfg.JSON)
		})(cmd, args)
	}
	cmd.Flags().StringVar(&rules, "rules", "", "a file with grouping rules, as on the page Grouping of a project")
	addSetting(cmd, "json", "print the explanation as JSON")
	return cmd
}

// files takes one file or two.
func files(cmd *cobra.Command, args []string) error {
	if len(args) > 2 {
		return fmt.Errorf("unknown argument %q; %s takes one file or two", args[2], cmd.CommandPath())
	}
	return arguments("a file")(cmd, args[:min(len(args), 1)])
}

func explainGroups(cmd *cobra.Command, names []string, rules string, asJSON bool) error {
	var all []operate.GroupingFile
	for _, name := range names {
		body, err := readInput(cmd, name)
		if err != nil {
			return err
		}
		all = append(all, operate.GroupingFile{Name: name, Body: body})
	}
	var own []byte
	if rules != "" {
		var err error
		if own, err = readInput(cmd, rules); err != nil {
			return err
		}
	}
	explained, err := operate.ExplainGrouping(all, string(own))
	if err != nil {
		return err
	}
	return explained.Write(cmd.OutOrStdout(), asJSON)
}

// mostInput is how many bytes are read of a file.
const mostInput = 16 << 20

// readInput reads a file; "-" is the standard input.
func readInput(cmd *cobra.Command, name string) ([]byte, error) {
	in := cmd.InOrStdin()
	if name != "-" {
		f, err := os.Open(name)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		in = f
	}
	text, err := io.ReadAll(io.LimitReader(in, mostInput+1))
	if err == nil && len(text) > mostInput {
		err = fmt.Errorf("%s has more than %d bytes; the body of one request is shorter", name, mostInput)
	}
	return text, err
}
