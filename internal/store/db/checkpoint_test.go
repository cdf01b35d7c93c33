package db

import (
	"context"
	"database/sql"
	"strings"
	"sync"
	"testing"
	"time"
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

// Reads that overlap at all times must not let the log grow without end.
func TestReadersDoNotKeepTheLogLong(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("-short leaves out tests that take seconds")
	}
	s := openFile(t)
	s.checkpoints.stop() // the test runs them
	s.checkpoints.stopped.Wait()
	s.checkpoints.stop = func() {}
	if _, err := s.Write.ExecContext(t.Context(), `CREATE TABLE filler (text text)`); err != nil {
		t.Fatal(err)
	}
	stop, held := make(chan struct{}), make(chan func(), 2)
	var reading sync.WaitGroup
	reading.Go(func() { // one begins before the other ends
		defer close(held)
		for {
			tx, err := s.Read.BeginTx(context.Background(), &sql.TxOptions{ReadOnly: true})
			if err == nil {
				err = tx.QueryRow(`SELECT count(*) FROM filler`).Scan(new(int))
			}
			if err != nil {
				t.Error(err)
				return
			}
			select {
			case held <- func() { _ = tx.Rollback() }:
			case <-stop:
				_ = tx.Rollback()
				return
			}
		}
	})
	reading.Go(func() {
		for end := range held {
			time.Sleep(10 * time.Millisecond)
			end()
		}
	})
	before, restarted := 0, 0
	for range 250 {
		if _, err := s.Write.ExecContext(t.Context(), `INSERT INTO filler VALUES (?)`, strings.Repeat("x", 1<<20)); err != nil {
			t.Fatal(err)
		}
		s.checkpoints.run(context.Background())
		log, _, err := checkpoint(t.Context(), s.Write, "NOOP")
		if err != nil {
			t.Fatal(err)
		}
		if log < before {
			restarted++
		}
		before = log
	}
	close(stop)
	reading.Wait()
	if restarted == 0 {
		t.Errorf("the log grew to %d pages, and was never written from its start", before)
	}
}
