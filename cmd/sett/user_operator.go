package main

import (
	"errors"

	"github.com/spf13/cobra"

	"sett/internal/app"
)

func userOperatorCommand(environ []string) *cobra.Command {
	on, off := false, false
	cmd := &cobra.Command{
		Use:     "operator EMAIL --on | --off",
		Short:   "Say whether a user sees the pages about the server",
		Long:    "Say whether a user sees the pages about the server itself, at /admin: every user and account, its database, mails and\nagents. The owner whom sett setup made does.",
		Example: "  sett user operator olga@example.org --on",
		Args:    arguments(someAddress),
		RunE: withConfig(environ, func(cmd *cobra.Command, cfg app.Config) error {
			if on == off {
				return errors.New("say either --on or --off")
			}
			user, err := app.SetOperator(cmd.Context(), cfg, cmd.Flags().Arg(0), on)
			if err != nil {
				return err
			}
			if on {
				return sentence(cmd, "%s sees the pages about the server now.", user.Email)
			}
			return sentence(cmd, "%s does not see the pages about the server any more.", user.Email)
		}),
	}
	cmd.Flags().SortFlags = false
	cmd.Flags().BoolVar(&on, "on", false, "they do")
	cmd.Flags().BoolVar(&off, "off", false, "they do not")
	addFlags(cmd, "Storage")
	return cmd
}
