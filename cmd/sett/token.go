package main

import (
	"github.com/spf13/cobra"

	"sett/internal/app"
)

func tokenCommand(environ []string) *cobra.Command {
	cmd := &cobra.Command{Use: "token", Short: "Make personal tokens of users, list and revoke them"}
	cmd.AddCommand(tokenAddCommand(environ), tokenListCommand(environ), tokenRevokeCommand(environ))
	return cmd
}

func tokenAddCommand(environ []string) *cobra.Command {
	var o app.NewToken
	cmd := &cobra.Command{
		Use:     "add EMAIL",
		Short:   "Make a personal token of a user, and print it this once",
		Long:    "Make a personal token, with which a user's programs use the management interface, and print it. It is shown this once.",
		Example: "  sett token add olga@example.org --name 'deploy script' --scope write --expires 90d",
		Args:    arguments(someAddress),
		RunE: withConfig(environ, func(cmd *cobra.Command, cfg app.Config) error {
			o.Email = cmd.Flags().Arg(0)
			made, err := app.AddToken(cmd.Context(), cfg, o)
			if err != nil {
				return err
			}
			return printMade(cmd, cfg, made, "%s", made.Token)
		}),
	}
	cmd.Flags().SortFlags = false
	cmd.Flags().StringVar(&o.Name, "name", "", "what the token is for")
	cmd.Flags().StringVar(&o.Scope, "scope", "read", "what it may do: read, or write, which is read and write")
	cmd.Flags().StringVar(&o.Expires, "expires", "never", "when it ends: a number of days such as 90d, the day (UTC) such as 2027-03-31, or never")
	addJSON(cmd, "the token and what it is")
	return cmd
}

func tokenListCommand(environ []string) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "list EMAIL",
		Short:   "List the personal tokens of a user, the newest first",
		Example: "  sett token list olga@example.org",
		Args:    arguments(someAddress),
		RunE: withConfig(environ, func(cmd *cobra.Command, cfg app.Config) error {
			tokens, err := app.ListTokens(cmd.Context(), cfg, cmd.Flags().Arg(0))
			if err != nil {
				return err
			}
			return printTable(cmd.OutOrStdout(), cfg.JSON, tokens, "ID NAME SCOPE CREATED EXPIRES USED", func(t app.ListedToken) []any {
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
		Short:   "Make a personal token of a user worth nothing",
		Example: "  sett token revoke olga@example.org 12",
		Args:    arguments(someAddress, "the id of a token"),
		RunE: withConfig(environ, func(cmd *cobra.Command, cfg app.Config) error {
			name, err := app.RevokeToken(cmd.Context(), cfg, cmd.Flags().Arg(0), cmd.Flags().Arg(1))
			if err != nil {
				return err
			}
			return sentence(cmd, "The token %q of %s is worth nothing any more.", name, cmd.Flags().Arg(0))
		}),
	}
	addFlags(cmd, "Storage")
	return cmd
}
