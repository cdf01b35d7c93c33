package main

import (
	"github.com/spf13/cobra"

	"sett/internal/app"
)

func secretsCommand(environ []string) *cobra.Command {
	cmd := &cobra.Command{Use: "secrets", Short: "Look after the key that secrets in the database are encrypted with"}
	cmd.AddCommand(secretsKeyCommand(), secretsRotateCommand(environ), secretsWipeCommand(environ), secretsForgetCommand(environ))
	return cmd
}

func secretsKeyCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "key",
		Short: "Print a new key for a key file",
		Long: "Print a new key, and store nothing. A server makes its own key file when it is missing; this is for one that is\n" +
			"given to all servers of a database beforehand, with --secret-key-file.",
		Example: "  (umask 077; sett secrets key > secret.key)",
		Args:    noArguments,
		RunE:    func(cmd *cobra.Command, _ []string) error { return sentence(cmd, "%s", app.NewSecretKey()) },
	}
}

func secretsRotateCommand(environ []string) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "rotate",
		Short: "Change to a new key",
		Long: "Add a new key to the key file, encrypt all secrets in the database with it, and take the old key from the file. The\n" +
			"server may run meanwhile, and a rotation that was cut off goes on when it is run again. With PostgreSQL the first run\n" +
			"only adds the key: copy the file to every server, and run it again.",
		Args: noArguments,
		RunE: withConfig(environ, func(cmd *cobra.Command, cfg app.Config) error {
			r, err := app.RotateSecretKey(cmd.Context(), cfg)
			if err != nil {
				return err
			}
			if r.Waiting {
				return sentence(cmd, "The file %s has the new key %s. Copy the file to every server of this database, then run sett secrets rotate again. "+
					"Servers need not be restarted.", r.File, r.KeyID)
			}
			return sentence(cmd, "%d values are encrypted with the key %s now, the only one in %s. Keep a copy of this file; restoring an older backup needs the old one.",
				r.Sealed, r.KeyID, r.File)
		}),
	}
	addFlags(cmd, "Storage")
	return cmd
}

func secretsWipeCommand(environ []string) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "wipe",
		Short: "Leave no readable copies of old secrets in the files of the database",
		Long: "Write the database anew, so that its files hold nothing of what was stored before it was encrypted. With SQLite this\n" +
			"needs as much room again as the database, and nothing can be written meanwhile.",
		Args: noArguments,
		RunE: withConfig(environ, func(cmd *cobra.Command, cfg app.Config) error {
			copies, err := app.WipeSecrets(cmd.Context(), cfg)
			if err != nil {
				return err
			}
			if len(copies) > 0 {
				return sentence(cmd, "The files of the database hold no readable copies of secrets. These copies of the database still do: %q. Remove them when you do not go back to an earlier version.", copies)
			}
			return sentence(cmd, "The files of the database hold no readable copies of secrets.")
		}),
	}
	addFlags(cmd, "Storage")
	return cmd
}

func secretsForgetCommand(environ []string) *cobra.Command {
	yes := false
	cmd := &cobra.Command{
		Use:   "forget",
		Short: "Forget the secrets whose key is lost, so that the server starts",
		Long: "Forget every secret that the key file cannot decrypt, and make a new key where there is none. Only for a key that is\n" +
			"lost for good. Afterwards integrations and sites are off until their addresses and credentials are entered again, users\n" +
			"have no authenticator app, unsent mails are gone, invitation links that were copied, and links to unsubscribe in mails of\n" +
			"status pages no longer work, and certificates are asked for anew. Errors, people and passwords stay.",
		Args: noArguments,
		RunE: withConfig(environ, func(cmd *cobra.Command, cfg app.Config) error {
			if err := app.CheckForgetting(yes); err != nil {
				return err
			}
			lost, err := app.ForgetSecrets(cmd.Context(), cfg)
			if err != nil {
				return err
			}
			if len(lost) == 0 {
				return sentence(cmd, "Nothing is lost: the key file decrypts every secret.")
			}
			for _, l := range lost {
				if err := sentence(cmd, "%s: %d forgotten", l.Column, l.Count); err != nil {
					return err
				}
			}
			return nil
		}),
	}
	cmd.Flags().SortFlags = false
	cmd.Flags().BoolVar(&yes, "yes", false, "forget them")
	addFlags(cmd, "Storage")
	return cmd
}
