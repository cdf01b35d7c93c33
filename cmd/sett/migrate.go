package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"sett/internal/app"
	"sett/internal/app/operate"
)

func migrateCommand(environ []string) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "migrate",
		Short: "Migrate the database schema",
		Long: "Migrate the database schema to this version. The server does this when it starts; use this command to do it beforehand.\n" +
			"With SQLite, stop the server first. The database is copied before, unless you set --migration-copy=false.",
		Example: "  sett migrate --data /var/lib/sett",
		Args:    noArguments,
		RunE: onInstallation(environ, func(cmd *cobra.Command, cfg app.Config) error {
			m, err := operate.Migrate(cmd.Context(), cfg.Installation())
			if err != nil {
				return err
			}
			text := fmt.Sprintf("The schema was migrated from version %d to %d.", m.From, m.To)
			if m.From == m.To {
				text = fmt.Sprintf("The schema is up to date, at version %d.", m.To)
			}
			if m.Copy != "" {
				text += " A copy of the previous database is in " + m.Copy + "."
			}
			_, err = fmt.Fprintln(cmd.OutOrStdout(), text)
			return err
		}),
	}
	addFlags(cmd, ofStorage...)
	return cmd
}
