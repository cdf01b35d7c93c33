package db

import (
	"context"
	"strings"
	"testing"
)

func TestCheckpointsKeepTheLogShort(t *testing.T) {
	t.Parallel()
	s := openFile(t)
	s.checkpoints.stop() // the test runs them
	s.checkpoints.stopped.Wait()
	s.checkpoints.stop = func() {}
	run := func(statement string, args ...any) {
		t.Helper()
		if _, err := s.Write.ExecContext(t.Context(), statement, args...); err != nil {
			t.Fatal(err)
		}
	}
	run(`CREATE TABLE filler (text text)`)
	longest := 0
	for range 100 {
		run(`INSERT INTO filler VALUES (?)`, strings.Repeat("x", 1<<20))
		s.checkpoints.run(context.Background())
		log, _, err := checkpoint(t.Context(), s.Read, "NOOP")
		if err != nil {
			t.Fatal(err)
		}
		longest = max(longest, log)
	}
	if most := longLog + 2*enough; longest > most {
		t.Errorf("the log grew to %d pages, more than %d", longest, most)
	}
	var bytes int
	if err := s.Read.QueryRowContext(t.Context(), `SELECT sum(length(text)) FROM filler`).Scan(&bytes); err != nil || bytes != 100<<20 {
		t.Errorf("%d bytes are there, %v", bytes, err)
	}
}
