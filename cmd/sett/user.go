package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"sett/internal/app"
)

// someAddress is the argument of commands about one user.
const someAddress = "the email address of a user"

func userCommand(environ []string) *cobra.Command {
	cmd := &cobra.Command{Use: "user", Short: "Look after users: who belongs to which account, as what, and how they sign in"}
	cmd.AddCommand(
		userAddCommand(environ), userListCommand(environ), userPasswordCommand(environ), userSecondFactorCommand(environ),
		userRoleCommand(environ), userRemoveCommand(environ), userOperatorCommand(environ),
	)
	return cmd
}

func userAddCommand(environ []string) *cobra.Command {
	var o app.NewUser
	cmd := &cobra.Command{
		Use:     "add",
		Short:   "Make somebody belong to an account",
		Long:    "Make the user with an address belong to an account; where nobody has the address, make the user first. Nobody is told\nby mail, other than by an invitation.",
		Example: "  sett user add --account 7DA3u7 --email mia@example.org --name Mia --role Admin",
		Args:    noArguments,
		RunE: withConfig(environ, func(cmd *cobra.Command, cfg app.Config) error {
			added, err := app.AddUser(cmd.Context(), cfg, o)
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
	cmd.Flags().StringVar(&o.Account, "account", "", "id of the account; sett account list shows them all")
	cmd.Flags().StringVar(&o.Email, "email", "", "email address of the user")
	cmd.Flags().StringVar(&o.Name, "name", "", "name of a new user; who is a user already keeps theirs")
	cmd.Flags().StringVar(&o.Role, "role", "Member", "what they are in the account: Member, Billing, Admin or Owner")
	cmd.Flags().StringVar(&o.Password, "password", "", "password of a new user; empty for none: then sett user password gives them one")
	addJSON(cmd, "who was added")
	return cmd
}

func addedUser(r app.AddedUser) string {
	text := fmt.Sprintf("%s belongs to %s now, as %s.", r.Email, r.Account, r.Role)
	if r.NewUser && !r.Password {
		text += fmt.Sprintf("\nThis is a new user without a password: sett user password %s gives them one.", r.Email)
	}
	return text
}

func userListCommand(environ []string) *cobra.Command {
	account := ""
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List users, with their accounts and roles",
		Args:  noArguments,
		RunE: withConfig(environ, func(cmd *cobra.Command, cfg app.Config) error {
			users, err := app.ListUsers(cmd.Context(), cfg, account)
			if err != nil {
				return err
			}
			return printTable(cmd.OutOrStdout(), cfg.JSON, users, "ID EMAIL NAME SECOND-FACTOR ACCOUNTS", func(u app.ListedUser) []any {
				factor := "off"
				if u.SecondFactor {
					factor = "on"
				}
				return []any{u.ID, u.Email, u.Name, factor, accountsOf(u)}
			})
		}),
	}
	cmd.Flags().SortFlags = false
	cmd.Flags().StringVar(&account, "account", "", "id of an account: only those who belong to it")
	addJSON(cmd, "them")
	return cmd
}

// accountsOf writes where a user is what, such as "Acme 7DA3u7 (Owner)".
func accountsOf(u app.ListedUser) string {
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
		Short:   "Take the second factor from a user who has lost it",
		Long:    "Take the second factor from a user who has lost it and has no recovery code any more, so that their password is\nenough. They can set up another one.",
		Example: "  sett user second-factor olga@example.org --off",
		Args:    arguments(someAddress),
		RunE: withConfig(environ, func(cmd *cobra.Command, cfg app.Config) error {
			if !off {
				return errors.New("a second factor can only be taken away here, with --off; users set one up themselves, at /me/security")
			}
			user, err := app.DropSecondFactor(cmd.Context(), cfg, cmd.Flags().Arg(0))
			if err != nil {
				return err
			}
			return sentence(cmd, "%s has no second factor any more; the password is enough.", user.Email)
		}),
	}
	cmd.Flags().SortFlags = false
	cmd.Flags().BoolVar(&off, "off", false, "take it away")
	addFlags(cmd, "Storage")
	return cmd
}

func userRoleCommand(environ []string) *cobra.Command {
	account, role := "", ""
	cmd := &cobra.Command{
		Use:     "role EMAIL",
		Short:   "Change what a user is in an account",
		Long:    "Change what a user is in an account. The last owner stays one.",
		Example: "  sett user role mia@example.org --account 7DA3u7 --role Owner",
		Args:    arguments(someAddress),
		RunE: withConfig(environ, func(cmd *cobra.Command, cfg app.Config) error {
			is, name, err := app.ChangeRole(cmd.Context(), cfg, cmd.Flags().Arg(0), account, role)
			if err != nil {
				return err
			}
			return sentence(cmd, "%s is %s in %s now.", cmd.Flags().Arg(0), is, name)
		}),
	}
	cmd.Flags().SortFlags = false
	cmd.Flags().StringVar(&account, "account", "", "id of the account; sett account list shows them all")
	cmd.Flags().StringVar(&role, "role", "", "Member, Billing, Admin or Owner")
	addFlags(cmd, "Storage")
	return cmd
}

func userRemoveCommand(environ []string) *cobra.Command {
	account := ""
	cmd := &cobra.Command{
		Use:     "remove EMAIL",
		Short:   "Take a user out of an account",
		Long:    "Take a user out of an account and its teams, and from the faults that they were to mend. The last owner stays. With\ntheir last account their personal tokens go as well.",
		Example: "  sett user remove mia@example.org --account 7DA3u7",
		Args:    arguments(someAddress),
		RunE: withConfig(environ, func(cmd *cobra.Command, cfg app.Config) error {
			name, err := app.RemoveUser(cmd.Context(), cfg, cmd.Flags().Arg(0), account)
			if err != nil {
				return err
			}
			return sentence(cmd, "%s does not belong to %s any more.", cmd.Flags().Arg(0), name)
		}),
	}
	cmd.Flags().SortFlags = false
	cmd.Flags().StringVar(&account, "account", "", "id of the account; sett account list shows them all")
	addFlags(cmd, "Storage")
	return cmd
}
