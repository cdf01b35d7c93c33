package store

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sett/internal/sett"
	"sett/internal/store/db"
)

const noticeLease = 5 * time.Minute

// plenty is room for all that is due.
func plenty(StatusQueue) int { return 1000 }

// claimNotices claims what is due, a line each: what is told to whom.
func (d *desk) claimNotices(now time.Time) (lines []string, claimed []ClaimedStatusNotice) {
	d.t.Helper()
	claimed, err := d.ClaimStatusNotices(d.t.Context(), now, noticeLease, 1000, plenty)
	if err != nil {
		d.t.Fatal(err)
	}
	return linesOf(claimed), claimed
}

func linesOf(claimed []ClaimedStatusNotice) (lines []string) {
	for _, c := range claimed {
		lines = append(lines, fmt.Sprintf("%s: %s, %s", c.Subscriber.Address, c.Incident.Name, c.Update.Message))
	}
	return lines
}

func (d *desk) wantNotices(when string, now time.Time, want ...string) []ClaimedStatusNotice {
	d.t.Helper()
	lines, claimed := d.claimNotices(now)
	slices.Sort(lines)
	if diff := cmp.Diff(want, lines); diff != "" {
		d.t.Errorf("%s (-want +got):\n%s", when, diff)
	}
	return claimed
}

func (d *desk) spreadUpdates(now time.Time, limit int) (rounds int) {
	d.t.Helper()
	for {
		more, err := d.SpreadStatusUpdates(d.t.Context(), now, limit)
		if err != nil {
			d.t.Fatal(err)
		}
		if !more {
			return rounds
		}
		rounds++
	}
}

func (d *desk) opened(now time.Time, page sett.StatusPage, name, message string) sett.StatusIncident {
	d.t.Helper()
	made, err := d.CreateIncident(d.t.Context(), now, d.AccountID, page.ID, sett.IncidentChange{Name: sett.Some(name), Message: sett.Some(message)})
	if err != nil {
		d.t.Fatal(err)
	}
	return made.StatusIncident
}

func (d *desk) updated(now time.Time, page sett.StatusPage, i sett.StatusIncident, message string) sett.IncidentUpdate {
	d.t.Helper()
	u, err := d.AddIncidentUpdate(d.t.Context(), now, d.AccountID, page.ID, i.ID, sett.IncidentUpdateChange{Message: sett.Some(message)})
	if err != nil {
		d.t.Fatal(err)
	}
	return u
}

// recorded stores what came of a notice: it is due again then, or never, and that is what its subscriber is by it.
func (d *desk) recorded(now time.Time, c ClaimedStatusNotice, due time.Time, after sett.StatusSubscriber) {
	d.t.Helper()
	if err := d.RecordStatusNotices(d.t.Context(), now, []StatusNoticeResult{{Notice: c, DueAt: due, After: after}}); err != nil {
		d.t.Fatal(err)
	}
}

func (d *desk) toldOf(claimed ...ClaimedStatusNotice) {
	d.t.Helper()
	for _, c := range claimed {
		d.recorded(clock(0), c, time.Time{}, c.Subscriber.Told())
	}
}

// manySubscribers makes so many more of a page who have confirmed, and returns how many there are.
func (d *desk) manySubscribers(page sett.StatusPage, kind sett.SubscriberKind, n int) {
	d.t.Helper()
	d.run(`INSERT INTO status_subscribers (page, kind, address, token, secret, confirmed_at, created_at, problem, failing_at)
	    SELECT p.number, $2, 'many' || n.n || '@x', p.id || n.n || $2, '', 1, 1, '', 0 FROM status_pages p,
	    (WITH RECURSIVE n(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < $3) SELECT n FROM n) n WHERE p.id = $1`, page.ID, string(kind), n)
}

