package main

import (
	"github.com/spf13/cobra"

	"sett/internal/app"
)

func readyCommand(environ []string) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "ready",
		Short: "Ask the server on this machine whether it is ready",
		Long: "Ask the server on this machine for /readyz, at its --listen. Exit with status 0 if the server can handle requests, and with 1\n" +
			"if not. Containers use this command as their health check.",
		Example: "  sett ready --listen 127.0.0.1:8080",
		Args:    noArguments,
		RunE: withConfig(environ, func(cmd *cobra.Command, cfg app.Config) error {
			if err := app.AskReady(cmd.Context(), cfg); err != nil {
				return err
			}
			return sentence(cmd, "%s", "ready")
		}),
	}
	addFlags(cmd, "Listening", "HTTPS")
	return cmd
}
