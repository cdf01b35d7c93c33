package store_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sett/internal/event/payload"
	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/faults"
	"sett/internal/sett/scrub"
	"sett/internal/store"
	"sett/internal/store/block"
	"sett/internal/store/faultdb"
	"sett/internal/store/searchdb"
	"sett/internal/store/storetest"
)

// leftOut makes a report with a context that its facets leave out, as they say in marks unless an earlier version has stored them.
func leftOut(context string, facets string) func(*faults.Report) {
	return func(r *faults.Report) {
		r.BacktraceStart, r.BacktraceEnd = 0, 0
		r.User, r.Facets, r.Body = "", facets, fmt.Appendf(nil, `{"error":{},"request":{"context":%s}}`, context)
	}
}

// The events of a user are erased, and shown on the page of the user, where the index leaves out what names them: for want of room, because
// the key looks like a secret, or because an earlier version stored them.
func TestErasureReadsWhatTheIndexLeavesOut(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		for _, user := range []string{ines, "4711"} {
			for _, place := range []string{"in bundles", "in blocks", "in blocks of an earlier version"} {
				d.eraseLeftOut(user, place)
			}
		}
	})
}

func (d *desk) eraseLeftOut(user, place string) {
	t := d.T
	t.Helper()
	d.ProjectID = d.Project(user + " " + place).ID
	named := fmt.Sprintf(`{"user":{"name":%q}}`, user)
	marked := payload.WithMarks("\nhostname=h\n", map[string]bool{"user": true, "context.user.name": true})
	other := payload.WithMarks("\nhostname=h\n", map[string]bool{"context.plan": true})
	long := "\n"
	for n := range 20 {
		long += fmt.Sprintf("context.n%d=%0200d\n", n, n)
	}
	reports := []*faultdb.Packed{
		d.Report("Marked", leftOut(named, marked)), d.Report("Earlier", leftOut(named, "\nhostname=h\n")), d.Report("Full", leftOut(named, long)),
		d.Report("Other", leftOut(`{"user":{"name":"Olaf"},"plan":"gold"}`, marked)), d.Report("Plan", leftOut(named, other)),
		d.Report("Known", leftOut(`{"user":{"name":"Olaf"}}`, payload.WithMarks("\nuser=olaf\n", nil))),
		d.Report("Secret", leftOut(fmt.Sprintf(`{"user_token":%q}`, user), "\nhostname=h\n")),
	}
	for _, r := range reports {
		r.ProjectID = d.ProjectID
	}
	d.Record(storetest.Noon, accounts.Limits{}, reports...)
	if place != "in bundles" && d.Compact(storetest.Noon, block.Sizes{Most: 8, Least: 1}) == 0 {
		t.Fatal("nothing is in blocks")
	}
	if place == "in blocks of an earlier version" {
		d.Run(`UPDATE blocks SET marks = NULL`)
	}
	want := []string{"Earlier", "Full", "Marked"} // of "Plan", the index says that only the plan is missing
	if user == ines {
		want = append(want, "Plan", "Secret")
	}
	if place == "in blocks of an earlier version" && user != ines {
		want = append(want, "Plan")
	}
	before := d.classes()
	var shown []string
	found, err := d.Search.FaultsOfUser(t.Context(), searchdb.UserSearch{User: user, Projects: []int64{d.ProjectID}, Each: time.Minute, All: time.Minute, Page: sett.Page{Size: 20}})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range found.Faults {
		shown = append(shown, f.Class)
	}
	slices.Sort(shown)
	users := slices.DeleteFunc(slices.Clone(want), func(class string) bool {
		return class == "Secret" || class == "Plan" && place != "in blocks of an earlier version"
	})
	if diff := cmp.Diff(users, shown); diff != "" {
		t.Errorf("page of %s, %s (-want +got):\n%s", user, place, diff)
	}
	if p := d.preview(d.ProjectID, user); p.Notices != int64(len(want)) || p.More {
		t.Errorf("preview of %s, %s: %+v, want %d", user, place, p, len(want))
	}
	if e := d.erase(d.ProjectID, user); e.Notices != int64(len(want)) || e.State() != scrub.ErasureFinished {
		t.Errorf("erasure of %s, %s: %+v, want %d", user, place, e, len(want))
	}
	left := slices.DeleteFunc(before, func(class string) bool { return slices.Contains(want, class) })
	if diff := cmp.Diff(left, d.classes()); diff != "" {
		t.Errorf("events that are left of %s, %s (-want +got):\n%s", user, place, diff)
	}
}

// classes returns the classes of the errors with stored events.
func (d *desk) classes() (classes []string) {
	d.T.Helper()
	for _, f := range d.FaultsOf(d.ProjectID) {
		notices, _, err := d.Faults.ListNotices(d.T.Context(), d.ProjectID, f, faultdb.NoticePage{Page: sett.Page{Size: 1}})
		if err != nil {
			d.T.Fatal(err)
		}
		found, err := d.Faults.FaultByID(d.T.Context(), d.ProjectID, f)
		if err != nil {
			d.T.Fatal(err)
		}
		if len(notices) > 0 {
			classes = append(classes, found.Class)
		}
	}
	slices.Sort(classes)
	return classes
}
