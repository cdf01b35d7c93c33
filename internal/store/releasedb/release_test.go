package releasedb_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/faults"
	"sett/internal/sett/release"
	"sett/internal/store"
	"sett/internal/store/db"
	"sett/internal/store/releasedb"
	"sett/internal/store/storetest"
)

type desk struct{ *storetest.Desk }

func engines(t *testing.T, f func(t *testing.T, d desk)) {
	t.Helper()
	storetest.Engines(t, func(t *testing.T, s *store.Store) { f(t, desk{storetest.NewDesk(t, s)}) })
}

func (d desk) key(version string) releasedb.Key {
	return releasedb.Key{ProjectID: d.ProjectID, Version: version}
}

func (d desk) note(named ...releasedb.Named) (full map[releasedb.Key]bool) {
	d.T.Helper()
	err := d.InTx(d.T.Context(), "note", func(t *db.Tx) (err error) {
		full, err = d.Releases.In(t).Note(d.T.Context(), named)
		return err
	})
	if err != nil {
		d.T.Fatal(err)
	}
	return full
}

func (d desk) save(c release.Change) (release.Release, bool) {
	d.T.Helper()
	r, created, err := d.Releases.Save(d.T.Context(), storetest.Noon, d.ProjectID, c)
	if err != nil {
		d.T.Fatal(err)
	}
	return r, created
}

func TestSaveCreatesAndChanges(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, d desk) {
		ctx, released := t.Context(), storetest.Noon.Add(-time.Hour)
		want := release.Release{ProjectID: d.ProjectID, Version: "shop@1.2.3+5/b", CreatedAt: storetest.Noon, Ref: "main"}
		got, created := d.save(release.Change{Version: want.Version, Ref: sett.Some("main")})
		if diff := cmp.Diff(want, got); diff != "" || !created {
			t.Errorf("created %v (-want +got):\n%s", created, diff)
		}
		want.ReleasedAt, want.URL = released, "https://example.test/1"
		got, created = d.save(release.Change{Version: want.Version, ReleasedAt: sett.Some(released), URL: sett.Some(want.URL)})
		if diff := cmp.Diff(want, got); diff != "" || created {
			t.Errorf("created %v again (-want +got):\n%s", created, diff)
		}
		if got, err := d.Releases.ByVersion(ctx, d.ProjectID, want.Version); err != nil || got != want {
			t.Errorf("%+v, %v", got, err)
		}
		if _, err := d.Releases.ByVersion(ctx, d.Project("Other").ID, want.Version); sett.CodeOf(err) != sett.NotFound {
			t.Errorf("another project finds it: %v", err)
		}
		if _, _, err := d.Releases.Save(ctx, storetest.Noon, 999_999, release.Change{Version: "1"}); sett.CodeOf(err) != sett.NotFound {
			t.Errorf("a release of no project: %v", err)
		}
		for _, version := range []string{"", ".", "..", " 1", "a\nb", strings.Repeat("x", 256), "a\x00", "\xff", release.Other} {
			if _, _, err := d.Releases.Save(ctx, storetest.Noon, d.ProjectID, release.Change{Version: version}); sett.CodeOf(err) != sett.Invalid {
				t.Errorf("version %q: %v", version, err)
			}
		}
	})
}

func TestCommitsAreReplacedAndLimited(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, d desk) {
		ctx := t.Context()
		if err := d.Releases.SetCommits(ctx, d.ProjectID, "1", nil); sett.CodeOf(err) != sett.NotFound {
			t.Errorf("commits of no release: %v", err)
		}
		d.save(release.Change{Version: "1"})
		var many []release.Commit
		for i := range 2 * release.MostCommits {
			many = append(many, release.Commit{SHA: fmt.Sprint(i), Message: strings.Repeat("ü", 2_000), At: storetest.Noon})
		}
		for _, sent := range [][]release.Commit{many, {{SHA: " a ", Message: "One\n\nMore", Author: "A\x00b", Email: "a@example.test"}, {Message: "none"}}} {
			if err := d.Releases.SetCommits(ctx, d.ProjectID, "1", sent); err != nil {
				t.Fatal(err)
			}
			got, err := d.Releases.Commits(ctx, d.ProjectID, "1")
			if err != nil {
				t.Fatal(err)
			}
			if len(sent) > 2 {
				if len(got) != release.MostCommits || got[0].SHA != "0" || len([]rune(got[0].Message)) != 500 || !got[0].At.Equal(storetest.Noon) {
					t.Errorf("%d commits, the first %+v", len(got), got[0])
				}
			} else if diff := cmp.Diff([]release.Commit{{SHA: "a", Message: "One", Author: "A b", Email: "a@example.test"}}, got); diff != "" {
				t.Errorf("commits (-want +got):\n%s", diff)
			}
		}
	})
}

