package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"sett/internal/app"
	"sett/internal/app/operate"
	"sett/internal/sett/move"
)

func importCommand(environ []string) *cobra.Command {
	cmd := &cobra.Command{Use: "import", Short: "Bring what another error tracker or monitor has"}
	cmd.AddCommand(importSentryCommand(environ), importKumaCommand(environ))
	return cmd
}

func importSentryCommand(environ []string) *cobra.Command {
	var o operate.Import
	cmd := &cobra.Command{
		Use:   "sentry --url URL --org SLUG",
		Short: "Bring projects and errors from Sentry or GlitchTip",
		Long: "Bring the projects of an organization with their keys, their errors with state, counts, assignee and comments, and the newest\n" +
			"events. New events of an error land in it. Try --dry-run first: it writes nothing, and prints what would come and what would not.\n" +
			"The server can keep running. You can stop the command at any moment and run it again: it goes on where it was, and nothing\n" +
			"comes twice. No one is notified. The token is --token, or the first line of standard input.",
		Example: "  sett import sentry --url https://sentry.example.org --org acme --dry-run < token\n" +
			"  sett import sentry --url https://sentry.io --org acme --project shop --project web --events 10 < token",
		Args: noArguments,
		RunE: onInstallation(environ, func(cmd *cobra.Command, cfg app.Config) (err error) {
			if o.Token == "" {
				if o.Token, err = firstLine(cmd, "the token", "Token of the Sentry server"); err != nil {
					return err
				}
			}
			if o.Token = strings.TrimSpace(o.Token); o.Token == "" {
				return errors.New("the token is missing; write it to standard input, or use --token")
			}
			return runImport(cmd, cfg, func(ctx context.Context) (*move.Report, error) {
				return operate.ImportFromSentry(ctx, cfg.Installation(), o)
			})
		}),
	}
	cmd.Flags().SortFlags = false
	cmd.Flags().StringVar(&o.URL, "url", "", "address of the server, such as https://sentry.example.org")
	cmd.Flags().StringVar(&o.Token, "token", "", "token of a user or an integration there; better on standard input, where no list of processes shows it")
	cmd.Flags().StringVar(&o.Org, "org", "", "slug of the organization")
	cmd.Flags().StringSliceVar(&o.Projects, "project", nil, "slug of a project; repeat it for more (default: all)")
	cmd.Flags().IntVar(&o.Events, "events", 3, "how many of the newest events of each error come, at most 100")
	cmd.Flags().StringVar(&o.Account, "account", "", "id of the account that gets the projects, if there are several")
	cmd.Flags().BoolVar(&o.DryRun, "dry-run", false, "write nothing, and print what would come and what would not")
	addJSON(cmd, "the report", ofStorage...)
	return cmd
}

// runImport runs an import until it ends or is stopped, and prints what came.
func runImport(cmd *cobra.Command, cfg app.Config, run func(context.Context) (*move.Report, error)) error {
	ctx, release := untilSignal(cmd.Context(), cmd.ErrOrStderr())
	defer release()
	report, err := run(ctx)
	if report == nil {
		return err
	}
	if err != nil && ctx.Err() != nil {
		err = errors.New("stopped; run the same command again, and it goes on where it was")
	}
	return errors.Join(printReport(cmd.OutOrStdout(), cfg.JSON, report), err)
}

// printReport prints what came of a move, and what did not, by name.
func printReport(w io.Writer, asJSON bool, r *move.Report) error {
	if asJSON {
		return json.NewEncoder(w).Encode(r)
	}
	lines := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	if r.DryRun {
		fmt.Fprintln(lines, "Nothing was written. This would come:")
	}
	fmt.Fprintln(lines, "CAME\tFOUND\tNEW\tBEFORE")
	for _, c := range r.Came {
		fmt.Fprintf(lines, "%s\t%d\t%d\t%d\n", c.Noun, c.Found, c.Made, c.Present)
	}
	if len(r.Left) > 0 {
		fmt.Fprintln(lines, "\nDID NOT COME\tNAME\tWHERE TO MAKE IT\tWHY")
		for _, l := range r.Sorted() {
			fmt.Fprintf(lines, "%s\t%s\t%s\t%s\n", l.Noun, orDash(l.Name), orDash(l.Page), l.Why)
		}
	}
	if r.More > 0 {
		fmt.Fprintf(lines, "and %d more\n", r.More)
	}
	return lines.Flush()
}
