package statusdb_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sett/internal/sett"
	"sett/internal/sett/status"
	"sett/internal/store"
	"sett/internal/store/db"
	"sett/internal/store/statusdb"
	"sett/internal/store/storetest"
)

const noticeLease = 5 * time.Minute

// plenty is room for all that is due.
func plenty(string) int { return 1000 }

// claimNotices claims the notices that are due. It returns a line for each, with its subscriber and its update.
func (d *desk) claimNotices(now time.Time) (lines []string, claimed []statusdb.ClaimedStatusNotice) {
	d.T.Helper()
	claimed, err := d.Status.ClaimStatusNotices(d.T.Context(), now, noticeLease, 1000, plenty)
	if err != nil {
		d.T.Fatal(err)
	}
	return linesOf(claimed), claimed
}

func linesOf(claimed []statusdb.ClaimedStatusNotice) (lines []string) {
	for _, c := range claimed {
		lines = append(lines, fmt.Sprintf("%s: %s, %s", c.Subscriber.Address, c.Incident.Name, c.Update.Message))
	}
	return lines
}

func (d *desk) wantNotices(when string, now time.Time, want ...string) []statusdb.ClaimedStatusNotice {
	d.T.Helper()
	lines, claimed := d.claimNotices(now)
	slices.Sort(lines)
	if diff := cmp.Diff(want, lines); diff != "" {
		d.T.Errorf("%s (-want +got):\n%s", when, diff)
	}
	return claimed
}

func (d *desk) fanOutUpdates(now time.Time, limit int) (rounds int) {
	d.T.Helper()
	for {
		more, err := d.Status.FanOutStatusUpdates(d.T.Context(), now, limit)
		if err != nil {
			d.T.Fatal(err)
		}
		if !more {
			return rounds
		}
		rounds++
	}
}

func (d *desk) opened(now time.Time, page status.StatusPage, name, message string) status.StatusIncident {
	d.T.Helper()
	made, err := d.Status.CreateIncident(d.T.Context(), now, d.AccountID, page.ID, status.IncidentChange{Name: sett.Some(name), Message: sett.Some(message)})
	if err != nil {
		d.T.Fatal(err)
	}
	return made.StatusIncident
}

func (d *desk) updated(now time.Time, page status.StatusPage, i status.StatusIncident, message string) status.IncidentUpdate {
	d.T.Helper()
	u, err := d.Status.AddIncidentUpdate(d.T.Context(), now, d.AccountID, page.ID, i.ID, status.IncidentUpdateChange{Message: sett.Some(message)})
	if err != nil {
		d.T.Fatal(err)
	}
	return u
}

// recorded stores what came of a notice: it is due again then, or never, and that is what its subscriber is by it.
func (d *desk) recorded(now time.Time, c statusdb.ClaimedStatusNotice, due time.Time, after status.StatusSubscriber) {
	d.T.Helper()
	if err := d.Status.RecordStatusNotices(d.T.Context(), now, []statusdb.StatusNoticeResult{{Notice: c, DueAt: due, After: after}}); err != nil {
		d.T.Fatal(err)
	}
}

// notified records that the notices were sent.
func (d *desk) notified(claimed ...statusdb.ClaimedStatusNotice) {
	d.T.Helper()
	for _, c := range claimed {
		d.recorded(storetest.Clock(0), c, time.Time{}, c.Subscriber.Notified())
	}
}

// manySubscribers makes so many more of a page who have confirmed, and returns how many there are.
func (d *desk) manySubscribers(page status.StatusPage, kind status.SubscriberKind, n int) {
	d.T.Helper()
	d.Run(`INSERT INTO status_subscribers (page, kind, address, token, secret, confirmed_at, created_at, problem, failing_at)
	    SELECT p.number, $2, 'many' || n.n || '@x', p.id || n.n || $2, '', 1, 1, '', 0 FROM status_pages p,
	    (WITH RECURSIVE n(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < $3) SELECT n FROM n) n WHERE p.id = $1`, page.ID, string(kind), n)
}

