package main

import (
	"github.com/spf13/cobra"

	"sett/internal/app"
	"sett/internal/app/operate"
)

func secretsCommand(environ []string) *cobra.Command {
	cmd := &cobra.Command{Use: "secrets", Short: "Manage the encryption key of secrets in the database"}
	cmd.AddCommand(secretsKeyCommand(), secretsRotateCommand(environ), secretsWipeCommand(environ), secretsForgetCommand(environ))
	return cmd
}

func secretsKeyCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "key",
		Short: "Print a new key for a key file",
		Long: "Print a new key without storing it. A server creates a missing key file itself; use this command to create one for all\n" +
			"servers of a database beforehand, for --secret-key-file.",
		Example: "  (umask 077; sett secrets key > secret.key)",
		Args:    noArguments,
		RunE:    func(cmd *cobra.Command, _ []string) error { return sentence(cmd, "%s", operate.NewSecretKey()) },
	}
}

func secretsRotateCommand(environ []string) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "rotate",
		Short: "Replace the encryption key with a new one",
		Long: "Add a new key to the key file, encrypt all secrets in the database with it, and remove the old key from the file. The\n" +
			"server can keep running. If a rotation is interrupted, run the command again to continue. With PostgreSQL, the first\n" +
			"run only adds the key: copy the file to every server, then run the command again.",
		Example: "  sett secrets rotate --data /var/lib/sett",
		Args:    noArguments,
		RunE: onInstallation(environ, func(cmd *cobra.Command, cfg app.Config) error {
			r, err := operate.RotateSecretKey(cmd.Context(), cfg.Installation())
			if err != nil {
				return err
			}
			if r.Waiting {
				return sentence(cmd, "The file %s contains the new key %s. Copy the file to every server of this database, then run sett secrets rotate again. "+
					"You do not need to restart the servers.", r.File, r.KeyID)
			}
			return sentence(cmd, "%d values are now encrypted with the key %s, the only key in %s. Keep a copy of this file. To restore an older backup, you need the old file.",
				r.Sealed, r.KeyID, r.File)
		}),
	}
	addFlags(cmd, "Storage")
	return cmd
}

func secretsWipeCommand(environ []string) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "wipe",
		Short: "Remove readable copies of old secrets from the database files",
		Long: "Rewrite the database files, so that they contain no secrets from before encryption. With SQLite this needs as much free\n" +
			"disk space as the database, and blocks writes until it is done.",
		Example: "  sett secrets wipe --data /var/lib/sett",
		Args:    noArguments,
		RunE: onInstallation(environ, func(cmd *cobra.Command, cfg app.Config) error {
			copies, err := operate.WipeSecrets(cmd.Context(), cfg.Installation())
			if err != nil {
				return err
			}
			if len(copies) > 0 {
				return sentence(cmd, "The database files contain no readable copies of secrets. These copies of the database still do: %q. Delete them when you no longer need to return to an earlier version.", copies)
			}
			return sentence(cmd, "The database files contain no readable copies of secrets.")
		}),
	}
	addFlags(cmd, "Storage")
	return cmd
}

func secretsForgetCommand(environ []string) *cobra.Command {
	yes := false
	cmd := &cobra.Command{
		Use:   "forget",
		Short: "Delete secrets whose key is lost, so that the server can start",
		Long: "Delete every secret that the key file cannot decrypt, and create a new key if there is none. Use this only if the key is\n" +
			"permanently lost. Errors, users and passwords are kept. Channels and sites stay off until you enter their addresses and\n" +
			"credentials again. Authenticator apps are removed, and unsent emails are deleted. Copied invitation links and the\n" +
			"unsubscribe links in status page emails stop working. Certificates are issued again.",
		Example: "  sett secrets forget --yes",
		Args:    noArguments,
		RunE: onInstallation(environ, func(cmd *cobra.Command, cfg app.Config) error {
			if err := operate.CheckForgetting(yes); err != nil {
				return err
			}
			lost, err := operate.ForgetSecrets(cmd.Context(), cfg.Installation())
			if err != nil {
				return err
			}
			if len(lost) == 0 {
				return sentence(cmd, "No secrets were deleted: the key file decrypts all of them.")
			}
			for _, l := range lost {
				if err := sentence(cmd, "%s: %d deleted", l.Column, l.Count); err != nil {
					return err
				}
			}
			return nil
		}),
	}
	cmd.Flags().SortFlags = false
	cmd.Flags().BoolVar(&yes, "yes", false, "delete them")
	addFlags(cmd, "Storage")
	return cmd
}
