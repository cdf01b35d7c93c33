package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"sett/internal/app"
	"sett/internal/app/client"
	"sett/internal/app/terminal"
)

func errorsCommand(environ []string) *cobra.Command {
	var f reading
	all, environment := false, ""
	f.empty = "There are no open errors here; --all also lists those that are resolved or ignored."
	cmd := &cobra.Command{
		Use:     "errors",
		Short:   "List the open errors of a project, or change errors",
		Long:    "List the errors of a project that are neither resolved nor ignored, last seen first. The fields for programs, with -o json, are:\n" + fieldsOf(client.Errors()),
		Example: "  sett errors --project Shop --environment production\n  sett errors resolve 123 124",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return nil
			}
			verbs := []string{"resolve", "reopen", "ignore", "assign", "comment"}
			otherwise := fmt.Sprintf("sett error %s shows one error, and sett search %[1]s searches them", args[0])
			return fmt.Errorf("unknown argument %q; %s", args[0], app.Suggest(args[0], verbs, otherwise))
		},
	}
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		query := client.Open
		if all {
			query, f.empty = "", ""
		}
		return f.search(cmd, client.In(environment, query))
	}
	nameProject(cmd, environ, &f.project)
	cmd.Flags().StringVar(&environment, "environment", "", "only errors of this environment")
	cmd.Flags().BoolVar(&all, "all", false, "also errors that are resolved or ignored")
	cmd.Flags().IntVar(&f.limit, "limit", client.Errors().Limit, "how many are listed at most")
	f.add(cmd, environ)
	cmd.AddCommand(errorsResolveCommand(environ),
		errorsVerb(environ, "reopen", "open", "Reopen errors that are resolved or ignored", map[string]any{"resolved": false, "ignored": false}),
		errorsVerb(environ, "ignore", "ignored", "Ignore errors: discard their events from now on", map[string]any{"ignored": true}),
		errorsAssignCommand(environ), errorsCommentCommand(environ))
	return cmd
}

func errorCommand(environ []string) *cobra.Command {
	var f reading
	cmd := &cobra.Command{
		Use:   "error ID",
		Short: "Show an error with its newest event",
		Long: "Show an error: its message, where it happened, how often, since which deploy, and the frames of the application with\n" +
			"their source. ID is the number of the error, or the address of its page.",
		Example:           "  sett error 123\n  sett error https://sett.example.org/projects/1/faults/123 -o json",
		Args:              arguments(someError),
		ValidArgsFunction: completeNoun(environ, client.Errors()),
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		form, err := f.form()
		if err != nil {
			return err
		}
		return withErrors(cmd, environ, f.project, args, func(ctx context.Context, server client.Server) error {
			return f.report(ctx, cmd, server, form, args[0])
		})
	}
	nameProject(cmd, environ, &f.project)
	f.add(cmd, environ)
	return cmd
}

// someError is what commands call their argument.
const someError = "the number of an error or the address of its page"

// withErrors asks the server about errors; a project is needed unless all are addresses, which name theirs.
func withErrors(cmd *cobra.Command, environ []string, project string, words []string, do func(context.Context, client.Server) error) error {
	someNumber := slices.ContainsFunc(words, func(word string) bool { return !isAddress(word) })
	return reach(cmd, environ, someNumber, project, do)
}

func (f *reading) report(ctx context.Context, cmd *cobra.Command, server client.Server, form terminal.Form, word string) error {
	r, err := server.Error(ctx, word)
	if err != nil {
		return err
	}
	if f.web {
		return browse(cmd, f.environ, r.Row.Page)
	}
	if form == terminal.CSV { // which has no place for an event
		r.Columns = r.Columns[:len(r.Columns)-1]
		r.Row.Cells = r.Row.Cells[:len(r.Columns)]
	}
	if form != terminal.Table {
		return terminal.Record(cmd.OutOrStdout(), form, r.Columns, r.Row)
	}
	screen := f.screen(cmd)
	screen.Report(r)
	return screen.Close()
}

