package main

import (
	"cmp"
	"context"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"sett/internal/app/client"
	"sett/internal/app/terminal"
)

// reading are the flags of commands that read from a server.
type reading struct {
	environ []string
	project string
	output  string
	limit   int
	web     bool
	noPager bool
	empty   string // what is said of an empty table; "": that there are none
}

// add gives a command the flags of all that read something with a page.
func (f *reading) add(cmd *cobra.Command, environ []string) {
	f.addOutput(cmd, environ)
	cmd.Flags().BoolVar(&f.web, "web", false, "open the page in the browser, or print its address")
	cmd.Flags().BoolVar(&f.noPager, "no-pager", false, "show long output without a pager")
	addAPIOnly(cmd)
}

// addOutput gives a command the flag that says how its output is wanted.
func (f *reading) addOutput(cmd *cobra.Command, environ []string) {
	f.environ, f.limit = environ, max(f.limit, 1)
	cmd.Flags().SortFlags = false
	cmd.Flags().StringVarP(&f.output, "output", "o", string(terminal.Table), "table for people; json, jsonl or csv for programs")
	_ = cmd.RegisterFlagCompletionFunc("output", cobra.FixedCompletions([]string{"table", "json", "jsonl", "csv"}, cobra.ShellCompDirectiveNoFileComp)) // the flag is there
}

// nameProject gives the command the flag that names a project.
func nameProject(cmd *cobra.Command, environ []string, project *string) {
	cmd.Flags().StringVarP(project, "project", "p", "", "id, name or API key of the project; the only one that you have without this flag")
	_ = cmd.RegisterFlagCompletionFunc("project", completeNoun(environ, client.Projects())) // the flag is there
}

// ask calls do with the server that the flags name, and a context for its requests.
func ask(cmd *cobra.Command, environ []string, do func(context.Context, client.Server) error) error {
	cfg, err := loadConfig(cmd, environ)
	if err != nil {
		return misuse{err}
	}
	if _, err := useProfile(cmd, &cfg, environ); err != nil {
		return err
	}
	return cfg.Explain(do(cmd.Context(), cfg.API()))
}

// someProject is ask for a command that needs a project: the one that is named, or else the only one.
func someProject(cmd *cobra.Command, environ []string, project string, do func(context.Context, client.Server) error) error {
	return ask(cmd, environ, func(ctx context.Context, server client.Server) error {
		server, err := server.Choose(ctx, project)
		if err != nil {
			return err
		}
		return do(ctx, server)
	})
}

// reach is someProject for a command that needs a project, and ask for another.
func reach(cmd *cobra.Command, environ []string, needsProject bool, project string, do func(context.Context, client.Server) error) error {
	if needsProject {
		return someProject(cmd, environ, project, do)
	}
	return ask(cmd, environ, do)
}

// mostListed is how many things a list has at most.
const mostListed = 10_000

// form returns how the output is wanted.
func (f *reading) form() (terminal.Form, error) {
	form, err := terminal.FormOf(f.output)
	if err != nil {
		return form, misuse{err}
	}
	if f.limit < 1 || f.limit > mostListed {
		return form, misuse{fmt.Errorf("--limit %d is no number of lines; write one from 1 to %d", f.limit, mostListed)}
	}
	return form, nil
}

func (f *reading) screen(cmd *cobra.Command) *terminal.Screen {
	return terminal.Open(cmd.OutOrStdout(), f.environ, time.Now(), !f.noPager)
}

// write writes a list of a noun.
func (f *reading) write(cmd *cobra.Command, form terminal.Form, n client.Noun, found client.Listed) error {
	if unread := found.Says(); unread != "" {
		fmt.Fprintf(cmd.ErrOrStderr(), "sett: %s.\n", unread)
	}
	if form != terminal.Table {
		return terminal.Records(cmd.OutOrStdout(), form, n.Columns, found.Rows)
	}
	if len(found.Rows) == 0 {
		fmt.Fprintln(cmd.ErrOrStderr(), cmp.Or(f.empty, "There are no "+n.Plural()+" here."))
		return nil
	}
	screen := f.screen(cmd)
	screen.Table(n.Columns, found.Rows)
	if err := screen.Close(); err != nil {
		return err
	}
	switch {
	case found.More && found.Total > 0:
		fmt.Fprintf(cmd.ErrOrStderr(), "%d of %d; --limit shows more.\n", len(found.Rows), found.Total)
	case found.More:
		fmt.Fprintf(cmd.ErrOrStderr(), "The first %d; --limit shows more.\n", len(found.Rows))
	}
	return nil
}

