package main

import (
	"cmp"
	"fmt"
	"io"
	"strings"
	"time"
	"unicode"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"sett/internal/base/about"
)

func manCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "man",
		Short:   "Print the manual page of all commands",
		Example: "  sett man > /usr/local/share/man/man1/sett.1",
		Args:    noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := io.WriteString(cmd.OutOrStdout(), manual(cmd.Root(), about.Current()))
			return err
		},
	}
}

// manual is the page in the language of man, from the same texts as the help.
func manual(root *cobra.Command, build about.Build) string {
	var b strings.Builder
	day, _, _ := strings.Cut(build.Date, "T")
	if _, err := time.Parse(time.DateOnly, day); err != nil {
		day = ""
	}
	fmt.Fprintf(&b, ".TH SETT 1 %q %q \"sett\"\n.SH NAME\nsett \\- %s\n.SH SYNOPSIS\n.B sett\ncommand [flags]\n.SH DESCRIPTION\n%s\n",
		day, "sett "+build.Version, roff(strings.ToLower(root.Short[:1])+root.Short[1:]), roff(root.Long))
	for _, group := range root.Groups() {
		fmt.Fprintf(&b, ".SH %s\n", roff(strings.ToUpper(strings.TrimSuffix(group.Title, ":"))))
		for _, cmd := range root.Commands() {
			if cmd.GroupID == group.ID {
				manualOf(&b, cmd)
			}
		}
	}
	fmt.Fprintf(&b, ".SH EXIT STATUS\n%s\n", exitStatuses)
	return b.String()
}

// exitStatuses are those of commands that ask a server, as a list of man.
const exitStatuses = `.TP
0
done
.TP
1
failed; of sett gate: new or reopened errors follow
.TP
2
the command line is wrong
.TP
3
of sett gate: the server could not be asked
.TP
4
not signed in, or the token is refused`

// manualOf writes what the help says of a command, and of those below it.
func manualOf(b *strings.Builder, cmd *cobra.Command) {
	if cmd.Hidden {
		return
	}
	if cmd.Runnable() {
		fmt.Fprintf(b, ".SS %s\n%s\n", roff(useOf(cmd)), roff(cmp.Or(cmd.Long, cmd.Short+".")))
		cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if f.Hidden {
				return
			}
			name := "--" + f.Name
			if f.Shorthand != "" {
				name = "-" + f.Shorthand + ", " + name
			}
			value, usage := pflag.UnquoteUsage(f)
			fmt.Fprintf(b, ".TP\n.B %s\n%s\n", roff(strings.TrimSpace(name+" "+value)), roff(usage))
		})
		if cmd.Example != "" {
			fmt.Fprintf(b, ".PP\n.nf\n%s\n.fi\n", roff(cmd.Example))
		}
	}
	for _, below := range cmd.Commands() {
		manualOf(b, below)
	}
}

// useOf is how a command is written, without its flags.
func useOf(cmd *cobra.Command) string { return strings.TrimSuffix(cmd.UseLine(), " [flags]") }

// roff returns text as the language of man has it: lines that begin as a request does not, dashes that can be copied, and ASCII alone.
func roff(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'") {
			b.WriteString(`\&`)
		}
		if strings.HasPrefix(line, "  ") && b.Len() > 0 {
			b.WriteString(".br\n")
		}
		for _, r := range line {
			switch {
			case r == '\\':
				b.WriteString(`\e`)
			case r == '-':
				b.WriteString(`\-`)
			case r > unicode.MaxASCII:
				fmt.Fprintf(&b, `\[u%04X]`, r)
			default:
				b.WriteRune(r)
			}
		}
	}
	return strings.TrimRight(b.String(), "\n")
}
