package store

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sett/internal/sett"
)

// asked returns to whom mails are queued that ask for a confirmation, the oldest first, with the token of each.
func (d *desk) asked(now time.Time) (lines, tokens []string) {
	d.t.Helper()
	for {
		m, ok, err := d.ClaimMail(d.t.Context(), now, time.Hour)
		if err != nil {
			d.t.Fatal(err)
		}
		if !ok {
			return lines, tokens
		}
		if m.Kind == sett.SubscriptionMail {
			lines, tokens = append(lines, m.To+" about "+m.Fields["page"]), append(tokens, m.Fields["token"])
		}
		if err := d.DropMail(d.t.Context(), m.ID); err != nil {
			d.t.Fatal(err)
		}
	}
}

func (d *desk) subscribe(now time.Time, page sett.StatusPage, address string) {
	d.t.Helper()
	if err := d.SubscribeEmail(d.t.Context(), now, page.ID, address); err != nil {
		d.t.Fatal(err)
	}
}

// subscriber makes one who has confirmed.
func (d *desk) subscriber(now time.Time, page sett.StatusPage, address string) sett.StatusSubscriber {
	d.t.Helper()
	d.subscribe(now, page, address)
	_, tokens := d.asked(now)
	if len(tokens) != 1 {
		d.t.Fatalf("%d mails ask %s", len(tokens), address)
	}
	found, err := d.ConfirmSubscriber(d.t.Context(), now, page.ID, tokens[0])
	if err != nil {
		d.t.Fatal(err)
	}
	return found
}

func TestAnAddressIsAskedOnce(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, s *Store) {
		d := newDesk(t, s)
		page, other := d.pageOf(), d.pageOf()
		wantAsked := func(when string, now time.Time, want ...string) (tokens []string) {
			t.Helper()
			lines, tokens := d.asked(now)
			if diff := cmp.Diff(want, lines); diff != "" {
				t.Errorf("%s (-want +got):\n%s", when, diff)
			}
			return tokens
		}
		d.subscribe(clock(0), page, " Ann@Example.test")
		first := wantAsked("at first", clock(0), "ann@example.test about Status")
		d.subscribe(clock(59), page, "ann@example.test")
		wantAsked("within an hour", clock(59))
		d.subscribe(clock(59), other, "ann@example.test")
		wantAsked("another page", clock(59), "ann@example.test about Status")
		d.subscribe(clock(60), page, "ann@example.test")
		if again := wantAsked("after an hour", clock(60), "ann@example.test about Status"); !slices.Equal(again, first) {
			t.Errorf("the link is another one: %q, %q", first, again)
		}
		if _, err := d.ConfirmSubscriber(t.Context(), clock(61), page.ID, first[0]); err != nil {
			t.Fatal(err)
		}
		d.subscribe(clock(600), page, "ann@example.test")
		wantAsked("confirmed", clock(600))
	})
}

func TestConfirmingAndUnsubscribing(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, s *Store) {
		d := newDesk(t, s)
		ctx := t.Context()
		page, other := d.pageOf(), d.pageOf()
		d.subscribe(clock(0), page, "ann@example.test")
		_, tokens := d.asked(clock(0))
		token := tokens[0]
		wantCode(t, "another page's", sett.NotFound, func() error { _, err := d.ConfirmSubscriber(ctx, clock(1), other.ID, token); return err })
		wantCode(t, "another token", sett.NotFound, func() error { _, err := d.SubscriberByToken(ctx, clock(1), page.ID, "x"); return err })
		late := clock(0).Add(sett.SubscriptionLife)
		wantCode(t, "too late", sett.NotFound, func() error { _, err := d.ConfirmSubscriber(ctx, late, page.ID, token); return err })
		for n := range 2 { // the second changes nothing
			if _, err := d.ConfirmSubscriber(ctx, clock(2+n), page.ID, token); err != nil {
				t.Fatal(err)
			}
		}
		found, err := d.SubscriberByToken(ctx, late, page.ID, token)
		want := sett.StatusSubscriber{
			ID: found.ID, PageID: page.ID, Kind: sett.EmailSubscriber, Address: "ann@example.test", Token: token, ConfirmedAt: clock(2), CreatedAt: clock(0),
		}
		if diff := cmp.Diff(want, found); err != nil || diff != "" {
			t.Errorf("error %v (-want +got):\n%s", err, diff)
		}
		if err := d.UnsubscribeStatus(ctx, other.ID, token); err != nil {
			t.Fatal(err)
		}
		if _, err := d.SubscriberByToken(ctx, late, page.ID, token); err != nil {
			t.Errorf("unsubscribed from another page: %v", err)
		}
		for range 2 {
			if err := d.UnsubscribeStatus(ctx, page.ID, token); err != nil {
				t.Fatal(err)
			}
		}
		wantCode(t, "unsubscribed", sett.NotFound, func() error { _, err := d.SubscriberByToken(ctx, late, page.ID, token); return err })
	})
}