func TestNoteAddsEventsUpToALimitOfReleases(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, d desk) {
		noon := storetest.Noon
		at := func(h int) time.Time { return noon.Add(time.Duration(h) * time.Hour) }
		d.note(releasedb.Named{Key: d.key("1"), At: at(0)})
		d.note(releasedb.Named{Key: d.key("1"), At: at(3), First: at(1), Last: at(3), Events: 2}, releasedb.Named{Key: d.key("2"), At: at(4), First: at(4), Last: at(4), Events: 1})
		d.note(releasedb.Named{Key: d.key("1"), At: at(2), First: at(-1), Last: at(2), Events: 5})
		got, err := d.Releases.ByVersion(t.Context(), d.ProjectID, "1")
		want := release.Release{ProjectID: d.ProjectID, Version: "1", CreatedAt: at(-1), FirstSeenAt: at(-1), LastSeenAt: at(3), Events: 7}
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%v (-want +got):\n%s", err, diff)
		}
		var named []releasedb.Named
		for i := range release.MostPerProject {
			named = append(named, releasedb.Named{Key: d.key(fmt.Sprintf("flood-%05d", i)), At: noon})
		}
		if full := d.note(named...); len(full) == 0 || !full[d.key(fmt.Sprintf("flood-%05d", release.MostPerProject-1))] || full[d.key("flood-00000")] {
			t.Errorf("%d of %d had no room", len(full), len(named))
		}
		if n := d.Numbers(`SELECT count(*) FROM releases`, 1)[0]; n != release.MostPerProject {
			t.Errorf("%d releases, want %d", n, release.MostPerProject)
		}
		if full := d.note(releasedb.Named{Key: d.key("1"), At: noon, First: noon, Last: noon, Events: 1}); full[d.key("1")] {
			t.Error("a release that exists has no room")
		}
		if _, _, err := d.Releases.Save(t.Context(), noon, d.ProjectID, release.Change{Version: "more"}); sett.CodeOf(err) != sett.Conflict {
			t.Errorf("a release beyond the limit: %v", err)
		}
	})
}

func TestListPagesNewestFirst(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, d desk) {
		for i := range 5 {
			d.note(releasedb.Named{Key: d.key(fmt.Sprint(i)), At: storetest.Noon.Add(time.Duration(i/2) * time.Hour)})
		}
		versions := func(p sett.Page) (all string, marks sett.Marks) {
			found, marks, err := d.Releases.List(t.Context(), d.ProjectID, p)
			if err != nil {
				t.Fatal(err)
			}
			for _, r := range found {
				all += r.Version
			}
			return all, marks
		}
		first, marks := versions(sett.Page{Size: 2})
		second, after := versions(sett.Page{Size: 2, Mark: marks.Next})
		back, _ := versions(sett.Page{Size: 2, Mark: after.Prev, Back: true})
		if first != "43" || second != "21" || back != "43" {
			t.Errorf("pages %s, %s and back %s", first, second, back)
		}
		if _, _, err := d.Releases.List(t.Context(), d.ProjectID, sett.Page{Size: 2, Mark: "x"}); sett.CodeOf(err) != sett.Invalid {
			t.Errorf("a wrong cursor: %v", err)
		}
	})
}

func TestDeleteTakesAllOfARelease(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, d desk) {
		d.Record(storetest.Noon, accounts.Limits{}, d.Report("A"))
		d.Release(d.ProjectID, "1")
		d.Release(d.ProjectID, "2")
		if err := d.Releases.Delete(t.Context(), d.ProjectID, "1"); err != nil {
			t.Fatal(err)
		}
		for _, table := range []string{"releases", "release_commits", "release_faults", "release_hours"} {
			if n := d.Numbers(`SELECT count(*), coalesce(sum(CASE WHEN version = '2' THEN 1 ELSE 0 END), 0) FROM `+table, 2); !cmp.Equal(n, []int64{1, 1}) {
				t.Errorf("%s has %v rows", table, n)
			}
		}
		if err := d.Releases.Delete(t.Context(), d.ProjectID, "1"); sett.CodeOf(err) != sett.NotFound {
			t.Errorf("deleted twice: %v", err)
		}
	})
}

// A page of releases reads what happened in these releases, and nothing of the others of the project.
func TestFiguresReadOnlyTheirReleases(t *testing.T) {
	t.Parallel()
	d := desk{storetest.NewDesk(t, storetest.OpenSQLite(t))}
	for text, args := range map[string]int{releasedb.CountFaults: 5, releasedb.ListFaults: 4} {
		plan := d.Plan(d.Text(text), slices.Repeat([]any{1}, args)...)
		if !strings.Contains(plan, "SEARCH x USING PRIMARY KEY (project_id=? AND version=? AND event=?)") {
			t.Errorf("%s\nis run as\n%s", text, plan)
		}
	}
}

// The list of releases shows the newest deploys of each, and of no other project.
func TestLatestDeploys(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, d desk) {
		var ids []int64
		for i, revision := range []string{"a", "a", "b", "a", "c"} {
			ids = append(ids, d.Deploy(storetest.Noon.Add(time.Duration(i)*time.Minute), faults.Deploy{Revision: revision, Environment: "production"}))
		}
		if _, err := d.Faults.RecordDeploy(t.Context(), storetest.Noon, d.Project("Other").ID, faults.Deploy{Revision: "a"}); err != nil {
			t.Fatal(err)
		}
		found, err := d.Releases.LatestDeploys(t.Context(), d.ProjectID, []string{"b", "a", "none"})
		if err != nil {
			t.Fatal(err)
		}
		got := map[string][]int64{}
		for version, deploys := range found {
			for _, one := range deploys {
				got[version] = append(got[version], one.ID)
			}
		}
		if diff := cmp.Diff(map[string][]int64{"a": {ids[3], ids[1]}, "b": {ids[2]}}, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}
