package main

import (
	"github.com/spf13/cobra"

	"sett/internal/app"
	"sett/internal/app/operate"
)

func tokenCommand(environ []string) *cobra.Command {
	cmd := &cobra.Command{Use: "token", Short: "Add, list and revoke personal tokens of users"}
	cmd.AddCommand(tokenAddCommand(environ), tokenListCommand(environ), tokenRevokeCommand(environ))
	return cmd
}

func tokenAddCommand(environ []string) *cobra.Command {
	var o operate.NewToken
	cmd := &cobra.Command{
		Use:   "add EMAIL",
		Short: "Create a personal token for a user, and print it",
		Long:  "Create and print a personal token, with which a user's programs call the API. The token is shown only once.",
		Example: "  sett token add olga@example.org --name 'deploy script' --scope write --expires 90d\n" +
			"  sett token add olga@example.org --name agent --scope faults:read,faults:write --expires 90d",
		Args: arguments(someAddress),
		RunE: onInstallation(environ, func(cmd *cobra.Command, cfg app.Config) error {
			o.Email = cmd.Flags().Arg(0)
			made, err := operate.AddToken(cmd.Context(), cfg.Installation(), o)
			if err != nil {
				return err
			}
			return printMade(cmd, cfg, made, "%s", made.Token)
		}),
	}
	cmd.Flags().SortFlags = false
	cmd.Flags().StringVar(&o.Name, "name", "", "name of the token")
	cmd.Flags().StringVar(&o.Scope, "scope", "read", "scope of the token: read, write, or names of scopes such as faults:read,faults:write")
	cmd.Flags().StringVar(&o.Account, "account", "", "id of the account in which a token with names of scopes works, if the user has several")
	cmd.Flags().StringVar(&o.Expires, "expires", "never", "expiry of the token: a number of days such as 90d, a date (UTC) such as 2027-03-31, or never")
	addJSON(cmd, "the token and its details")
	return cmd
}

func tokenListCommand(environ []string) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "list EMAIL",
		Short:   "List the personal tokens of a user, newest first",
		Example: "  sett token list olga@example.org",
		Args:    arguments(someAddress),
		RunE: onInstallation(environ, func(cmd *cobra.Command, cfg app.Config) error {
			tokens, err := operate.ListTokens(cmd.Context(), cfg.Installation(), cmd.Flags().Arg(0))
			if err != nil {
				return err
			}
			return printTable(cmd.OutOrStdout(), cfg.JSON, tokens, "ID NAME SCOPE CREATED EXPIRES USED", func(t operate.ListedToken) []any {
				ends := dayOf(t.ExpiresAt, "never")
				if t.Expired {
					ends += " (expired)"
				}
				return []any{t.ID, t.Name, t.Scope, dayOf(&t.CreatedAt, ""), ends, dayOf(t.UsedAt, "never")}
			})
		}),
	}
	cmd.Flags().SortFlags = false
	addJSON(cmd, "them")
	return cmd
}

func tokenRevokeCommand(environ []string) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "revoke EMAIL ID",
		Short:   "Revoke a personal token of a user",
		Example: "  sett token revoke olga@example.org 12",
		Args:    arguments(someAddress, "the id of a token"),
		RunE: onInstallation(environ, func(cmd *cobra.Command, cfg app.Config) error {
			name, err := operate.RevokeToken(cmd.Context(), cfg.Installation(), cmd.Flags().Arg(0), cmd.Flags().Arg(1))
			if err != nil {
				return err
			}
			return sentence(cmd, "The token %q of %s is revoked.", name, cmd.Flags().Arg(0))
		}),
	}
	addFlags(cmd, "Storage")
	return cmd
}
