package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"sett/internal/app/client"
	"sett/internal/app/terminal"
)

// leastEvery is how often a tail asks at most.
const leastEvery = 2 * time.Second

func tailCommand(environ []string) *cobra.Command {
	var f reading
	var t client.Tail
	cmd := &cobra.Command{
		Use:   "tail [QUERY]",
		Short: "Follow the new events of a project or of an error, until you stop it",
		Long: "Follow the new events of a project, or of the errors that match a search. A line is an error that occurred since the server\n" +
			"was last asked, with its number of new events. With --error, a line is an event of that error. Each look is a request: a server\n" +
			"may limit those of an hour.",
		Example: "  sett tail\n  sett tail environment:production --every 30s -o jsonl\n  sett tail --error https://sett.example.org/projects/1/faults/123",
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		form, err := f.form()
		switch {
		case err != nil:
			return err
		case form != terminal.Table && form != terminal.Lines:
			return misuse{fmt.Errorf("--output %s has an end, and a tail has none; write table or jsonl", form)}
		case t.Every < leastEvery:
			return misuse{fmt.Errorf("--every %s is too often; write %s or more", t.Every, leastEvery)}
		case t.Lines < 0:
			return misuse{errors.New("--lines is below zero; write how many lines to begin with")}
		case t.Error != "" && len(args) > 0:
			return misuse{errors.New("--error names one error, so nothing is searched; leave the search or --error out")}
		}
		t.Search = strings.Join(args, " ")
		return reach(cmd, environ, !isAddress(t.Error), f.project, func(ctx context.Context, server client.Server) error {
			t.Note = func(says string) { fmt.Fprintf(cmd.ErrOrStderr(), "sett: %s\n", says) }
			t.Show = func(rows []client.Row) error { return f.happened(cmd, form, t, rows) }
			return server.Follow(ctx, t)
		})
	}
	nameProject(cmd, environ, &f.project)
	cmd.Flags().DurationVar(&t.Every, "every", 15*time.Second, "how often the server is asked")
	cmd.Flags().IntVar(&t.Lines, "lines", 10, "how many errors, or events of the one, that were there before are listed first")
	cmd.Flags().StringVar(&t.Error, "error", "", "follow the events of "+someError)
	_ = cmd.RegisterFlagCompletionFunc("error", completeNoun(environ, client.Errors())) // the flag is there
	f.addOutput(cmd, environ)
	addAPIOnly(cmd)
	return cmd
}

// happened writes the errors that occurred, or the events of one.
func (f *reading) happened(cmd *cobra.Command, form terminal.Form, t client.Tail, rows []client.Row) error {
	if form != terminal.Table {
		return terminal.Records(cmd.OutOrStdout(), form, t.Columns(), rows)
	}
	screen := terminal.Open(cmd.OutOrStdout(), f.environ, time.Now(), false)
	for _, row := range rows {
		at, _ := row.Cells[0].(time.Time)
		line := fmt.Sprintf("%v  %v  %v: %v", row.Cells[1], row.Cells[3], row.Cells[4], row.Cells[5])
		if n, ok := row.Cells[2].(int64); ok && n > 1 {
			line += fmt.Sprintf(" (%d times)", n)
		}
		if t.Error != "" {
			line = fmt.Sprintf("%v  %v  %v", row.Cells[2], row.Cells[3], row.Cells[5])
		}
		screen.Line(secondOf(&at, "") + "  " + line)
	}
	return screen.Close()
}
