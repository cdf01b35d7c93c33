package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"sett/internal/app"
	"sett/internal/app/client"
	"sett/internal/base/cell"
)

// Exit statuses of commands that ask a server.
const (
	failed      = 1
	misused     = 2
	notAsked    = 3
	notSignedIn = 4
)

// misuse is the error of a command line that the command cannot read.
type misuse struct{ error }

// unasked is the error of a gate that cannot say whether errors follow.
type unasked struct{ error }

func (e unasked) Unwrap() error { return e.error }

// statusOf returns the exit status of a command that failed.
func statusOf(err error) int {
	if _, ok := errors.AsType[misuse](err); ok {
		return misused
	}
	if _, ok := errors.AsType[client.NotSignedIn](err); ok {
		return notSignedIn
	}
	if _, ok := errors.AsType[unasked](err); ok {
		return notAsked
	}
	return failed
}

// ofVariable returns the value of a variable; the last one of its name counts.
func ofVariable(environ []string, name string) (value string) {
	for _, pair := range environ {
		if v, ok := strings.CutPrefix(pair, name+"="); ok {
			value = v
		}
	}
	return value
}

// profilesOf reads the profiles of the user.
func profilesOf(environ []string) (*client.Profiles, error) {
	dir := ofVariable(environ, "XDG_CONFIG_HOME")
	home := ofVariable(environ, "HOME")
	switch {
	case filepath.IsAbs(dir):
	case runtime.GOOS == "windows" || runtime.GOOS == "darwin":
		dir, _ = os.UserConfigDir() // without one, there is no profile
	case home != "":
		dir = filepath.Join(home, ".config")
	default:
		dir = ""
	}
	if dir != "" {
		dir = filepath.Join(dir, "sett")
	}
	keyring := client.HasKeyring(runtime.GOOS, func(name string) string { return ofVariable(environ, name) })
	return client.ReadProfiles(dir, keyring)
}

// given reports whether a flag or its variable is set.
func given(cmd *cobra.Command, environ []string, flag string) bool {
	variable := "SETT_" + strings.ToUpper(strings.ReplaceAll(flag, "-", "_"))
	return cmd.Flags().Changed(flag) || ofVariable(environ, variable) != "" || ofVariable(environ, variable+"_FILE") != ""
}

// useProfile fills in what neither flags nor variables say: the server and the token of the profile. The token of a profile is sent to no other server,
// and a token that is set is sent to the server of a profile only if that is named.
func useProfile(cmd *cobra.Command, cfg *app.Config, environ []string) (name string, err error) {
	if given(cmd, environ, "auth-token") && cfg.Client.Profile == "" {
		return "", nil
	}
	all, err := profilesOf(environ)
	if err != nil {
		return "", err
	}
	name, profile, err := all.Named(cfg.Client.Profile)
	if err != nil {
		return "", client.NotSignedIn{Err: err}
	}
	if profile.Server == "" {
		return "", nil
	}
	if !given(cmd, environ, "server") {
		cfg.Job.Server = profile.Server
	}
	if !given(cmd, environ, "auth-token") && strings.TrimRight(cfg.Job.Server, "/") == profile.Server {
		cfg.Client.Token, err = all.TokenOf(name)
	}
	return name, err
}

func loginCommand(environ []string) *cobra.Command {
	fromInput := false
	cmd := &cobra.Command{
		Use:   "login [ADDRESS]",
		Short: "Sign in to a server",
		Long: "Sign in to a server on a page that opens in the browser, or with a personal token. The token is kept for the other commands that\n" +
			"ask a server: in the keyring of your system, or in the file sett/profiles.json of your configuration directory, which only you\n" +
			"can read. --profile names one of several servers.",
		Example: "  sett login https://sett.example.org\n  sett login https://staging.example.org --profile staging --with-token < file",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 1 {
				return fmt.Errorf("unknown argument %q; sett login takes one address", args[1])
			}
			return nil
		},
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if len(args) == 1 {
			if !strings.Contains(args[0], "://") {
				args[0] = "https://" + args[0]
			}
			if err := cmd.Flags().Set("server", args[0]); err != nil {
				return misuse{err}
			}
		}
		cfg, err := loadConfig(cmd, environ)
		if err != nil {
			return misuse{err}
		}
		return login(cmd, cfg, environ, fromInput)
	}
	cmd.Flags().BoolVar(&fromInput, "with-token", false, "read a personal token from standard input")
	addAPIOnly(cmd)
	addSetting(cmd, "token-store", "where the token is kept: keyring, file, or auto for the one that works")
	return cmd
}

