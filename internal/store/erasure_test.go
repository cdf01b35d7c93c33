package store_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/alerts"
	"sett/internal/sett/faults"
	"sett/internal/sett/scrub"
	"sett/internal/store"
	"sett/internal/store/block"
	"sett/internal/store/faultdb"
	"sett/internal/store/storetest"
)

func TestErasure(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		other := d.Project("Other").ID
		receipts := recordPeople(d, other)
		counts := d.Counts()
		if ways := d.shown(d.ProjectID, "ines@example.test", receipts); len(ways) < 6 {
			t.Fatalf("before, only these show the user: %q", ways)
		}
		if diff := cmp.Diff(scrub.ErasurePreview{User: "I…@Example.test", Notices: 5, Faults: 2}, d.preview(d.ProjectID, " "+ines)); diff != "" {
			t.Errorf("preview (-want +got):\n%s", diff)
		}
		e := d.erase(d.ProjectID, " "+ines)
		want := scrub.Erasure{
			ID: e.ID, ProjectID: d.ProjectID, User: "I…@Example.test", MadeBy: &sett.Person{ID: d.UserID, Email: "owner@example.test", Name: "Olga"}, Notices: 5, Faults: 2,
			CreatedAt: storetest.Noon, DeletedAt: storetest.Noon.Add(time.Hour), FinishedAt: storetest.Noon.Add(time.Hour),
		}
		if diff := cmp.Diff(want, e); diff != "" {
			t.Errorf("the erasure (-want +got):\n%s", diff)
		}
		if ways := d.shown(d.ProjectID, "ines@example.test", receipts); len(ways) > 0 {
			t.Errorf("still shown by %q", ways)
		}
		if ways := d.shown(d.ProjectID, olaf, receipts); len(ways) < 6 {
			t.Errorf("the other user is only shown by %q", ways)
		}
		if ways := d.shown(other, "ines@example.test", receipts); len(ways) < 6 {
			t.Errorf("in the other project, the user is only shown by %q", ways)
		}
		if n := d.Numbers(`SELECT count(*) FROM notice_tokens`, 1)[0]; n != 0 {
			t.Errorf("%d tokens are left", n)
		}
		if n := d.Numbers(`SELECT count(*) FROM fault_users WHERE name = '4711'`, 1)[0]; n != 0 {
			t.Error("a name of the user by another field is left")
		}
		after := d.Counts()
		delete(counts, "users")
		delete(after, "users")
		if diff := cmp.Diff(counts, after); diff != "" {
			t.Errorf("the counts have changed (-before +after):\n%s", diff)
		}
		if err := s.Accounts.UpdateProject(t.Context(), other, accounts.ProjectChange{Name: sett.Some("Same")}); err != nil {
			t.Fatal(err)
		}
		if e := d.erase(other, strings.ToUpper(ines)); e.Notices != 1 || e.State() != scrub.ErasureFinished {
			t.Errorf("the erasure in the other project: %+v", e)
		}
		if found := d.stored("ines@"); len(found) > 0 {
			t.Errorf("still stored in %q", found)
		}
		if s.SQLite() {
			if free, err := s.FreePages(t.Context()); err != nil || free > 0 {
				t.Errorf("%d pages are free, which may contain it: %v", free, err)
			}
		}
		if found := d.stored("olaf@"); len(found) < 3 {
			t.Errorf("the other user is only stored in %q", found)
		}
	})
}

// An id is erased where notices name their user, and nowhere else; a star stands for itself.
func TestErasureOfAnID(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		d.Record(storetest.Noon, accounts.Limits{}, d.Report("A", from("7")), d.Report("B", from("8", "params.page=7")), d.Report("C", from("9", "context.userid=7")), d.Report("D", from("70")))
		d.Compact(storetest.Noon, block.Sizes{Most: 8, Least: 1})
		for user, want := range map[string]int64{"*": 0, "7*": 0, "7": 2, "absent": 0} {
			if p := d.preview(d.ProjectID, user); p.Notices != want || p.Faults != want {
				t.Errorf("%s: %+v, want %d", user, p, want)
			}
		}
		if e := d.erase(d.ProjectID, "7"); e.Notices != 2 || e.User != "…" {
			t.Errorf("%+v", e)
		}
		var left []string
		for _, f := range d.FaultsOf(d.ProjectID) {
			users, _, err := d.Faults.AffectedUsers(t.Context(), d.ProjectID, f, "", 10)
			if err != nil {
				t.Fatal(err)
			}
			for _, u := range users {
				left = append(left, u.User)
			}
		}
		if diff := cmp.Diff([]string{"8", "70"}, left); diff != "" {
			t.Errorf("users (-want +got):\n%s", diff)
		}
	})
}

