package main

import (
	"time"

	"github.com/spf13/cobra"

	"sett/internal/app"
	"sett/internal/app/operate"
)

func agentsCommand(environ []string) *cobra.Command {
	cmd := &cobra.Command{Use: "agents", Short: "Add, list and revoke agents that check sites from other locations"}
	cmd.AddCommand(agentsAddCommand(environ), agentsListCommand(environ), agentsRevokeCommand(environ))
	return cmd
}

func agentsAddCommand(environ []string) *cobra.Command {
	var location string
	cmd := &cobra.Command{
		Use:   "add NAME",
		Short: "Create a token for an agent, and print it",
		Long: "Create the token with which sett agent checks sites for this server from another location, and print it. It is shown\n" +
			"only once. It is valid for one location: that of --location, or the first one that uses it. Agents belong to the\nserver, not to an account.",
		Example: "  sett agents add 'rack 3' --location Frankfurt",
		Args:    arguments("the name of an agent"),
		RunE: onInstallation(environ, func(cmd *cobra.Command, cfg app.Config) error {
			made, err := operate.AddAgent(cmd.Context(), cfg.Installation(), cmd.Flags().Arg(0), location)
			if err != nil {
				return err
			}
			return printMade(cmd, cfg, made, "%s", made.Token)
		}),
	}
	cmd.Flags().SortFlags = false
	cmd.Flags().StringVar(&location, "location", "", "the location that the token is valid for (default: the first one that uses it)")
	addJSON(cmd, "the agent and its token")
	return cmd
}

func agentsListCommand(environ []string) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "list",
		Short:   "List all agents with their location and state",
		Example: "  sett agents list",
		Args:    noArguments,
		RunE: onInstallation(environ, func(cmd *cobra.Command, cfg app.Config) error {
			agents, err := operate.ListAgents(cmd.Context(), cfg.Installation())
			if err != nil {
				return err
			}
			return printTable(cmd.OutOrStdout(), cfg.JSON, agents, "ID NAME LOCATION STATE SEEN VERSION CLOCK DROPPED", func(a operate.ListedAgent) []any {
				return []any{a.ID, a.Name, orDash(string(a.Location)), a.State, secondOf(a.HeardAt, "never"), orDash(a.Version), skew(a.Skew()), a.Dropped}
			})
		}),
	}
	cmd.Flags().SortFlags = false
	addJSON(cmd, "them")
	return cmd
}

func orDash(text string) string {
	if text == "" {
		return "-"
	}
	return text
}

// skew writes how far a clock is off.
func skew(ahead time.Duration) string {
	if ahead = ahead.Round(time.Second); ahead < 0 {
		return (-ahead).String() + " slow"
	} else if ahead > 0 {
		return ahead.String() + " fast"
	}
	return "right"
}

func agentsRevokeCommand(environ []string) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "revoke ID",
		Short:   "Revoke the token of an agent",
		Long:    "Revoke the token of an agent. Its results no longer affect the state of sites, and it stops checking within about a\nminute. Its past results are kept.",
		Example: "  sett agents revoke 3",
		Args:    arguments("the id of an agent"),
		RunE: onInstallation(environ, func(cmd *cobra.Command, cfg app.Config) error {
			name, err := operate.RevokeAgent(cmd.Context(), cfg.Installation(), cmd.Flags().Arg(0))
			if err != nil {
				return err
			}
			return sentence(cmd, "The token of the agent %q is revoked.", name)
		}),
	}
	addFlags(cmd, "Storage")
	return cmd
}
