package db

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"sett/internal/sett"
)

// Once a transaction has met a full disk, the reserve is given and reports are refused, until there is room again: on the disk, or within the
// file, after rows were deleted.
func TestTheReserveIsGivenAndTakenBack(t *testing.T) {
	t.Parallel()
	s := openFile(t)
	s.checkpoints.stop() // the test runs them
	s.checkpoints.stopped.Wait()
	s.checkpoints.stop = func() {}
	c, ctx, now := &s.checkpoints, t.Context(), time.Now()
	file := filepath.Join(filepath.Dir(s.path), reserveName)
	wantRoom := func(when string, reserved, roomy bool) {
		t.Helper()
		info, err := os.Stat(file)
		if (err == nil && info.Size() == reserveBytes) != reserved || (s.Roomy() == nil) != roomy {
			t.Errorf("%s: the reserve is %v, %v; reports are refused with %v", when, info, err, s.Roomy())
		}
	}
	run := func(statement string, args ...any) error {
		return s.InTx(ctx, "change", func(tx *Tx) error {
			_, err := tx.ExecContext(ctx, statement, args...)
			return err
		})
	}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(s.ReserveRoom())
	wantRoom("at first", true, true)
	must(run(`CREATE TABLE filler (text text)`))
	for range 8 {
		must(run(`INSERT INTO filler VALUES ($1)`, strings.Repeat("x", 1<<20)))
	}
	limit := func(pages int) {
		t.Helper()
		_, err := s.Write.ExecContext(ctx, fmt.Sprintf("PRAGMA max_page_count=%d", pages)) // SQLite raises it to the pages that there are
		must(err)
	}
	limit(1)
	if err := run(`INSERT INTO filler VALUES ($1)`, strings.Repeat("x", 1<<20)); sett.CodeOf(err) != sett.Unavailable {
		t.Errorf("a full disk: %v", err)
	}
	wantRoom("full", false, false)
	if err := os.Mkdir(file, 0o700); err != nil { // others have taken the room
		t.Fatal(err)
	}
	c.takeBack(ctx, now.Add(time.Minute))
	wantRoom("still full", false, false)
	must(run(`DELETE FROM filler`))
	c.takeBack(ctx, now.Add(2*time.Minute))
	wantRoom("after rows were deleted", false, true)
	for range 6 {
		must(run(`INSERT INTO filler VALUES ($1)`, strings.Repeat("x", 1<<20)))
	}
	c.takeBack(ctx, now.Add(3*time.Minute))
	wantRoom("after their room was used again", false, false)
	must(os.Remove(file))
	c.takeBack(ctx, now.Add(3*time.Minute+reserveEvery/2))
	wantRoom("a moment later", false, false)
	c.takeBack(ctx, now.Add(4*time.Minute))
	wantRoom("after others have freed room", true, true)
	limit(1 << 20)
	must(run(`INSERT INTO filler VALUES ($1)`, strings.Repeat("x", 1<<20)))
}

// Data that can be made again, and PostgreSQL, need no reserve.
func TestWhereNoReserveIsKept(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := openAt(t, Options{Dir: dir, MadeUp: true})
	if err := s.ReserveRoom(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(dir, reserveName)); !os.IsNotExist(err) || s.Roomy() != nil {
		t.Errorf("the reserve: %v, %v", err, s.Roomy())
	}
}