// An erasure that is cut off anywhere is completed by the next process.
func TestAnErasureThatIsCutOffGoesOn(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		for n := range 90 {
			user := ines
			if n%3 == 0 {
				user = olaf
			}
			d.Record(storetest.Noon.Add(time.Duration(n)*time.Second), accounts.Limits{}, d.Report("A", from(user), storetest.WithToken(byte(n+1))))
			if n == 50 {
				d.Compact(storetest.Noon, block.Sizes{Most: 16, Least: 1})
			}
		}
		e, err := s.CreateErasure(t.Context(), storetest.Noon, d.UserID, d.ProjectID, scrub.ErasureChange{User: sett.Some(ines)})
		if err != nil {
			t.Fatal(err)
		}
		if found := d.stored("ines@"); slices.ContainsFunc(found, func(where string) bool { return strings.HasPrefix(where, "erasures.") }) {
			t.Errorf("the text is readable in %q", found)
		}
		rounds := 0
		for ; ; rounds++ {
			err := s.SweepErasures(t.Context(), cutAfter(storetest.Noon, rounds))
			if !d.SQLite() {
				d.Run(`DELETE FROM leases`) // that of the process that died has run out
			}
			if got := d.erasure(e); got.Notices+got.Left != 60 && got.Notices+got.Left != 0 {
				t.Fatalf("round %d: %+v", rounds, got)
			}
			if err == nil {
				break
			}
		}
		if rounds < 5 {
			t.Errorf("only %d rounds were cut off", rounds)
		}
		if e = d.erasure(e); e.State() != scrub.ErasureFinished || e.Notices != 60 || e.Left != 0 || e.Faults != 1 {
			t.Errorf("%+v", e)
		}
		if found := d.stored("ines@"); len(found) > 0 {
			t.Errorf("still stored in %q", found)
		}
		if diff := cmp.Diff([]int64{30, 30}, d.Numbers(`SELECT (SELECT count(*) FROM notices), (SELECT count(*) FROM notice_tokens)`, 2)); diff != "" {
			t.Errorf("what is left (-want +got):\n%s", diff)
		}
	})
}

// Notices that were stored before an erasure are covered, counted or not; later ones are not.
func TestErasureCoversWhatIsNotCounted(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		var reports []*faultdb.Packed
		for range storetest.BusyBatch {
			reports = append(reports, d.Report("A", from(ines)))
		}
		d.Record(storetest.Noon.Add(-time.Hour), accounts.Limits{}, d.Report("A", from(olaf)))
		d.RecordBusy(storetest.Noon, accounts.Limits{}, reports...)
		e, err := s.CreateErasure(t.Context(), storetest.Noon, d.UserID, d.ProjectID, scrub.ErasureChange{User: sett.Some(ines)})
		if err != nil {
			t.Fatal(err)
		}
		d.RecordBusy(storetest.Noon.Add(time.Minute), accounts.Limits{}, d.Report("A", from(ines)))
		if e = d.swept(e); e.Notices != storetest.BusyBatch || e.State() != scrub.ErasureFinished {
			t.Errorf("%+v", e)
		}
		if err := s.Intake.Flush(t.Context()); err != nil {
			t.Fatal(err)
		}
		if p := d.preview(d.ProjectID, ines); p.Notices != 1 {
			t.Errorf("of the later notice: %+v", p)
		}
		if n := d.Fault("A").NoticesCount; n != storetest.BusyBatch+2 {
			t.Errorf("%d notices are counted", n)
		}
	})
}

// What another node has stored and not counted is deleted as soon as that node has counted it.
func TestErasureWaitsForOtherNodes(t *testing.T) {
	t.Parallel()
	c := storetest.NewCluster(t)
	here, there := c.Node(t), c.Node(t)
	d := newDesk(t, here)
	at := storetest.DeskOf(there, d.SetupResult, t)
	var reports []*faultdb.Packed
	for range storetest.BusyBatch {
		reports = append(reports, d.Report("A", from(ines)))
	}
	at.RecordBusy(storetest.Noon, accounts.Limits{}, reports...)
	at.RecordBusy(storetest.Noon.Add(time.Second), accounts.Limits{}, reports...)
	e, err := here.CreateErasure(t.Context(), storetest.Noon, d.UserID, d.ProjectID, scrub.ErasureChange{User: sett.Some(ines)})
	if err != nil {
		t.Fatal(err)
	}
	if e = d.swept(e); e.State() != scrub.ErasureRunning || e.Left == 0 {
		t.Errorf("before the other node has counted: %+v", e)
	}
	o := purgeAt(storetest.Noon.Add(time.Hour))
	o.Holder = "there"
	if err := there.SweepErasures(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	if e = d.swept(e); e.State() != scrub.ErasureFinished || e.Notices != 2*storetest.BusyBatch {
		t.Errorf("then: %+v", e)
	}
	if found := d.stored("ines@"); len(found) > 0 {
		t.Errorf("still stored in %q", found)
	}
}

// The messages of notifications show the notice, and so its user.
func TestErasureOfMessages(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		d.Record(storetest.Noon, accounts.Limits{}, d.Report("A", from(ines)), d.Report("B", from(olaf)))
		ids := d.Numbers(`SELECT min(id), max(id) FROM notices`, 2)
		for i, class := range []string{"A", "B"} {
			d.Happen(storetest.Noon, alerts.Alert{
				ProjectID: d.ProjectID, Event: alerts.AlertOccurred, Subject: "fault", FaultID: d.FaultID(class), Facts: alerts.AlertFacts{NoticeID: sett.NoticeID(ids[i])},
			})
			d.Run(`UPDATE alerts SET message = $1 WHERE fault_id = $2`, block.AppendCompressed(nil, []byte("by "+[]string{ines, olaf}[i]), block.CompressedAlone), d.FaultID(class))
		}
		if e := d.erase(d.ProjectID, ines); e.Notices != 1 {
			t.Errorf("%+v", e)
		}
		if found := d.stored("ines@"); len(found) > 0 {
			t.Errorf("still stored in %q", found)
		}
		for class, want := range map[string]bool{"A": false, "B": true} {
			if n := d.Count(`SELECT count(*) FROM alerts WHERE message IS NOT NULL AND fault_id IN `, d.FaultID(class)); n > 0 != want {
				t.Errorf("%d messages about %s are left", n, class)
			}
		}
	})
}

