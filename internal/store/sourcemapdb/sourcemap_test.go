package sourcemapdb_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sett/internal/sett"
	"sett/internal/store"
	"sett/internal/store/sourcemapdb"
	"sett/internal/store/storetest"
)

type desk struct {
	*storetest.Desk
	now time.Time
}

func engines(t *testing.T, f func(t *testing.T, d *desk)) {
	t.Helper()
	storetest.Engines(t, func(t *testing.T, s *store.Store) { f(t, &desk{storetest.NewDesk(t, s), storetest.Noon}) })
}

func (d *desk) save(u sourcemapdb.Upload) int64 {
	d.T.Helper()
	if u.ProjectID == 0 {
		u.ProjectID = d.ProjectID
	}
	id, err := d.SourceMaps.Save(d.T.Context(), d.now, u)
	if err != nil {
		d.T.Fatal(err)
	}
	return id
}

// find returns the text of the map that applies; "" for none.
func (d *desk) find(debugID, revision, url string) string {
	d.T.Helper()
	f, ok, err := d.SourceMaps.Find(d.T.Context(), d.ProjectID, debugID, revision, url)
	if err != nil {
		d.T.Fatal(err)
	}
	if !ok {
		return ""
	}
	text, err := d.SourceMaps.File(d.T.Context(), d.ProjectID, f.FileID)
	if err != nil || int64(len(text)) != f.Bytes {
		d.T.Fatalf("%d bytes of %d, %v", len(text), f.Bytes, err)
	}
	return string(text)
}

func (d *desk) total() sourcemapdb.Total {
	d.T.Helper()
	sum, err := d.SourceMaps.Total(d.T.Context(), d.ProjectID)
	if err != nil {
		d.T.Fatal(err)
	}
	return sum
}

// wantCounted compares the totals with the rows.
func (d *desk) wantCounted() {
	d.T.Helper()
	rows := d.Numbers(`SELECT (SELECT count(*) FROM source_maps), CAST((SELECT coalesce(sum(stored), 0) FROM source_files)
		+ 1000 * ((SELECT count(*) FROM source_maps) + (SELECT count(*) FROM source_map_files)) AS bigint)`, 2)
	totals := d.Numbers(`SELECT CAST(coalesce(sum(maps), 0) AS bigint), CAST(coalesce(sum(bytes), 0) AS bigint) FROM source_map_totals`, 2)
	if diff := cmp.Diff(rows, totals); diff != "" {
		d.T.Errorf("maps and bytes (-rows +totals):\n%s", diff)
	}
	if orphans := d.Numbers(`SELECT count(*) FROM source_files WHERE id NOT IN (SELECT file_id FROM source_maps) AND id NOT IN (SELECT file_id FROM source_map_files)`, 1)[0]; orphans > 0 {
		d.T.Errorf("%d files belong to no map", orphans)
	}
}

