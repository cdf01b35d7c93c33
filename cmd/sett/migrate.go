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
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg, err := loadConfig(cmd, environ)
			if err != nil {
				return err
			}
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
		},
	}
	addFlags(cmd, "Storage")
	return cmd
}