func TestUpdatesAreSpread(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		page, other := d.PageOf(), d.PageOf()
		woken, stop := d.Sleep(statusdb.StatusPublished)
		defer stop()
		for _, name := range []string{"a", "b", "c"} {
			d.Subscriber(storetest.Clock(0), page, name+"@x")
		}
		d.Subscriber(storetest.Clock(0), other, "other@x")
		d.Subscribe(storetest.Clock(0), page, "unconfirmed@x")
		d.Asked(storetest.Clock(0))
		slow := d.opened(storetest.Clock(1), page, "Slow", "one")
		if len(woken) != 1 {
			t.Error("no sleeper was woken")
		}
		d.Subscriber(storetest.Clock(2), page, "late@x")
		if rounds := d.fanOutUpdates(storetest.Clock(2), 2); rounds != 2 {
			t.Errorf("spread in %d rounds, want 2", rounds)
		}
		first := d.wantNotices("the first update", storetest.Clock(2), "a@x: Slow, one", "b@x: Slow, one", "c@x: Slow, one")
		d.wantNotices("claimed already", storetest.Clock(2))
		d.updated(storetest.Clock(3), page, slow, "two")
		gone := d.updated(storetest.Clock(3), page, slow, "deleted")
		d.opened(storetest.Clock(3), page, "Broken", "three")
		d.fanOutUpdates(storetest.Clock(3), 2)
		if err := d.Status.DeleteIncidentUpdate(t.Context(), storetest.Clock(3), d.AccountID, page.ID, slow.ID, gone.ID); err != nil {
			t.Fatal(err)
		}
		d.notified(first[0])
		second := d.wantNotices("in order for each subscriber", storetest.Clock(4), "a@x: Slow, two", "late@x: Slow, two")
		d.notified(second...)
		d.wantNotices("of all incidents", storetest.Clock(4), "a@x: Broken, three", "late@x: Broken, three")
		again := d.wantNotices("the lease is over", storetest.Clock(7), "b@x: Slow, one", "c@x: Slow, one")
		d.notified(first[1]) // is not believed any more
		d.WantNumbers("notices of the first update", `SELECT count(*) FROM status_notices WHERE update_id = $1`, []any{first[1].Update.ID}, 2)
		d.notified(again...)
		d.WantNumbers("once they are sent", `SELECT count(*) FROM status_notices WHERE update_id = $1`, []any{first[1].Update.ID}, 0)
	})
}

func TestSubscriberWhomNothingReaches(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		ctx := t.Context()
		page := d.PageOf()
		ann := d.Subscriber(storetest.Clock(0), page, "ann@x")
		slow := d.opened(storetest.Clock(1), page, "Slow", "one")
		d.updated(storetest.Clock(1), page, slow, "two")
		d.fanOutUpdates(storetest.Clock(1), 100)
		now := func() status.StatusSubscriber {
			t.Helper()
			found, err := d.Status.SubscriberByToken(ctx, storetest.Clock(1), page.ID, ann.Token)
			if err != nil {
				t.Fatal(err)
			}
			return found
		}
		c := d.wantNotices("at first", storetest.Clock(1), "ann@x: Slow, one")[0]
		d.recorded(storetest.Clock(2), c, storetest.Clock(200), c.Subscriber.NotifyFailed(storetest.Clock(2), "away"))
		if got := now(); got.Problem != "away" || !got.FailingAt.Equal(storetest.Clock(2)) || got.ConfirmedAt.IsZero() {
			t.Errorf("after a failure: %+v", got)
		}
		d.wantNotices("before its time", storetest.Clock(199))
		d.WantNumbers("what follows is not looked at meanwhile", `SELECT count(*) FROM status_notices WHERE due_at < $1`, []any{db.Micros(storetest.Clock(200))}, 0)
		c = d.wantNotices("in its time", storetest.Clock(200), "ann@x: Slow, one")[0]
		if c.Tries != 2 {
			t.Errorf("%d tries", c.Tries)
		}
		d.recorded(storetest.Clock(201), c, storetest.Clock(400), c.Subscriber.NotifyFailed(storetest.Clock(201), "away"))
		c = d.wantNotices("once more", storetest.Clock(400), "ann@x: Slow, one")[0]
		d.recorded(storetest.Clock(2), c, time.Time{}, c.Subscriber.Notified())
		if got := now(); got.Problem != "" || !got.FailingAt.IsZero() {
			t.Errorf("after a success: %+v", got)
		}
		c = d.wantNotices("what follows, at once", storetest.Clock(2), "ann@x: Slow, two")[0]
		d.recorded(storetest.Clock(4), c, storetest.Clock(5), c.Subscriber.NotifyFailed(storetest.Clock(4), "away"))
		c = d.wantNotices("the second try", storetest.Clock(5), "ann@x: Slow, two")[0]
		d.updated(storetest.Clock(5), page, slow, "three")
		d.fanOutUpdates(storetest.Clock(5), 100)
		late := storetest.Clock(4).Add(status.FailingTooLong)
		d.recorded(late, c, time.Time{}, c.Subscriber.NotifyFailed(late, "gone"))
		if got := now(); got.Problem != "gone" || !got.ConfirmedAt.IsZero() {
			t.Errorf("after seven days: %+v", got)
		}
		d.WantNumbers("notices that are left", `SELECT count(*) FROM status_notices`, nil, 0)
		for _, step := range []struct {
			after time.Duration
			left  int64
		}{{status.KeepStopped - time.Second, 1}, {status.KeepStopped, 0}} {
			if err := d.Status.ForgetSubscribers(ctx, late.Add(step.after)); err != nil {
				t.Fatal(err)
			}
			d.WantNumbers("kept with the reason", `SELECT count(*) FROM status_subscribers`, nil, step.left)
		}
	})
}

