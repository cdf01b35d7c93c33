package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"sett/internal/app"
)

func migrateCommand(environ []string) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "migrate",
		Short: "Bring the database schema up to date",
		Long:  "Bring the database schema up to date. The server does the same when it starts; this is for doing it beforehand.",
		Args:  noArguments,
		RunE: withConfig(environ, func(cmd *cobra.Command, cfg app.Config) error {
			from, to, err := app.Migrate(cmd.Context(), cfg)
			if err != nil {
				return err
			}
			if from == to {
				_, err = fmt.Fprintf(cmd.OutOrStdout(), "The schema is up to date, at version %d.\n", to)
			} else {
				_, err = fmt.Fprintf(cmd.OutOrStdout(), "The schema went from version %d to %d.\n", from, to)
			}
			return err
		}),
	}
	addFlags(cmd, "Storage")
	return cmd
}
