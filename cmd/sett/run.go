package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"sett/internal/app"
)

func runCommand(environ []string) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "run --check-in <id or slug> [flags] -- <command> [arguments]",
		Short: "Run a command and report the result to its check-in",
		Long: "Run a command and report the result to its check-in: its duration, exit status and the end of its output. Input, output,\n" +
			"signals and the exit status are passed through unchanged, even if the server is unreachable: the report is retried for\na minute, and a failure is written to stderr.",
		Example:               "  sett run --check-in k3XqT9 -- /usr/local/bin/backup --full\n  sett run --check-in nightly-backup --api-key sett_p_… --server https://sett.example.org -- ./backup.sh",
		Args:                  cobra.ArbitraryArgs,
		DisableFlagsInUseLine: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			cfg, err := loadConfig(cmd, environ)
			if err != nil {
				return err
			}
			if len(args) == 0 {
				return errors.New("the command to run is missing; write it after --, as in sett run --check-in nightly-backup -- ./backup.sh")
			}
			status, err := app.Run(cfg, args, cmd.InOrStdin(), cmd.OutOrStdout(), cmd.ErrOrStderr())
			if err != nil || status == 0 {
				return err
			}
			return exitStatus(status)
		},
	}
	cmd.Flags().SetInterspersed(false) // what follows the command's name is the command's, dashes or not
	addFlags(cmd, "Run", "Server")
	return cmd
}

// exitStatus is the end of a command that has said all there is to say.
type exitStatus int

func (s exitStatus) Error() string { return fmt.Sprintf("exit status %d", int(s)) }
