package main

import (
	"strings"
	"testing"
	"unicode"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// The help of every command says in one line what it does and shows examples, whose flags exist. Its lines fit into a wide terminal, and the list of all
// commands separates those of a server from those for any machine.
func TestEveryCommandIsExplained(t *testing.T) {
	t.Parallel()
	root := rootCommand(nil)
	for _, cmd := range root.Commands() {
		if cmd.GroupID == "" && cmd.Name() != "help" && cmd.Name() != "completion" {
			t.Errorf("sett help lists %s below no title", cmd.Name())
		}
	}
	found := 0
	eachCommand(root, func(cmd *cobra.Command) {
		found++
		checkHelp(t, cmd)
	})
	if found < 30 {
		t.Errorf("only %d commands were found", found)
	}
}

// eachCommand calls do with every command that we write and that does something.
func eachCommand(cmd *cobra.Command, do func(*cobra.Command)) {
	for _, c := range cmd.Commands() {
		switch {
		case c.Name() == "completion" || c.Name() == "help" || c.Hidden:
		case c.HasSubCommands():
			eachCommand(c, do)
		default:
			do(c)
		}
	}
}

func checkHelp(t *testing.T, cmd *cobra.Command) {
	t.Helper()
	name := cmd.CommandPath()
	if first := []rune(cmd.Short); len(first) == 0 || len(first) > 80 || !unicode.IsUpper(first[0]) || strings.HasSuffix(cmd.Short, ".") {
		t.Errorf("%s: the summary is %q", name, cmd.Short)
	}
	for line := range strings.Lines(cmd.Long) {
		if n := len([]rune(line)); n > 131 {
			t.Errorf("%s: %d characters in a line: %s", name, n, line)
		}
	}
	if cmd.Example == "" {
		t.Errorf("%s: no example", name)
	}
	for line := range strings.Lines(cmd.Example) {
		checkExample(t, cmd, strings.TrimSpace(line))
	}
	cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
		if f.Usage == "" || len([]rune(f.Usage)) > 110 {
			t.Errorf("%s: the flag --%s is described in %d characters: %s", name, f.Name, len([]rune(f.Usage)), f.Usage)
		}
	})
}

func checkExample(t *testing.T, cmd *cobra.Command, line string) {
	t.Helper()
	_, rest, found := strings.Cut(line+" ", cmd.CommandPath()+" ")
	if !found {
		t.Errorf("the example %q does not run %s", line, cmd.CommandPath())
	}
	rest, _, _ = strings.Cut(rest, " -- ") // a command that sett runs
	rest, _, _ = strings.Cut(rest, " | ")
	for word := range strings.FieldsSeq(rest) {
		flag, isFlag := strings.CutPrefix(word, "--")
		if flag, _, _ = strings.Cut(flag, "="); isFlag && cmd.Flags().Lookup(strings.TrimRight(flag, ");")) == nil {
			t.Errorf("the example %q has a flag that %s does not have: %s", line, cmd.CommandPath(), word)
		}
	}
}
