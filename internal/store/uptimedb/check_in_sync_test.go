package uptimedb_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sett/internal/sett"
	"sett/internal/sett/checks"
	"sett/internal/sett/faults"
	"sett/internal/store"
	"sett/internal/store/db"
	"sett/internal/store/storetest"
	"sett/internal/store/uptimedb"
)

func (d *desk) checkInSlugs() (slugs []string) {
	d.T.Helper()
	found, _, err := d.Uptime.ListCheckIns(d.T.Context(), d.ProjectID, sett.Page{Size: 100})
	if err != nil {
		d.T.Fatal(err)
	}
	for _, c := range found {
		slugs = append(slugs, c.Slug+" "+c.Name)
	}
	return slugs
}

// Names are judged by what each check-in has in the end, however they change places.
func TestCheckInsOfAListChangeNames(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		const taken = " Please correct: name has already been taken by another check-in of this project."
		list := func(entries string) (changes []checks.CheckInChange) {
			for entry := range strings.FieldsSeq(entries) {
				c := storetest.Hourly(entry[:1])
				if c.Name = sett.Some(entry[1:]); strings.HasSuffix(entry, "!") {
					c.GracePeriod = sett.Some[checks.PeriodText]("soon")
				}
				changes = append(changes, c)
			}
			return changes
		}
		d.SyncList(storetest.Noon, list("aA bB cC")...)
		a, _, err := d.Uptime.ListCheckIns(t.Context(), d.ProjectID, sett.Page{Size: 1})
		if err != nil {
			t.Fatal(err)
		}
		d.PingAt(storetest.Noon, a[0])
		for _, step := range []struct {
			list  string
			lines []string
			names []string
		}{
			{"aB bA cC", []string{"update a", "update b", "update c"}, []string{"a B", "b A", "c C"}},
			{"aA bC cB", []string{"update a", "update b", "update c"}, []string{"a A", "b C", "c B"}},
			{"dA aB b cX", []string{"create d", "update a", "update b", "update c"}, []string{"a B", "b ", "c X", "d A"}},
			{"aB bX cC! dA", []string{"update a", "update b" + taken, "update c", "update d"}, []string{"a B", "b ", "c X", "d A"}},
			// What c keeps a cannot have, and so keeps what b wants.
			{"aX bB cA dA", []string{"update a" + taken, "update b" + taken, "update c" + taken, "update d"}, []string{"a B", "b ", "c X", "d A"}},
			{"aX bQ %R", []string{
				"update a" + taken, "update b", "create % Please correct: slug must be of lower-case letters, digits, - and _.",
				"delete c " + uptimedb.NotDeleted, "delete d " + uptimedb.NotDeleted,
			}, []string{"a B", "b Q", "c X", "d A"}},
		} {
			got := d.SyncList(storetest.Noon.Add(time.Hour), list(step.list)...)
			for i, line := range got {
				got[i], _, _ = strings.Cut(line, ` Please correct: grace_period`)
			}
			if diff := cmp.Diff(step.lines, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", step.list, diff)
			}
			if diff := cmp.Diff(step.names, d.checkInSlugs()); diff != "" {
				t.Errorf("%s left (-want +got):\n%s", step.list, diff)
			}
		}
		if got := d.checkInNow(a[0]); got.State != sett.CheckInReporting || !got.ReportedAt.Equal(storetest.Noon) {
			t.Errorf("another name left %+v", got)
		}
	})
}

