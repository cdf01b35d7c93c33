package main

import (
	"github.com/spf13/cobra"

	"sett/internal/app"
)

func readyCommand(environ []string) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "ready",
		Short: "Ask the server on this machine whether it is ready",
		Long: "Ask the server that listens on this machine with these settings for /readyz. The exit status is 0 if it can handle requests,\n" +
			"and 1 if not. Containers use it as their health check.",
		Args: noArguments,
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
