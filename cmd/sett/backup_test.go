package main

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sett/internal/setttest/pgcluster"
)

// moment is how a time is printed.
var moment = regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ`)

func TestBackupAndRestoreSayWhatTheyDid(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	file, data := filepath.Join(t.TempDir(), "a"), filepath.Join(t.TempDir(), "data")
	text := regexp.MustCompile(`\d+\.\d kB, schema \d+`).ReplaceAllString(moment.ReplaceAllString(o.do("backup", file), "THEN"), "SIZE")
	if want := "Wrote everything up to THEN to " + file + ": SIZE.\n"; text != want {
		t.Errorf("printed %q, want %q", text, want)
	}
	if text, want := moment.ReplaceAllString(o.do("restore", file, "--data", data), "THEN"), "Restored everything up to THEN in "+data+". The backup does not contain the secret key: copy the key file to "+data+"/secret.key before you start the server.\n"; text != want {
		t.Errorf("printed %q, want %q", text, want)
	}
	if status, _, stderr := try(o.environ, "user", "list", "--data", data); status != 1 || !strings.Contains(stderr, data+"/secret.key does not exist; copy the file") {
		t.Errorf("without the key: status %d, %s", status, stderr)
	}
	o.environ = append(o.environ, "SETT_SECRET_KEY_FILE="+strings.TrimPrefix(o.environ[0], "SETT_DATA=")+"/secret.key")
	if diff := cmp.Diff(o.do("user", "list"), o.do("user", "list", "--data", data)); diff != "" {
		t.Errorf("users (-before +after):\n%s", diff)
	}
	var made, restored struct {
		File          string
		Bytes, Schema int64
		At            time.Time `json:"made_at"`
		Sett          string
		SchemaNow     int64 `json:"schema_now"`
	}
	o.read(&made, "backup", file, "--json")
	if about, err := os.Stat(file); err != nil || about.Size() != made.Bytes || about.Mode().Perm() != 0o600 || made.File != file || made.Schema == 0 {
		t.Errorf("%+v is of %v, %v", made, about, err)
	}
	o.read(&restored, "restore", file, "--json", "--data", data+"2")
	if !restored.At.Equal(made.At) || restored.Schema != made.Schema || restored.SchemaNow != made.Schema || restored.Sett == "" {
		t.Errorf("restored %+v of %+v", restored, made)
	}
	status, stdout, stderr := try(o.environ, "backup", "-")
	if status != 0 || !strings.HasPrefix(stdout, "\x28\xb5\x2f\xfd") || !strings.Contains(stderr, "to standard output") {
		t.Errorf("to standard output: status %d, stderr %s", status, stderr)
	}
	if status, _, stderr := tryWith(stdout, o.environ, "restore", "-", "--data", data+"3"); status != 0 {
		t.Errorf("from standard input: %s", stderr)
	}
	wantMistake(t, "sett backup needs a file name, s3://bucket/prefix/name, or - for standard output; sett backup --help shows an example", "backup")
}

// A backup that is killed leaves nothing under its name, and what it leaves elsewhere is gone with the next.
func TestKilledBackupLeavesNothing(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	dir := t.TempDir()
	file := filepath.Join(dir, "a")
	killed := 0
	for range 20 {
		command := process(t, os.Args[0], "backup", file)
		command.Env = append(command.Env, o.environ...)
		if err := command.Start(); err != nil {
			t.Fatal(err)
		}
		waitUntil(t, func() bool { return len(unfinished(dir)) > 0 || exists(file) })
		_ = command.Process.Kill()
		if err := command.Wait(); err == nil {
			continue // it was quicker
		}
		if exists(file) {
			if status, _, stderr := try(nil, "restore", file, "--data", filepath.Join(t.TempDir(), "d")); status != 0 {
				t.Fatalf("half a backup has the name: %s", stderr)
			}
			continue
		}
		killed++
	}
	if killed == 0 {
		t.Error("every backup was made before it was killed")
	}
	o.do("backup", file)
	if left := unfinished(dir); len(left) > 0 {
		t.Errorf("left are %v", left)
	}
}

func unfinished(dir string) []string {
	left, _ := filepath.Glob(filepath.Join(dir, ".sett-unfinished-*"))
	return left
}

func exists(file string) bool {
	_, err := os.Stat(file)
	return !errors.Is(err, os.ErrNotExist)
}

// waitUntil looks until something is so.
func waitUntil(t *testing.T, is func() bool) {
	t.Helper()
	for end := time.Now().Add(30 * time.Second); !is(); {
		if time.Now().After(end) {
			t.Fatal("it did not come")
		}
	}
}

// A PostgreSQL database is backed up, verified, and restored into another one and into a file.
func TestBackupOfPostgreSQL(t *testing.T) {
	t.Parallel()
	from, to, dir := pgcluster.Postgres(t), pgcluster.Postgres(t), t.TempDir()
	data, file, restored := filepath.Join(dir, "data"), filepath.Join(dir, "a.sett"), filepath.Join(dir, "restored")
	run := func(args ...string) (stdout string) {
		t.Helper()
		status, stdout, stderr := try(nil, args...)
		if status != 0 {
			t.Fatalf("sett %s: status %d, %s", strings.Join(args, " "), status, stderr)
		}
		return stdout
	}
	run("setup", "--database", from, "--data", data) // with the secret key
	run("backup", file, "--database", from)
	if said := run("backup", "--verify", file); !regexp.MustCompile(`^The backup is whole: \d+ tables with \d+ rows up to .*, schema \d+, sett .* The rows of each table are those that were backed up.\n$`).MatchString(said) {
		t.Errorf("verified: %q", said)
	}
	run("restore", file, "--database", to, "--data", data)
	run("restore", file, "--data", restored)
	before := run("user", "list", "--database", from, "--data", data)
	for name, where := range map[string][]string{"PostgreSQL": {"--database", to, "--data", data}, "SQLite": {"--data", restored, "--secret-key-file", filepath.Join(data, "secret.key")}} {
		if after := run(append([]string{"user", "list"}, where...)...); before == "" || before != after {
			t.Errorf("users were\n%sand are on %s\n%s", before, name, after)
		}
	}
	if status, _, stderr := try(nil, "restore", file, "--database", to); status != 1 || !strings.Contains(stderr, "already has users") {
		t.Errorf("restored twice: status %d, %s", status, stderr)
	}
	whole, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, whole[:len(whole)/2], 0o600); err != nil {
		t.Fatal(err)
	}
	if status, stdout, stderr := try(nil, "backup", "--verify", file); status != 1 || stdout != "" || !strings.Contains(stderr, "damaged or incomplete") {
		t.Errorf("half of it: status %d, %s%s", status, stdout, stderr)
	}
	if status, _, stderr := try(nil, "restore", file, "--database", pgcluster.Postgres(t)); status != 1 || !strings.Contains(stderr, "damaged or incomplete") {
		t.Errorf("half of it restored: status %d, %s", status, stderr)
	}
}

func TestDoctorSaysWhatItFound(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	status, stdout, stderr := try(o.environ, "doctor", "--listen", "127.0.0.1:0", "--base-url", "http://127.0.0.1:1")
	if status != 0 || !strings.HasPrefix(stdout, "RESULT  CHECK") || !strings.Contains(stdout, "warn    backups         there is no backup yet; run sett backup FILE every day") {
		t.Errorf("status %d, stderr %q, stdout:\n%s", status, stderr, stdout)
	}
	status, stdout, stderr = try(o.environ, "doctor", "--listen", "127.0.0.1:0", "--smtp-url", "smtp://127.0.0.1:1", "--json")
	if status != 1 || stderr != "sett: some checks failed; see above\n" || !bytes.Contains([]byte(stdout), []byte(`{"check":"mail","verdict":"fail",`)) {
		t.Errorf("status %d, stderr %q, stdout:\n%s", status, stderr, stdout)
	}
}

// A shell can ask for what completes a command line.
func TestCompletion(t *testing.T) {
	t.Parallel()
	for _, shell := range []string{"bash", "zsh", "fish", "powershell"} {
		command := process(t, os.Args[0], "completion", shell) // cobra writes to the output of the process
		if output, err := command.CombinedOutput(); err != nil || !strings.Contains(string(output), "sett") {
			t.Errorf("%s: %v, %s", shell, err, output)
		}
	}
	_, stdout, _ := try(nil, "__complete", "back")
	if !strings.HasPrefix(stdout, "backup\t") {
		t.Errorf("back is completed to %q", stdout)
	}
	_, stdout, _ = try(nil, "__complete", "serve", "--li")
	if !strings.HasPrefix(stdout, "--listen\t") {
		t.Errorf("serve --li is completed to %q", stdout)
	}
}
