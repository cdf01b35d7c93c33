package main

import (
	"encoding/json"
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"sett/internal/app"
	"sett/internal/app/operate"
)

func setupCommand(environ []string) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "setup",
		Short: "Create the first account, owner and project, and print credentials",
		Long: "Create the first account with its owner, a project and a team. Print the account id, a personal token of the owner for the API,\n" +
			"and the API key of the project for clients. If there is an account already, only another token is created. The server\ncan keep running.",
		Example: "  sett setup --email ada@example.org --name 'Ada Mensah' --project Shop",
		Args:    noArguments,
		RunE: onInstallation(environ, func(cmd *cobra.Command, cfg app.Config) error {
			made, err := operate.Setup(cmd.Context(), cfg.Installation(), operate.SetupOptions(cfg.First))
			if err != nil {
				return err
			}
			if !made.HasPassword {
				fmt.Fprintf(cmd.ErrOrStderr(), noPassword, made.Email)
			}
			return printCredentials(cmd.OutOrStdout(), made, cfg.JSON)
		}),
	}
	addFlags(cmd, "Setup", "Storage")
	return cmd
}

// noPassword says of an owner, by email address, how they get to the pages.
const noPassword = `sett: the owner %[1]s has no password yet, and cannot sign in on the pages; the auth token is for the API only.
sett: To set a password, run this with the same --data or --database: sett user password %[1]s --generate
`

func printCredentials(w io.Writer, r operate.SetupResult, asJSON bool) error {
	if asJSON {
		return json.NewEncoder(w).Encode(r)
	}
	lines := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(lines, "account\t%s\n", r.AccountID)
	fmt.Fprintf(lines, "user\t%d\n", r.UserID)
	fmt.Fprintf(lines, "auth token\t%s\t(shown only once; run setup again for another)\n", r.AuthToken)
	fmt.Fprintf(lines, "project\t%d\n", r.ProjectID)
	fmt.Fprintf(lines, "API key\t%s\n", r.APIKey)
	return lines.Flush()
}
