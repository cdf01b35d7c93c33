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
	"golang.org/x/term"

	"sett/internal/app"
	"sett/internal/app/operate"
)

func userPasswordCommand(environ []string) *cobra.Command {
	chosen, generate := "", false
	cmd := &cobra.Command{
		Use:   "password EMAIL",
		Short: "Set a new password for a user",
		Long: "Set a new password for a user: the value of --password, or the first line of standard input. --generate creates one and\n" +
			"prints it. The user is signed out everywhere. If their email address was never confirmed, all other sign-in methods\nare removed. The user is notified by email.",
		Example: "  sett user password olga@example.org --generate\n  sett user password olga@example.org < file",
		Args:    arguments(someAddress),
		RunE: onInstallation(environ, func(cmd *cobra.Command, cfg app.Config) error {
			if generate && cmd.Flags().Changed("password") {
				return errors.New("give either --generate or --password")
			}
			password, err := newPassword(cmd, chosen, generate)
			if err != nil {
				return err
			}
			user, err := operate.SetPassword(cmd.Context(), cfg.Installation(), cmd.Flags().Arg(0), password)
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
			return sentence(cmd, "%s has a new password and is signed out everywhere.", user.Email)
		}),
	}
	cmd.Flags().SortFlags = false
	cmd.Flags().StringVar(&chosen, "password", "", "the new password") // no setting: SETT_PASSWORD is that of the first owner
	cmd.Flags().BoolVar(&generate, "generate", false, "generate a password and print it")
	addJSON(cmd, "the result")
	return cmd
}

// newPassword returns the password that a user is to have: one that is made, or that of the flag, or the first line
// of standard input.
func newPassword(cmd *cobra.Command, chosen string, generate bool) (string, error) {
	switch {
	case generate:
		return operate.GeneratePassword(), nil
	case cmd.Flags().Changed("password"):
		return chosen, nil
	}
	line, err := firstLine(cmd, "the new password", "New password")
	if err == nil && line == "" {
		return "", errors.New("the new password is missing; write it to standard input, or use --password or --generate")
	}
	return line, err
}

// firstLine asks for a secret, and returns the first line of standard input. A terminal does not show what is typed.
func firstLine(cmd *cobra.Command, what, prompt string) (line string, err error) {
	in := cmd.InOrStdin()
	if isTerminal(in) {
		fmt.Fprint(cmd.ErrOrStderr(), prompt+" (hidden): ")
		var typed []byte
		typed, err = term.ReadPassword(int(in.(*os.File).Fd()))
		line = string(typed)
		fmt.Fprintln(cmd.ErrOrStderr())
	} else {
		line, err = bufio.NewReader(in).ReadString('\n')
	}
	if err != nil && !errors.Is(err, io.EOF) {
		return "", fmt.Errorf("read %s from standard input: %w", what, err)
	}
	return strings.TrimRight(line, "\r\n"), nil
}

// isTerminal reports whether the input may be typed by a person.
func isTerminal(r io.Reader) bool {
	file, ok := r.(*os.File)
	return ok && term.IsTerminal(int(file.Fd()))
}
