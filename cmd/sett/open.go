package main

import (
	"context"
	"strconv"

	"github.com/spf13/cobra"

	"sett/internal/app/client"
)

func openCommand(environ []string) *cobra.Command {
	project := ""
	cmd := &cobra.Command{
		Use:     "open [ID or NOUN]",
		Short:   "Open a page of the server in the browser",
		Long:    "Open a page in the browser: of a project, of what is listed there, such as sites, or of an error by its number.",
		Example: "  sett open\n  sett open sites --project Shop\n  sett open 123",
		Args:    oneAtMost("the number of an error, or what a project has, such as sites"),
	}
	for _, n := range client.Nouns() {
		cmd.ValidArgs = append(cmd.ValidArgs, n.Name)
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		return someProject(cmd, environ, project, func(ctx context.Context, server client.Server) error {
			if len(args) == 0 {
				return browse(cmd, environ, server.PageOf(client.Noun{}))
			}
			for _, n := range client.Nouns() {
				if n.Name == args[0] {
					return browse(cmd, environ, server.PageOf(n))
				}
			}
			if _, err := strconv.ParseInt(args[0], 10, 64); err != nil && !isAddress(args[0]) {
				return misuse{client.Unknown{One: "page", Word: args[0], Known: cmd.ValidArgs, List: "sett open --help"}}
			}
			return (&reading{environ: environ, web: true}).report(ctx, cmd, server, "", args[0])
		})
	}
	nameProject(cmd, environ, &project)
	addAPIOnly(cmd)
	return cmd
}