func TestUpdatesAreSpread(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, s *Store) {
		d := newDesk(t, s)
		page, other := d.pageOf(), d.pageOf()
		woken, stop := d.Sleep(StatusTold)
		defer stop()
		for _, name := range []string{"a", "b", "c"} {
			d.subscriber(clock(0), page, name+"@x")
		}
		d.subscriber(clock(0), other, "other@x")
		d.subscribe(clock(0), page, "unconfirmed@x")
		d.asked(clock(0))
		slow := d.opened(clock(1), page, "Slow", "one")
		if len(woken) != 1 {
			t.Error("nobody was woken")
		}
		d.subscriber(clock(2), page, "late@x")
		if rounds := d.spreadUpdates(clock(2), 2); rounds != 2 {
			t.Errorf("spread in %d rounds, want 2", rounds)
		}
		first := d.wantNotices("the first update", clock(2), "a@x: Slow, one", "b@x: Slow, one", "c@x: Slow, one")
		d.wantNotices("claimed already", clock(2))
		d.updated(clock(3), page, slow, "two")
		gone := d.updated(clock(3), page, slow, "deleted")
		d.opened(clock(3), page, "Broken", "three")
		d.spreadUpdates(clock(3), 2)
		if err := d.DeleteIncidentUpdate(t.Context(), clock(3), d.AccountID, page.ID, slow.ID, gone.ID); err != nil {
			t.Fatal(err)
		}
		d.toldOf(first[0])
		second := d.wantNotices("in order for each subscriber", clock(4), "a@x: Slow, two", "late@x: Slow, two")
		d.toldOf(second...)
		d.wantNotices("of all incidents", clock(4), "a@x: Broken, three", "late@x: Broken, three")
		again := d.wantNotices("the lease is over", clock(7), "b@x: Slow, one", "c@x: Slow, one")
		d.toldOf(first[1]) // is not believed any more
		d.wantNumbers("notices of the first update", `SELECT count(*) FROM status_notices WHERE update_id = $1`, []any{first[1].Update.ID}, 2)
		d.toldOf(again...)
		d.wantNumbers("once told", `SELECT count(*) FROM status_notices WHERE update_id = $1`, []any{first[1].Update.ID}, 0)
	})
}

func TestSubscriberWhomNothingReaches(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, s *Store) {
		d := newDesk(t, s)
		ctx := t.Context()
		page := d.pageOf()
		ann := d.subscriber(clock(0), page, "ann@x")
		slow := d.opened(clock(1), page, "Slow", "one")
		d.updated(clock(1), page, slow, "two")
		d.spreadUpdates(clock(1), 100)
		now := func() sett.StatusSubscriber {
			t.Helper()
			found, err := d.SubscriberByToken(ctx, clock(1), page.ID, ann.Token)
			if err != nil {
				t.Fatal(err)
			}
			return found
		}
		c := d.wantNotices("at first", clock(1), "ann@x: Slow, one")[0]
		d.recorded(clock(2), c, clock(200), c.Subscriber.NotTold(clock(2), "away"))
		if got := now(); got.Problem != "away" || !got.FailingAt.Equal(clock(2)) || got.ConfirmedAt.IsZero() {
			t.Errorf("after a failure: %+v", got)
		}
		d.wantNotices("before its time", clock(199))
		d.wantNumbers("what follows is not looked at meanwhile", `SELECT count(*) FROM status_notices WHERE due_at < $1`, []any{db.Micros(clock(200))}, 0)
		c = d.wantNotices("in its time", clock(200), "ann@x: Slow, one")[0]
		if c.Tries != 2 {
			t.Errorf("%d tries", c.Tries)
		}
		d.recorded(clock(201), c, clock(400), c.Subscriber.NotTold(clock(201), "away"))
		c = d.wantNotices("once more", clock(400), "ann@x: Slow, one")[0]
		d.recorded(clock(2), c, time.Time{}, c.Subscriber.Told())
		if got := now(); got.Problem != "" || !got.FailingAt.IsZero() {
			t.Errorf("after a success: %+v", got)
		}
		c = d.wantNotices("what follows, at once", clock(2), "ann@x: Slow, two")[0]
		d.recorded(clock(4), c, clock(5), c.Subscriber.NotTold(clock(4), "away"))
		c = d.wantNotices("the second try", clock(5), "ann@x: Slow, two")[0]
		d.updated(clock(5), page, slow, "three")
		d.spreadUpdates(clock(5), 100)
		late := clock(4).Add(sett.FailingTooLong)
		d.recorded(late, c, time.Time{}, c.Subscriber.NotTold(late, "gone"))
		if got := now(); got.Problem != "gone" || !got.ConfirmedAt.IsZero() {
			t.Errorf("after seven days: %+v", got)
		}
		d.wantNumbers("what is left to tell", `SELECT count(*) FROM status_notices`, nil, 0)
		for _, step := range []struct {
			after time.Duration
			left  int64
		}{{sett.KeepStopped - time.Second, 1}, {sett.KeepStopped, 0}} {
			if err := d.ForgetSubscribers(ctx, late.Add(step.after)); err != nil {
				t.Fatal(err)
			}
			d.wantNumbers("kept with the reason", `SELECT count(*) FROM status_subscribers`, nil, step.left)
		}
	})
}

