package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"

	"sett/internal/setttest/pgcluster"
	"sett/internal/setttest/program"
	"sett/internal/store/db"
)

// actVariable makes this test binary act as the command. Servers that it starts inherit it, and refuse what begins with SETT_ and is no setting.
const actVariable = "BENCH_ACTS"

func TestMain(m *testing.M) {
	if os.Getenv(actVariable) != "" {
		main()
		os.Exit(0)
	}
	program.UsualSignals()
	status := m.Run()
	if dir := filepath.Dir(built); built != "" {
		os.RemoveAll(dir)
	}
	os.Exit(status)
}

var built string // the sett binary

var buildOnce = sync.OnceValues(func() ([]byte, error) {
	dir, err := os.MkdirTemp("", "sett-bench-test-")
	if err != nil {
		return nil, err
	}
	built = filepath.Join(dir, "sett")
	cmd := exec.Command("go", "build", "-o", built, "./cmd/sett")
	cmd.Dir = "../.."
	return cmd.CombinedOutput()
})

// failedSearches are the rows of a measurement of searches that end with another number than 0.
var failedSearches = regexp.MustCompile(`(?m)^.* (API|page) .* [1-9]\d*$`)

// The measurements that start servers of their own reach them, also where several share one database.
func TestMeasurementsRun(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("-short leaves out tests that start processes")
	}
	if out, err := buildOnce(); err != nil {
		t.Fatalf("build sett: %v: %s", err, out)
	}
	for line, want := range map[string]string{
		"nodes --nodes 2 --connections 4 --duration 200ms":              "2 servers · ",
		"intake --rounds 1 --connections 4 --duration 200ms":            "notices stored",
		"pings --rounds 1 --connections 4 --duration 200ms --database=": "pings stored",

		"search --notices 300 --projects 2 --searches 2 --starts 1": "intake while busy",
		"purge --notices 300 --projects 2":                          "300 notices in 2 projects deleted",
		"purge --notices 200 --projects 1 --database=":              "200 notices in 1 project deleted",

		"import --issues 30 --events 2 --database=": "30 errors with 60 events came",

		"upgrades --notices 300 --most 1s":             "after a backup of",
		"upgrades --notices 300 --most 1s --database=": ", 300 notices: ",
	} {
		t.Run(line, func(t *testing.T) {
			t.Parallel()
			command := program.Bounded(os.Args[0], append(strings.Fields(line), "--sett", built)...)
			command.Env = append(os.Environ(), actVariable+"=1", "TMPDIR="+t.TempDir())
			if strings.HasPrefix(line, "upgrades") {
				programs := t.TempDir()
				if err := os.Symlink(built, filepath.Join(programs, strconv.FormatInt(db.NewestSchema(), 10))); err != nil {
					t.Fatal(err)
				}
				command.Args = append(command.Args, "--programs", programs)
			}
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
