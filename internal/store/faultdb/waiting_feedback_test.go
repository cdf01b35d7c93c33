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

// Feedback waits until its event is stored, or it is due, and is forgotten only once it is an event of its own.
func TestWaitingFeedback(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		ctx, noon := t.Context(), storetest.Noon
		other := d.Project("Other").ID
		await := func(project int64, event, id byte) bool {
			t.Helper()
			w := faultdb.WaitingFeedback{ProjectID: project, Event: sett.UUID{15: event}, Feedback: sett.UUID{15: id}, Content: []byte{id}}
			ok, err := s.Faults.AwaitEvent(ctx, noon, noon.Add(time.Minute), w)
			if err != nil {
				t.Fatal(err)
			}
			return ok
		}
		want := func(when string, arrived, due []byte, at time.Time) (found []faultdb.WaitingFeedback) {
			t.Helper()
			a, err := s.Faults.ArrivedFeedback(ctx, 0)
			if err != nil {
				t.Fatal(err)
			}
			b, err := s.Faults.DueFeedback(ctx, at)
			if err != nil {
				t.Fatal(err)
			}
			ids := func(all []faultdb.WaitingFeedback) (ids []byte) {
				for _, w := range all {
					if w.Feedback != (sett.UUID{15: w.Content[0]}) {
						t.Errorf("%+v has the content of other feedback", w)
					}
					ids = append(ids, w.Content...)
				}
				return ids
			}
			if diff := cmp.Diff([][]byte{arrived, due}, [][]byte{ids(a), ids(b)}); diff != "" {
				t.Errorf("%s: arrived and due (-want +got):\n%s", when, diff)
			}
			return append(a, b...)
		}
		for _, w := range []struct{ project, event, id int64 }{{d.ProjectID, 1, 11}, {d.ProjectID, 1, 12}, {d.ProjectID, 1, 12}, {d.ProjectID, 2, 13}, {other, 1, 14}} {
			if !await(w.project, byte(w.event), byte(w.id)) {
				t.Errorf("there is no room for %+v", w)
			}
		}
		want("at first", nil, nil, noon)
		d.Record(noon, accounts.Limits{}, d.Report("E", func(r *faults.Report) { r.Token = sett.UUID{15: 1} }))
		if err := s.Intake.Flush(ctx); err != nil {
			t.Fatal(err)
		}
		arrived := want("with an event", []byte{11, 12}, nil, noon)
		if err := s.Faults.EndWaiting(ctx, arrived[0].ID); err != nil {
			t.Fatal(err)
		}
		due := want("when all are due", []byte{12}, []byte{12, 13, 14}, noon.Add(time.Minute))
		if err := s.Faults.KeepWaiting(ctx, due[1].ID, []byte{12}); err != nil { // it arrives later
			t.Fatal(err)
		}
		want("after one is an event", []byte{12}, []byte{13, 14}, noon.Add(time.Minute))
		for _, at := range []time.Time{noon.Add(faultdb.KeepFeedback - time.Second), noon.Add(faultdb.KeepFeedback)} {
			if err := s.Faults.ForgetWaiting(ctx, at); err != nil {
				t.Fatal(err)
			}
			if at.Before(noon.Add(faultdb.KeepFeedback)) {
				want("before it is forgotten", []byte{12}, []byte{13, 14}, at)
			}
		}
		want("after it is forgotten", nil, []byte{13, 14}, noon.Add(faultdb.KeepFeedback))
	})
}

// A project that has much feedback waiting takes no more; others do.
func TestWaitingFeedbackIsBounded(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		await := func(project int64, bytes int) bool {
			t.Helper()
			w := faultdb.WaitingFeedback{ProjectID: project, Event: sett.UUID{15: 1}, Feedback: sett.UUID([]byte(fmt.Sprintf("%16d", bytes))), Content: make([]byte, bytes)}
			ok, err := s.Faults.AwaitEvent(t.Context(), storetest.Noon, storetest.Noon, w)
			if err != nil {
				t.Fatal(err)
			}
			return ok
		}
		other := d.Project("Other").ID
		for _, c := range []struct {
			project int64
			bytes   int
			want    bool
		}{{d.ProjectID, 16 << 20, true}, {d.ProjectID, 16<<20 + 1, false}, {d.ProjectID, 16<<20 - 1, true}, {d.ProjectID, 2, false}, {other, 2, true}} {
			if got := await(c.project, c.bytes); got != c.want {
				t.Errorf("%d bytes of project %d: %v, want %v", c.bytes, c.project, got, c.want)
			}
		}
		d.Run(fmt.Sprintf("DELETE FROM waiting_feedback WHERE project_id = %d", d.ProjectID))
		d.Run(fmt.Sprintf(`INSERT INTO waiting_feedback (project_id, event, feedback, content, due_at, ends_at)
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 999) SELECT %d, CAST(CAST(i AS text) AS %s), event, event, 1, 1 FROM n CROSS JOIN (SELECT event FROM waiting_feedback) w`,
			d.ProjectID, map[bool]string{true: "blob", false: "bytea"}[s.SQLite()]))
		if got := []bool{await(d.ProjectID, 3), await(d.ProjectID, 4)}; !got[0] || got[1] {
			t.Errorf("the thousandth and the one after it: %v", got)
		}
	})
}
