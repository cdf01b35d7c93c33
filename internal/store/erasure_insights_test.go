package store_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sett/internal/sett"
	"sett/internal/sett/insight"
	"sett/internal/sett/scrub"
	"sett/internal/store"
	"sett/internal/store/db"
	"sett/internal/store/storetest"
)

// visit is a structured event of a user.
func visit(at time.Time, user string, n int) insight.Event {
	return insight.Event{At: at.UnixMicro(), Fields: []insight.Field{
		insight.TextField("event_type", "visit"), insight.TextField("user.email", user), insight.NumberField("n", float64(n)),
	}}
}

// visits returns the numbers of all structured events of a project that a search finds, in their order.
func (d *desk) visits(project int64, search string) (numbers []string) {
	d.T.Helper()
	filter, err := insight.ParseSearch(search)
	if err != nil {
		d.T.Fatal(err)
	}
	now := storetest.Noon.Add(time.Hour)
	r, err := d.Insights.Query(d.T.Context(), now, time.Now().Add(time.Minute), project, insight.Plan{Filter: filter, To: math.MaxInt64, Rows: 1000})
	if err != nil || r.Unread > 0 {
		d.T.Fatalf("query events: %v, %d unread", err, r.Unread)
	}
	for _, e := range r.Events {
		v, _ := e.Get("n")
		numbers = append(numbers, v.Text)
	}
	slices.Reverse(numbers)
	return numbers
}

// sendVisits stores events of both users in turn, the first at noon and one each second.
func (d *desk) sendVisits(project int64, from, to int) {
	d.T.Helper()
	for first := from; first < to; first += 10 {
		var events []insight.Event
		for n := first; n < min(first+10, to); n++ {
			events = append(events, visit(storetest.Noon.Add(time.Duration(n)*time.Second), []string{ines, olaf}[n%2], n))
		}
		d.Send(storetest.Noon.Add(time.Duration(first)*time.Second), project, events...)
	}
}

// An erasure takes the structured events of the user from chunks and from what waits, and leaves those of others as they are.
func TestErasureOfStructuredEvents(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		other := d.Project("Other").ID
		d.sendVisits(d.ProjectID, 0, 300)
		d.Pack(storetest.Noon.Add(2 * time.Hour))
		d.sendVisits(d.ProjectID, 300, 325)
		d.Send(storetest.Noon, d.ProjectID, visit(storetest.Noon.Add(400*time.Second), ines, 400)) // a batch of hers alone
		d.Send(storetest.Noon, other, visit(storetest.Noon, ines, 1))
		var want []string
		for n := 1; n < 325; n += 2 {
			want = append(want, fmt.Sprint(n))
		}
		if p := d.preview(d.ProjectID, ines); p.Events != 164 || p.Notices != 0 || p.More {
			t.Errorf("preview: %+v, want 164 events", p)
		}
		if e := d.erase(d.ProjectID, ines); e.Events != 164 || e.State() != scrub.ErasureFinished {
			t.Errorf("erasure: %+v", e)
		}
		if diff := cmp.Diff(want, d.visits(d.ProjectID, "")); diff != "" {
			t.Errorf("what is left (-want +got):\n%s", diff)
		}
		if found := d.visits(d.ProjectID, "user.email:"+ines); len(found) > 0 {
			t.Errorf("still found: %v", found)
		}
		if found := d.visits(d.ProjectID, "user.email:"+olaf); len(found) != len(want) {
			t.Errorf("of the other user, %d are found", len(found))
		}
		if found := d.visits(other, "user.email:"+ines); len(found) != 1 {
			t.Errorf("in the other project: %v", found)
		}
		d.Pack(storetest.Noon.Add(4 * time.Hour))
		if diff := cmp.Diff(want, d.visits(d.ProjectID, "")); diff != "" {
			t.Errorf("what is left when all is packed (-want +got):\n%s", diff)
		}
		if e := d.erase(other, ines); e.Events != 1 {
			t.Errorf("in the other project: %+v", e)
		}
		if found := d.stored("ines@"); len(found) > 0 {
			t.Errorf("still stored in %q", found)
		}
		if found := d.stored("olaf@"); !slices.Contains(found, "insight_parts.body") {
			t.Errorf("the other user is only stored in %q", found)
		}
		if s.SQLite() {
			if free, err := s.FreePages(t.Context()); err != nil || free > 0 {
				t.Errorf("%d pages are free, which may contain it: %v", free, err)
			}
		}
		d.WantNumbers("what was sent", `SELECT CAST(sum(events) AS bigint) FROM insight_days`, nil, 327)
	})
}

// Events that were read to be packed before they were erased are not stored again.
func TestErasureBesidePacking(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		d.sendVisits(d.ProjectID, 0, 20)
		d.Send(storetest.Noon, d.ProjectID, visit(storetest.Noon, ines, 98))
		read, err := s.Insights.Pack(t.Context(), insight.NewPacker(), storetest.Noon.Add(time.Hour), d.ProjectID)
		if err != nil || read == nil {
			t.Fatal(err)
		}
		if e := d.erase(d.ProjectID, ines); e.Events != 11 {
			t.Errorf("erasure: %+v", e)
		}
		err = s.InTx(t.Context(), "store chunks", func(x *db.Tx) error {
			_, err := s.Insights.In(x).Store(t.Context(), read)
			return err
		})
		if err == nil {
			t.Error("chunks of erased events are stored")
		}
		d.Pack(storetest.Noon.Add(time.Hour))
		if found := d.stored("ines@"); len(found) > 0 {
			t.Errorf("still stored in %q", found)
		}
		if found := d.visits(d.ProjectID, ""); len(found) != 10 {
			t.Errorf("%d events are left, want 10", len(found))
		}
	})
}

// An erasure that is cut off between events goes on, and a damaged chunk keeps it from ending until the chunk is dropped.
func TestErasureOfEventsGoesOn(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		d.sendVisits(d.ProjectID, 0, 300)
		d.Pack(storetest.Noon.Add(2 * time.Hour))
		d.sendVisits(d.ProjectID, 300, 330)
		d.Run(`UPDATE insight_chunks SET times = $1`, []byte{})
		e, err := s.CreateErasure(t.Context(), storetest.Noon, d.UserID, d.ProjectID, scrub.ErasureChange{User: sett.Some(ines)})
		if err != nil {
			t.Fatal(err)
		}
		err = s.SweepErasures(t.Context(), purgeAt(storetest.Noon.Add(time.Hour)))
		if err == nil || !strings.Contains(err.Error(), "chunk 1 of structured events: it is damaged") {
			t.Errorf("with a damaged chunk: %v", err)
		}
		if e = d.erasure(e); e.State() != scrub.ErasureRunning || e.Events != 15 {
			t.Errorf("with a damaged chunk: %+v", e)
		}
		if n, err := s.PurgeInsights(t.Context(), purgeAt(storetest.Noon.Add(9*24*time.Hour))); n != 1 || err != nil {
			t.Fatalf("%d chunks dropped, %v", n, err)
		}
		if e = d.swept(e); e.State() != scrub.ErasureFinished || e.Events != 15 {
			t.Errorf("without the damaged chunk: %+v", e)
		}
		if found := d.stored("ines@"); len(found) > 0 {
			t.Errorf("still stored in %q", found)
		}
	})
}
