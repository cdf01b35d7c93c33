package operate_test

import (
	"errors"
	"io/fs"
	"path/filepath"
	"strconv"
	"testing"

	"sett/internal/app"
	"sett/internal/app/operate"
	"sett/internal/store"
	"sett/internal/store/db"
	"sett/internal/store/schema"
)

// olderDatabase makes a database with the schema before the newest, and a user in it.
func olderDatabase(t *testing.T, dir string) {
	t.Helper()
	files, err := fs.Glob(schema.Files, "*.sql")
	if err != nil {
		t.Fatal(err)
	}
	s, err := store.Open(t.Context(), db.Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files[:len(files)-1] {
		if version, err := strconv.ParseInt(file[:4], 10, 64); err != nil || s.Apply(t.Context(), version) != nil {
			t.Fatalf("%s: %v", file, err)
		}
	}
	_, err = s.Write.ExecContext(t.Context(), `INSERT INTO users (id, email, name, password, created_at) VALUES (7, 'olga@example.test', 'Olga', '', 1)`)
	if err := errors.Join(err, s.Close()); err != nil {
		t.Fatal(err)
	}
}

// A command that changes the schema copies the database before, unless its operator wants no copies.
func TestSecretsCopyTheDatabaseAsTheSettingSays(t *testing.T) {
	t.Parallel()
	for copies, want := range map[bool]int{true: 1, false: 0} {
		cfg := app.Config{Data: t.TempDir(), MigrationCopy: copies}
		olderDatabase(t, cfg.Data)
		_, err := operate.RotateSecretKey(t.Context(), cfg.Installation())
		names, unlisted := filepath.Glob(filepath.Join(cfg.Data, "sett.db.schema-*"))
		if err := errors.Join(err, unlisted); err != nil || len(names) != want {
			t.Errorf("with --migration-copy=%t there are %q, %v", copies, names, err)
		}
	}
}
