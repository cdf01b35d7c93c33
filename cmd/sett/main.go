// The HTTP/2 client of Go 1.26.8 and earlier can be crashed by a server (GO-2026-6617). Package dial decides for itself; this
// keeps libraries that connect on their own, such as the one for certificates, from it.
//
//go:debug http2client=0

// Command sett is error tracking in one program: a server with its interface, and the few commands
// that look after it. It reads flags, variables and signals and leaves everything else to package app.
package main

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"sett/internal/app"
	"sett/internal/base/about"
	"sett/internal/base/progress"
)

func main() { os.Exit(run(os.Args[1:], os.Environ(), os.Stdin, os.Stdout, os.Stderr)) }

// run executes one command line and returns the exit status: 0, that of statusOf when stderr says why, or that of a command that was run.
func run(args, environ []string, stdin io.Reader, stdout, stderr io.Writer) (status int) {
	root := rootCommand(environ)
	root.SetArgs(args)
	root.SetIn(stdin)
	root.SetOut(stdout)
	root.SetErr(stderr)
	err := root.Execute()
	if of, ok := errors.AsType[exitStatus](err); ok {
		return int(of)
	}
	if err != nil {
		fmt.Fprintln(stderr, "sett:", strings.ReplaceAll(err.Error(), "\n", "\nsett: "))
		return statusOf(err)
	}
	return 0
}

func rootCommand(environ []string) *cobra.Command {
	root := &cobra.Command{
		Use:   "sett",
		Short: "Error tracking in one program",
		Long: "sett tracks the errors of your programs, checks your sites and jobs, and publishes status pages.\nTry it with sett demo. To install it, run sett serve, and then sett setup.\n" +
			"Each setting is a flag or an environment variable: --base-url is SETT_BASE_URL.",
		SilenceErrors: true, // run prints them
		SilenceUsage:  true,
	}
	addGroup(root, "server", "Run a server:", serveCommand(environ), setupCommand(environ), doctorCommand(environ), readyCommand(environ), demoCommand(environ))
	addGroup(root, "administration", "Administer a server, on its machine and with its --data or --database:",
		accountCommand(environ), userCommand(environ), tokenCommand(environ), agentsCommand(environ), maintenanceCommand(environ), eraseCommand(environ),
		backupCommand(environ), restoreCommand(environ), migrateCommand(environ), exportCommand(environ), importCommand(environ), secretsCommand(environ), blocksCommand(environ))
	addGroup(root, clientGroup, "Ask a server from any machine, with a personal token:", slices.Concat(
		[]*cobra.Command{loginCommand(environ), logoutCommand(environ), whoamiCommand(environ), errorsCommand(environ), errorCommand(environ), searchCommand(environ)},
		nounCommands(environ),
		[]*cobra.Command{
			tailCommand(environ), deployCommand(environ), gateCommand(environ), ackCommand(environ), openCommand(environ), alarmsCommand(environ),
			planCommand(environ), applyCommand(environ),
		})...)
	addGroup(root, "anywhere", "Use on any machine:", runCommand(environ), agentCommand(environ), groupCommand(environ), versionCommand(), manCommand(), licensesCommand())
	root.SetHelpCommand(helpCommand())
	root.SetHelpCommandGroupID("anywhere")
	root.SetCompletionCommandGroupID("anywhere")
	root.Version = about.Current().Version
	root.SetVersionTemplate("sett {{.Version}}\n")
	root.InitDefaultCompletionCmd()
	explainMistakes(root)
	return root
}

// addGroup adds commands that the help lists below a title.
func addGroup(root *cobra.Command, id, title string, commands ...*cobra.Command) {
	root.AddGroup(&cobra.Group{ID: id, Title: title})
	for _, cmd := range commands {
		cmd.GroupID = id
	}
	root.AddCommand(commands...)
}

// withConfig makes a command of do, which runs with the settings from its flags and from the environment.
func withConfig(environ []string, do func(*cobra.Command, app.Config) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, _ []string) error {
		cfg, err := loadConfig(cmd, environ)
		if err != nil {
			return err
		}
		return cfg.Explain(do(cmd, cfg))
	}
}

// onInstallation makes a command of do, which works on an installation and ends. Long work of its context says on standard error how far it is, such
// as a change of the schema.
func onInstallation(environ []string, do func(*cobra.Command, app.Config) error) func(*cobra.Command, []string) error {
	return withConfig(environ, func(cmd *cobra.Command, cfg app.Config) error {
		ctx, ended := progress.Show(cmd.Context(), cmd.ErrOrStderr(), newLogger(cfg, cmd.ErrOrStderr()))
		defer ended()
		cmd.SetContext(ctx)
		return do(cmd, cfg)
	})
}

// loadConfig reads the settings from the command's flags and from the environment.
func loadConfig(cmd *cobra.Command, environ []string) (app.Config, error) {
	flags := map[string]string{}
	for _, s := range app.Settings() {
		if f := cmd.Flags().Lookup(s.Flag); f != nil && f.Changed && isSetting(f) {
			flags[s.Flag] = f.Value.String()
		}
	}
	return app.LoadConfig(app.Sources{Flags: flags, Environ: environ, ReadFile: os.ReadFile})
}

// newLogger returns the log that the settings ask for.
func newLogger(cfg app.Config, w io.Writer) *slog.Logger {
	options := &slog.HandlerOptions{Level: cfg.LogLevel}
	if cfg.LogFormat == "json" {
		return slog.New(slog.NewJSONHandler(w, options))
	}
	return slog.New(slog.NewTextHandler(w, options))
}
