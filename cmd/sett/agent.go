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
		Long: "Check the sites of a server from another location until SIGTERM or SIGINT. The agent polls the server for sites and\n" +
			"uploads the results, so the server does not connect to the agent. While the server is unreachable, the agent keeps\nthe results.",
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
		return fmt.Errorf("unknown argument %q; sett agent runs an agent, and sett agents adds, lists and revokes them", args[0])
	}
	return noArguments(cmd, args)
}
