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
	cmd.AddCommand(importSentryCommand(environ), importHoneybadgerCommand(environ), importBugsinkCommand(environ), importKumaCommand(environ), importHealthchecksCommand(environ), importGatusCommand(environ), importOpenStatusCommand(environ), importSettCommand(environ))
	return cmd
}

// importing brings something of another server. The report is there once anything was read.
type importing func(context.Context, operate.Installation, operate.Import) (*move.Report, error)

func importSentryCommand(environ []string) *cobra.Command {
	var o operate.Import
	cmd := &cobra.Command{
		Use:   "sentry --url URL --org SLUG",
		Short: "Bring projects and errors from Sentry or GlitchTip",
		Long: "Bring the projects of an organization with their keys, their errors with state, counts, assignee and comments, and the newest\n" +
			"events. Releases, deploys, source maps, teams and monitors come too. Members are invited. New events of an error land in it.\n" + importNotes,
		Example: "  sett import sentry --url https://sentry.example.org --org acme --dry-run < token\n" +
			"  sett import sentry --url https://sentry.io --org acme --project shop --project web --events 10 < token\n" +
			"  sett import sentry --url https://sentry.example.org --org acme --file export.json",
		Args: noArguments,
		RunE: onInstallation(environ, func(cmd *cobra.Command, cfg app.Config) (err error) {
			return runImport(cmd, cfg, o, operate.ImportFromSentry, "Token of the Sentry server")
		}),
	}
	importFlags(cmd, &o, "https://sentry.example.org", "slug")
	cmd.Flags().StringVar(&o.Org, "org", "", "slug of the organization")
	cmd.Flags().StringVar(&o.File, "file", "", "file of Sentry's own export, read instead of the server; it needs no token")
	return cmd
}

func importHoneybadgerCommand(environ []string) *cobra.Command {
	var o operate.Import
	cmd := &cobra.Command{
		Use:   "honeybadger --url URL",
		Short: "Bring projects and errors from Honeybadger, or from another sett",
		Long: "Bring the projects of an account: keys, errors with state, counts, assignee and comments, the newest notices, deploys, teams,\n" +
			"sites, check-ins and channels. Users are invited. New notices of an error land in it. Honeybadger answers 360\n" +
			"requests an hour: the command waits for the next hour as often as it must. Errors are visible after their lists are read, and open\n" +
			"ones are completed first.\n" + importNotes,
		Example: "  sett import honeybadger --url https://app.honeybadger.io --dry-run < token\n" +
			"  sett import honeybadger --url https://eu-app.honeybadger.io --project Shop < token",
		Args: noArguments,
		RunE: onInstallation(environ, func(cmd *cobra.Command, cfg app.Config) (err error) {
			return runImport(cmd, cfg, o, operate.ImportFromHoneybadger, "Token of a user of Honeybadger")
		}),
	}
	importFlags(cmd, &o, "https://app.honeybadger.io", "name or id")
	cmd.Flags().StringVar(&o.Theirs, "from-account", "", "id of the account there, if the token has several")
	return cmd
}

func importBugsinkCommand(environ []string) *cobra.Command {
	var o operate.Import
	cmd := &cobra.Command{
		Use:   "bugsink --url URL",
		Short: "Bring projects and errors from Bugsink",
		Long: "Bring the projects of an installation with their keys, their errors with state, counts and comments, the newest events, releases\n" +
			"and teams. New events of an error land in it. People do not come: its API does not show them.\n" + importNotes,
		Example: "  sett import bugsink --url https://bugsink.example.org --dry-run < token\n" +
			"  sett import bugsink --url https://bugsink.example.org --project shop --events 10 < token",
		Args: noArguments,
		RunE: onInstallation(environ, func(cmd *cobra.Command, cfg app.Config) (err error) {
			return runImport(cmd, cfg, o, operate.ImportFromBugsink, "Token of Bugsink")
		}),
	}
	importFlags(cmd, &o, "https://bugsink.example.org", "slug, name or id")
	return cmd
}

const importNotes = "Try --dry-run first: it writes nothing, and prints what would come and what would not. The server can keep running. You can stop\n" +
	"the command at any moment and run it again: it goes on where it was, and nothing comes twice. No one is notified.\n" +
	"The token is --token, or the first line of standard input."

// importFlags adds the flags that all sources have.
func importFlags(cmd *cobra.Command, o *operate.Import, example, project string) {
	cmd.Flags().SortFlags = false
	cmd.Flags().StringVar(&o.URL, "url", "", "address of the server, such as "+example)
	cmd.Flags().StringVar(&o.Token, "token", "", "token of a user or an integration there; better on standard input, where no list of processes shows it")
	cmd.Flags().StringSliceVar(&o.Projects, "project", nil, project+" of a project; repeat it for more (default: all)")
	cmd.Flags().IntVar(&o.Events, "events", 3, "how many of the newest events of each error come, at most 100")
	cmd.Flags().StringVar(&o.Account, "account", "", "id of the account that gets the projects, if there are several")
	cmd.Flags().BoolVar(&o.DryRun, "dry-run", false, "write nothing, and print what would come and what would not")
	addJSON(cmd, "the report", ofStorage...)
}

// runImport brings what there is, and prints the report.
func runImport(cmd *cobra.Command, cfg app.Config, o operate.Import, from importing, of string) (err error) {
	if o.File == "" {
		if o.Token, err = importToken(cmd, o.Token, of); err != nil {
			return err
		}
	}
	return printImport(cmd, cfg, func(ctx context.Context) (*move.Report, error) { return from(ctx, cfg.Installation(), o) })
}

// importToken returns the token of a source: that of the flag, otherwise the first line of standard input.
func importToken(cmd *cobra.Command, token, of string) (_ string, err error) {
	if token == "" {
		if token, err = firstLine(cmd, "the token", of); err != nil {
			return "", err
		}
	}
	if token = strings.TrimSpace(token); token == "" {
		return "", errors.New("the token is missing; write it to standard input, or use --token")
	}
	return token, nil
}

// printImport runs an import until it ends or is stopped, and prints what came.
func printImport(cmd *cobra.Command, cfg app.Config, run func(context.Context) (*move.Report, error)) error {
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
