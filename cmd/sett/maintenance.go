package main

import (
	"time"

	"github.com/spf13/cobra"

	"sett/internal/app"
	"sett/internal/app/operate"
)

func maintenanceCommand(environ []string) *cobra.Command {
	cmd := &cobra.Command{Use: "maintenance", Short: "Hold the notifications of a project while you work on it"}
	cmd.AddCommand(maintenanceStartCommand(environ), maintenanceListCommand(environ), maintenanceEndCommand(environ))
	return cmd
}

func addProject(cmd *cobra.Command, into *int64) {
	cmd.Flags().SortFlags = false
	cmd.Flags().Int64Var(into, "project", 0, "id of the project: the number at the end of its URL")
}

func maintenanceStartCommand(environ []string) *cobra.Command {
	var project int64
	var n operate.NewMaintenance
	cmd := &cobra.Command{
		Use:   "start --project ID",
		Short: "Start or plan a maintenance window, and print its id",
		Long: "Start a maintenance window now, or plan one with --at. Checks continue. Problems that begin are not sent until it ends.\n" +
			"You are then notified of what is still down or missing. Without --for, the window lasts until you end it, 7 days at most.\n" +
			"The server can keep running.",
		Example: "  sett maintenance start --project 1 --for 90m --reason 'Upgrade of the database'\n  sett maintenance start --project 1 --at 2026-12-01T22:00:00Z --for 2h",
		Args:    noArguments,
		RunE: onInstallation(environ, func(cmd *cobra.Command, cfg app.Config) error {
			made, err := operate.StartMaintenance(cmd.Context(), cfg.Installation(), project, n)
			if err != nil {
				return err
			}
			return printMade(cmd, cfg, made, "%d", made.ID)
		}),
	}
	addProject(cmd, &project)
	cmd.Flags().DurationVar(&n.For, "for", 0, "how long it lasts, such as 90m; at most 720h (default: until you end it)")
	cmd.Flags().StringVar(&n.Starts, "at", "", "when it starts, such as 2026-12-01T22:00:00Z (default: now)")
	cmd.Flags().StringVar(&n.Reason, "reason", "", "why, for your team")
	cmd.Flags().StringSliceVar(&n.Sites, "site", nil, "id of a site that it is for; several are allowed (default: all sites and check-ins)")
	cmd.Flags().StringSliceVar(&n.CheckIns, "check-in", nil, "id of a check-in that it is for; several are allowed")
	cmd.Flags().BoolVar(&n.Errors, "errors", false, "hold alerts about errors too")
	addJSON(cmd, "the window")
	return cmd
}

func maintenanceListCommand(environ []string) *cobra.Command {
	var project int64
	cmd := &cobra.Command{
		Use:     "list --project ID",
		Short:   "List the maintenance windows of a project, newest first",
		Example: "  sett maintenance list --project 1",
		Args:    noArguments,
		RunE: onInstallation(environ, func(cmd *cobra.Command, cfg app.Config) error {
			windows, err := operate.ListMaintenance(cmd.Context(), cfg.Installation(), project)
			if err != nil {
				return err
			}
			return printTable(cmd.OutOrStdout(), cfg.JSON, windows, "ID STATE STARTS ENDS HELD SENT REASON", func(m operate.ListedMaintenance) []any {
				return []any{m.ID, m.State, secondOf(&m.StartsAt, "-"), windowEnd(m), m.Held, m.Sent, orDash(m.Reason)}
			})
		}),
	}
	addProject(cmd, &project)
	addJSON(cmd, "them")
	return cmd
}

// windowEnd writes when a window ends.
func windowEnd(m operate.ListedMaintenance) string {
	if m.UntilEnded && m.State != "ended" {
		return "open"
	}
	return secondOf(&m.EndsAt, "-")
}

func maintenanceEndCommand(environ []string) *cobra.Command {
	var project int64
	cmd := &cobra.Command{
		Use:     "end --project ID WINDOW",
		Short:   "End an active maintenance window",
		Long:    "End an active maintenance window now. The server then sends one notification for everything that is still down or missing.",
		Example: "  sett maintenance end --project 1 7",
		Args:    arguments("the id of a maintenance window"),
		RunE: onInstallation(environ, func(cmd *cobra.Command, cfg app.Config) error {
			m, err := operate.EndMaintenance(cmd.Context(), cfg.Installation(), project, cmd.Flags().Arg(0))
			if err != nil {
				return err
			}
			return sentence(cmd, "The maintenance window %d has ended after %s. Held so far: %d.", m.ID, m.EndsAt.Sub(m.StartsAt).Round(time.Second), m.Held)
		}),
	}
	addProject(cmd, &project)
	addFlags(cmd, "Storage")
	return cmd
}
