package operate_test

import (
	"bytes"
	"context"
	"io"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sett/internal/app"
	"sett/internal/app/operate"
	"sett/internal/base/objects"
	"sett/internal/sett"
	"sett/internal/setttest"
	"sett/internal/setttest/bucket"
	"sett/internal/store"
)

// names returns the names of all objects of a bucket.
func names(b *bucket.Bucket) (all []string) {
	for _, name := range slices.Sorted(maps.Keys(b.Keys())) {
		all = append(all, strings.TrimPrefix(name, "/events/sett/"))
	}
	return all
}

// A backup in object storage is verified and restored as one in a file. Nothing else is replaced by it.
func TestBackupInObjectStorage(t *testing.T) {
	t.Parallel()
	cfg, _ := newBackup(t)
	b := bucket.New(t)
	place := objects.Join(b.Address(), "daily/a.sett")
	for range 2 { // the second one replaces the first
		made := must[operate.MadeBackup](t)(operate.Backup(t.Context(), cfg.Installation(), place, nil))
		if stored := b.Keys()["/events/sett/daily/a.sett"]; made.File != place || made.Bytes != int64(len(stored)) {
			t.Errorf("%+v, and %d bytes are stored", made, len(stored))
		}
	}
	if v := must[operate.VerifiedBackup](t)(operate.VerifyBackup(t.Context(), place, nil)); !v.Compared || v.File != place {
		t.Errorf("%+v", v)
	}
	other := cfg
	other.Data = filepath.Join(t.TempDir(), "data")
	must[operate.Restored](t)(operate.Restore(t.Context(), other.Installation(), place, nil))
	if got := files(t, other.Data); !slices.Contains(got, "sett.db") {
		t.Errorf("the restored directory has %q", got)
	}

	before := b.Keys()
	c := must[*objects.Client](t)(objects.New(must[objects.Address](t)(objects.ParseAddress(b.Address()))))
	if err := c.Put(t.Context(), "mine", []byte("mine")); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"mine": "already exists and is not a sett backup", "daily": "is the prefix of other objects; add a name", "daily/": "add a name: s3://bucket/prefix/name",
	} {
		if _, err := operate.Backup(t.Context(), cfg.Installation(), objects.Join(b.Address(), name), nil); sett.CodeOf(err) != sett.Invalid || !strings.Contains(err.Error(), want) {
			t.Errorf("a backup to %s: %v", name, err)
		}
	}
	if after := b.Keys(); len(after) != len(before)+1 || string(after["/events/sett/mine"]) != "mine" {
		t.Errorf("objects are %q", names(b))
	}
	for _, bad := range []string{"none.sett", "mine"} {
		if _, err := operate.VerifyBackup(t.Context(), objects.Join(b.Address(), bad), nil); err == nil {
			t.Errorf("%s is a backup", bad)
		}
	}
}

// Why no backup could be stored, or read, is said; an earlier one and the database stay, and nothing else is left.
func TestBackupWithoutObjectStorage(t *testing.T) {
	t.Parallel()
	cfg, _ := newBackup(t)
	b := bucket.New(t)
	place := objects.Join(b.Address(), "a.sett")
	must[operate.MadeBackup](t)(operate.Backup(t.Context(), cfg.Installation(), place, nil))
	before := b.Keys()
	for _, calls := range []int{0, 1, 2, 3} { // the object is looked at, an upload is begun, a part is sent, it is completed
		for code, want := range map[string]string{"NoSuchBucket": "create it", "QuotaExceeded": "is full", "AccessDenied": "s3:ListBucket", "InvalidAccessKeyId": "AWS_ACCESS_KEY_ID"} {
			b.BreakAfter(calls, code)
			_, err := operate.Backup(t.Context(), cfg.Installation(), place, nil)
			if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "no earlier backup was changed") || strings.Contains(err.Error(), "\n") {
				t.Errorf("%s after %d calls: %v", code, calls, err)
			}
			b.Break("")
			if !maps.EqualFunc(before, b.Keys(), bytes.Equal) {
				t.Errorf("%s after %d calls changed objects: %q", code, calls, names(b))
			}
		}
	}
	b.Break("AccessDenied")
	data := filepath.Join(t.TempDir(), "data")
	if _, err := operate.Restore(t.Context(), app.Config{Data: data}.Installation(), place, nil); err == nil || !strings.Contains(err.Error(), "s3:GetObject") {
		t.Errorf("restore: %v", err)
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if _, err := operate.Backup(ctx, cfg.Installation(), place, nil); err == nil || !strings.Contains(err.Error(), "stopped before the backup was complete") {
		t.Errorf("a backup that is stopped: %v", err)
	}
}

