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
		Long: "Bring the database schema up to date. The server does the same when it starts; this is for doing it beforehand.\n" +
			"No server may be running on the built-in database. It is copied first, unless --migration-copy=false.",
		Args: noArguments,
		RunE: withConfig(environ, func(cmd *cobra.Command, cfg app.Config) error {
			m, err := app.Migrate(cmd.Context(), cfg)
			if err != nil {
				return err
			}
			text := fmt.Sprintf("The schema went from version %d to %d.", m.From, m.To)
			if m.From == m.To {
				text = fmt.Sprintf("The schema is up to date, at version %d.", m.To)
			}
			if m.Copy != "" {
				text += " The database as it was before is in " + m.Copy + "."
			}
			_, err = fmt.Fprintln(cmd.OutOrStdout(), text)
			return err
		}),
	}
	addFlags(cmd, "Storage")
	return cmd
}
