package main

import (
	"errors"

	"github.com/spf13/cobra"

	"sett/internal/app"
	"sett/internal/app/operate"
)

func userOperatorCommand(environ []string) *cobra.Command {
	on, off := false, false
	cmd := &cobra.Command{
		Use:     "operator EMAIL --on | --off",
		Short:   "Allow a user to see the pages about the server, or not",
		Long:    "Allow or forbid a user to see the pages about the server itself, at /admin: all users and accounts, the database, emails\nand agents. The owner that sett setup creates is allowed to.",
		Example: "  sett user operator olga@example.org --on",
		Args:    arguments(someAddress),
		RunE: onInstallation(environ, func(cmd *cobra.Command, cfg app.Config) error {
			if on == off {
				return errors.New("give either --on or --off")
			}
			user, err := operate.SetOperator(cmd.Context(), cfg.Installation(), cmd.Flags().Arg(0), on)
			if err != nil {
				return err
			}
			if on {
				return sentence(cmd, "%s can now see the pages about the server.", user.Email)
			}
			return sentence(cmd, "%s can no longer see the pages about the server.", user.Email)
		}),
	}
	cmd.Flags().SortFlags = false
	cmd.Flags().BoolVar(&on, "on", false, "allow it")
	cmd.Flags().BoolVar(&off, "off", false, "forbid it")
	addFlags(cmd, "Storage")
	return cmd
}
