package main

import (
	"encoding/json"
	"fmt"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"sett/internal/app"
)

func backupCommand(environ []string) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "backup FILE",
		Short: "Write a backup of the database, while the server runs or not",
		Long: "Write a backup of the built-in database to a file, or to standard output for -. The server may run meanwhile. Everything\n" +
			"that was acknowledged before is in it, and the file has its name only once it is whole. It holds secrets: keep it\nas you keep the data directory.",
		Example: "  sett backup /backup/sett-$(date +%F).sett\n  sett backup - | ssh vault 'cat > sett.backup'",
		Args:    arguments("the name of a file, or - for standard output"),
		RunE: withConfig(environ, func(cmd *cobra.Command, cfg app.Config) error {
			ctx, release := untilSignal(cmd.Context(), cmd.ErrOrStderr())
			defer release()
			signal.Ignore(syscall.SIGPIPE) // or a reader of standard output that ends would end this before it tidies up
			made, err := app.Backup(ctx, cfg, cmd.Flags().Arg(0), cmd.OutOrStdout())
			if err != nil {
				return err
			}
			to, where := cmd.OutOrStdout(), made.File
			if made.File == "-" {
				to, where = cmd.ErrOrStderr(), "standard output"
			}
			if cfg.JSON {
				return json.NewEncoder(to).Encode(made)
			}
			_, err = fmt.Fprintf(to, "Everything up to %s is in %s: %s, schema %d.\n", secondOf(&made.At, ""), where, app.Size(made.Bytes), made.Schema)
			return err
		}),
	}
	cmd.Flags().SortFlags = false
	addJSON(cmd, "what was made")
	return cmd
}

func restoreCommand(environ []string) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "restore FILE",
		Short: "Bring a backup back, into an empty data directory",
		Long: "Bring a backup of sett backup back, from a file or from standard input for -. The data directory must have no database\n" +
			"yet. The backup is read to its end and checked first, and brought to the schema of this sett; when anything is wrong\nwith it, nothing is changed.",
		Example: "  sett restore /backup/sett-2026-11-22.sett --data /var/lib/sett",
		Args:    arguments("the name of a backup, or - for standard input"),
		RunE: withConfig(environ, func(cmd *cobra.Command, cfg app.Config) error {
			ctx, release := untilSignal(cmd.Context(), cmd.ErrOrStderr())
			defer release()
			r, err := app.Restore(ctx, cfg, cmd.Flags().Arg(0), cmd.InOrStdin())
			if err != nil {
				return err
			}
			text := fmt.Sprintf("Everything up to %s is in %s again.", secondOf(&r.At, ""), cfg.Data)
			if r.Now != r.Schema {
				text += fmt.Sprintf(" Its schema went from version %d to %d.", r.Schema, r.Now)
			}
			if missing := app.MissingKeyFile(cfg); missing != "" {
				text += fmt.Sprintf(" A backup has no secret key: before you start the server, copy the key file to %s.", missing)
			}
			return printMade(cmd, cfg, r, "%s", text)
		}),
	}
	cmd.Flags().SortFlags = false
	addJSON(cmd, "what was brought back")
	return cmd
}
