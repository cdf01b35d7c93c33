package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"sett/internal/app"
)

// explainMistakes makes every command below root answer a command line that it cannot read with one sentence. Those that ask a server
// have an exit status of their own for that.
func explainMistakes(root *cobra.Command) {
	root.SetFlagErrorFunc(flagMistake)
	for _, cmd := range append(root.Commands(), root) {
		if cmd.HasSubCommands() && cmd.RunE == nil {
			cmd.Args = subCommand
			cmd.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
			cmd.DisableFlagsInUseLine = true
		}
		if cmd.GroupID == clientGroup {
			cmd.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error { return misuse{flagMistake(cmd, err)} })
			misuseOf(cmd)
		}
	}
}

// clientGroup is the group of the commands that ask a server.
const clientGroup = "client"

// misuseOf gives wrong arguments of a command, and of those below it, that exit status.
func misuseOf(cmd *cobra.Command) {
	if check := cmd.Args; check != nil {
		cmd.Args = func(cmd *cobra.Command, args []string) error {
			if err := check(cmd, args); err != nil {
				return misuse{err}
			}
			return nil
		}
	}
	for _, below := range cmd.Commands() {
		misuseOf(below)
	}
}

// subCommand refuses unknown sub-commands of cmd: known ones have been found before.
func subCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	var known []string
	for _, c := range cmd.Commands() {
		if !c.Hidden {
			known = append(known, c.Name())
		}
	}
	return fmt.Errorf("unknown command %q; %s", args[0], app.Suggest(args[0], known, cmd.CommandPath()+" --help lists all commands"))
}

// noArguments refuses what is neither a flag nor the value of one.
func noArguments(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	return fmt.Errorf("unknown argument %q; %s takes only flags, which %[2]s --help lists", args[0], cmd.CommandPath())
}

// missingArgument is the mistake of a command line that has not all arguments, or not yet.
type missingArgument struct{ error }

// arguments lets a command have the arguments of these names, such as "an address", and no more.
func arguments(names ...string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		switch {
		case len(args) < len(names):
			return missingArgument{fmt.Errorf("%s needs %s; %[1]s --help shows an example", cmd.CommandPath(), names[len(args)])}
		case len(args) > len(names):
			return fmt.Errorf("unknown argument %q; %s takes %s and flags, which %[2]s --help lists", args[len(names)], cmd.CommandPath(), strings.Join(names, " and "))
		}
		return nil
	}
}

// flagMistake says what is wrong with a flag, unless a word before it is wrong already.
func flagMistake(cmd *cobra.Command, err error) error {
	if err := cmd.ValidateArgs(cmd.Flags().Args()); err != nil {
		if _, later := errors.AsType[missingArgument](err); !later {
			return err
		}
	}
	if unknown, ok := errors.AsType[*pflag.NotExistError](err); ok {
		name := "--" + unknown.GetSpecifiedName()
		if word := unknown.GetSpecifiedShortnames(); word != "" {
			name = "-" + word // one dash, as many programs have it
		}
		otherwise := cmd.CommandPath() + " --help lists the valid flags"
		if cmd.HasSubCommands() {
			otherwise = "write flags after a command; " + cmd.CommandPath() + " --help lists the commands"
		}
		return fmt.Errorf("unknown flag %s; %s", name, app.Suggest(name, flagNames(cmd), otherwise))
	}
	if empty, ok := errors.AsType[*pflag.ValueRequiredError](err); ok {
		return fmt.Errorf("--%s needs a value; %s --help describes it", empty.GetFlag().Name, cmd.CommandPath())
	}
	if wrong, ok := errors.AsType[*pflag.InvalidValueError](err); ok {
		return fmt.Errorf("--%s=%q is not valid; write a value such as %s", wrong.GetFlag().Name, wrong.GetValue(), wrong.GetFlag().DefValue)
	}
	return err
}

// flagNames returns the flags of a command as they are written.
func flagNames(cmd *cobra.Command) (names []string) {
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			names = append(names, "--"+f.Name)
		}
	})
	return names
}

// helpCommand is "sett help serve" for "sett serve --help".
func helpCommand() *cobra.Command {
	return &cobra.Command{
		Use: "help [command]", Short: "Help about any command", DisableFlagsInUseLine: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			about, rest, err := cmd.Root().Find(args)
			if err == nil && len(rest) > 0 {
				err = about.ValidateArgs(rest)
			}
			if err != nil {
				return err
			}
			about.InitDefaultHelpFlag() // which is made only for the command that runs
			return about.Help()
		},
	}
}