// A page with 10,000 subscribers holds up no other, neither while their notices are made nor while they are claimed; nor do
// its mails hold up its webhooks.
func TestPagesTakeTurns(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		large, small := d.PageOf(), d.PageOf()
		d.manySubscribers(large, status.WebHookSubscriber, 3)
		d.manySubscribers(large, status.EmailSubscriber, status.MostSubscribers-3)
		d.manySubscribers(small, status.EmailSubscriber, 3)
		d.opened(storetest.Clock(1), large, "Large", "one")
		d.opened(storetest.Clock(2), small, "Small", "one")
		const atOnce, ofEach, rounds = 500, 16, 10
		mails := 0                 // of the large page, so far
		before := map[string]int{} // how many of them came before all of a queue
		claims := map[string]int{}
		for range rounds {
			if _, err := d.Status.FanOutStatusUpdates(t.Context(), storetest.Clock(2), atOnce); err != nil {
				t.Fatal(err)
			}
			claimed, err := d.Status.ClaimStatusNotices(t.Context(), storetest.Clock(2), noticeLease, 256, func(string) int { return ofEach })
			if err != nil {
				t.Fatal(err)
			}
			for _, c := range claimed {
				if c.Page.Number == large.Number && c.Subscriber.Kind == status.EmailSubscriber {
					mails++
				}
				if claims[c.Lane()]++; claims[c.Lane()] == 3 {
					before[c.Lane()] = mails
				}
			}
			d.notified(claimed...)
		}
		if mails != rounds*ofEach {
			t.Errorf("%d mails of the large page were claimed, want %d", mails, rounds*ofEach)
		}
		for what, q := range map[string]string{
			"the mails of the small page": statusdb.NoticeLane(small.Number, status.EmailSubscriber), "the webhooks of the large one": statusdb.NoticeLane(large.Number, status.WebHookSubscriber),
		} {
			n, ok := before[q]
			if t.Logf("%d mails of the large page came before %s", n, what); !ok || n > 2*ofEach {
				t.Errorf("%s: after %d mails of the large page, %t", what, n, ok)
			}
		}
	})
}

// If not all notices can be claimed, the queue with the fewest notices in flight comes first.
func TestTheEmptiestQueueComesFirst(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		large, small := d.PageOf(), d.PageOf()
		d.manySubscribers(large, status.EmailSubscriber, 20)
		d.manySubscribers(small, status.EmailSubscriber, 1)
		d.opened(storetest.Clock(1), large, "Large", "one")
		d.fanOutUpdates(storetest.Clock(1), 500)
		d.opened(storetest.Clock(2), small, "Small", "one")
		d.fanOutUpdates(storetest.Clock(2), 500)
		room := func(lane string) int {
			return map[string]int{statusdb.NoticeLane(large.Number, status.EmailSubscriber): 5, statusdb.NoticeLane(small.Number, status.EmailSubscriber): 16}[lane]
		}
		claimed, err := d.Status.ClaimStatusNotices(t.Context(), storetest.Clock(2), noticeLease, 3, room)
		if err != nil || len(claimed) != 3 || !slices.Contains(linesOf(claimed), "many1@x: Small, one") {
			t.Errorf("claimed %q, %v", linesOf(claimed), err)
		}
		claimed, err = d.Status.ClaimStatusNotices(t.Context(), storetest.Clock(2), noticeLease, 100, room)
		if err != nil || len(claimed) != 5 {
			t.Errorf("claimed %d with room for 5, %v", len(claimed), err)
		}
	})
}

