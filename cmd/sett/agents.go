package main

import (
	"time"

	"github.com/spf13/cobra"

	"sett/internal/app"
)

func agentsCommand(environ []string) *cobra.Command {
	cmd := &cobra.Command{Use: "agents", Short: "Let agents check sites from other locations, list and revoke them"}
	cmd.AddCommand(agentsAddCommand(environ), agentsListCommand(environ), agentsRevokeCommand(environ))
	return cmd
}

func agentsAddCommand(environ []string) *cobra.Command {
	var location string
	cmd := &cobra.Command{
		Use:   "add NAME",
		Short: "Make the token of an agent, and print it this once",
		Long: "Make a token with which sett agent checks sites for this server from another location, and print it. It is shown this\n" +
			"once. It is for one location: that of --location, or else the first that it is used at. Agents belong to the server, not\nto an account.",
		Example: "  sett agents add 'rack 3' --location Frankfurt",
		Args:    arguments("the name of an agent"),
		RunE: withConfig(environ, func(cmd *cobra.Command, cfg app.Config) error {
			made, err := app.AddAgent(cmd.Context(), cfg, cmd.Flags().Arg(0), location)
			if err != nil {
				return err
			}
			return printMade(cmd, cfg, made, "%s", made.Token)
		}),
	}
	cmd.Flags().SortFlags = false
	cmd.Flags().StringVar(&location, "location", "", "the only location that the token is for (default: the first that it is used at)")
	addJSON(cmd, "the token and whose it is")
	return cmd
}

func agentsListCommand(environ []string) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List all agents: where they are, and whether they are heard",
		Args:  noArguments,
		RunE: withConfig(environ, func(cmd *cobra.Command, cfg app.Config) error {
			agents, err := app.ListAgents(cmd.Context(), cfg)
			if err != nil {
				return err
			}
			return printTable(cmd.OutOrStdout(), cfg.JSON, agents, "ID NAME LOCATION STATE HEARD VERSION CLOCK DROPPED", func(a app.ListedAgent) []any {
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
		Short:   "Make the token of an agent worth nothing",
		Long:    "Make the token of an agent worth nothing: it has no vote any more, and stops checking within a minute or so. What it\nfound so far stays.",
		Example: "  sett agents revoke 3",
		Args:    arguments("the id of an agent"),
		RunE: withConfig(environ, func(cmd *cobra.Command, cfg app.Config) error {
			name, err := app.RevokeAgent(cmd.Context(), cfg, cmd.Flags().Arg(0))
			if err != nil {
				return err
			}
			return sentence(cmd, "The token of the agent %q is worth nothing any more.", name)
		}),
	}
	addFlags(cmd, "Storage")
	return cmd
}
