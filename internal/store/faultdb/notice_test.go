package faultdb_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/faults"
	"sett/internal/store"
	"sett/internal/store/faultdb"
	"sett/internal/store/storetest"
)

// body replaces the payload of a report.
func body(json string) func(*faults.Report) {
	return func(r *faults.Report) { r.Body, r.BacktraceStart, r.BacktraceEnd = []byte(json), 0, 0 }
}

func TestListNotices(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		for i := range 7 {
			at := storetest.Noon.Add(time.Duration(i) * time.Minute)
			d.Record(at, accounts.Limits{}, d.Report("E", body(fmt.Sprintf(`{"error":{"message":"%d"}}`, i))))
		}
		messages := func(notices []faults.Notice) (m string) {
			for _, n := range notices {
				m += n.Message
			}
			return m
		}
		for _, c := range []struct {
			page faultdb.NoticePage
			want string
			more bool
		}{
			{faultdb.NoticePage{Page: sett.Page{Size: 25}}, "6543210", false},
			{faultdb.NoticePage{Page: sett.Page{Size: 7}}, "6543210", false},
			{faultdb.NoticePage{Page: sett.Page{Size: 6}}, "654321", true},
			{faultdb.NoticePage{Page: sett.Page{Size: 3, Offset: 3}}, "321", true},
			{faultdb.NoticePage{Page: sett.Page{Size: 3, Offset: 30}}, "", false},
			{faultdb.NoticePage{CreatedAfter: storetest.Noon.Add(2 * time.Minute), CreatedBefore: storetest.Noon.Add(5 * time.Minute), Page: sett.Page{Size: 25}}, "432", false},
			{faultdb.NoticePage{CreatedBefore: storetest.Noon.Add(5 * time.Minute), Page: sett.Page{Size: 2}}, "43", true},
			{faultdb.NoticePage{CreatedAfter: storetest.Noon.Add(time.Hour), Page: sett.Page{Size: 25}}, "", false},
			{faultdb.NoticePage{CreatedBefore: time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC), Page: sett.Page{Size: 25}}, "6543210", false},
			{faultdb.NoticePage{CreatedAfter: time.Date(1, 1, 2, 0, 0, 0, 0, time.UTC), Page: sett.Page{Size: 25}}, "6543210", false},
		} {
			notices, marks := d.ListedNotices("E", c.page)
			if got := messages(notices); got != c.want || (marks.Next != "") != c.more {
				t.Errorf("%+v: %q, %+v; want %q, %v", c.page, got, marks, c.want, c.more)
			}
		}
		record := func() {
			d.Record(storetest.Noon.Add(time.Hour), accounts.Limits{}, d.Report("E", body(`{"error":{"message":"new"}}`)))
		}
		shown, marks := d.ListedNotices("E", faultdb.NoticePage{Page: sett.Page{Size: 2}})
		all := messages(shown)
		for marks.Next != "" {
			record()
			shown, marks = d.ListedNotices("E", faultdb.NoticePage{Page: sett.Page{Size: 2, Mark: marks.Next}})
			all += messages(shown)
		}
		back := messages(shown)
		for marks.Prev != "" {
			record()
			shown, marks = d.ListedNotices("E", faultdb.NoticePage{Page: sett.Page{Size: 2, Mark: marks.Prev, Back: true}})
			back = messages(shown) + back
		}
		if all != "6543210" || back != "6543210" {
			t.Errorf("page by page, while others come in: %q, and back %q", all, back)
		}
		for _, mark := range []string{"x", "1", "1.-2", "1.2.3"} {
			_, _, err := d.Faults.ListNotices(t.Context(), d.ProjectID, d.FaultID("E"), faultdb.NoticePage{Page: sett.Page{Size: 2, Mark: mark}})
			if sett.CodeOf(err) != sett.Invalid {
				t.Errorf("mark %q: %v", mark, err)
			}
		}
	})
}