// nounCommands are the commands that list the nouns, and show one of them.
func nounCommands(environ []string) (commands []*cobra.Command) {
	for _, n := range client.Nouns() {
		if n.Name != client.Errors().Name { // which are found by a search
			commands = append(commands, nounCommand(environ, n))
		}
	}
	return commands
}

func nounCommand(environ []string, n client.Noun) *cobra.Command {
	var f reading
	cmd := &cobra.Command{
		Use:   n.Name + " [NAME]",
		Short: n.About,
		Long: n.About + ".\nWith an argument, show one " + n.One + ": the one with this id, name or address. Its fields for programs, with -o json, are:\n" +
			fieldsOf(n),
		Example:           "  sett " + n.Name + "\n  sett " + n.Name + " -o json",
		Args:              oneAtMost("one " + n.One),
		ValidArgsFunction: completeNoun(environ, n),
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		form, err := f.form()
		if err != nil {
			return err
		}
		needsProject := n.OfProject() && (len(args) == 0 || !isAddress(args[0]))
		return reach(cmd, environ, needsProject, f.project, func(ctx context.Context, server client.Server) error {
			if len(args) == 1 {
				return f.showOne(ctx, cmd, server, form, n, args[0])
			}
			if f.web {
				return browse(cmd, environ, server.PageOf(n))
			}
			found, err := server.List(ctx, n, nil, f.limit)
			if err != nil {
				return err
			}
			return f.write(cmd, form, n, found)
		})
	}
	if n.OfProject() {
		nameProject(cmd, environ, &f.project)
	}
	cmd.Flags().IntVar(&f.limit, "limit", n.Limit, "how many are listed at most")
	f.add(cmd, environ)
	return cmd
}

// showOne shows the thing that a word names.
func (f *reading) showOne(ctx context.Context, cmd *cobra.Command, server client.Server, form terminal.Form, n client.Noun, word string) error {
	row, err := server.Find(ctx, n, word)
	switch {
	case err != nil:
		return err
	case f.web:
		return browse(cmd, f.environ, cmp.Or(row.Page, server.PageOf(n)))
	case form != terminal.Table:
		return terminal.Record(cmd.OutOrStdout(), form, n.Columns, row)
	}
	screen := f.screen(cmd)
	screen.Fields(n.Columns, row)
	return screen.Close()
}

// oneAtMost lets a command have one argument, or none.
func oneAtMost(what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) > 1 {
			return fmt.Errorf("unknown argument %q; %s takes %s", args[1], cmd.CommandPath(), what)
		}
		return nil
	}
}

func isAddress(word string) bool {
	_, is := client.ParseAddress(word)
	return is
}

// fieldsOf lists the fields of a noun, in lines of a help text.
func fieldsOf(n client.Noun) string {
	var b strings.Builder
	for _, c := range n.Columns {
		fmt.Fprintf(&b, "  %-20s %s\n", c.Name, c.Doc)
	}
	return strings.TrimRight(b.String(), "\n")
}

// searchCommand finds errors in any state; errorsCommand lists the open ones.
func searchCommand(environ []string) *cobra.Command {
	var f reading
	cmd := &cobra.Command{
		Use:     "search QUERY",
		Short:   "Search the errors of a project, in any state",
		Long:    "Search the errors of a project, in any state, last seen first. QUERY is a search as on the page of errors.\nThe chapter docs/search.md lists its keys.",
		Example: "  sett search 'environment:production -is:resolved timeout'\n  sett search --project Shop -o csv class:TypeError",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return missingArgument{fmt.Errorf("%s needs a search, such as class:TypeError; sett searches lists those that are saved", cmd.CommandPath())}
			}
			return nil
		},
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error { return f.search(cmd, strings.Join(args, " ")) }
	f.empty = "No error of the project matches."
	nameProject(cmd, environ, &f.project)
	cmd.Flags().IntVar(&f.limit, "limit", client.Errors().Limit, "how many are listed at most")
	f.add(cmd, environ)
	return cmd
}

// search lists the errors that match a search.
func (f *reading) search(cmd *cobra.Command, query string) error {
	form, err := f.form()
	if err != nil {
		return err
	}
	return someProject(cmd, f.environ, f.project, func(ctx context.Context, server client.Server) error {
		n := client.Errors()
		if f.web {
			return browse(cmd, f.environ, server.PageOf(n)+"?"+url.Values{"q": {query}}.Encode())
		}
		found, err := server.List(ctx, n, client.Matching(query), f.limit)
		if err != nil {
			return err
		}
		return f.write(cmd, form, n, found)
	})
}
