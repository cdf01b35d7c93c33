package main

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"sett/internal/base/about"
)

func versionCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:     "version",
		Short:   "Print the version, commit and date of this program",
		Example: "  sett version\n  sett version --json",
		Args:    noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return printVersion(cmd.OutOrStdout(), about.Current(), asJSON)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func printVersion(w io.Writer, b about.Build, asJSON bool) error {
	if asJSON {
		return json.NewEncoder(w).Encode(b)
	}
	if b.Commit == "" {
		b.Commit, b.Date = "not recorded: built outside of version control", "not recorded"
	}
	if b.Changed {
		b.Commit += " with changes"
	}
	_, err := fmt.Fprintf(w, "sett %s\ncommit %s\ndate %s\nbuilt with %s for %s/%s\n", b.Version, b.Commit, b.Date, b.Go, b.OS, b.Arch)
	return err
}

func licensesCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "licenses",
		Short:   "Print the licenses of the libraries in this program",
		Example: "  sett licenses | less",
		Args:    noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := io.WriteString(cmd.OutOrStdout(), about.Licenses)
			return err
		},
	}
}
