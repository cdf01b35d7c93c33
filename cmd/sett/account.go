package main

import (
	"strings"

	"github.com/spf13/cobra"

	"sett/internal/app"
)

func accountCommand(environ []string) *cobra.Command {
	cmd := &cobra.Command{Use: "account", Short: "Make accounts, and list them"}
	cmd.AddCommand(accountAddCommand(environ), accountListCommand(environ))
	return cmd
}

func accountAddCommand(environ []string) *cobra.Command {
	var o app.NewAccount
	cmd := &cobra.Command{
		Use:     "add",
		Short:   "Make an account and its owner, and print its id",
		Long:    "Make an account. Its owner is the user with the address, or a new user, who has no password yet: then\nsett user password gives them one. It may run beside a live server.",
		Example: "  sett account add --name Acme --owner olga@example.org --owner-name Olga",
		Args:    noArguments,
		RunE: withConfig(environ, func(cmd *cobra.Command, cfg app.Config) error {
			made, err := app.AddAccount(cmd.Context(), cfg, o)
			switch {
			case err != nil:
				return err
			case made.NewUser:
				return printMade(cmd, cfg, made, "%s\nIts owner is %s, a new user without a password: sett user password %[2]s gives them one.", made.AccountID, made.Email)
			}
			return printMade(cmd, cfg, made, "%s\nIts owner is %s, who was a user before.", made.AccountID, made.Email)
		}),
	}
	cmd.Flags().SortFlags = false
	cmd.Flags().StringVar(&o.Name, "name", "", "name of the account")
	cmd.Flags().StringVar(&o.Owner, "owner", "", "email address of its owner")
	cmd.Flags().StringVar(&o.OwnerName, "owner-name", "", "name of an owner who is a new user; empty for what stands before the @")
	addJSON(cmd, "what was made")
	return cmd
}

func accountListCommand(environ []string) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List all accounts, the oldest first",
		Args:  noArguments,
		RunE: withConfig(environ, func(cmd *cobra.Command, cfg app.Config) error {
			accounts, err := app.ListAccounts(cmd.Context(), cfg)
			if err != nil {
				return err
			}
			return printTable(cmd.OutOrStdout(), cfg.JSON, accounts, "ID NAME OWNERS USERS PROJECTS CREATED", func(a app.ListedAccount) []any {
				return []any{a.ID, a.Name, strings.Join(a.Owners, ", "), a.Users, a.Projects, dayOf(&a.CreatedAt, "")}
			})
		}),
	}
	addJSON(cmd, "them")
	return cmd
}
