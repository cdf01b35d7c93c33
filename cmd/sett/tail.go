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
		Short: "Follow the new events of a project, until you stop it",
		Long: "Follow the new events of a project, or of the errors that match a search. A line is an error that occurred since the server\n" +
			"was last asked, with its number of new events. Each look is a request: a server may limit those of an hour.",
		Example: "  sett tail\n  sett tail environment:production --every 30s -o jsonl",
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
			return misuse{errors.New("--lines is below zero; write how many errors to begin with")}
		}
		t.Search = strings.Join(args, " ")
		return someProject(cmd, environ, f.project, func(ctx context.Context, server client.Server) error {
			t.Trouble = func(err error) { fmt.Fprintf(cmd.ErrOrStderr(), "sett: %v; trying again\n", err) }
			t.Show = func(rows []client.Row) error { return f.happened(cmd, form, rows) }
			return server.Follow(ctx, t)
		})
	}
	nameProject(cmd, environ, &f.project)
	cmd.Flags().DurationVar(&t.Every, "every", 15*time.Second, "how often the server is asked")
	cmd.Flags().IntVar(&t.Lines, "lines", 10, "how many errors that were seen before are listed first")
	f.addOutput(cmd, environ)
	addAPIOnly(cmd)
	return cmd
}

// happened writes the errors that occurred.
func (f *reading) happened(cmd *cobra.Command, form terminal.Form, rows []client.Row) error {
	if form != terminal.Table {
		return terminal.Records(cmd.OutOrStdout(), form, client.TailColumns(), rows)
	}
	screen := terminal.Open(cmd.OutOrStdout(), f.environ, time.Now(), false)
	for _, row := range rows {
		at, _ := row.Cells[0].(time.Time)
		added := ""
		if n, ok := row.Cells[2].(int64); ok && n > 1 {
			added = fmt.Sprintf(" (%d times)", n)
		}
		screen.Line(fmt.Sprintf("%s  %v  %v  %v: %v%s", secondOf(&at, ""), row.Cells[1], row.Cells[3], row.Cells[4], row.Cells[5], added))
	}
	return screen.Close()
}