func TestWhoDoesNotConfirmIsForgotten(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, s *Store) {
		d := newDesk(t, s)
		page := d.pageOf()
		d.subscriber(clock(0), page, "ann@example.test")
		d.subscribe(clock(0), page, "bob@example.test")
		d.subscribe(clock(1), page, "cid@example.test")
		if err := d.ForgetSubscribers(t.Context(), clock(0).Add(sett.SubscriptionLife)); err != nil {
			t.Fatal(err)
		}
		d.wantNumbers("left", `SELECT count(*) FROM status_subscribers WHERE address <> 'bob@example.test'`, nil, 2)
		d.wantNumbers("forgotten", `SELECT count(*) FROM status_subscribers WHERE address = 'bob@example.test'`, nil, 0)
	})
}

// Whoever the question does not reach has the reason, until they are asked again or forgotten as all who do not confirm.
func TestQuestionThatDoesNotArrive(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, s *Store) {
		d, ctx := newDesk(t, s), t.Context()
		page := d.pageOf()
		ask := func(m int) ClaimedMail {
			t.Helper()
			d.subscribe(clock(m), page, "ann@example.test")
			claimed, ok, err := d.ClaimMail(ctx, clock(m), time.Minute)
			if err != nil || !ok {
				t.Fatalf("no mail: %v", err)
			}
			return claimed
		}
		problem := func(m ClaimedMail) string {
			t.Helper()
			found, err := d.SubscriberByToken(ctx, clock(0), page.ID, m.Fields["token"])
			if err != nil {
				t.Fatal(err)
			}
			return found.Problem
		}
		giveUp := func(m ClaimedMail) {
			t.Helper()
			if err := d.GiveUpMail(ctx, m, clock(9999), "550 nobody here"); err != nil {
				t.Fatal(err)
			}
		}
		first := ask(0)
		giveUp(first)
		if got := problem(first); got != "550 nobody here" {
			t.Errorf("given up: %q", got)
		}
		second := ask(61)
		if got := problem(second); got != "" {
			t.Errorf("asked again: %q", got)
		}
		lost := second
		lost.Tries++
		giveUp(lost) // by somebody else than who has it
		if got := problem(second); got != "" {
			t.Errorf("given up by another: %q", got)
		}
		if _, err := d.ConfirmSubscriber(ctx, clock(62), page.ID, second.Fields["token"]); err != nil {
			t.Fatal(err)
		}
		giveUp(second)
		if got := problem(second); got != "" {
			t.Errorf("given up once they have confirmed: %q", got)
		}
		d.run(`UPDATE status_subscribers SET confirmed_at = 0, problem = '550 nobody here'`)
		if err := d.ForgetSubscribers(ctx, clock(61).Add(sett.SubscriptionLife)); err != nil {
			t.Fatal(err)
		}
		d.wantNumbers("left", `SELECT count(*) FROM status_subscribers`, nil, 0)
	})
}

func TestFullPageTakesNobody(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, s *Store) {
		d := newDesk(t, s)
		page := d.pageOf()
		d.subscriber(clock(0), page, "ann@example.test")
		d.run(`INSERT INTO status_subscribers (page, kind, address, token, secret, confirmed_at, created_at, problem, failing_at)
		    SELECT s.page, s.kind, 'a' || n.n, 'token' || n.n, '', 1, 1, '', 0 FROM status_subscribers s,
		    (WITH RECURSIVE n(n) AS (SELECT 2 UNION ALL SELECT n + 1 FROM n WHERE n < $1) SELECT n FROM n) n`, sett.MostSubscribers)
		for _, address := range []string{"ann@example.test", "new@example.test"} {
			wantCode(t, address, sett.Conflict, func() error { return d.SubscribeEmail(t.Context(), clock(1), page.ID, address) })
		}
		wantCode(t, "no address", sett.Invalid, func() error { return d.SubscribeEmail(t.Context(), clock(1), page.ID, "ann") })
		wantCode(t, "no page", sett.NotFound, func() error { return d.SubscribeEmail(t.Context(), clock(1), "nothing", "ann@example.test") })
	})
}

