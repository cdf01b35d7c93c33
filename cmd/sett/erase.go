package main

import (
	"github.com/spf13/cobra"

	"sett/internal/app"
	"sett/internal/app/operate"
)

func eraseCommand(environ []string) *cobra.Command {
	project, yes := int64(0), false
	cmd := &cobra.Command{
		Use:   "erase --project ID USER",
		Short: "Erase a user of your application from a project",
		Long: "Delete all events of a project about a user of your application. Name the user by ID, email address or name. An email\n" +
			"address is found anywhere in an event, an ID or a name only where the event names its user. Errors and their counts stay.\n" +
			"Without --yes, the command only counts the events. The server can keep running.",
		Example: "  sett erase --project 1 ines@example.org\n  sett erase --project 1 ines@example.org --yes",
		Args:    arguments("the ID, email address or name of a user of your application"),
		RunE: onInstallation(environ, func(cmd *cobra.Command, cfg app.Config) error {
			user := cmd.Flags().Arg(0)
			if !yes {
				found, err := operate.PreviewErasure(cmd.Context(), cfg.Installation(), project, user)
				if err != nil {
					return err
				}
				return sentence(cmd, "%s of %s would be deleted. Nothing has changed. To delete them, add --yes.", found.Events(), found.Project)
			}
			r, err := operate.EraseUser(cmd.Context(), cfg.Installation(), project, user)
			if err != nil {
				return err
			}
			if r.More {
				return sentence(cmd, "Deleted %s of %s from %s so far. The server deletes the rest as soon as it runs and has counted it.", r.Events(), r.User, r.Project)
			}
			return sentence(cmd, "Erased %s from %s: %s.", r.User, r.Project, r.Events())
		}),
	}
	cmd.Flags().SortFlags = false
	cmd.Flags().Int64Var(&project, "project", 0, "id of the project: the number at the end of its URL")
	cmd.Flags().BoolVar(&yes, "yes", false, "delete the events")
	addFlags(cmd, ofStorage...)
	return cmd
}
