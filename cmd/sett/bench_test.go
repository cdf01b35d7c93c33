package main

import (
	"os"
	"strings"
	"testing"

	"sett/internal/setttest/pgcluster"
)

// The measurements that start servers of their own reach them, also where several share one database.
func TestMeasurementsRun(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"bench nodes --nodes 2 --connections 4 --duration 200ms":              "2 servers · ",
		"bench intake --rounds 1 --connections 4 --duration 200ms":            "notices stored",
		"bench pings --rounds 1 --connections 4 --duration 200ms --database=": "pings stored",

		"bench search --notices 300 --projects 2 --searches 2 --starts 1": "intake while busy",
		"bench purge --notices 300 --projects 2 --database=":              "300 notices in 2 projects deleted",
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
		})
	}
}
