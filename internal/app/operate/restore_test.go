package operate_test

import (
	"bytes"
	"database/sql"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sett/internal/app"
	"sett/internal/app/backup"
	"sett/internal/app/operate"
	"sett/internal/sett"
	"sett/internal/store/db"
)

// hostile returns a whole backup of a database in which a statement was run.
func hostile(t *testing.T, statement string) []byte {
	t.Helper()
	cfg := app.Config{Data: t.TempDir()}
	if _, err := operate.Setup(t.Context(), cfg.Installation(), operate.SetupOptions{Email: "olga@example.test", Name: "Olga", Account: "Acme", Project: "Shop"}); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(cfg.Data, "sett.db")
	made, err := sql.Open("sqlite", "file:"+file)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []string{statement, "PRAGMA wal_checkpoint(TRUNCATE)", "PRAGMA journal_mode = delete"} {
		if _, err := made.ExecContext(t.Context(), s); err != nil {
			t.Fatal(s, err)
		}
	}
	if err := made.Close(); err != nil {
		t.Fatal(err)
	}
	database, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var packed bytes.Buffer
	h := backup.Header{Sett: "x", Schema: db.NewestSchema(), At: time.Now(), Bytes: int64(len(database))}
	if err := backup.Write(&packed, h, bytes.NewReader(database)); err != nil {
		t.Fatal(err)
	}
	return packed.Bytes()
}

// A backup is brought back only when it has the schema of sett and nothing else: a trigger in it would run in the server.
func TestRestoreRefusesOtherSchemas(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("-short leaves out tests that take seconds")
	}
	for statement, want := range map[string]string{
		`CREATE TRIGGER more AFTER INSERT ON sessions BEGIN UPDATE users SET name = 'x'; END`: `has the trigger "more", which sett does not create`,
		`CREATE VIEW faultless AS SELECT * FROM users`:                                        `has the view "faultless", which sett does not create`,
		`CREATE TABLE mine (a)`:                              `has the table "mine", which sett does not create`,
		`CREATE VIRTUAL TABLE mine USING fts5(a)`:            `which sett does not create`,
		`CREATE INDEX mine ON users (name)`:                  `has the index "mine", which sett does not create`,
		`ALTER TABLE users ADD COLUMN extra text DEFAULT ''`: `has a table "users" that differs`,
		`DROP TABLE saved_searches`:                          `lacks the`,
	} {
		data := filepath.Join(t.TempDir(), "data")
		_, err := operate.Restore(t.Context(), app.Config{Data: data}.Installation(), "-", bytes.NewReader(hostile(t, statement)))
		if sett.CodeOf(err) != sett.Invalid || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "Nothing was restored.") {
			t.Errorf("%s: %v", statement, err)
		}
		if _, err := os.Stat(data); !os.IsNotExist(err) {
			t.Errorf("%s: the directory was made: %v", statement, err)
		}
	}
	data := filepath.Join(t.TempDir(), "data")
	must[operate.Restored](t)(operate.Restore(t.Context(), app.Config{Data: data}.Installation(), "-", bytes.NewReader(hostile(t, "ANALYZE"))))
	if diff := cmp.Diff([]string{"sett.db"}, databasesIn(files(t, data))); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
}

// databasesIn leaves out the files that are only locked.
func databasesIn(names []string) (found []string) {
	for _, name := range names {
		if !strings.HasSuffix(name, ".lock") {
			found = append(found, name)
		}
	}
	return found
}