func TestFindTakesTheMostExactMap(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, d *desk) {
		for _, u := range []sourcemapdb.Upload{
			{Revision: "master", URL: "https://a.test/main.js"},
			{Revision: "master", URL: "*"},
			{Revision: "1", URL: "https://a.test/*"},
			{Revision: "1", URL: "https://a.test/x/*"},
			{Revision: "1", URL: "~/y/main.js"},
			{Revision: "1", URL: "https://a.test/y/main.js"},
			{Revision: "", URL: "~/main.js", DebugID: "d-1"},
			{Revision: "1", URL: "~/z.js", DebugID: "d-1"},
		} {
			u.Map = []byte(u.Revision + " " + u.URL + " " + u.DebugID)
			d.save(u)
		}
		other := d.Project("Other")
		d.save(sourcemapdb.Upload{ProjectID: other.ID, Revision: "2", URL: "https://a.test/main.js", Map: []byte("of another project")})
		for _, c := range []struct{ debugID, revision, url, want string }{
			{"", "1", "https://A.test/y/main.js?v=2#x", "1 https://a.test/y/main.js "},
			{"", "1", "https://b.test/y/main.js", "1 ~/y/main.js "},
			{"", "1", "https://a.test/x/main.js", "1 https://a.test/x/* "},
			{"", "1", "https://a.test/main.js", "1 https://a.test/* "},
			{"", "2", "https://a.test/main.js", "master https://a.test/main.js "},
			{"", "", "https://a.test/main.js", "master https://a.test/main.js "},
			{"", "1", "https://c.test/main.js", "master * "},
			{"d-1", "7", "https://c.test/main.js", "1 ~/z.js d-1"}, // the newest
			{"d-2", "1", "https://c.test/z.js", "1 ~/z.js d-1"},
		} {
			if got := d.find(c.debugID, c.revision, c.url); got != c.want {
				t.Errorf("%+v: %q", c, got)
			}
		}
		if _, err := d.SourceMaps.File(t.Context(), other.ID, 1); sett.CodeOf(err) != sett.NotFound {
			t.Errorf("a file of another project: %v", err)
		}
		d.wantCounted()
	})
}

func TestTheSameUploadReplaces(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, d *desk) {
		u := sourcemapdb.Upload{Revision: "1", URL: "https://a.test/main.js", Map: []byte("first"), Files: []sourcemapdb.File{{"https://a.test/a.js", []byte("a")}, {"https://a.test/b.js", []byte("b")}}}
		d.save(u)
		u.Map, u.Files[0].Content = []byte("second"), []byte("second")
		id := d.save(u)
		if got := d.find("", "1", u.URL); got != "second" {
			t.Errorf("found %q", got)
		}
		if got := d.Numbers(`SELECT count(*) FROM source_files`, 1)[0]; got != 2 || d.total().Maps != 1 {
			t.Errorf("%d files of %d maps, want 2 of 1", got, d.total().Maps)
		}
		text, ok, err := d.SourceMaps.OriginalFile(t.Context(), d.ProjectID, id, "https://a.test/a.js")
		if string(text) != "second" || !ok || err != nil {
			t.Errorf("the original file is %q %t %v", text, ok, err)
		}
		if _, ok, err := d.SourceMaps.OriginalFile(t.Context(), d.ProjectID+1, id, "https://a.test/a.js"); ok || err != nil {
			t.Errorf("an original file of another project: %t %v", ok, err)
		}
		d.wantCounted()
	})
}

func TestAProjectStoresAFileOnce(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, d *desk) {
		text := []byte(strings.Repeat("map ", 10_000))
		for _, revision := range []string{"1", "2", "3"} {
			d.save(sourcemapdb.Upload{Revision: revision, URL: "~/main.js", Map: text})
		}
		d.save(sourcemapdb.Upload{ProjectID: d.Project("Other").ID, Revision: "1", URL: "~/main.js", Map: text})
		if got := d.Numbers(`SELECT count(*) FROM source_files`, 1)[0]; got != 2 {
			t.Errorf("%d files, want one for each project", got)
		}
		if sum := d.total(); sum.Maps != 3 || sum.Bytes > 4_000 {
			t.Errorf("%+v", sum)
		}
		if err := d.SourceMaps.DeleteRevision(t.Context(), d.ProjectID, "1"); err != nil {
			t.Fatal(err)
		}
		if got := d.find("", "2", "https://a.test/main.js"); got != string(text) {
			t.Errorf("the file that two other revisions need has %d bytes", len(got))
		}
		d.wantCounted()
	})
}

