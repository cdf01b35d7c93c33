package main

import (
	"fmt"
	"io"
	"runtime/debug"

	"github.com/spf13/cobra"

	"sett/internal/app/operate"
)

func versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "Print the version, commit and date of this program",
		Example: "  sett version",
		Args:    noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			info, ok := debug.ReadBuildInfo()
			if !ok {
				info = &debug.BuildInfo{}
			}
			return printVersion(cmd.OutOrStdout(), operate.Version(), info)
		},
	}
}

// printVersion writes what the build recorded. A build outside of a repository, or with -buildvcs=false, knows no
// commit.
func printVersion(w io.Writer, version string, info *debug.BuildInfo) error {
	recorded := map[string]string{}
	for _, s := range info.Settings {
		recorded[s.Key] = s.Value
	}
	commit, date := recorded["vcs.revision"], recorded["vcs.time"]
	if commit == "" {
		commit, date = "unknown", "unknown"
	}
	if recorded["vcs.modified"] == "true" {
		commit += " with changes"
	}
	_, err := fmt.Fprintf(w, "sett %s\ncommit %s\ndate %s\nbuilt with %s\n", version, commit, date, info.GoVersion)
	return err
}