func TestListNoticesWithADamagedOne(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		d.Record(storetest.Noon, accounts.Limits{}, d.Report("E"), d.Report("E"), d.Report("E", body(`{"error":{"message":"fine"}}`)))
		damage := func(id int, payload []byte) {
			if _, err := d.Write.ExecContext(t.Context(), `UPDATE bundles SET body = $1 WHERE id = (SELECT id FROM bundles ORDER BY id LIMIT 1 OFFSET $2)`, payload, id); err != nil {
				t.Fatal(err)
			}
		}
		damage(0, []byte{99, 1, 2, 3})
		damage(1, storetest.Packed(&faults.Report{Body: []byte(`["no object"]`)}).Bundle.Body)
		notices, _ := d.ListedNotices("E", faultdb.NoticePage{Page: sett.Page{Size: 25}})
		var got []string
		for _, n := range notices {
			got = append(got, fmt.Sprintf("%v %s %v %d", n.Readable, n.Message, n.Request.Context != nil, len(n.Backtrace)))
		}
		if diff := cmp.Diff([]string{"true fine true 0", "false  true 0", "false  true 0"}, got); diff != "" {
			t.Error(diff)
		}
	})
}

func TestNoticeHasItsBacktraceAndUser(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		if err := d.Accounts.UpdateProject(t.Context(), d.ProjectID, accounts.ProjectChange{UserSearchField: sett.Some("session.login")}); err != nil {
			t.Fatal(err)
		}
		d.Record(storetest.Noon, accounts.Limits{}, d.Report("E"), d.Report("F", body(`{"error":{},"request":{"session":{"login":"ann"}}}`)))
		notices, _ := d.ListedNotices("E", faultdb.NoticePage{Page: sett.Page{Size: 25}})
		if n := notices[0]; len(n.Backtrace) != 9 || n.Backtrace[0].Method != "call" || len(n.ApplicationTrace) != 1 {
			t.Errorf("backtrace: %+v", n.Backtrace)
		}
		notices, _ = d.ListedNotices("F", faultdb.NoticePage{Page: sett.Page{Size: 25}})
		if u := notices[0].Request.User; u == nil || u.ID != "ann" {
			t.Errorf("user: %+v", u)
		}
	})
}

func TestNoticeByUUID(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		receipts := d.Record(storetest.Noon, accounts.Limits{}, d.Report("E"), d.Report("E", storetest.WithToken(7)), d.Report("F"))
		for i, r := range receipts {
			n, err := d.Faults.NoticeByUUID(t.Context(), d.ProjectID, r.ID)
			if err != nil {
				t.Fatal(err)
			}
			if class := []string{"E", "E", "F"}[i]; n.ID != r.ID || n.FaultID != d.FaultID(class) || n.Class != class || n.ProjectID != d.ProjectID {
				t.Errorf("notice %d is %+v", i, n)
			}
			if _, err := d.Faults.NoticeByUUID(t.Context(), d.ProjectID+1, r.ID); sett.CodeOf(err) != sett.NotFound {
				t.Errorf("notice %d in another project: %v", i, err)
			}
		}
		guessed := receipts[0].ID
		guessed[15]++ // carries the same key, but is not the id that was given out
		for _, unknown := range []sett.UUID{{}, {15: 8}, guessed, sett.NoticeIDAt(storetest.Noon.Add(time.Hour)).UUID()} {
			if _, err := d.Faults.NoticeByUUID(t.Context(), d.ProjectID, unknown); sett.CodeOf(err) != sett.NotFound || err.Error() != "Notice not found" {
				t.Errorf("notice %s: %v", unknown, err)
			}
		}
	})
}

func TestNoticesAreReadInTheOrderOfTheirIndex(t *testing.T) {
	t.Parallel()
	d := newDesk(t, storetest.OpenSQLite(t))
	want := "SEARCH f USING INTEGER PRIMARY KEY (rowid=?)\n" +
		"SEARCH k USING PRIMARY KEY (fault_id=? AND id>? AND id<?)\n" +
		"SEARCH n USING INTEGER PRIMARY KEY (rowid=?)\n" +
		"SEARCH u USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN\n" +
		"SEARCH b USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN"
	for _, statement := range []string{faultdb.ListNotices, faultdb.ListNoticesBack} {
		if diff := cmp.Diff(want, d.Plan(d.Text(statement), 1, 1, 1, 0, 1, 26, 0)); diff != "" {
			t.Error(diff)
		}
	}
}

