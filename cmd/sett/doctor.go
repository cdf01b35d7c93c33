package main

import (
	"github.com/spf13/cobra"

	"sett/internal/app"
)

func doctorCommand(environ []string) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Look at everything that the server needs, and say what to mend",
		Long: "Look at everything that a server with these settings needs: its disk, database, clock, addresses, mail server and\n" +
			"backups, whether it runs or not. Nothing is changed. Give it the settings of the server. The status is 1 when\nsomething does not work, and 0 when there are warnings at most.",
		Args: noArguments,
		RunE: withConfig(environ, func(cmd *cobra.Command, cfg app.Config) error {
			findings, err := app.Doctor(cmd.Context(), cfg)
			if err != nil {
				return err
			}
			err = printTable(cmd.OutOrStdout(), cfg.JSON, findings, "VERDICT CHECK FOUND", func(f app.Finding) []any {
				return []any{f.Verdict, f.Check, f.Text}
			})
			for _, f := range findings {
				if err == nil && f.Verdict == app.Fails {
					err = app.ErrFound
				}
			}
			return err
		}),
	}
	addFlags(cmd)
	addSetting(cmd, "json", "print what was found as JSON")
	return cmd
}
