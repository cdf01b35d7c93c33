package main

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/spf13/cobra"

	"sett/internal/app"
	"sett/internal/app/operate"
	"sett/internal/sett/move"
)

func exportCommand(environ []string) *cobra.Command {
	var o operate.Export
	var f asCodeFlags
	var asCode bool
	var out string
	cmd := &cobra.Command{
		Use:   "export FILE",
		Short: "Write an account or a project to a file, or its settings as code",
		Long: "Write an account, or one project, with all that it has to FILE: a zip archive with a file of JSON lines for each kind of\n" +
			"record, and a JSON Schema of them. The server can keep running. sett import sett FILE stores it on any server.\n" +
			"Passwords and tokens of channels, sites and subscribers are left out unless you use --secrets. API keys are in the file.\n" +
			"With --as-code, ask a server from any machine, with a personal token: write the teams, projects, sites, check-ins, channels,\n" +
			"status pages and more of an account as YAML, for sett plan and sett apply. It names a variable for each secret.",
		Example: "  sett export acme.zip\n  sett export --project 3 --secrets shop.zip\n  sett export --as-code -o sett/ --server https://sett.example.org",
		Args: func(cmd *cobra.Command, args []string) error {
			if asCode {
				return noArguments(cmd, args)
			}
			return arguments("a file name")(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if asCode {
				return onAPI(environ, exportAsCode(&f, &out))(cmd, args)
			}
			o.Account = f.account
			return onInstallation(environ, exportRecords(&o))(cmd, args)
		},
	}
	cmd.Flags().SortFlags = false
	cmd.Flags().Int64Var(&o.Project, "project", 0, "number of the project to export, without its account")
	cmd.Flags().BoolVar(&o.Secrets, "secrets", false, "also write passwords and tokens of channels, sites and subscribers")
	cmd.Flags().BoolVar(&o.Replace, "replace", false, "replace FILE if it exists")
	cmd.Flags().BoolVar(&asCode, "as-code", false, "write the configuration of the account as YAML")
	cmd.Flags().StringVarP(&out, "output", "o", "-", "with --as-code: a file, or a directory for one file of each project; - for standard output")
	f.addAccount(cmd)
	cmd.MarkFlagsMutuallyExclusive("project", "account")
	for _, flag := range []string{"project", "secrets", "replace"} {
		cmd.MarkFlagsMutuallyExclusive("as-code", flag)
	}
	addAPIOnly(cmd)
	addJSON(cmd, "the result", ofStorage...)
	return cmd
}

// exportRecords writes the records of an account or a project of this installation.
func exportRecords(o *operate.Export) func(*cobra.Command, app.Config) error {
	return func(cmd *cobra.Command, cfg app.Config) error {
		ctx, release := untilSignal(cmd.Context(), cmd.ErrOrStderr())
		defer release()
		o.File = cmd.Flags().Arg(0)
		made, err := operate.WriteExport(ctx, cfg.Installation(), *o)
		if err != nil {
			return err
		}
		if cfg.JSON {
			return json.NewEncoder(cmd.OutOrStdout()).Encode(made)
		}
		records := int64(0)
		for _, f := range made.Files {
			records += f.Records
		}
		_, err = fmt.Fprintf(cmd.OutOrStdout(), "Wrote %d records up to %s to %s: %s.\n", records, secondOf(&made.MadeAt, ""), made.File, operate.Size(made.Bytes))
		return err
	}
}

func importSettCommand(environ []string) *cobra.Command {
	var account string
	cmd := &cobra.Command{
		Use:   "sett FILE",
		Short: "Store an export of sett",
		Long: "Store the account or project that sett export wrote to FILE, with errors, events, counts, sites, check-ins and status pages.\n" +
			"The server can keep running. You can stop the command at any moment and run it again: it goes on where it was, and nothing\n" +
			"comes twice. Ids stay as they were if this server has none above them. No one is notified.",
		Example: "  sett import sett acme.zip\n  sett import sett --account LxYz1a shop.zip",
		Args:    arguments("a file name"),
		RunE: onInstallation(environ, func(cmd *cobra.Command, cfg app.Config) error {
			return printImport(cmd, cfg, func(ctx context.Context) (*move.Report, error) {
				return operate.ImportExport(ctx, cfg.Installation(), cmd.Flags().Arg(0), account)
			})
		}),
	}
	cmd.Flags().StringVar(&account, "account", "", "id of the account that gets the projects; it is made if the export is of a whole account and you name none")
	addJSON(cmd, "the report", ofStorage...)
	return cmd
}
