package main

import (
	"github.com/spf13/cobra"

	"sett/internal/app"
)

func agentCommand(environ []string) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "agent",
		Short: "Check sites from another location",
		Long: "Check the sites of a server from another location until SIGTERM or SIGINT. The server need not reach the agent: it\n" +
			"polls for what to check and uploads what it found, and keeps that while the server is away.",
		Example: "  sett agent --server https://sett.example.org --token sett_a_… --location Frankfurt",
		Args:    noArguments,
		RunE: withConfig(environ, func(cmd *cobra.Command, cfg app.Config) error {
			ctx, release := untilSignal(cmd.Context(), cmd.ErrOrStderr())
			defer release()
			return app.RunAgent(ctx, cfg, newLogger(cfg, cmd.ErrOrStderr()))
		}),
	}
	addFlags(cmd, "Server", "Agent", "Checks", "Log")
	return cmd
}
