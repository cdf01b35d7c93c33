package sourcemapdb_test

import (
	"bytes"
	"crypto/rand"
	"errors"
	"io"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sett/internal/sett"
	"sett/internal/store"
	"sett/internal/store/sourcemapdb"
)

func (d *desk) sender() sourcemapdb.Sender {
	return sourcemapdb.Sender{AccountID: d.AccountID, UserID: 7}
}

func (d *desk) chunk(from sourcemapdb.Sender, text []byte) sourcemapdb.ChunkHash {
	d.T.Helper()
	if err := d.SourceMaps.SaveChunk(d.T.Context(), d.now, from, text); err != nil {
		d.T.Fatal(err)
	}
	return sourcemapdb.HashChunk(text)
}

func (d *desk) missing(from sourcemapdb.Sender, hashes ...sourcemapdb.ChunkHash) []sourcemapdb.ChunkHash {
	d.T.Helper()
	_, missing, err := d.SourceMaps.Chunks(d.T.Context(), from, hashes)
	if err != nil {
		d.T.Fatal(err)
	}
	return missing
}

func TestChunksMakeAnArchive(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, d *desk) {
		var hashes []sourcemapdb.ChunkHash
		var text []byte
		for _, part := range []string{"one", "second", "one", "", "3"} {
			hashes = append(hashes, sourcemapdb.HashChunk([]byte(part)))
			text = append(text, part...)
		}
		me := d.sender()
		if diff := cmp.Diff([]sourcemapdb.ChunkHash{hashes[0], hashes[1], hashes[3], hashes[4]}, d.missing(me, hashes...)); diff != "" {
			t.Errorf("missing at first (-want +got):\n%s", diff)
		}
		for _, part := range []string{"one", "second", "", "3", "one"} {
			d.chunk(me, []byte(part))
		}
		a, missing, err := d.SourceMaps.Chunks(t.Context(), me, hashes)
		if err != nil || len(missing) > 0 || a.Bytes != int64(len(text)) {
			t.Fatalf("%d missing, %d bytes, %v", len(missing), a.Bytes, err)
		}
		for from := range text {
			for to := from; to <= len(text)+1; to++ {
				p := make([]byte, to-from)
				n, err := a.ReadAt(p, int64(from))
				if want := text[from:min(to, len(text))]; !bytes.Equal(p[:n], want) || (err != nil) != (to > len(text)) || err != nil && !errors.Is(err, io.EOF) {
					t.Fatalf("%d:%d is %q, %v", from, to, p[:n], err)
				}
			}
		}
		for name, other := range map[string]sourcemapdb.Sender{
			"another user": {AccountID: d.AccountID, UserID: 8}, "a key": {AccountID: d.AccountID, ProjectID: d.ProjectID}, "another account": {AccountID: "x", UserID: 7},
		} {
			if len(d.missing(other, hashes[0])) != 1 {
				t.Errorf("%s has the chunk", name)
			}
		}
		if err := d.SourceMaps.DropArchive(t.Context(), a); err != nil || len(d.missing(me, hashes...)) != 4 {
			t.Errorf("after the archive was dropped: %v", err)
		}
		fresh, _, err := d.SourceMaps.Chunks(t.Context(), me, []sourcemapdb.ChunkHash{d.chunk(me, []byte("late"))})
		if err == nil {
			err = d.SourceMaps.DropArchive(t.Context(), fresh)
		}
		if _, gone := fresh.ReadAt(make([]byte, 1), 0); err != nil || sett.CodeOf(gone) != sett.NotFound {
			t.Errorf("%v; a chunk that is gone: %v", err, gone)
		}
	})
}

func TestChunksAreBounded(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, d *desk) {
		me, theirs := d.sender(), sourcemapdb.Sender{UserID: 9}
		theirs.AccountID, _ = d.Stranger()
		noise := make([]byte, 1000)
		_, _ = rand.Read(noise)
		other := d.chunk(theirs, noise)
		var hashes []sourcemapdb.ChunkHash
		for i := range 30 {
			d.now = d.now.Add(time.Second)
			noise[0], noise[1] = byte(i), 1
			hashes = append(hashes, d.chunk(me, noise))
		}
		if err := d.SourceMaps.FitChunks(t.Context(), d.AccountID, 28, 1<<30, 1<<30); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(hashes[:2], d.missing(me, hashes...)); diff != "" {
			t.Errorf("beyond the number of an account (-want +got):\n%s", diff)
		}
		if err := d.SourceMaps.FitChunks(t.Context(), d.AccountID, 28, 3500, 1<<30); err != nil {
			t.Fatal(err)
		}
		if n := len(d.missing(me, hashes...)); n != 27 || len(d.missing(theirs, other)) != 0 {
			t.Errorf("beyond the bytes of an account: %d are missing", n)
		}
		if err := d.SourceMaps.FitChunks(t.Context(), d.AccountID, 28, 3500, 2500); err != nil {
			t.Fatal(err)
		}
		if n := len(d.missing(me, hashes...)); n != 28 || len(d.missing(theirs, other)) != 1 {
			t.Errorf("beyond the bytes of all: %d are missing", n)
		}
	})
}

func TestChunksGo(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, d *desk) {
		me := d.sender()
		old := d.chunk(me, []byte("old"))
		d.now = d.now.Add(20 * time.Hour)
		late := d.chunk(me, []byte("late"))
		purge := store.Purge{Now: func() time.Time { return d.now.Add(10 * time.Hour) }, Holder: "test", Rest: noRest}
		if _, err := d.PurgeProjects(t.Context(), purge); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]sourcemapdb.ChunkHash{old}, d.missing(me, old, late)); diff != "" {
			t.Errorf("after a day (-want +got):\n%s", diff)
		}
		if err := d.SourceMaps.SweepProject(t.Context(), d.ProjectID); err != nil || len(d.missing(me, late)) != 1 {
			t.Errorf("after a project of the account was deleted: %v", err)
		}
	})
}

func TestBundlesAreKnownWhileAllTheirMapsAre(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, d *desk) {
		has := func(project int64, bundle string, want bool) {
			t.Helper()
			if got, err := d.SourceMaps.HasBundle(t.Context(), d.now, project, bundle); got != want || err != nil {
				t.Errorf("%s: %t %v", bundle, got, err)
			}
		}
		has(d.ProjectID, "a", false)
		u := sourcemapdb.Upload{Revision: "1", URL: "~/1.js", Map: []byte("1"), Bundle: "a", BundleMaps: 2}
		first := d.save(u)
		has(d.ProjectID, "a", false)
		u.URL = "~/2.js"
		d.save(u)
		has(d.ProjectID, "a", true)
		has(d.Project("Other").ID, "a", false)
		d.now = d.now.Add(50 * 24 * time.Hour)
		has(d.ProjectID, "a", true)
		if list, _, err := d.SourceMaps.List(t.Context(), d.ProjectID, sett.Some("1"), sett.Page{Size: 9}); err != nil || len(list) != 2 || !list[0].UsedAt.Equal(d.now.Truncate(24*time.Hour)) {
			t.Errorf("after it was asked for: %+v %v", list, err)
		}
		u.Bundle, u.Map = "b", []byte("2")
		d.save(u)
		has(d.ProjectID, "a", false)
		u.Bundle = "a"
		d.save(u)
		has(d.ProjectID, "a", true)
		if err := d.SourceMaps.Delete(t.Context(), d.ProjectID, first); err != nil {
			t.Fatal(err)
		}
		has(d.ProjectID, "a", false)
	})
}
