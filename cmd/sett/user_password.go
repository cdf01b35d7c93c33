package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"sett/internal/app"
)

func userPasswordCommand(environ []string) *cobra.Command {
	chosen, generate := "", false
	cmd := &cobra.Command{
		Use:   "password EMAIL",
		Short: "Give a user a new password",
		Long: "Give a user a new password: that of --password, the first line of standard input, or with --generate\n" +
			"one that is made and printed. It ends the user's sessions and, where no mail has shown yet that the address is\ntheirs, all other ways in that were made before. They are told by mail.",
		Example: "  sett user password olga@example.org --generate\n  sett user password olga@example.org < file",
		Args:    arguments(someAddress),
		RunE: withConfig(environ, func(cmd *cobra.Command, cfg app.Config) error {
			if generate && cmd.Flags().Changed("password") {
				return errors.New("--generate makes a password and --password names one; give one of them")
			}
			password, err := newPassword(cmd, chosen, generate)
			if err != nil {
				return err
			}
			user, err := app.SetPassword(cmd.Context(), cfg, cmd.Flags().Arg(0), password)
			if err != nil {
				return err
			}
			made := struct {
				Email    string `json:"email"`
				Password string `json:"password,omitempty"`
			}{Email: user.Email}
			if generate {
				made.Password = password
			}
			if cfg.JSON {
				return json.NewEncoder(cmd.OutOrStdout()).Encode(made)
			}
			if generate {
				return sentence(cmd, "%s", password)
			}
			return sentence(cmd, "%s has a new password, and is signed out everywhere.", user.Email)
		}),
	}
	cmd.Flags().SortFlags = false
	cmd.Flags().StringVar(&chosen, "password", "", "the new password") // no setting: SETT_PASSWORD is that of the first owner
	cmd.Flags().BoolVar(&generate, "generate", false, "make a password and print it")
	addJSON(cmd, "what was done")
	return cmd
}

// newPassword returns the password that a user is to have: one that is made, or that of the flag, or the first line
// of standard input.
func newPassword(cmd *cobra.Command, chosen string, generate bool) (string, error) {
	switch {
	case generate:
		return app.GeneratePassword(), nil
	case cmd.Flags().Changed("password"):
		return chosen, nil
	}
	in := cmd.InOrStdin()
	if isTerminal(in) {
		fmt.Fprint(cmd.ErrOrStderr(), "New password (it shows as you type): ")
	}
	line, err := bufio.NewReader(in).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return "", fmt.Errorf("read the new password from standard input: %w", err)
	}
	if line = strings.TrimRight(line, "\r\n"); line == "" {
		return "", errors.New("there is no new password; write it to standard input, name it with --password, or let sett make one with --generate")
	}
	return line, nil
}

// isTerminal reports whether somebody may be typing what is read.
func isTerminal(r io.Reader) bool {
	file, ok := r.(*os.File)
	if !ok {
		return false
	}
	info, err := file.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
