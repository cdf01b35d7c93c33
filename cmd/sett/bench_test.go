package main

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"sett/internal/setttest/pgcluster"
)

// failedSearches are the rows of bench search that end with another number than 0.
var failedSearches = regexp.MustCompile(`(?m)^.* (API|page) .* [1-9]\d*$`)

// The measurements that start servers of their own reach them, also where several share one database.
func TestMeasurementsRun(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"bench nodes --nodes 2 --connections 4 --duration 200ms":              "2 servers · ",
		"bench intake --rounds 1 --connections 4 --duration 200ms":            "notices stored",
		"bench pings --rounds 1 --connections 4 --duration 200ms --database=": "pings stored",

		"bench search --notices 300 --projects 2 --searches 2 --starts 1": "intake while busy",
		"bench purge --notices 300 --projects 2":                          "300 notices in 2 projects deleted",
		"bench purge --notices 200 --projects 1 --database=":              "200 notices in 1 project deleted",
	} {
		t.Run(line, func(t *testing.T) {
			t.Parallel()
			command := process(t, os.Args[0], strings.Fields(line)...)
			command.Env = append(command.Env, "TMPDIR="+t.TempDir())
			if !strings.Contains(line, "--database") {
				command.Args = append(command.Args, "--database", pgcluster.Postgres(t))
			}
			out, err := command.CombinedOutput()
			if err != nil || !strings.Contains(string(out), want) {
				t.Errorf("%v: printed %q, want %q in it", err, out, want)
			}
			if failed := failedSearches.FindAllString(string(out), -1); len(failed) > 0 {
				t.Errorf("searches failed: %q", failed)
			}
		})
	}
}
