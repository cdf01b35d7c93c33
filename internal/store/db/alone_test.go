package db

import (
	"sync"
	"testing"

	"sett/internal/setttest/pgcluster"
)

// serve and setup may be started at the same moment on an empty directory, and nodes on an empty database.
func TestProcessesThatStartTogether(t *testing.T) {
	t.Parallel()
	for name, o := range map[string]func(t *testing.T) Options{
		"sqlite":   func(t *testing.T) Options { return Options{Dir: t.TempDir()} },
		"postgres": func(t *testing.T) Options { return Options{Database: pgcluster.Postgres(t)} },
	} {
		t.Run(name, func(t *testing.T) {
			where := o(t)
			var wg sync.WaitGroup
			for range 8 {
				wg.Go(func() {
					s, err := Open(t.Context(), where)
					if err != nil {
						t.Errorf("open: %v", err)
						return
					}
					if _, _, err := s.Migrate(t.Context()); err != nil {
						t.Errorf("migrate: %v", err)
					}
					if err := s.Close(); err != nil {
						t.Errorf("close: %v", err)
					}
				})
			}
			wg.Wait()
		})
	}
}
