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
		Short: "Wait whether new or reopened errors follow a deploy",
		Long: "Wait whether new or reopened errors follow a deploy, for pipelines. It ends with the exit status 1 as soon as there are any,\n" +
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
		return f.pass(cmd, form, g)
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

// pass waits for the verdict, and writes it.
func (f *reading) pass(cmd *cobra.Command, form terminal.Form, g client.Gate) error {
	return ask(cmd, f.environ, func(ctx context.Context, server client.Server) error {
		found, err := server.Pass(ctx, g, func(ctx context.Context, s client.Server) (client.Server, error) { return s.Choose(ctx, f.project) })
		switch {
		case err != nil:
			return err
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
			err = exitStatus(failed)
		}
		return err
	})
}