func TestErasuresAreRefusedAndListed(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		for _, change := range []scrub.ErasureChange{{}, {User: sett.Some(" \t")}, {User: sett.Some(strings.Repeat("x", 257))}} {
			if _, err := s.CreateErasure(t.Context(), storetest.Noon, d.UserID, d.ProjectID, change); sett.CodeOf(err) != sett.Invalid {
				t.Errorf("%+v: %v", change, err)
			}
		}
		if _, err := s.CreateErasure(t.Context(), storetest.Noon, d.UserID, d.ProjectID+1, scrub.ErasureChange{User: sett.Some("x")}); sett.CodeOf(err) != sett.NotFound {
			t.Errorf("of no project: %v", err)
		}
		for n := range 5 {
			d.erase(d.ProjectID, fmt.Sprint(n, " of ", n))
		}
		var users []string
		page := sett.Page{Size: 2}
		for {
			found, marks, err := s.ListErasures(t.Context(), d.ProjectID, page)
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range found {
				users = append(users, e.User)
			}
			if page.Mark = marks.Next; page.Mark == "" {
				break
			}
		}
		if diff := cmp.Diff([]string{"4…", "3…", "2…", "1…", "0…"}, users); diff != "" {
			t.Errorf("list (-want +got):\n%s", diff)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		e, err := s.CreateErasure(t.Context(), storetest.Noon, accounts.Operator, d.ProjectID, scrub.ErasureChange{User: sett.Some("x")})
		if err != nil {
			t.Fatal(err)
		}
		if e, err = s.AwaitErasure(ctx, d.ProjectID, e.ID); err != nil || e.State() != scrub.ErasureRunning || e.MadeBy != nil {
			t.Errorf("%+v, %v", e, err)
		}
		if err := s.SweepErasures(t.Context(), cutAfter(storetest.Noon, 0)); err == nil && s.SQLite() {
			t.Error("was not cut off")
		}
		if _, err := s.ErasureByID(t.Context(), d.ProjectID+1, e.ID); !errors.As(err, new(*sett.Error)) {
			t.Errorf("in another project: %v", err)
		}
		if err := s.DeleteProject(t.Context(), d.ProjectID, func() {}); err != nil {
			t.Fatal(err)
		}
		if n := d.Numbers(`SELECT count(*) FROM erasures`, 1)[0]; n != 0 {
			t.Errorf("%d erasures are left", n)
		}
	})
}

// SQLite keeps what was deleted in free pages and between rows, unless it is asked not to.
func TestErasedNoticesAreNotInTheFile(t *testing.T) {
	t.Parallel()
	s := storetest.OpenSQLite(t)
	d := newDesk(t, s)
	const needle = "kzqxvj-4711-wpfhgm"
	inFile := func() bool {
		t.Helper()
		if err := s.EmptyLog(t.Context()); err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(s.Path())
		if err != nil {
			t.Fatal(err)
		}
		return strings.Contains(strings.ToLower(string(text)), needle)
	}
	for n := range 20 {
		long := func(r *faults.Report) {
			r.Facets += "params.text=" + strings.Repeat(fmt.Sprint(n, " "), 100) + "\n"
			r.Body = append(r.Body, strings.Repeat(" ", 100*n)...)
		}
		d.Record(storetest.Noon.Add(time.Duration(n)*time.Minute), accounts.Limits{}, d.Report("A", from(needle+"@x.test"), long), d.Report("A", from(olaf), long))
		if n == 10 {
			d.Compact(storetest.Noon, block.Sizes{Most: 8, Least: 1})
		}
	}
	if !inFile() {
		t.Fatal("the test does not recognize what is stored")
	}
	if e := d.erase(d.ProjectID, needle+"@x.test"); e.Notices != 20 || e.State() != scrub.ErasureFinished {
		t.Errorf("%+v", e)
	}
	if inFile() {
		t.Error("it is still in the file")
	}
}