// The table of functions of a minified file is stored, counted and deleted with its map.
func TestFunctionsAreStoredWithTheirMap(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, d *desk) {
		want := func(functions string) {
			t.Helper()
			f, ok, err := d.SourceMaps.Find(t.Context(), d.ProjectID, "", "1", "https://a.test/main.js")
			if err != nil || !ok || (f.FunctionsID != 0) != (functions != "") {
				t.Fatalf("%+v, %t, %v", f, ok, err)
			}
			if text, err := d.SourceMaps.File(t.Context(), d.ProjectID, f.FunctionsID); functions != "" && (err != nil || string(text) != functions) {
				t.Errorf("the functions are %q, %v", text, err)
			}
			d.wantCounted()
		}
		u := sourcemapdb.Upload{Revision: "1", URL: "~/main.js", Map: []byte("map"), Functions: []byte("a"), Files: []sourcemapdb.File{{URL: "~/a.ts", Content: []byte("a")}}}
		d.save(u)
		want("a")
		u.Functions = []byte("b")
		d.save(u)
		want("b")
		u.Functions = nil
		d.save(u)
		want("")
		u.Functions = []byte("c")
		d.save(u)
		if err := d.SourceMaps.DeleteRevision(t.Context(), d.ProjectID, "1"); err != nil {
			t.Fatal(err)
		}
		if left := d.Numbers(`SELECT count(*) FROM source_files`, 1)[0]; left != 0 {
			t.Errorf("%d files are left", left)
		}
		d.wantCounted()
	})
}

// A deletion of a revision goes on wherever its process dies, and leaves what is uploaded meanwhile, also for this revision.
func TestDeleteRevisionGoesOnWhereverItIsCutOff(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, d *desk) {
		const maps = 2*sourcemapdb.MapsAtOnce + 1
		var newest int64
		for i := range maps {
			newest = d.save(sourcemapdb.Upload{Revision: "1", URL: fmt.Sprintf("~/%d.js", i), Map: fmt.Append(nil, "map ", i)})
		}
		d.save(sourcemapdb.Upload{Revision: "2", URL: "~/other.js", Map: []byte("other")})
		d.Run(`INSERT INTO pending_work (kind, project_id, body, due_at) VALUES ('delete source maps', $1, $2, 0)`, d.ProjectID, fmt.Sprintf(`{"revision":"1","newest":%d}`, newest))
		d.save(sourcemapdb.Upload{Revision: "1", URL: "~/late.js", Map: []byte("late")})
		cuts := 0
		for err := d.WorkUntil(storetest.CutAfter(0)); err != nil; err = d.WorkUntil(storetest.CutAfter(0)) {
			if !errors.Is(err, storetest.ErrCut) {
				t.Fatal(err)
			}
			cuts++
		}
		d.Finish()
		if got := d.Numbers(`SELECT count(*) FROM source_maps`, 1)[0]; got != 2 || cuts < 2 {
			t.Errorf("%d maps are left after %d cuts, want the late one and that of another revision", got, cuts)
		}
		d.wantCounted()
		if err := d.SourceMaps.DeleteRevision(t.Context(), d.ProjectID, "3"); sett.CodeOf(err) != sett.NotFound {
			t.Errorf("a revision without maps: %v", err)
		}
	})
}

