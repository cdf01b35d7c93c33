package operate_test

import (
	"context"
	"fmt"
	"log/slog"
	"net/netip"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"sett/internal/app"
	"sett/internal/app/operate"
	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/setttest"
	"sett/internal/setttest/bucket"
	"sett/internal/setttest/pgcluster"
	"sett/internal/store"
	"sett/internal/store/block"
)

// moved returns the ids of notices that a server has moved to object storage.
func moved(t *testing.T, s *setttest.Server) (ids []sett.UUID) {
	t.Helper()
	for range 20 {
		made := s.Client.Post("/v1/notices", `{"error":{"class":"Timeout"},"server":{"hostname":"web-1"}}`).JSON()
		ids = append(ids, must[sett.UUID](t)(sett.ParseUUID(made["id"].(string))))
	}
	stored := s.App.Store()
	if err := stored.Intake.Settle(t.Context()); err != nil {
		t.Fatal(err)
	}
	stored.Blocks.Sizes = block.Sizes{Most: 10, Least: 1}
	o := store.Purge{Now: func() time.Time { return s.Clock.Now().Add(48 * time.Hour) }, Holder: "test", Rest: func(context.Context, time.Duration) error { return nil }}
	for f := (accounts.ObjectFigures{}); f.Blocks < 2; {
		if _, err := stored.Compact(t.Context(), o); err != nil {
			t.Fatal(err)
		}
		if _, err := stored.MoveBlocks(t.Context(), o); err != nil {
			t.Fatal(err)
		}
		var err error
		if f, err = stored.Blocks.ObjectFigures(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	return ids
}

// withBucket starts a server on each engine whose blocks are in object storage.
func withBucket(t *testing.T, cache int64, f func(t *testing.T, s *setttest.Server, b *bucket.Bucket)) {
	for _, engine := range []string{"sqlite", "postgres"} {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			b := bucket.New(t)
			f(t, setttest.StartLogged(t, engine, slog.New(slog.DiscardHandler), func(c *app.Config) {
				c.Blocks, c.BlockCacheBytes, c.MetricsNetworks = b.Address(), cache, []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}
			}), b)
		})
	}
}

// What is in object storage is read from there once, and then from the cache, also while object storage does not respond. A backup contains it, and is
// restored without object storage.
func TestEventsInObjectStorage(t *testing.T) {
	t.Parallel()
	withBucket(t, 1<<20, func(t *testing.T, s *setttest.Server, b *bucket.Bucket) {
		ids := moved(t, s)
		list := fmt.Sprintf("/v2/projects/%d/faults/1/notices", s.Setup.ProjectID)
		s.Client.Get(list).Want(200)
		gets := b.Gets()
		if gets == 0 {
			t.Error("nothing was read from object storage")
		}
		b.Break("SlowDown")
		if got := s.Client.Get(list).Want(200).JSON()["results"].([]any); len(got) != 20 {
			t.Errorf("%d notices are listed", len(got))
		}
		if b.Gets() != gets {
			t.Error("what was read is read again")
		}
		b.Break("")
		file, key := filepath.Join(t.TempDir(), "a.sett"), s.App.Store().SecretKeyFile()
		must[operate.MadeBackup](t)(operate.Backup(t.Context(), s.Config.Installation(), file, nil))
		must[operate.VerifiedBackup](t)(operate.VerifyBackup(t.Context(), file, nil))
		b.Break("SlowDown")
		to := app.Config{Data: filepath.Join(t.TempDir(), "new"), KeyFile: key, Location: "none"}
		if s.App.Store().SQLite() {
			to.Database = pgcluster.Postgres(t)
		}
		must[operate.Restored](t)(operate.Restore(t.Context(), to.Installation(), file, nil))
		checkRestored(t, s.App.Store().Engine(), to, s.Setup.ProjectID, ids)
		if _, err := operate.Backup(t.Context(), s.Config.Installation(), file, nil); err == nil || !strings.Contains(err.Error(), "object storage") {
			t.Errorf("a backup without object storage: %v", err)
		}
	})
}

// While object storage does not respond, the API and the pages say so, reports are accepted, and the operator sees it. Without --blocks, what is there is
// not lost, and sett blocks home brings it back.
func TestObjectStorageDoesNotRespond(t *testing.T) {
	t.Parallel()
	withBucket(t, 0, func(t *testing.T, s *setttest.Server, b *bucket.Bucket) {
		ids := moved(t, s)
		b.Break("SlowDown")
		list := fmt.Sprintf("/v2/projects/%d/faults/1/notices", s.Setup.ProjectID)
		if text := s.Client.Do("GET", list, nil).Want(503).Errors(); !strings.Contains(text, "object storage, which does not respond") {
			t.Errorf("the API says %q", text)
		}
		found := s.Client.Get(fmt.Sprintf("/v2/projects/%d/faults?q=hostname:web*", s.Setup.ProjectID)).Want(200).JSON()
		if found["unread_blocks"] != 2.0 {
			t.Errorf("a search returns %v", found)
		}
		postNotice(t, s)
		if text := s.Client.Get("/metrics").Body; !strings.Contains(string(text), "sett_object_storage_up 0") || !strings.Contains(string(text), `sett_blocks{place="object_storage"} 2`) {
			t.Errorf("metrics: %s", text)
		}
		finding := func(cfg app.Config) (found operate.Finding) {
			for _, f := range must[[]operate.Finding](t)(operate.Doctor(t.Context(), cfg.Installation())) {
				if f.Check == "object storage" {
					return f
				}
			}
			return found
		}
		if f := finding(s.Config); f.Verdict != operate.Fails || !strings.Contains(f.Text, "s3://events/sett/") {
			t.Errorf("doctor: %+v", f)
		}
		b.Break("")
		if f := finding(s.Config); f.Verdict != operate.Fine || !strings.Contains(f.Text, "2 blocks") {
			t.Errorf("later, doctor: %+v", f)
		}
		s.Stop(t)

		without := s.Config
		without.Blocks, without.KeyFile = "", s.App.Store().SecretKeyFile()
		if f := finding(without); f.Verdict != operate.Fails || !strings.Contains(f.Text, "sett blocks home") {
			t.Errorf("without --blocks, doctor: %+v", f)
		}
		a := must[*app.App](t)(app.New(t.Context(), without, slog.New(slog.DiscardHandler)))
		if _, err := a.Store().Faults.NoticeByUUID(t.Context(), s.Setup.ProjectID, ids[0]); sett.CodeOf(err) != sett.Unavailable || !strings.Contains(err.Error(), "--blocks") {
			t.Errorf("without --blocks: %v", err)
		}
		if err := a.Stop(context.Background()); err != nil {
			t.Error(err)
		}
		if n := must[int64](t)(operate.BlocksHome(t.Context(), s.Config.Installation())); n != 2 {
			t.Errorf("%d blocks came home", n)
		}
		if n := len(b.Keys()); n != 0 {
			t.Errorf("%d objects are left", n)
		}
		checkRestored(t, "home", without, s.Setup.ProjectID, ids)
	})
}
