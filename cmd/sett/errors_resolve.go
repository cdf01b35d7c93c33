package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"sett/internal/app/client"
)

// resolving is what a command resolves, and how.
type resolving struct {
	in     string // a release; "" for none
	search string
	sure   bool
}

func errorsResolveCommand(environ []string) *cobra.Command {
	var f resolving
	cmd := errorsChange(environ, "resolve", "Resolve errors",
		"  sett errors resolve 123 124\n  sett errors resolve 123 --in 4f2a9c1\n  sett errors resolve --search 'class:TypeError'", f.done,
		func(context.Context, client.Server) (client.ErrorChange, error) {
			if f.in != "" {
				return client.ErrorChange{Fields: map[string]any{"resolved_in": f.in}}, nil
			}
			return client.ErrorChange{Fields: map[string]any{"resolved": true}}, nil
		})
	cmd.Long = "Resolve the errors that are named or, with --search, all that match a search and are not resolved. sett then says how\n" +
		"many match, and asks. Errors that are new by the time of your answer stay as they are. The chapter docs/search.md lists\n" +
		"the keys of searches."
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		switch searched := cmd.Flags().Changed("search"); {
		case searched && len(args) > 0:
			return errors.New("errors are named, and --search is there too; leave one of them out")
		case searched:
			return nil
		}
		return someErrors(cmd, args)
	}
	cmd.PreRunE = func(cmd *cobra.Command, _ []string) error {
		switch changed := cmd.Flags().Changed; {
		case changed("in") && f.in == "":
			return misuse{errors.New("--in is empty; write the revision of the release that has the fix, or leave --in out")}
		case changed("search") && strings.TrimSpace(f.search) == "":
			return misuse{errors.New("--search is empty; write a search such as class:TypeError, or is:unresolved for all errors of the project")}
		}
		return nil
	}
	named := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if f.search == "" {
			return named(cmd, args)
		}
		return someProject(cmd, environ, cmd.Flag("project").Value.String(), func(ctx context.Context, server client.Server) error {
			return f.all(ctx, cmd, server)
		})
	}
	cmd.Flags().StringVar(&f.in, "in", "", "release that has the fix; events of older releases do not reopen the errors")
	cmd.Flags().StringVar(&f.search, "search", "", "resolve all errors that match this search, instead of those that are named")
	cmd.Flags().BoolVar(&f.sure, "yes", false, "with --search: resolve without asking")
	return cmd
}

// done says what the errors are then.
func (f *resolving) done() string {
	if f.in == "" {
		return "resolved"
	}
	return "resolved in " + f.in
}

// all resolves the errors that match the search, after a question.
func (f *resolving) all(ctx context.Context, cmd *cobra.Command, server client.Server) error {
	match, err := server.Unresolved(ctx, f.search)
	if err != nil {
		return err
	}
	if match.Count == 0 {
		return sentence(cmd, "No error that is not resolved matches.")
	}
	count := countOf(match.Count)
	if match.More {
		count = "more than " + count
	}
	switch {
	case f.sure:
	case !isTerminal(cmd.InOrStdin()):
		return fmt.Errorf("nothing was changed: this would resolve %s, see %s; add --yes to do so without being asked", count, match.Page)
	default:
		fmt.Fprintln(cmd.OutOrStdout(), match.Page)
		if err := agreed(cmd, "Resolve "+count+"?"); err != nil {
			return err
		}
	}
	done, err := server.ResolveAll(ctx, match, f.in)
	if err != nil {
		return err
	}
	said := countOf(done.Count) + " " + map[bool]string{true: "is ", false: "are "}[done.Count == 1] + f.done() + "."
	if done.Waiting > 0 {
		said += fmt.Sprintf(" The server still changes %d of them.", done.Waiting)
	}
	if done.Left > 0 {
		said += fmt.Sprintf(" %d changed meanwhile and stay as they are. Run this again to resolve them too.", done.Left)
	}
	return sentence(cmd, "%s", said)
}

func countOf(n int64) string {
	if n == 1 {
		return "1 error"
	}
	return fmt.Sprintf("%d errors", n)
}

// agreed asks a question on a terminal. The error says that the answer was not yes.
func agreed(cmd *cobra.Command, question string) error {
	fmt.Fprintf(cmd.OutOrStdout(), "%s Type yes to go on: ", question)
	answer, err := bufio.NewReader(cmd.InOrStdin()).ReadString('\n')
	if err != nil || strings.TrimSpace(answer) != "yes" {
		return errors.New("nothing was changed")
	}
	return nil
}