// If a process dies, its notices in flight are due for the next process of an SQLite file, as if they had not been tried.
func TestTheNextProcessFreesNotices(t *testing.T) {
	t.Parallel()
	s := storetest.OpenSQLite(t)
	d := newDesk(t, s)
	page := d.PageOf()
	d.Subscriber(storetest.Clock(0), page, "ann@x")
	d.opened(storetest.Clock(1), page, "Slow", "one")
	d.fanOutUpdates(storetest.Clock(1), 100)
	late := d.wantNotices("by the first process", storetest.Clock(1), "ann@x: Slow, one")
	d.Free(storetest.Clock(1))
	d.wantNotices("which lives", storetest.Clock(1))
	s.Process = "the next"
	woken, stop := s.Sleep(statusdb.StatusPublished)
	defer stop()
	d.Free(storetest.Clock(1))
	<-woken
	c := d.wantNotices("by the next", storetest.Clock(1), "ann@x: Slow, one")
	if c[0].Tries != 1 {
		t.Errorf("%d tries", c[0].Tries)
	}
	d.notified(late...)
	d.WantNumbers("what the dead process recorded is not believed", `SELECT count(*) FROM status_notices`, nil, 1)
	d.notified(c...)
	d.WantNumbers("what the next one did is", `SELECT count(*) FROM status_notices`, nil, 0)
}

// If a node dies, its notices in flight are due for other nodes soon after that, and not before.
func TestNoticesOfADeadNodeAreFreed(t *testing.T) {
	t.Parallel()
	cluster := storetest.NewCluster(t)
	first := newDesk(t, cluster.Node(t))
	second := &desk{storetest.DeskOf(cluster.Node(t), first.SetupResult, t)}
	page := first.PageOf()
	first.Subscriber(storetest.Noon, page, "ann@x")
	first.opened(storetest.Noon, page, "Slow", "one")
	first.fanOutUpdates(storetest.Noon, 100)
	first.wantNotices("by the first node", storetest.Noon, "ann@x: Slow, one")
	second.Free(storetest.Noon)
	second.Free(storetest.Noon.Add(storetest.DeadWait))
	second.wantNotices("while both live", storetest.Noon.Add(storetest.DeadWait))
	storetest.Fence(t, first.Desk, second.Desk)
	dead := storetest.Noon.Add(storetest.DeadWait + time.Second)
	second.Free(dead)
	second.Free(dead.Add(storetest.DeadWait - time.Microsecond))
	second.wantNotices("while the dead may only have been cut off", dead.Add(storetest.DeadWait-time.Microsecond))
	second.Free(dead.Add(storetest.DeadWait))
	second.wantNotices("after it", dead.Add(storetest.DeadWait), "ann@x: Slow, one")
}

// Notices that were claimed or postponed far ahead by a wrong clock are due once the clock is right.
func TestNoticesOfAWrongClockAreDue(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		page := d.PageOf()
		for _, name := range []string{"claimed", "off", "waits"} {
			d.Subscriber(storetest.Noon, page, name+"@x")
		}
		d.BeatAt(storetest.Noon)
		d.opened(storetest.Noon, page, "Slow", "one")
		d.fanOutUpdates(storetest.Noon, 100)
		wrong := storetest.Noon.Add(5 * time.Hour)
		for _, c := range d.wantNotices("by the right clock", storetest.Noon, "claimed@x: Slow, one", "off@x: Slow, one", "waits@x: Slow, one") {
			after := map[string]time.Time{"claimed@x": storetest.Noon, "off@x": wrong.Add(28 * time.Hour), "waits@x": storetest.Noon.Add(20 * time.Hour)}[c.Subscriber.Address]
			d.recorded(storetest.Noon, c, after, c.Subscriber)
		}
		d.wantNotices("by the wrong one", wrong, "claimed@x: Slow, one")
		d.BeatAt(wrong)
		right := storetest.Noon.Add(time.Minute)
		d.BeatAt(right)
		d.wantNotices("once the clock is right", right, "claimed@x: Slow, one", "off@x: Slow, one")
	})
}