func TestFitDeletesTheLeastRecentlyUsedOfTheLargestProject(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, d *desk) {
		noise := func() []byte {
			b := make([]byte, 10_000)
			_, _ = rand.Read(b)
			return b
		}
		other := d.Project("Other")
		d.save(sourcemapdb.Upload{ProjectID: other.ID, Revision: "1", URL: "~/0.js", Map: noise()})
		for i := range 12 {
			d.save(sourcemapdb.Upload{Revision: "1", URL: fmt.Sprintf("~/%d.js", i), Map: noise()})
		}
		d.now = d.now.Add(48 * time.Hour)
		f, _, err := d.SourceMaps.Find(t.Context(), d.ProjectID, "", "1", "/0.js")
		if err != nil {
			t.Fatal(err)
		}
		if err := d.SourceMaps.Touch(t.Context(), d.now, d.ProjectID, f); err != nil {
			t.Fatal(err)
		}
		d.SourceMaps.MostBytes = 40_000
		d.save(sourcemapdb.Upload{ProjectID: other.ID, Revision: "1", URL: "~/1.js", Map: noise()})
		if theirs := d.Count(`SELECT count(*) FROM source_maps WHERE project_id IN `, other.ID); theirs != 2 {
			t.Errorf("%d maps of the smaller project, want 2", theirs)
		}
		if sum := d.total(); sum.Maps != 1 || d.find("", "1", "/0.js") == "" {
			t.Errorf("%d maps are left, want the one that was used", sum.Maps)
		}
		_, err = d.SourceMaps.Save(t.Context(), d.now, sourcemapdb.Upload{ProjectID: d.ProjectID, URL: "~/x.js", Map: bytes.Repeat(noise(), 5)})
		if err != nil {
			t.Errorf("a file that repeats itself: %v", err)
		}
		d.SourceMaps.MostBytes = 9_000
		if _, err = d.SourceMaps.Save(t.Context(), d.now, sourcemapdb.Upload{ProjectID: d.ProjectID, URL: "~/x.js", Map: noise()}); sett.CodeOf(err) != sett.TooLarge {
			t.Errorf("a file beyond all that may be stored: %v", err)
		}
		d.wantCounted()
	})
}

func noRest(ctx context.Context, _ time.Duration) error { return ctx.Err() }

func TestUnusedMapsGo(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, d *desk) {
		d.save(sourcemapdb.Upload{Revision: "1", URL: "~/old.js", Map: []byte("old")})
		d.save(sourcemapdb.Upload{Revision: "1", URL: "~/used.js", Map: []byte("used")})
		f, _, err := d.SourceMaps.Find(t.Context(), d.ProjectID, "", "1", "/used.js")
		if err == nil {
			err = d.SourceMaps.Touch(t.Context(), d.now.Add(80*24*time.Hour), d.ProjectID, f)
		}
		if err != nil {
			t.Fatal(err)
		}
		purge := store.Purge{Now: func() time.Time { return d.now.Add(100 * 24 * time.Hour) }, Holder: "test", Rest: noRest}
		if _, err := d.PurgeProjects(t.Context(), purge); err != nil {
			t.Fatal(err)
		}
		if old, used := d.find("", "1", "/old.js"), d.find("", "1", "/used.js"); old != "" || used != "used" {
			t.Errorf("after 100 days: %q and %q", old, used)
		}
		d.wantCounted()
	})
}

