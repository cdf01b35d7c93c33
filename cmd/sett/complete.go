package main

import (
	"context"
	"regexp"
	"time"

	"github.com/spf13/cobra"

	"sett/internal/app/client"
	"sett/internal/base/cell"
)

// completionLasts is how long a shell waits for names at most.
const completionLasts = 2 * time.Second

// safeWord is what a shell takes as it is. Names are written by strangers, such as those of releases, and shells would run parts of others.
var safeWord = regexp.MustCompile(`^[\pL\pN_./@+,-]+$`)

// completeNoun completes the first argument, or the value of a flag, by names that the server has.
func completeNoun(environ []string, n client.Noun) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, _ string) (found []cobra.Completion, _ cobra.ShellCompDirective) {
		if len(args) > 0 && n.Name != client.Errors().Name {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		project := ""
		if f := cmd.Flags().Lookup("project"); f != nil && n.OfProject() {
			project = f.Value.String()
		}
		ctx, cancel := context.WithTimeout(context.Background(), completionLasts)
		defer cancel()
		cmd.SetContext(ctx)
		_ = reach(cmd, environ, n.OfProject(), project, func(ctx context.Context, server client.Server) error { // without an answer there is nothing to complete
			listed, err := server.List(ctx, n, nil, n.Limit)
			for _, row := range listed.Rows {
				found = append(found, completions(row)...)
			}
			return err
		})
		return found, cobra.ShellCompDirectiveNoFileComp
	}
}

// completions are the words for a thing: its name, and its id unless the name does.
func completions(row client.Row) []cobra.Completion {
	if len(row.Names) > 0 && safeWord.MatchString(row.Names[0]) {
		return []cobra.Completion{row.Names[0]}
	}
	if !safeWord.MatchString(row.ID) {
		return nil
	}
	return []cobra.Completion{cobra.CompletionWithDesc(row.ID, cell.Plain(row.About()))}
}
