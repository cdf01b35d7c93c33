package main

import (
	"context"
	"errors"
	"time"

	"github.com/spf13/cobra"

	"sett/internal/api"
	"sett/internal/app/client"
	"sett/internal/base/cell"
)

func ackCommand(environ []string) *cobra.Command {
	project, undo := "", false
	cmd := &cobra.Command{
		Use:   "ack [ID or ADDRESS]",
		Short: "Acknowledge a problem, or list who looks at what",
		Long: "Say that you look at a problem: an error by its number, or an error, site, check-in or alarm by the address of its page.\n" +
			"This stops its escalation to other channels. The problem stays as it is, and its end ends the acknowledgement.",
		Example: "  sett ack 123\n  sett ack https://sett.example.org/projects/1/sites/01933f6e-8a4b-7c3d-9e2f-112233445566\n  sett ack 123 --undo",
		Args:    oneAtMost("the number of an error, or the address of a page"),
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 && undo {
			return misuse{errors.New("--undo needs the number of an error, or the address of a page")}
		}
		needsProject := len(args) == 0 || !isAddress(args[0])
		return reach(cmd, environ, needsProject, project, func(ctx context.Context, server client.Server) error {
			switch {
			case len(args) == 0:
				return listAcknowledged(ctx, cmd, server)
			case undo:
				taken, err := server.TakeBack(ctx, args[0])
				if err != nil {
					return err
				}
				return sentence(cmd, "The acknowledgement of %s is taken back.", cell.Plain(taken.Name))
			}
			made, err := server.Acknowledge(ctx, args[0])
			if err != nil {
				return err
			}
			return sentence(cmd, "You look at %s. It has had the problem since %s.", cell.Plain(made.Name), made.Since.UTC().Format(time.RFC3339))
		})
	}
	cmd.Flags().BoolVar(&undo, "undo", false, "take your acknowledgement, or that of another user, back")
	nameProject(cmd, environ, &project)
	addAPIOnly(cmd)
	return cmd
}

func listAcknowledged(ctx context.Context, cmd *cobra.Command, server client.Server) error {
	all, err := server.Acknowledgements(ctx, server.Project)
	if err != nil {
		return err
	}
	for _, a := range all {
		if err := sentence(cmd, "%s %s: %s since %s", cell.Plain(a.Kind), cell.Plain(a.Name), cell.Plain(whoLooks(a)), a.At.UTC().Format(time.RFC3339)); err != nil {
			return err
		}
	}
	if len(all) == 0 {
		return sentence(cmd, "No problem is acknowledged.")
	}
	return nil
}

func whoLooks(a api.Acknowledgement) string {
	if a.By == nil {
		return "a former user"
	}
	return a.By.Called()
}
