package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"os/signal"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"sett/internal/app"
	"sett/internal/app/operate"
	"sett/internal/base/progress"
)

func backupCommand(environ []string) *cobra.Command {
	var verify bool
	var repeated operate.RepeatedBackup
	cmd := &cobra.Command{
		Use:   "backup FILE",
		Short: "Back up the database, or verify a backup",
		Long: "Write a backup of the database to FILE: a file, s3://bucket/prefix/name in S3-compatible object storage, or - for standard\n" +
			"output. The server can keep running.\n" +
			"The backup has all that clients got an answer for before it started. sett restore restores it into SQLite or PostgreSQL.\n" +
			"The file appears under its name only when it is complete. It contains secrets: protect it like the data directory.\n" +
			"With --every, FILE is a directory or s3://bucket/prefix: the command keeps running and writes a backup there at each interval.\n" +
			"The address of object storage and its credentials are written as for --blocks of sett serve.",
		Example: "  sett backup /backup/sett-$(date +%F).sett\n  sett backup - | ssh vault 'cat > sett.backup'\n  sett backup --verify /backup/sett-2026-11-22.sett\n  sett backup --every 24h --keep 14 /backup\n" +
			"  sett backup --every 24h --keep 14 's3://backups/sett?region=eu-west-1'",
		Args: arguments("a file name, s3://bucket/prefix/name, or - for standard output"),
		RunE: onInstallation(environ, func(cmd *cobra.Command, cfg app.Config) error {
			ctx, release := untilSignal(cmd.Context(), cmd.ErrOrStderr())
			defer release()
			switch {
			case verify:
				return verifyBackup(ctx, cmd, cfg)
			case repeated.Every != 0:
				return backupRepeatedly(ctx, cmd, cfg, repeated)
			}
			return backupOnce(ctx, cmd, cfg)
		}),
	}
	cmd.Flags().SortFlags = false
	cmd.Flags().BoolVar(&verify, "verify", false, "read a backup and check that it is whole, instead of writing one")
	cmd.Flags().DurationVar(&repeated.Every, "every", 0, "write backups into the directory or prefix FILE at this interval, such as 24h, until you stop the command")
	cmd.Flags().IntVar(&repeated.Keep, "keep", 7, "number of backups that --every keeps")
	cmd.MarkFlagsMutuallyExclusive("verify", "every")
	addJSON(cmd, "the result", ofStorage...)
	return cmd
}

func backupOnce(ctx context.Context, cmd *cobra.Command, cfg app.Config) error {
	signal.Ignore(syscall.SIGPIPE) // or a reader of standard output that ends would end this before it tidies up
	made, err := operate.Backup(ctx, cfg.Installation(), cmd.Flags().Arg(0), cmd.OutOrStdout())
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
	_, err = fmt.Fprintf(to, "Wrote everything up to %s to %s: %s, schema %d.\n", secondOf(&made.At, ""), where, operate.Size(made.Bytes), made.Schema)
	return err
}

func verifyBackup(ctx context.Context, cmd *cobra.Command, cfg app.Config) error {
	v, err := operate.VerifyBackup(ctx, cmd.Flags().Arg(0), cmd.InOrStdin())
	if err != nil {
		return err
	}
	compared := "The rows of each table are those that were backed up."
	if !v.Compared {
		compared = "It is from a version that stored no sums of tables to compare."
	}
	return printMade(cmd, cfg, v, "The backup is whole: %d tables with %d rows up to %s, schema %d, sett %s. %s", v.Count, v.Rows, secondOf(&v.At, ""), v.Schema, v.Sett, compared)
}

func backupRepeatedly(ctx context.Context, cmd *cobra.Command, cfg app.Config, r operate.RepeatedBackup) error {
	r.Dir, r.Now, r.After = cmd.Flags().Arg(0), time.Now, time.After
	r.Log = slog.New(slog.NewTextHandler(cmd.ErrOrStderr(), nil))
	ctx, ended := progress.Log(ctx, r.Log)
	defer ended()
	return operate.BackupRepeatedly(ctx, cfg.Installation(), r)
}

func restoreCommand(environ []string) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "restore FILE",
		Short: "Restore a backup into an empty data directory or database",
		Long: "Restore a backup from FILE: a file, s3://bucket/prefix/name in object storage, or - for standard input.\n" +
			"The data directory must not contain a database. With --database, the PostgreSQL database must have no users. A backup of\n" +
			"SQLite can be restored into PostgreSQL, and the reverse.\n" +
			"The whole backup is checked and migrated to the schema of this version first. If that fails, nothing is changed.",
		Example: "  sett restore /backup/sett-2026-11-22.sett --data /var/lib/sett\n  sett restore sett.backup --database postgres://sett@db.example.org/sett\n" +
			"  sett restore s3://backups/sett/sett-20261122T033000Z.sett --data /var/lib/sett",
		Args: arguments("the name of a backup, or - for standard input"),
		RunE: onInstallation(environ, func(cmd *cobra.Command, cfg app.Config) error {
			ctx, release := untilSignal(cmd.Context(), cmd.ErrOrStderr())
			defer release()
			r, err := operate.Restore(ctx, cfg.Installation(), cmd.Flags().Arg(0), cmd.InOrStdin())
			if err != nil {
				return err
			}
			where := cfg.Data
			if cfg.Database != "" {
				where = "the PostgreSQL database"
			}
			text := fmt.Sprintf("Restored everything up to %s in %s.", secondOf(&r.At, ""), where)
			if r.Now != r.Schema {
				text += fmt.Sprintf(" The schema was migrated from version %d to %d.", r.Schema, r.Now)
			}
			if missing := operate.MissingKeyFile(cfg.Installation()); missing != "" {
				text += fmt.Sprintf(" The backup does not contain the secret key: copy the key file to %s before you start the server.", missing)
			}
			return printMade(cmd, cfg, r, "%s", text)
		}),
	}
	cmd.Flags().SortFlags = false
	addJSON(cmd, "the result", ofStorage...)
	return cmd
}