func TestListsAndDeletion(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, d *desk) {
		first := d.save(sourcemapdb.Upload{Revision: "1", URL: "~/a.js", Map: []byte("12345"), Sources: 3, Contained: 2})
		d.now = d.now.Add(time.Hour)
		d.save(sourcemapdb.Upload{Revision: "1", URL: "~/b.js", Map: []byte("1")})
		d.now = d.now.Add(time.Hour)
		d.save(sourcemapdb.Upload{Revision: "2", URL: "~/b.js", Map: []byte("1")})
		day := storetest.Noon.Truncate(24 * time.Hour)
		revisions, err := d.SourceMaps.Revisions(t.Context(), d.ProjectID, 10)
		want := []sourcemapdb.Revision{{"2", 1, 1, d.now, day}, {"1", 2, 6, d.now.Add(-time.Hour), day}}
		if diff := cmp.Diff(want, revisions); diff != "" || err != nil {
			t.Errorf("revisions, %v (-want +got):\n%s", err, diff)
		}
		newest, marks, err := d.SourceMaps.List(t.Context(), d.ProjectID, sett.Some("1"), sett.Page{Size: 1})
		if err != nil || len(newest) != 1 || newest[0].URL != "~/b.js" || marks.Prev != "" {
			t.Errorf("the newest map of revision 1: %+v %+v, %v", newest, marks, err)
		}
		list, marks, err := d.SourceMaps.List(t.Context(), d.ProjectID, sett.Some("1"), sett.Page{Size: 1, Mark: marks.Next})
		if back, _, err := d.SourceMaps.List(t.Context(), d.ProjectID, sett.Some("1"), sett.Page{Size: 1, Mark: marks.Prev, Back: true}); err != nil || !cmp.Equal(back, newest) {
			t.Errorf("the page before: %+v, %v", back, err)
		}
		if all, _, err := d.SourceMaps.List(t.Context(), d.ProjectID, sett.Optional[string]{}, sett.Page{Size: 10}); err != nil || len(all) != 3 || all[0].Revision != "2" {
			t.Errorf("all maps: %+v, %v", all, err)
		}
		wanted := []sourcemapdb.Found{{ID: first, FileID: 1, Revision: "1", URL: "~/a.js", Bytes: 5, Sources: 3, Contained: 2, UploadedAt: storetest.Noon, UsedAt: day}}
		if diff := cmp.Diff(wanted, list); diff != "" || err != nil {
			t.Errorf("maps of revision 1, %v (-want +got):\n%s", err, diff)
		}
		urls, err := d.SourceMaps.URLs(t.Context(), d.ProjectID, "1")
		if diff := cmp.Diff([]string{"~/b.js", "~/a.js"}, urls); diff != "" || err != nil {
			t.Errorf("URLs, %v (-want +got):\n%s", err, diff)
		}
		other := d.Project("Other").ID
		if err := d.SourceMaps.Delete(t.Context(), other, first); sett.CodeOf(err) != sett.NotFound {
			t.Errorf("deleted as another project: %v", err)
		}
		if err := d.SourceMaps.Delete(t.Context(), d.ProjectID, first); err != nil || d.find("", "1", "/a.js") != "" {
			t.Errorf("delete: %v", err)
		}
		if err := d.SourceMaps.SweepProject(t.Context(), d.ProjectID); err != nil || d.total() != (sourcemapdb.Total{}) {
			t.Errorf("%+v after all were deleted: %v", d.total(), err)
		}
		d.wantCounted()
	})
}

func TestStatementsLookUpWhatTheyRead(t *testing.T) {
	t.Parallel()
	d := storetest.NewDesk(t, storetest.OpenSQLite(t))
	for text, args := range sourcemapdb.Statements {
		d.WantNoWholeTable(text, args...)
	}
	plan := d.Plan(d.Text(sourcemapdb.ByURL), 1, "", "", "", 1)
	if strings.Contains(plan, "SCAN m") || strings.Contains(plan, "SCAN f") || !strings.Contains(plan, "source_maps_wild") {
		t.Errorf("a search by URL reads a whole table:\n%s", plan)
	}
}

// A map from another server does not take the place of what clients have uploaded.
func TestOlderMapsReplaceNone(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, d *desk) {
		d.save(sourcemapdb.Upload{Revision: "r1", URL: "~/a.js", Map: []byte("new")})
		for _, u := range []sourcemapdb.Upload{
			{Revision: "r1", URL: "~/a.js", Map: []byte("old")},
			{Revision: "r1", URL: "~/a.js", DebugID: "d1", Map: []byte("old with an id")},
			{Revision: "r2", URL: "~/a.js", DebugID: "d1", Map: []byte("again")},
			{Revision: "r2", URL: "~/a.js", DebugID: "d2", Map: []byte("of r2")},
		} {
			stored := u.DebugID != "" && u.Revision+u.DebugID != "r2d1"
			if u.Older = true; (d.save(u) != 0) != stored {
				t.Errorf("%s is stored: %t", u.Map, !stored)
			}
		}
		for want, by := range map[string][2]string{"new": {"", "r1"}, "old with an id": {"d1", "r1"}, "of r2": {"", "r2"}} {
			if got := d.find(by[0], by[1], "https://shop.example.test/a.js"); got != want {
				t.Errorf("%q applies, want %q", got, want)
			}
		}
	})
}
