package main

import (
	"github.com/spf13/cobra"

	"sett/internal/app"
	"sett/internal/app/operate"
)

func doctorCommand(environ []string) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Check everything that the server needs, and say what to fix",
		Long: "Check everything that a server needs: its disk, database, clock, addresses, mail server and backups. Give this command the\n" +
			"settings of the server, which may be running or stopped. It changes nothing. It exits with status 1 if a check fails, and\nwith 0 if there are at most warnings.",
		Example: "  sett doctor --data /var/lib/sett --base-url https://sett.example.org",
		Args:    noArguments,
		RunE: onInstallation(environ, func(cmd *cobra.Command, cfg app.Config) error {
			findings, err := operate.Doctor(cmd.Context(), cfg.Installation())
			if err != nil {
				return err
			}
			err = printTable(cmd.OutOrStdout(), cfg.JSON, findings, "RESULT CHECK DETAILS", func(f operate.Finding) []any {
				return []any{f.Verdict, f.Check, f.Text}
			})
			for _, f := range findings {
				if err == nil && f.Verdict == operate.Fails {
					err = operate.ErrFound
				}
			}
			return err
		}),
	}
	addFlags(cmd, ofServer...)
	addSetting(cmd, "json", "print the results as JSON")
	return cmd
}