// A page with 10,000 subscribers holds up no other, neither while their notices are made nor while they are claimed; nor do
// its mails hold up its webhooks.
func TestPagesTakeTurns(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, s *Store) {
		d := newDesk(t, s)
		large, small := d.pageOf(), d.pageOf()
		d.manySubscribers(large, sett.WebHookSubscriber, 3)
		d.manySubscribers(large, sett.EmailSubscriber, sett.MostSubscribers-3)
		d.manySubscribers(small, sett.EmailSubscriber, 3)
		d.opened(clock(1), large, "Large", "one")
		d.opened(clock(2), small, "Small", "one")
		const atOnce, ofEach, rounds = 500, 16, 10
		mails := 0                      // of the large page, so far
		before := map[StatusQueue]int{} // how many of them came before all of a queue
		claims := map[StatusQueue]int{}
		for range rounds {
			if _, err := d.SpreadStatusUpdates(t.Context(), clock(2), atOnce); err != nil {
				t.Fatal(err)
			}
			claimed, err := d.ClaimStatusNotices(t.Context(), clock(2), noticeLease, 256, func(StatusQueue) int { return ofEach })
			if err != nil {
				t.Fatal(err)
			}
			for _, c := range claimed {
				if c.Page.Number == large.Number && c.Subscriber.Kind == sett.EmailSubscriber {
					mails++
				}
				if claims[c.Queue()]++; claims[c.Queue()] == 3 {
					before[c.Queue()] = mails
				}
			}
			d.toldOf(claimed...)
		}
		if mails != rounds*ofEach {
			t.Errorf("%d mails of the large page were claimed, want %d", mails, rounds*ofEach)
		}
		for what, q := range map[string]StatusQueue{
			"the mails of the small page": {Page: small.Number, Kind: sett.EmailSubscriber}, "the webhooks of the large one": {Page: large.Number, Kind: sett.WebHookSubscriber},
		} {
			n, ok := before[q]
			if t.Logf("%d mails of the large page came before %s", n, what); !ok || n > 2*ofEach {
				t.Errorf("%s: after %d mails of the large page, %t", what, n, ok)
			}
		}
	})
}

// While there is not enough for all, the queue of which the fewest are in hand comes first.
func TestTheEmptiestQueueComesFirst(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, s *Store) {
		d := newDesk(t, s)
		large, small := d.pageOf(), d.pageOf()
		d.manySubscribers(large, sett.EmailSubscriber, 20)
		d.manySubscribers(small, sett.EmailSubscriber, 1)
		d.opened(clock(1), large, "Large", "one")
		d.spreadUpdates(clock(1), 500)
		d.opened(clock(2), small, "Small", "one")
		d.spreadUpdates(clock(2), 500)
		room := func(q StatusQueue) int { return map[int64]int{large.Number: 5, small.Number: 16}[q.Page] }
		claimed, err := d.ClaimStatusNotices(t.Context(), clock(2), noticeLease, 3, room)
		if err != nil || len(claimed) != 3 || !slices.Contains(linesOf(claimed), "many1@x: Small, one") {
			t.Errorf("claimed %q, %v", linesOf(claimed), err)
		}
		claimed, err = d.ClaimStatusNotices(t.Context(), clock(2), noticeLease, 100, room)
		if err != nil || len(claimed) != 5 {
			t.Errorf("claimed %d with room for 5, %v", len(claimed), err)
		}
	})
}