// Repeated backups keep the newest of their own, and leave all other objects alone.
func TestRepeatedBackupsInObjectStorage(t *testing.T) {
	t.Parallel()
	cfg, _ := newBackup(t)
	b := bucket.New(t)
	c := must[*objects.Client](t)(objects.New(must[objects.Address](t)(objects.ParseAddress(b.Address()))))
	others := []string{"daily/mine.sett", "daily/sett-20200101T000000Z.sett", "daily/sett-20200101T000000.5Z.sett", "sett-20200101T000000Z.sett", "daily/sett-1/sett-20200101T000000Z.sett"}
	for _, name := range others {
		if err := c.Put(t.Context(), name, []byte("mine")); err != nil {
			t.Fatal(err)
		}
	}
	var log bytes.Buffer
	repeatDaily(t, cfg, objects.Join(b.Address(), "daily"), &log, 6, func(made int) { b.Break(map[int]string{3: "QuotaExceeded"}[made]) })
	kept := []string{"daily/sett-20261128T030000Z.sett", "daily/sett-20261130T030000Z.sett", "daily/sett-20261201T030000Z.sett"}
	want := slices.Sorted(slices.Values(slices.Concat(others, kept)))
	if diff := cmp.Diff(want, names(b)); diff != "" {
		t.Errorf("objects (-want +got):\n%s", diff)
	}
	if n := strings.Count(log.String(), "a backup could not be created"); n != 1 || strings.Contains(log.String(), "could not be deleted") {
		t.Errorf("the log is\n%s", &log)
	}
	must[operate.VerifiedBackup](t)(operate.VerifyBackup(t.Context(), objects.Join(b.Address(), kept[2]), nil))

	nowhere := operate.RepeatedBackup{Dir: "s3://", Every: 24 * time.Hour, Keep: 3}
	if err := operate.BackupRepeatedly(t.Context(), cfg.Installation(), nowhere); sett.CodeOf(err) != sett.Invalid {
		t.Errorf("no bucket: %v", err)
	}
}

// What deletes the objects of events leaves a backup alone that is in the same place.
func TestBackupBesideBlocks(t *testing.T) {
	t.Parallel()
	withBucket(t, 0, func(t *testing.T, s *setttest.Server, b *bucket.Bucket) {
		moved(t, s)
		blocks := names(b)
		place := objects.Join(b.Address(), "a.sett")
		must[operate.MadeBackup](t)(operate.Backup(t.Context(), s.Config.Installation(), place, io.Discard))
		if _, err := operate.Backup(t.Context(), s.Config.Installation(), objects.Join(b.Address(), blocks[0]), io.Discard); sett.CodeOf(err) != sett.Invalid {
			t.Errorf("a block is replaced by a backup: %v", err)
		}
		inBlocks := objects.Join(b.Address(), path.Join(path.Dir(blocks[0]), "b.sett"))
		must[operate.MadeBackup](t)(operate.Backup(t.Context(), s.Config.Installation(), inBlocks, io.Discard))

		s.Client.Delete("/v2/projects/1")
		o := store.Purge{Now: func() time.Time { return s.Clock.Now().Add(100 * 24 * time.Hour) }, Holder: "test", Rest: func(context.Context, time.Duration) error { return nil }}
		for {
			if n, err := s.App.Store().PurgeProjects(t.Context(), o); err != nil {
				t.Fatal(err)
			} else if n == 0 {
				break
			}
		}
		must[int64](t)(s.App.Store().DeleteObjects(t.Context(), o))
		if got := names(b); len(got) != 2 {
			t.Errorf("objects are %q", got)
		}
		for _, p := range []string{place, inBlocks} {
			must[operate.VerifiedBackup](t)(operate.VerifyBackup(t.Context(), p, nil))
		}
	})
}
