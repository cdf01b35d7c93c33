package main

import (
	"github.com/spf13/cobra"

	"sett/internal/app"
	"sett/internal/app/operate"
)

func blocksCommand(environ []string) *cobra.Command {
	cmd := &cobra.Command{Use: "blocks", Short: "Manage events in object storage"}
	cmd.AddCommand(blocksHomeCommand(environ))
	return cmd
}

func blocksHomeCommand(environ []string) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "home",
		Short: "Move all events from object storage back to the database",
		Long: "Move all events from object storage back to the database, and delete the objects. Start the servers without --blocks\n" +
			"first: otherwise they move the events again. If the command is interrupted, run it again to continue.",
		Example: "  sett blocks home --blocks 's3://events/sett?region=eu-west-1'",
		Args:    noArguments,
		RunE: onInstallation(environ, func(cmd *cobra.Command, cfg app.Config) error {
			n, err := operate.BlocksHome(cmd.Context(), cfg.Installation())
			if err != nil {
				return err
			}
			return sentence(cmd, "%d blocks of events are back in the database. Object storage is no longer needed.", n)
		}),
	}
	addFlags(cmd, ofStorage...)
	return cmd
}