// What a process had in hand when it died is due for the next one of an SQLite file, as if it had not been tried.
func TestTheNextProcessFreesNotices(t *testing.T) {
	t.Parallel()
	s := openSQLite(t)
	d := newDesk(t, s)
	page := d.pageOf()
	d.subscriber(clock(0), page, "ann@x")
	d.opened(clock(1), page, "Slow", "one")
	d.spreadUpdates(clock(1), 100)
	late := d.wantNotices("by the first process", clock(1), "ann@x: Slow, one")
	d.free(clock(1))
	d.wantNotices("which lives", clock(1))
	s.Process = "the next"
	woken, stop := s.Sleep(StatusTold)
	defer stop()
	d.free(clock(1))
	<-woken
	c := d.wantNotices("by the next", clock(1), "ann@x: Slow, one")
	if c[0].Tries != 1 {
		t.Errorf("%d tries", c[0].Tries)
	}
	d.toldOf(late...)
	d.wantNumbers("what the dead process recorded is not believed", `SELECT count(*) FROM status_notices`, nil, 1)
	d.toldOf(c...)
	d.wantNumbers("what the next one did is", `SELECT count(*) FROM status_notices`, nil, 0)
}

// What a node had in hand is for others soon after it died, and not before.
func TestNoticesOfADeadNodeAreFreed(t *testing.T) {
	t.Parallel()
	cluster := newCluster(t)
	first := newDesk(t, cluster.node(t))
	second := &desk{cluster.node(t), first.SetupResult, t}
	page := first.pageOf()
	first.subscriber(noon, page, "ann@x")
	first.opened(noon, page, "Slow", "one")
	first.spreadUpdates(noon, 100)
	first.wantNotices("by the first node", noon, "ann@x: Slow, one")
	second.free(noon)
	second.free(noon.Add(deadWait))
	second.wantNotices("while both live", noon.Add(deadWait))
	fence(t, first, second)
	dead := noon.Add(deadWait + time.Second)
	second.free(dead)
	second.free(dead.Add(deadWait - time.Microsecond))
	second.wantNotices("while the dead may only have been cut off", dead.Add(deadWait-time.Microsecond))
	second.free(dead.Add(deadWait))
	second.wantNotices("after it", dead.Add(deadWait), "ann@x: Slow, one")
}

// What a clock that was ahead has claimed, put off or made holds nobody up.
func TestNoticesOfAWrongClockAreDue(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, s *Store) {
		d := newDesk(t, s)
		page := d.pageOf()
		for _, name := range []string{"claimed", "off", "waits"} {
			d.subscriber(noon, page, name+"@x")
		}
		d.beat(noon)
		d.opened(noon, page, "Slow", "one")
		d.spreadUpdates(noon, 100)
		wrong := noon.Add(5 * time.Hour)
		for _, c := range d.wantNotices("by the right clock", noon, "claimed@x: Slow, one", "off@x: Slow, one", "waits@x: Slow, one") {
			after := map[string]time.Time{"claimed@x": noon, "off@x": wrong.Add(28 * time.Hour), "waits@x": noon.Add(20 * time.Hour)}[c.Subscriber.Address]
			d.recorded(noon, c, after, c.Subscriber)
		}
		d.wantNotices("by the wrong one", wrong, "claimed@x: Slow, one")
		d.beat(wrong)
		right := noon.Add(time.Minute)
		d.beat(right)
		d.wantNotices("once the clock is right", right, "claimed@x: Slow, one", "off@x: Slow, one")
	})
}
