package deploy

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/jackc/pgx/v5"

	"sett/e2e/rig"
	"sett/e2e/rig/load"
	"sett/internal/setttest/pgbouncer"
)

// TestPgBouncer runs two servers behind PgBouncer, which is restarted, and kills one of them, while clients report. What was accepted must
// be stored exactly once, each alert must arrive under one id, and no lock may be left.
func TestPgBouncer(t *testing.T) {
	t.Parallel()
	for mode, direct := range map[string]bool{"transaction": true, "session": false} {
		t.Run(mode, func(t *testing.T) { t.Parallel(); throughPgBouncer(t, mode, direct) })
	}
}

func throughPgBouncer(t *testing.T, mode string, direct bool) {
	dsn := rig.DurablePostgres(t)
	pooler := pgbouncer.Serve(t, dsn, mode, "default_pool_size = 60", "query_wait_timeout = 5", "server_lifetime = 2", "log_connections = 0", "log_disconnections = 0")
	var more []string
	if direct {
		more = []string{"--database-direct", dsn}
	}
	s, b := rig.PrepareIn(t, t.TempDir(), pooler.Through(dsn), more...), load.OpenAlertBox(t)
	s.Flags = append(s.Flags, "--location", "none", "--egress-allow", "127.0.0.0/8")
	s.Restart(t)
	load.AddWebHook(t, s, b, "occurred", "resolved", "unresolved")
	second := rig.Launch(t, append(slices.Clone(s.Flags), "--data", t.TempDir(), "--secret-key-file", filepath.Join(s.Data, "secret.key"))...)
	base := second.Await(t)
	news := load.NewNews(s)
	b.OnArrival(news.Follow)
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("missing: %q", news.Missing(b.Received))
		}
	})
	reported := func(n int) {
		have := len(news.All())
		rig.Await(t, "more was accepted", func() bool { return len(news.All()) >= have+n })
	}
	end := news.Begin(s.Base)
	reported(50)
	if err := pooler.Stop(); err != nil {
		t.Fatal(err)
	}
	if err := pooler.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	reported(50)
	s.Kill()
	end()
	end = news.Begin(base)
	reported(50)
	s.Restart(t)
	reported(50)
	end()
	b.Await(t, "all that was accepted", func(received []load.Delivery) bool { return len(news.Missing(received)) == 0 })
	b.ProveOrder(t)
	second.Stop(t)
	s.Stop(t)
	db, err := pgx.Connect(t.Context(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close(t.Context())
	rig.Await(t, "no lock is left", func() bool {
		var locks int
		err := db.QueryRow(t.Context(), `SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'`).Scan(&locks)
		return err == nil && locks == 0
	})
	t.Logf("%d alerts promised, %d delivered, %d of them more than once", len(news.Promised), len(b.Received), b.Repeated())
}
