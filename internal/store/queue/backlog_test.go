package queue_test

import (
	"testing"
	"time"

	"sett/internal/sett/alerts"
	"sett/internal/store"
	"sett/internal/store/queue"
	"sett/internal/store/storetest"
)

// What waits behind an older alert of its subject is not counted until that is delivered. The lag is that of what can be claimed: an alert that must wait for another of its subject, or for a retry, is not late.
func TestBacklog(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := storetest.NewDesk(t, s)
		want := func(when string, now time.Time, want queue.Backlog) {
			t.Helper()
			if got, err := d.Deliveries.Queue.Backlog(t.Context(), now); err != nil || got != want {
				t.Errorf("%s: %+v %v, want %+v", when, got, err, want)
			}
		}
		want("of nothing", storetest.Noon, queue.Backlog{})
		d.WebHook()
		d.Happen(storetest.Noon, storetest.About("fault 1", alerts.AlertOccurred, alerts.AlertResolved)...)
		d.Happen(storetest.Noon, storetest.About("fault 2", alerts.AlertOccurred)...)
		d.FanOut(storetest.Noon)
		want("when they are due", storetest.Noon, queue.Backlog{Waiting: 2})
		want("a minute later", storetest.Noon.Add(time.Minute), queue.Backlog{Waiting: 2, Lag: time.Minute})
		claimed := d.ClaimAll(storetest.Noon.Add(time.Minute))
		d.Settled(storetest.Noon.Add(time.Minute), alerts.DeliveryDue, storetest.Noon.Add(time.Hour), claimed...)
		want("until a retry", storetest.Noon.Add(time.Hour), queue.Backlog{Waiting: 2})
		want("after it is due", storetest.Noon.Add(61*time.Minute), queue.Backlog{Waiting: 2, Lag: time.Minute})
		if got, err := d.Outbox.Queue.Backlog(t.Context(), storetest.Noon); err != nil || got != (queue.Backlog{}) {
			t.Errorf("mails: %+v %v", got, err)
		}
		if got, err := d.Status.Queue.Backlog(t.Context(), storetest.Noon); err != nil || got != (queue.Backlog{}) {
			t.Errorf("notices of status pages: %+v %v", got, err)
		}
	})
}