// errorsChange is a command that changes errors; done says what they are then, and decide what changes.
func errorsChange(
	environ []string, verb, about, example string, done func() string, decide func(context.Context, client.Server) (client.ErrorChange, error),
) *cobra.Command {
	project := ""
	cmd := &cobra.Command{
		Use: verb + " ID...", Short: about, Example: example, Args: someErrors, ValidArgsFunction: completeNoun(environ, client.Errors()),
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		return changeErrors(cmd, environ, project, args, done, decide)
	}
	nameProject(cmd, environ, &project)
	addAPIOnly(cmd)
	return cmd
}

// errorsVerb is a command that changes errors in one way.
func errorsVerb(environ []string, verb, done, about string, fields map[string]any) *cobra.Command {
	return errorsChange(environ, verb, about, "  sett errors "+verb+" 123 124", func() string { return done },
		func(context.Context, client.Server) (client.ErrorChange, error) {
			return client.ErrorChange{Fields: fields}, nil
		})
}

func errorsAssignCommand(environ []string) *cobra.Command {
	to := ""
	done := func() string {
		if to == "none" {
			return "assigned to no user"
		}
		return "assigned to " + to
	}
	cmd := errorsChange(environ, "assign", "Assign errors to a user", "  sett errors assign 123 --to ada@example.org\n  sett errors assign 123 --to me", done,
		func(ctx context.Context, server client.Server) (client.ErrorChange, error) {
			id, err := server.Assignee(ctx, to)
			return client.ErrorChange{Fields: map[string]any{"assignee_id": id}}, err
		})
	cmd.PreRunE = func(*cobra.Command, []string) error {
		if to == "" {
			return misuse{errors.New("--to is missing; write the email address or name of a user, me, or none")}
		}
		return nil
	}
	cmd.Flags().StringVar(&to, "to", "", "email address or name of the user; me for yourself, none for no user")
	return cmd
}

func errorsCommentCommand(environ []string) *cobra.Command {
	text := ""
	cmd := errorsChange(environ, "comment", "Comment on errors", "  sett errors comment 123 --message 'Fixed in 4f2a9c1.'\n  sett errors comment 123 --message - < notes.md",
		func() string { return "commented on" },
		func(context.Context, client.Server) (client.ErrorChange, error) {
			return client.ErrorChange{Comment: text}, nil
		})
	cmd.PreRunE = func(cmd *cobra.Command, _ []string) error {
		if text == "-" {
			read, err := io.ReadAll(io.LimitReader(cmd.InOrStdin(), mostInput))
			if err != nil {
				return err
			}
			text = string(read)
		}
		if strings.TrimSpace(text) == "" {
			return misuse{errors.New("--message is missing; write the comment, or - to read it from standard input")}
		}
		return nil
	}
	cmd.Flags().StringVarP(&text, "message", "m", "", "text of the comment, in Markdown; - for standard input")
	return cmd
}

func someErrors(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return missingArgument{fmt.Errorf("%s needs %s; %[1]s --help shows an example", cmd.CommandPath(), someError)}
	}
	return nil
}

// changeErrors makes a change of each error. One that fails does not keep the others from it.
func changeErrors(
	cmd *cobra.Command, environ []string, project string, words []string, done func() string, decide func(context.Context, client.Server) (client.ErrorChange, error),
) error {
	return withErrors(cmd, environ, project, words, func(ctx context.Context, server client.Server) error {
		if server.Project == 0 {
			if address, ok := client.ParseAddress(words[0]); ok {
				server.Project = address.Project
			}
		}
		change, err := decide(ctx, server)
		if err != nil {
			return err
		}
		var failures error
		for _, word := range words {
			id, err := server.ChangeError(ctx, word, change)
			if err == nil {
				err = sentence(cmd, "Error %s is %s.", cmp.Or(id, word), done())
			}
			failures = errors.Join(failures, err)
		}
		return failures
	})
}
