package db

import (
	"context"
	"database/sql"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

func TestReadersKeepStatements(t *testing.T) {
	t.Parallel()
	db, err := openReaders(sqliteDSN(filepath.Join(t.TempDir(), "kept.db"), readerCache, ""))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	db.SetMaxOpenConns(1)
	for _, statement := range []string{"CREATE TABLE numbers (n bigint)", "INSERT INTO numbers VALUES (1), (2), (3)"} {
		if _, err := db.Exec(statement); err != nil {
			t.Fatal(err)
		}
	}
	const from = "SELECT n FROM numbers WHERE n >= ? ORDER BY n"
	want := func(what string, least int, sum int) {
		t.Helper()
		if got := sumOf(t, db, from, least); got != sum {
			t.Errorf("%s: the numbers from %d are %d together, want %d", what, least, got, sum)
		}
	}
	want("first", 1, 6)
	want("kept, with another parameter", 3, 3)
	for i := range mostKeptReads + 10 {
		if got := sumOf(t, db, fmt.Sprintf("SELECT %d FROM numbers WHERE n = ?", i), 1); got != i {
			t.Fatalf("the text of %d is answered with %d", i, got)
		}
	}
	if n := keptBy(t, db); n != mostKeptReads {
		t.Errorf("%d statements are kept, want %d", n, mostKeptReads)
	}
	const length, most = 10_000, mostKeptText / 10_100
	for i := range most + 20 {
		sumOf(t, db, fmt.Sprintf("SELECT n FROM numbers WHERE n = ? --%d%s", i, strings.Repeat("x", length)), 1)
	}
	if n := keptBy(t, db); n < most || n > most+2 {
		t.Errorf("%d statements with longer texts are kept, want %d", n, most)
	}
	sumOf(t, db, "SELECT n FROM numbers WHERE n = ? --"+strings.Repeat("x", longestKept), 1)
	if n := keptBy(t, db); n < most {
		t.Errorf("%d statements are kept beside a very long one, want %d", n, most)
	}
	want("after it was let go", 2, 5)
	if _, err := db.Exec("ALTER TABLE numbers ADD COLUMN more bigint"); err != nil {
		t.Fatal(err)
	}
	want("after the schema has changed", 2, 5)
	if _, err := db.Query("SELECT nothing FROM numbers"); err == nil {
		t.Error("a statement that is none was run")
	}
}

// A statement can be run again while its rows are still being read.
func TestReadersRunAStatementTwice(t *testing.T) {
	t.Parallel()
	db, err := openReaders(sqliteDSN(filepath.Join(t.TempDir(), "kept.db"), readerCache, ""))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	const three = "SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3"
	tx, err := db.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Rollback() //nolint:errcheck // nothing was written
	for range 2 {
		outer, err := tx.QueryContext(t.Context(), three)
		n := 0
		err = ScanAll(outer, err, func(*sql.Rows) error {
			inner, err := tx.QueryContext(t.Context(), three)
			return ScanAll(inner, err, func(*sql.Rows) error { n++; return nil })
		})
		if err != nil || n != 9 {
			t.Errorf("three times three rows are %d: %v", n, err)
		}
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := tx.QueryContext(gone, three); err == nil {
		t.Error("a statement was run although its context had ended")
	}
}

func sumOf(t *testing.T, db *sql.DB, text string, args ...any) (sum int) {
	t.Helper()
	rows, err := db.Query(text, args...)
	err = ScanAll(rows, err, func(rows *sql.Rows) error {
		var n int
		err := rows.Scan(&n)
		sum += n
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return sum
}

// keptBy returns how many statements the only connection keeps.
func keptBy(t *testing.T, db *sql.DB) (n int) {
	t.Helper()
	c, err := db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if err := c.Raw(func(c any) error { n = len(c.(*readerConn).kept); return nil }); err != nil {
		t.Fatal(err)
	}
	return n
}
