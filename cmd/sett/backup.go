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
		Short: "Back up the database",
		Long: "Write a backup of the SQLite database to a file, or to standard output for -. The server can keep running. The backup\n" +
			"contains everything that was acknowledged before it started. The file appears under its name only when it is complete.\nIt contains secrets: protect it like the data directory.",
		Example: "  sett backup /backup/sett-$(date +%F).sett\n  sett backup - | ssh vault 'cat > sett.backup'",
		Args:    arguments("a file name, or - for standard output"),
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
			_, err = fmt.Fprintf(to, "Wrote everything up to %s to %s: %s, schema %d.\n", secondOf(&made.At, ""), where, app.Size(made.Bytes), made.Schema)
			return err
		}),
	}
	cmd.Flags().SortFlags = false
	addJSON(cmd, "the result")
	return cmd
}

func restoreCommand(environ []string) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "restore FILE",
		Short: "Restore a backup into an empty data directory",
		Long: "Restore a backup that sett backup wrote, from a file or from standard input for -. The data directory must not contain a\n" +
			"database. The whole backup is checked and migrated to the schema of this version first. If that fails, nothing is\nchanged.",
		Example: "  sett restore /backup/sett-2026-11-22.sett --data /var/lib/sett",
		Args:    arguments("the file name of a backup, or - for standard input"),
		RunE: withConfig(environ, func(cmd *cobra.Command, cfg app.Config) error {
			ctx, release := untilSignal(cmd.Context(), cmd.ErrOrStderr())
			defer release()
			r, err := app.Restore(ctx, cfg, cmd.Flags().Arg(0), cmd.InOrStdin())
			if err != nil {
				return err
			}
			text := fmt.Sprintf("Restored everything up to %s in %s.", secondOf(&r.At, ""), cfg.Data)
			if r.Now != r.Schema {
				text += fmt.Sprintf(" The schema was migrated from version %d to %d.", r.Schema, r.Now)
			}
			if missing := app.MissingKeyFile(cfg); missing != "" {
				text += fmt.Sprintf(" The backup does not contain the secret key: copy the key file to %s before you start the server.", missing)
			}
			return printMade(cmd, cfg, r, "%s", text)
		}),
	}
	cmd.Flags().SortFlags = false
	addJSON(cmd, "the result")
	return cmd
}