func login(cmd *cobra.Command, cfg app.Config, environ []string, fromInput bool) error {
	all, err := profilesOf(environ)
	if err != nil {
		return err
	}
	name := cmp.Or(cfg.Client.Profile, all.Current, client.UsualProfile)
	if !given(cmd, environ, "server") && all.All[name].Server != "" {
		cfg.Job.Server = all.All[name].Server
	}
	cfg.Job.Server = strings.TrimRight(cfg.Job.Server, "/")
	if !given(cmd, environ, "auth-token") {
		if cfg.Client.Token, err = newToken(cmd, cfg, environ, fromInput); err != nil {
			return err
		}
	}
	who, err := cfg.API().WhoAmI(cmd.Context())
	if err != nil {
		return err
	}
	place, err := all.Set(name, client.Profile{Server: cfg.Job.Server, Token: cfg.Client.Token}, cfg.Client.Store)
	if err != nil {
		return err
	}
	if err := sentence(cmd, "Signed in to %s as %s (profile %s).", cfg.Job.Server, cmp.Or(cell.Plain(who.Email), "the user of this token"), name); err != nil {
		return err
	}
	return sentence(cmd, "The token is %s.", cell.Plain(place))
}

// newToken gets a token: on a terminal by a page, unless the user has one.
func newToken(cmd *cobra.Command, cfg app.Config, environ []string, fromInput bool) (string, error) {
	if fromInput || !isTerminal(cmd.InOrStdin()) {
		return askToken(cmd, cfg.Job.Server)
	}
	machine, err := os.Hostname()
	if err != nil {
		machine = "a machine without a name"
	}
	in, err := cfg.API().BeginSignIn(cmd.Context(), machine)
	if errors.Is(err, client.ErrNoPage) { // an earlier version
		return askToken(cmd, cfg.Job.Server)
	}
	if err == nil {
		err = browse(cmd, environ, in.Page)
	}
	if err != nil {
		return "", err
	}
	fmt.Fprintf(cmd.ErrOrStderr(), "Allow it on this page if it shows the code %s. Waiting …\n", in.Code)
	return cfg.API().AwaitSignIn(cmd.Context(), in)
}

// askToken reads a token, which is not shown on a terminal.
func askToken(cmd *cobra.Command, server string) (token string, err error) {
	if isTerminal(cmd.InOrStdin()) {
		fmt.Fprintf(cmd.ErrOrStderr(), "Create a personal token at %s/me/tokens\n", server)
	}
	token, err = firstLine(cmd, "the token", "Token")
	token = strings.TrimSpace(token)
	if err == nil && token == "" {
		err = client.NotSignedIn{Err: fmt.Errorf("the token is missing; create one at %s/me/tokens and write it to standard input, with --with-token", server)}
	}
	return token, err
}

func logoutCommand(environ []string) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "logout",
		Short:   "Forget the token of a profile",
		Long:    "Forget the token of a profile on this machine. It stays valid: revoke it on the page /me/tokens of the server.",
		Example: "  sett logout --profile staging",
		Args:    noArguments,
		RunE: withConfig(environ, func(cmd *cobra.Command, cfg app.Config) error {
			all, err := profilesOf(environ)
			if err != nil {
				return err
			}
			name, profile, err := all.Named(cfg.Client.Profile)
			if err != nil {
				return err
			}
			if profile.Server == "" {
				return sentence(cmd, "You are not signed in.")
			}
			if err := all.Remove(name); err != nil {
				return err
			}
			return sentence(cmd, "The profile %s is deleted. Its token stays valid until you revoke it at %s/me/tokens.", name, profile.Server)
		}),
	}
	addSetting(cmd, "profile", "profile to delete; the current one without this flag")
	return cmd
}

func whoamiCommand(environ []string) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "whoami",
		Short:   "Show the server and the user of the profile",
		Example: "  sett whoami --profile staging",
		Args:    noArguments,
	}
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		cfg, err := loadConfig(cmd, environ)
		if err != nil {
			return err
		}
		name, err := useProfile(cmd, &cfg, environ)
		if err != nil {
			return err
		}
		who, err := cfg.API().WhoAmI(cmd.Context())
		if err != nil {
			return err
		}
		who.Profile = name
		if cfg.JSON {
			return json.NewEncoder(cmd.OutOrStdout()).Encode(who)
		}
		return sentence(cmd, "%s at %s, in %s", cmp.Or(cell.Plain(who.Email), "a user"), who.Server, cell.Plain(strings.Join(who.Accounts, ", ")))
	}
	addSetting(cmd, "json", "print it as JSON")
	addAPIOnly(cmd)
	return cmd
}