func TestCheckInsAreReplacedByAList(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		other := d.CheckIn(d.Project("Other").ID, storetest.Hourly("theirs"))
		named := func(slug, name string) checks.CheckInChange {
			c := storetest.Hourly(slug)
			c.Name = sett.Some(name)
			return c
		}
		want := func(when string, got, want []string) {
			t.Helper()
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", when, diff)
			}
		}
		d.CheckIn(d.ProjectID, named("", "By hand"))
		want("first", d.SyncList(storetest.Noon, named("a", "A"), named("b", "B"), storetest.Hourly("c")), []string{"create a", "create b", "create c", "delete"})
		found, _, err := d.Uptime.ListCheckIns(t.Context(), d.ProjectID, sett.Page{Size: 1})
		if err != nil || len(found) != 1 {
			t.Fatal(found, err)
		}
		a := found[0]
		d.PingAt(storetest.Noon, a)
		want("the same", d.SyncList(storetest.Noon.Add(time.Minute), named("a", "A"), named("b", "B"), storetest.Hourly("c")), []string{"update a", "update b", "update c"})
		if got := d.checkInNow(a); got.State != sett.CheckInReporting || got.UpdatedAt != storetest.Noon {
			t.Errorf("what stays the same was changed: %+v", got)
		}
		slower := named("a", "B") // whose name is free, as b goes
		slower.ReportPeriod = sett.Some[checks.PeriodText]("2 hours")
		want("changed", d.SyncList(storetest.Noon.Add(time.Hour), slower, storetest.Hourly("d")), []string{"update a", "create d", "delete b", "delete c"})
		if got := d.checkInNow(a); got.State != sett.CheckInPending || got.ReportPeriod != "2 hours" || got.Name != "B" || !got.UpdatedAt.Equal(storetest.Noon.Add(time.Hour)) {
			t.Errorf("changed: %+v", got)
		}
		if got := d.checkInHistory(a); !cmp.Equal(got, []string{"reported 12:00:00", "changed 13:00:00"}) {
			t.Errorf("history: %q", got)
		}

		bad := storetest.Hourly("d")
		bad.GracePeriod = sett.Some[checks.PeriodText]("soon")
		never := storetest.Hourly("e")
		never.ReportPeriod = sett.Some[checks.PeriodText]("")
		got := d.SyncList(storetest.Noon, bad, never, storetest.Hourly(""), checks.CheckInChange{}, named("f", "B"), storetest.Hourly("X"), storetest.Hourly("g"), storetest.Hourly("g"), slower)
		want("refused", got, []string{
			`update d Please correct: grace_period "soon" is not a duration; write a number of minutes, hours, days, weeks or months, such as "30 minutes".`,
			"create e Please correct: report_period can't be blank.",
			"create  Please correct: slug can't be blank: it identifies the check-in.",
			"create  Please correct: slug can't be blank: it identifies the check-in.",
			"create f Please correct: name has already been taken by another check-in of this project.",
			"create X Please correct: slug must be of lower-case letters, digits, - and _.",
			"create g",
			"create g Please correct: slug is used by an earlier check-in of this list.",
			"update a",
		})
		want("what is there", d.checkInSlugs(), []string{"a B", "d ", "g "})
		want("an empty list", d.SyncList(storetest.Noon), []string{"delete a", "delete d", "delete g"})
		want("what is there", d.checkInSlugs(), nil)
		d.checkInNow(other)
		if _, err := s.Uptime.SyncCheckIns(t.Context(), storetest.Noon, 999, nil); sett.CodeOf(err) != sett.NotFound {
			t.Errorf("a project that is not there: %v", err)
		}
	})
}

// A project has so many check-ins and no more; what a sync refuses keeps nothing else from being done.
func TestMostCheckIns(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		var list []checks.CheckInChange
		for i := range faults.MostCheckIns + 2 {
			list = append(list, storetest.Hourly(fmt.Sprint("job-", i)))
		}
		lines := d.SyncList(storetest.Noon, list...)
		const refusal = "create job-1000 A project may have 1000 check-ins. Delete one first."
		if len(lines) != len(list) || lines[999] != "create job-999" || lines[1000] != refusal {
			t.Errorf("the last of the list: %q", lines[len(lines)-3:])
		}
		if _, err := s.Uptime.CreateCheckIn(t.Context(), storetest.Noon, d.ProjectID, storetest.Hourly("one-more")); sett.CodeOf(err) != sett.Conflict {
			t.Errorf("one more: %v", err)
		}
		lines = d.SyncList(storetest.Noon, list[1:]...)
		if lines[0] != "update job-1" || lines[999] != "create job-1000" || !strings.Contains(lines[1000], "may have 1000") || lines[1001] != "delete job-0" {
			t.Errorf("after one is left out: %q", lines[len(lines)-3:])
		}
	})
}

// No transaction deletes more than a few check-ins with their histories; the answer names all of them once, after those of the list.
func TestAListThatLeavesOutManyCheckIns(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		const piece = uptimedb.DropsAtOnce
		before, most := int64(0), int64(0)
		d.Hook(db.Hooks{AfterCommit: []func(context.Context, *db.Tx){func(context.Context, *db.Tx) {
			now := d.Numbers(`SELECT count(*) FROM check_ins`, 1)[0]
			before, most = now, max(most, before-now)
		}}})
		for _, n := range []int{0, 1, piece, piece + 1, 2 * piece, 2*piece + 1} {
			list := []checks.CheckInChange{storetest.Hourly("stays")}
			want := []string{"update stays"}
			for i := range n {
				list = append(list, storetest.Hourly(fmt.Sprintf("goes-%02d", i)))
				want = append(want, fmt.Sprintf("delete goes-%02d", i))
			}
			d.SyncList(storetest.Noon, list...)
			if diff := cmp.Diff(want, d.SyncList(storetest.Noon, list[0])); diff != "" {
				t.Errorf("%d are left out (-want +got):\n%s", n, diff)
			}
			if left := d.checkInSlugs(); len(left) != 1 {
				t.Errorf("%d are left out: %v are left", n, left)
			}
		}
		if most != piece {
			t.Errorf("a transaction deletes %d check-ins, want %d", most, piece)
		}
	})
}
