package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"sett/internal/app/client"
	"sett/internal/app/terminal"
)

func gateCommand(environ []string) *cobra.Command {
	var f reading
	var g client.Gate
	cmd := &cobra.Command{
		Use:   "gate",
		Short: "Wait and see whether new or reopened errors follow a deploy",
		Long: "Wait and see whether new or reopened errors follow a deploy. It ends with the exit status 1 as soon as there are any,\n" +
			"and prints them; with 0 when the window has passed without any; and with 3 if the server could not be asked at the end,\n" +
			"or does not know the revision.",
		Example: "  sett gate --revision 4f2a9c1 --window 10m\n  sett gate --revision 4f2a9c1 --window 0 -o json",
		Args:    noArguments,
	}
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		form, err := f.form()
		switch {
		case err != nil:
			return err
		case g.Revision == "":
			return misuse{errors.New("--revision is missing; write what was deployed, as sett deploy --revision recorded it")}
		case g.Window < 0:
			return misuse{fmt.Errorf("--window %s is below zero; write how long to wait, such as 10m", g.Window)}
		}
		found, err := f.pass(cmd, g)
		if err != nil {
			return unasked{err} // never 1, which says that errors follow
		}
		return f.verdict(cmd, form, g, found)
	}
	cmd.Flags().SortFlags = false
	cmd.Flags().StringVar(&g.Revision, "revision", "", "what was deployed, as in events and sett deploy")
	cmd.Flags().StringVar(&g.Environment, "environment", "", "only errors of this environment")
	cmd.Flags().DurationVar(&g.Window, "window", 10*time.Minute, "how long to wait from now; 0 asks once")
	nameProject(cmd, environ, &f.project)
	f.addOutput(cmd, environ)
	addAPIOnly(cmd)
	return cmd
}

// pass waits until errors follow, or the window has passed.
func (f *reading) pass(cmd *cobra.Command, g client.Gate) (found []client.Row, err error) {
	err = ask(cmd, f.environ, func(ctx context.Context, server client.Server) error {
		choose := func(ctx context.Context, s client.Server) (client.Server, error) { return s.Choose(ctx, f.project) }
		found, err = server.Pass(ctx, g, choose)
		return err
	})
	return found, err
}

// verdict writes the errors that follow.
func (f *reading) verdict(cmd *cobra.Command, form terminal.Form, g client.Gate, found []client.Row) (err error) {
	switch {
	case form != terminal.Table:
		err = terminal.Records(cmd.OutOrStdout(), form, client.GateColumns(), found)
	case len(found) == 0:
		err = sentence(cmd, "No new or reopened error follows %s.", g.Revision)
	default:
		screen := f.screen(cmd)
		screen.Table(client.GateColumns(), found)
		err = screen.Close()
	}
	if err == nil && len(found) > 0 {
		return exitStatus(failed)
	}
	return err
}
