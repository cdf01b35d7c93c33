package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"sett/internal/app"
)

// ofServer are the groups of settings that a server has, and ofStorage those that every command with a database takes.
var (
	ofServer  = []string{"Listening", "HTTPS", "Storage", "PostgreSQL", "Object storage", "Sign-in", "Email", "Limits", "Checks", "Status pages", "Monitoring of sett", "Log"}
	ofStorage = []string{"Storage", "PostgreSQL", "Object storage"}
)

// addFlags gives the command a flag for every setting of the named groups. A command with a database also takes the flags that few
// need to reach it, and its help leaves them out unless their group is named.
func addFlags(cmd *cobra.Command, groups ...string) {
	cmd.Flags().SortFlags = false
	cmd.SetUsageFunc(usage)
	for _, s := range app.Settings() {
		shown := slices.Contains(groups, s.Group)
		if !shown && !(slices.Contains(groups, "Storage") && slices.Contains(ofStorage, s.Group)) {
			continue
		}
		addFlag(cmd, s, s.Summary(), s.Group)
		cmd.Flags().Lookup(s.Flag).Hidden = s.Hidden || !shown
	}
}

// settingMark marks flags that are settings, because other flags may have the same name. Its value is the heading in the help.
const settingMark = "sett_setting"

func addFlag(cmd *cobra.Command, s app.Setting, help, group string) {
	f := cmd.Flags().VarPF(&settingText{text: s.Default, setting: s}, s.Flag, "", help)
	f.Annotations = map[string][]string{settingMark: {group}}
	if s.Switch {
		f.NoOptDefVal = "true"
	}
}

// settingText is the value of a setting as it was written; app reads it. Only switches are checked here: a word that follows one by
// mistake is no value of it.
type settingText struct {
	text    string
	setting app.Setting
}

func (t *settingText) String() string { return t.text }

func (t *settingText) Set(text string) (err error) {
	if t.setting.Switch {
		_, err = strconv.ParseBool(text)
	}
	t.text = text
	return err
}

// Type is the word for values in the help. Without "bool", pflag would print how a switch is turned on.
func (t *settingText) Type() string {
	if t.setting.Switch {
		return "bool"
	}
	return t.setting.Value()
}

func isSetting(f *pflag.Flag) bool { return f.Annotations[settingMark] != nil }

// usage prints how a command is used, with the settings under their headings.
func usage(cmd *cobra.Command) error {
	var b strings.Builder
	fmt.Fprintf(&b, "Usage:\n  %s\n", cmd.UseLine())
	if cmd.HasExample() {
		fmt.Fprintf(&b, "\nExamples:\n%s\n", cmd.Example)
	}
	headings, lines := flagLines(cmd.LocalFlags())
	for _, heading := range headings {
		fmt.Fprintf(&b, "\n%s:\n%s", heading, lines[heading])
	}
	b.WriteString("\nEach setting is also an environment variable: --secret-key-file is SETT_SECRET_KEY_FILE. The manual says more: docs/configuration.md\n")
	_, err := fmt.Fprint(cmd.OutOrStderr(), b.String())
	return err
}

// flagLines returns what pflag prints of each flag that is shown, a line each, by heading. Flags of the command alone come first.
func flagLines(flags *pflag.FlagSet) (headings []string, lines map[string]string) {
	headings, lines = []string{"Flags"}, map[string]string{}
	printed := strings.SplitAfter(flags.FlagUsages(), "\n")
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Hidden {
			return
		}
		heading := "Flags"
		if group := f.Annotations[settingMark]; group != nil && group[0] != "" {
			heading = group[0]
		}
		if !slices.Contains(headings, heading) {
			headings = append(headings, heading)
		}
		lines[heading] += printed[0]
		printed = printed[1:]
	})
	return headings, lines
}
