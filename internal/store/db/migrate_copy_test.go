package db

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sett/internal/base/progress"
	"sett/internal/sett"
)

// olderFile makes a database with the schema before the newest, in a directory, and returns its version.
func olderFile(t *testing.T, dir string) (version int64) {
	t.Helper()
	s, err := Open(t.Context(), Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	p, err := s.provider(s.Write)
	if err == nil {
		_, err = p.UpTo(t.Context(), NewestSchema()-1)
	}
	if err == nil {
		version, err = p.GetDBVersion(t.Context())
	}
	if err == nil {
		_, err = s.Write.ExecContext(t.Context(), `INSERT INTO users (id, email, name, password, created_at) VALUES (7, 'olga@example.test', 'Olga', '', 1)`)
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	return version
}

// namesIn are the database and its copies in a directory.
func namesIn(t *testing.T, dir string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), "sett.db.") {
			names = append(names, e.Name())
		}
	}
	return names
}

// The schema of a file that a server records into is never changed, and what is changed is copied first.
func TestMigrationsYieldToAServer(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("-short leaves out tests that take seconds")
	}
	dir := t.TempDir()
	version := olderFile(t, dir)
	server := openAt(t, Options{Dir: dir}) // of an older sett
	if err := server.RecordAlone(t.Context()); err != nil {
		t.Fatal(err)
	}
	newer := openAt(t, Options{Dir: dir})
	_, _, err := newer.Migrate(t.Context())
	if sett.CodeOf(err) != sett.Conflict || !strings.Contains(err.Error(), "another sett serves the data directory "+dir) {
		t.Errorf("beside a server: %v", err)
	}
	if now, err := newer.SchemaVersion(t.Context()); now != version || err != nil || len(namesIn(t, dir)) > 0 {
		t.Errorf("the schema has version %d, %v; files %v", now, err, namesIn(t, dir))
	}
	if err := server.files.recorder.Unlock(); err != nil { // it ends
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "sett.db.copying"), []byte("half"), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, ended := progress.Record(t.Context())
	from, to, err := newer.Migrate(ctx)
	if steps := ended(); len(steps) != 2 || steps[0].What != "copying the database" || steps[1].What != "changing the schema of the database" || steps[1].Done != 1 || steps[1].Total != 1 {
		t.Errorf("progress ended at %+v", steps)
	}
	if err != nil || from != version || to != NewestSchema() {
		t.Fatalf("from %d to %d, %v", from, to, err)
	}
	if locked, err := server.files.recorder.TryLock(); !locked || err != nil {
		t.Errorf("the directory is still locked: %v", err)
	}
	checkCopy(t, newer.CopyBefore(), version)
	if diff := cmp.Diff([]string{filepath.Base(newer.CopyBefore())}, namesIn(t, dir)); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
	if from, to, err := newer.Migrate(t.Context()); from != to || err != nil {
		t.Errorf("beside a server that has the schema: from %d to %d, %v", from, to, err)
	}
}

// checkCopy opens a copy as the database of another directory.
func checkCopy(t *testing.T, file string, version int64) {
	t.Helper()
	about, err := os.Stat(file)
	if err != nil || about.Mode().Perm() != 0o600 {
		t.Fatalf("%v, %v", about, err)
	}
	dir := t.TempDir()
	if err := os.Link(file, filepath.Join(dir, fileName)); err != nil {
		t.Fatal(err)
	}
	s := openAt(t, Options{Dir: dir, Found: true})
	var users int64
	if err := s.Read.QueryRowContext(t.Context(), `SELECT count(*) FROM users WHERE email = 'olga@example.test'`).Scan(&users); err != nil || users != 1 {
		t.Errorf("the copy has %d users, %v", users, err)
	}
	if now, err := s.SchemaVersion(t.Context()); now != version || err != nil || s.Sound(t.Context()) != nil {
		t.Errorf("the copy has version %d, %v", now, err)
	}
}

// The last copies stay, and nothing else is removed.
func TestOldCopiesGo(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "a[b]*")
	version := olderFile(t, dir)
	for _, name := range []string{"sett.db.schema-9", "sett.db.schema-10", "sett.db.schema-mine", "sett.db.mine"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s := openAt(t, Options{Dir: dir})
	if _, _, err := s.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	want := []string{"sett.db.mine", "sett.db.schema-10", filepath.Base(s.path + copyMark + strconv.FormatInt(version, 10)), "sett.db.schema-mine"}
	if diff := cmp.Diff(want, namesIn(t, dir)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	plain, err := s.PlainCopies()
	if diff := cmp.Diff([]string{s.path + copyMark + "10"}, plain); diff != "" || err != nil {
		t.Errorf("copies with secrets: %v (-want +got):\n%s", err, diff)
	}
}

// Without a copy the schema stays as it is, unless none is wanted.
func TestMigrationsWithoutACopy(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	version := olderFile(t, dir)
	if err := os.MkdirAll(filepath.Join(dir, "sett.db.copying", "x"), 0o700); err != nil {
		t.Fatal(err)
	}
	s := openAt(t, Options{Dir: dir})
	if _, _, err := s.Migrate(t.Context()); err == nil || !strings.Contains(err.Error(), "copy database before its schema is changed") {
		t.Errorf("with no way to copy: %v", err)
	}
	if now, err := s.SchemaVersion(t.Context()); now != version || err != nil {
		t.Errorf("the schema has version %d, %v", now, err)
	}
	without := openAt(t, Options{Dir: dir, NoCopy: true})
	if from, to, err := without.Migrate(t.Context()); err != nil || from == to || without.CopyBefore() != "" {
		t.Errorf("without a copy: from %d to %d, %v", from, to, err)
	}
	if err := noRoomToCopy(s.path, os.ErrInvalid); sett.CodeOf(err) != sett.Conflict || !strings.Contains(err.Error(), "there is not enough space in "+dir) || !strings.Contains(err.Error(), " MB)") {
		t.Errorf("without room: %v", err)
	}
}
