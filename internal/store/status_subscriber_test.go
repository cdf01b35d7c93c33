package store

import (
	"slices"
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

// Only the link of the request that was made with the last secret confirms a webhook, and while it is asked once nobody else
// changes the secret.
func TestAWebHookIsAskedOnce(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, s *Store) {
		d := newDesk(t, s)
		ctx := t.Context()
		page := d.pageOf()
		ask := func(now time.Time, secret string) {
			t.Helper()
			if err := d.SubscribeWebHook(ctx, now, page.ID, " HTTPS://Hook.Example.test?key=1#x", secret); err != nil {
				t.Fatal(err)
			}
		}
		wantAsked := func(when string, now time.Time, secret string) (s sett.StatusSubscriber) {
			t.Helper()
			_, claimed := d.claimNotices(now)
			if len(claimed) != 1 || !claimed[0].Asks || claimed[0].Subscriber.Secret != secret || claimed[0].Subscriber.Address != "https://hook.example.test/?key=1" {
				t.Fatalf("%s: asked %+v", when, claimed)
			}
			d.toldOf(claimed...)
			return claimed[0].Subscriber
		}
		woken, stop := d.Sleep(StatusTold)
		defer stop()
		ask(clock(0), "one")
		if len(woken) != 1 {
			t.Error("nobody was woken")
		}
		ask(clock(59), "two")
		first := wantAsked("within an hour", clock(59), "one")
		ask(clock(60), "three")
		ask(clock(61), "four")
		last := wantAsked("after an hour", clock(61), "three")
		wantCode(t, "the first link", sett.NotFound, func() error { _, err := d.ConfirmSubscriber(ctx, clock(62), page.ID, first.Token); return err })
		if _, err := d.ConfirmSubscriber(ctx, clock(62), page.ID, last.Token); err != nil {
			t.Fatal(err)
		}
		ask(clock(600), "five")
		if lines, _ := d.claimNotices(clock(600)); lines != nil {
			t.Errorf("asked once more: %q", lines)
		}
		for _, bad := range []string{"", "hook.example.test", "ftp://hook.example.test/", "https://ann:hush@hook.example.test/", "https:///x"} {
			wantCode(t, bad, sett.Invalid, func() error { return d.SubscribeWebHook(ctx, clock(1), page.ID, bad, "x") })
		}
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
