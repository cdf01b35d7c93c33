package main

import (
	"strings"

	"github.com/spf13/cobra"

	"sett/internal/app"
	"sett/internal/app/operate"
)

func accountCommand(environ []string) *cobra.Command {
	cmd := &cobra.Command{Use: "account", Short: "Create and list accounts"}
	cmd.AddCommand(accountAddCommand(environ), accountListCommand(environ))
	return cmd
}

func accountAddCommand(environ []string) *cobra.Command {
	var o operate.NewAccount
	cmd := &cobra.Command{
		Use:     "add",
		Short:   "Create an account with an owner, and print its id",
		Long:    "Create an account. Its owner is the user with this email address. If there is none, a user without a password is created:\nset one with sett user password. The server can keep running.",
		Example: "  sett account add --name Acme --owner olga@example.org --owner-name Olga",
		Args:    noArguments,
		RunE: onInstallation(environ, func(cmd *cobra.Command, cfg app.Config) error {
			made, err := operate.AddAccount(cmd.Context(), cfg.Installation(), o)
			switch {
			case err != nil:
				return err
			case made.NewUser:
				return printMade(cmd, cfg, made, "%s\nIts owner is %s, a new user without a password. Set one with: sett user password %[2]s", made.AccountID, made.Email)
			}
			return printMade(cmd, cfg, made, "%s\nIts owner is the existing user %s.", made.AccountID, made.Email)
		}),
	}
	cmd.Flags().SortFlags = false
	cmd.Flags().StringVar(&o.Name, "name", "", "name of the account")
	cmd.Flags().StringVar(&o.Owner, "owner", "", "email address of the owner")
	cmd.Flags().StringVar(&o.OwnerName, "owner-name", "", "name of the owner, if it is a new user; defaults to the part of the address before the @")
	addJSON(cmd, "the result")
	return cmd
}

func accountListCommand(environ []string) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "list",
		Short:   "List all accounts, oldest first",
		Example: "  sett account list --data /var/lib/sett",
		Args:    noArguments,
		RunE: onInstallation(environ, func(cmd *cobra.Command, cfg app.Config) error {
			accounts, err := operate.ListAccounts(cmd.Context(), cfg.Installation())
			if err != nil {
				return err
			}
			return printTable(cmd.OutOrStdout(), cfg.JSON, accounts, "ID NAME OWNERS USERS PROJECTS CREATED", func(a operate.ListedAccount) []any {
				return []any{a.ID, a.Name, strings.Join(a.Owners, ", "), a.Users, a.Projects, dayOf(&a.CreatedAt, "")}
			})
		}),
	}
	addJSON(cmd, "them")
	return cmd
}