func wantCode(t *testing.T, what string, code sett.Code, f func() error) {
	t.Helper()
	if err := f(); sett.CodeOf(err) != code {
		t.Errorf("%s: error %v, want %s", what, err, code)
	}
}

// claimNotices claims what is due, a line each: what is told to whom.
func (d *desk) claimNotices(now time.Time) (lines []string, claimed []ClaimedStatusNotice) {
	d.t.Helper()
	claimed, err := d.ClaimStatusNotices(d.t.Context(), now, 5*time.Minute, 100)
	if err != nil {
		d.t.Fatal(err)
	}
	for _, c := range claimed {
		lines = append(lines, fmt.Sprintf("%s: %s, %s", c.Subscriber.Address, c.Incident.Name, c.Update.Message))
	}
	return lines, claimed
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

func (d *desk) toldOf(claimed ...ClaimedStatusNotice) {
	d.t.Helper()
	for _, c := range claimed {
		if err := d.RecordToldNotice(d.t.Context(), c); err != nil {
			d.t.Fatal(err)
		}
	}
}

func TestUpdatesAreSpread(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, s *Store) {
		d := newDesk(t, s)
		page, other := d.pageOf(), d.pageOf()
		wantClaims := func(when string, now time.Time, want ...string) []ClaimedStatusNotice {
			t.Helper()
			lines, claimed := d.claimNotices(now)
			slices.Sort(lines)
			if diff := cmp.Diff(want, lines); diff != "" {
				t.Errorf("%s (-want +got):\n%s", when, diff)
			}
			return claimed
		}
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
		first := wantClaims("the first update", clock(2), "a@x: Slow, one", "b@x: Slow, one", "c@x: Slow, one")
		wantClaims("claimed already", clock(2))
		d.updated(clock(3), page, slow, "two")
		gone := d.updated(clock(3), page, slow, "deleted")
		d.opened(clock(3), page, "Broken", "three")
		d.spreadUpdates(clock(3), 2)
		if err := d.DeleteIncidentUpdate(t.Context(), clock(3), d.AccountID, page.ID, slow.ID, gone.ID); err != nil {
			t.Fatal(err)
		}
		slices.SortFunc(first, func(a, b ClaimedStatusNotice) int { return strings.Compare(a.Subscriber.Address, b.Subscriber.Address) })
		d.toldOf(first[0])
		wantClaims("in order for each incident", clock(4), "a@x: Broken, three", "a@x: Slow, two", "b@x: Broken, three",
			"c@x: Broken, three", "late@x: Broken, three", "late@x: Slow, two")
		again := wantClaims("the lease is over", clock(8), "b@x: Slow, one", "c@x: Slow, one")
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
		_, claimed := d.claimNotices(clock(1))
		if err := d.PostponeNotice(ctx, clock(2), claimed[0], clock(3), "away"); err != nil {
			t.Fatal(err)
		}
		if got := now(); got.Problem != "away" || !got.FailingAt.Equal(clock(2)) || got.ConfirmedAt.IsZero() {
			t.Errorf("after a failure: %+v", got)
		}
		if lines, _ := d.claimNotices(clock(2)); lines != nil {
			t.Errorf("claimed before its time: %q", lines)
		}
		_, claimed = d.claimNotices(clock(3))
		d.toldOf(claimed...)
		if got := now(); got.Problem != "" || !got.FailingAt.IsZero() {
			t.Errorf("after a success: %+v", got)
		}
		_, claimed = d.claimNotices(clock(4))
		if err := d.PostponeNotice(ctx, clock(4), claimed[0], clock(5), "away"); err != nil {
			t.Fatal(err)
		}
		_, claimed = d.claimNotices(clock(5))
		d.updated(clock(5), page, slow, "three")
		d.spreadUpdates(clock(5), 100)
		if err := d.GiveUpNotice(ctx, clock(4).Add(sett.FailingTooLong), claimed[0], "gone"); err != nil {
			t.Fatal(err)
		}
		if got := now(); got.Problem != "gone" || !got.ConfirmedAt.IsZero() {
			t.Errorf("after seven days: %+v", got)
		}
		d.wantNumbers("what is left to tell", `SELECT count(*) FROM status_notices`, nil, 0)
		if err := d.ForgetSubscribers(ctx, clock(0).AddDate(0, 1, 0)); err != nil {
			t.Fatal(err)
		}
		d.wantNumbers("kept with the reason", `SELECT count(*) FROM status_subscribers`, nil, 1)
	})
}
