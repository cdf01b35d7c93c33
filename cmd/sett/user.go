package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"sett/internal/app"
	"sett/internal/app/operate"
)

// someAddress is the argument of commands about one user.
const someAddress = "the email address of a user"

func userCommand(environ []string) *cobra.Command {
	cmd := &cobra.Command{Use: "user", Short: "Manage users: their accounts, roles and sign-in"}
	cmd.AddCommand(
		userAddCommand(environ), userListCommand(environ), userPasswordCommand(environ), userSecondFactorCommand(environ),
		userRoleCommand(environ), userRemoveCommand(environ), userOperatorCommand(environ),
	)
	return cmd
}

func userAddCommand(environ []string) *cobra.Command {
	var o operate.NewUser
	cmd := &cobra.Command{
		Use:     "add",
		Short:   "Add a user to an account",
		Long:    "Add a user to an account, and create the user if there is none with this email address. Unlike an invitation, this sends\nno email.",
		Example: "  sett user add --account 7DA3u7 --email mia@example.org --name Mia --role Admin",
		Args:    noArguments,
		RunE: onInstallation(environ, func(cmd *cobra.Command, cfg app.Config) error {
			added, err := operate.AddUser(cmd.Context(), cfg.Installation(), o)
			if err != nil {
				return err
			}
			if cfg.JSON {
				return json.NewEncoder(cmd.OutOrStdout()).Encode(added)
			}
			return sentence(cmd, "%s", addedUser(added))
		}),
	}
	cmd.Flags().SortFlags = false
	cmd.Flags().StringVar(&o.Account, "account", "", "id of the account, from: sett account list")
	cmd.Flags().StringVar(&o.Email, "email", "", "email address of the user")
	cmd.Flags().StringVar(&o.Name, "name", "", "name of a new user; existing users keep their name")
	cmd.Flags().StringVar(&o.Role, "role", "Member", "role in the account: Member, Billing, Admin or Owner")
	cmd.Flags().StringVar(&o.Password, "password", "", "password of a new user; empty for none, which you can set later with sett user password")
	addJSON(cmd, "the user")
	return cmd
}

func addedUser(r operate.AddedUser) string {
	text := fmt.Sprintf("Added %s to %s as %s.", r.Email, r.Account, r.Role)
	if r.NewUser && !r.Password {
		text += fmt.Sprintf("\nThis is a new user without a password. Set one with: sett user password %s", r.Email)
	}
	return text
}

func userListCommand(environ []string) *cobra.Command {
	account := ""
	cmd := &cobra.Command{
		Use:     "list",
		Short:   "List users with their accounts and roles",
		Example: "  sett user list\n  sett user list --account 7DA3u7",
		Args:    noArguments,
		RunE: onInstallation(environ, func(cmd *cobra.Command, cfg app.Config) error {
			users, err := operate.ListUsers(cmd.Context(), cfg.Installation(), account)
			if err != nil {
				return err
			}
			return printTable(cmd.OutOrStdout(), cfg.JSON, users, "ID EMAIL NAME SECOND-FACTOR ACCOUNTS", func(u operate.ListedUser) []any {
				factor := "off"
				if u.SecondFactor {
					factor = "on"
				}
				return []any{u.ID, u.Email, u.Name, factor, accountsOf(u)}
			})
		}),
	}
	cmd.Flags().SortFlags = false
	cmd.Flags().StringVar(&account, "account", "", "id of an account, to list only its users")
	addJSON(cmd, "them")
	return cmd
}

// accountsOf writes where a user is what, such as "Acme 7DA3u7 (Owner)".
func accountsOf(u operate.ListedUser) string {
	texts := []string{}
	for _, in := range u.Accounts {
		texts = append(texts, fmt.Sprintf("%s %s (%s)", in.Name, in.ID, in.Role))
	}
	return strings.Join(texts, ", ")
}

func userSecondFactorCommand(environ []string) *cobra.Command {
	off := false
	cmd := &cobra.Command{
		Use:     "second-factor EMAIL --off",
		Short:   "Turn off the second factor of a user who has lost it",
		Long:    "Turn off the second factor of a user who has lost it and has no recovery codes left. They can then sign in with their\npassword only, and set up another one.",
		Example: "  sett user second-factor olga@example.org --off",
		Args:    arguments(someAddress),
		RunE: onInstallation(environ, func(cmd *cobra.Command, cfg app.Config) error {
			if !off {
				return errors.New("this command can only turn a second factor off, with --off; users set one up themselves, at /me/security")
			}
			user, err := operate.DropSecondFactor(cmd.Context(), cfg.Installation(), cmd.Flags().Arg(0))
			if err != nil {
				return err
			}
			return sentence(cmd, "%s can now sign in with only the password.", user.Email)
		}),
	}
	cmd.Flags().SortFlags = false
	cmd.Flags().BoolVar(&off, "off", false, "turn it off")
	addFlags(cmd, "Storage")
	return cmd
}

func userRoleCommand(environ []string) *cobra.Command {
	account, role := "", ""
	cmd := &cobra.Command{
		Use:     "role EMAIL",
		Short:   "Change the role of a user in an account",
		Long:    "Change the role of a user in an account. The last owner of an account cannot be changed.",
		Example: "  sett user role mia@example.org --account 7DA3u7 --role Owner",
		Args:    arguments(someAddress),
		RunE: onInstallation(environ, func(cmd *cobra.Command, cfg app.Config) error {
			is, name, err := operate.ChangeRole(cmd.Context(), cfg.Installation(), cmd.Flags().Arg(0), account, role)
			if err != nil {
				return err
			}
			return sentence(cmd, "%s now has the role %s in %s.", cmd.Flags().Arg(0), is, name)
		}),
	}
	cmd.Flags().SortFlags = false
	cmd.Flags().StringVar(&account, "account", "", "id of the account, from: sett account list")
	cmd.Flags().StringVar(&role, "role", "", "Member, Billing, Admin or Owner")
	addFlags(cmd, "Storage")
	return cmd
}

func userRemoveCommand(environ []string) *cobra.Command {
	account := ""
	cmd := &cobra.Command{
		Use:     "remove EMAIL",
		Short:   "Remove a user from an account",
		Long:    "Remove a user from an account and its teams, and unassign their errors in it. The last owner of an account cannot be\nremoved. If it is the last account of the user, their personal tokens are deleted as well.",
		Example: "  sett user remove mia@example.org --account 7DA3u7",
		Args:    arguments(someAddress),
		RunE: onInstallation(environ, func(cmd *cobra.Command, cfg app.Config) error {
			name, err := operate.RemoveUser(cmd.Context(), cfg.Installation(), cmd.Flags().Arg(0), account)
			if err != nil {
				return err
			}
			return sentence(cmd, "Removed %s from %s.", cmd.Flags().Arg(0), name)
		}),
	}
	cmd.Flags().SortFlags = false
	cmd.Flags().StringVar(&account, "account", "", "id of the account, from: sett account list")
	addFlags(cmd, "Storage")
	return cmd
}