func TestAffectedUsers(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		for name, n := range map[string]int{"bob@example.test": 2, "ann@example.test": 3, "100%": 2, "7": 2, "": 9} {
			for range n {
				d.Record(storetest.Noon, accounts.Limits{}, d.Report("E", func(r *faults.Report) { r.User = name }))
			}
		}
		for q, want := range map[string][]faultdb.AffectedUser{
			"":        {{User: "ann@example.test", Count: 3}, {User: "100%", Count: 2}, {User: "7", Count: 2}, {User: "bob@example.test", Count: 2}},
			"EXAMPLE": {{User: "ann@example.test", Count: 3}, {User: "bob@example.test", Count: 2}},
			"%":       {{User: "100%", Count: 2}},
			"_":       nil,
			"7":       {{User: "7", Count: 2}},
		} {
			got, all, err := d.Faults.AffectedUsers(t.Context(), d.ProjectID, d.FaultID("E"), q, 3)
			if diff := cmp.Diff(want[:min(len(want), 3)], got); err != nil || diff != "" || all != int64(len(want)) {
				t.Errorf("%q: %d of them, %v\n%s", q, all, err, diff)
			}
		}
	})
}

// The page of a fault reads the users of a fault once, in the order of their table, and keeps no more than it shows: no sums and no second sort. Of a
// fault with very many it counts a part.
func TestUsersOfAFaultAreReadOnce(t *testing.T) {
	t.Parallel()
	d := newDesk(t, storetest.OpenSQLite(t))
	const search = "SEARCH u USING PRIMARY KEY (fault_id=?)"
	if diff := cmp.Diff(search+"\nUSE TEMP B-TREE FOR ORDER BY", d.Plan(d.Text(faultdb.AffectedUsersOf), 1, "%%", 5)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff("CO-ROUTINE few\n"+search+"\nSCAN few", d.Plan(d.Text(faultdb.CountAffectedUsers), 1, "%%", 5)); diff != "" {
		t.Error(diff)
	}
}

func TestFewAffectedUsers(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		d.Record(storetest.Noon, accounts.Limits{}, d.Report("E"), d.Report("Part", func(r *faults.Report) { r.User = "bob@example.test" }))
		want := func(what string, want []faultdb.AffectedUser, wantAll int64) {
			t.Helper()
			got, all, err := d.Faults.FewAffectedUsers(t.Context(), d.ProjectID, d.FaultID("E"), 2)
			if diff := cmp.Diff(want, got); err != nil || diff != "" || all != wantAll {
				t.Errorf("%s: %d of them, want %d, %v\n%s", what, all, wantAll, err, diff)
			}
		}
		add := func(class string, from, to int) {
			for i := from; i < to; i++ {
				d.Run(`INSERT INTO fault_users (fault_id, name, count) VALUES ($1, $2, 2)`, d.FaultID(class), fmt.Sprintf("user-%05d", i))
			}
		}
		add("E", 1, faultdb.MostUsersAtOnce)
		top := []faultdb.AffectedUser{{User: "user-00001", Count: 2}, {User: "user-00002", Count: 2}}
		want("all", top, faultdb.MostUsersAtOnce)
		part := d.FaultID("Part")
		d.Run(`INSERT INTO fault_users (fault_id, name, count) VALUES ($1, 'user-00007', 3)`, part)
		merges{d}.merge(part, d.FaultID("E"))
		want("with a fault that was merged", nil, faultdb.MostUsersAtOnce+1)
		d.Run(`DELETE FROM fault_users WHERE name = 'bob@example.test'`)
		want("with one whose users are the same", []faultdb.AffectedUser{{User: "user-00007", Count: 5}, {User: "user-00001", Count: 2}}, faultdb.MostUsersAtOnce)
		merges{d}.split(part)
		add("E", faultdb.MostUsersAtOnce, faultdb.MostUsersAtOnce+5)
		want("many", nil, faultdb.MostUsersAtOnce+1)
	})
}
