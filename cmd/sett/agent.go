package main

import (
	"fmt"
	"slices"

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
		Args:    onlyAgent,
		RunE: withConfig(environ, func(cmd *cobra.Command, cfg app.Config) error {
			ctx, release := untilSignal(cmd.Context(), cmd.ErrOrStderr())
			defer release()
			return app.RunAgent(ctx, cfg, newLogger(cfg, cmd.ErrOrStderr()))
		}),
	}
	addFlags(cmd, "Server", "Agent", "Checks", "Log")
	return cmd
}

// onlyAgent refuses arguments, most likely of the command with nearly the same name.
func onlyAgent(cmd *cobra.Command, args []string) error {
	if len(args) > 0 && slices.Contains([]string{"add", "list", "revoke"}, args[0]) {
		return fmt.Errorf("unknown argument %q; sett agents makes, lists and revokes agents, and sett agent is one", args[0])
	}
	return noArguments(cmd, args)
}
