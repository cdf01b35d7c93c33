package statusdb_test

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sett/internal/sett"
	"sett/internal/sett/alerts"
	"sett/internal/sett/status"
	"sett/internal/store"
	"sett/internal/store/outbox"
	"sett/internal/store/statusdb"
	"sett/internal/store/storetest"
)

func TestAnAddressIsAskedOnce(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		page, other := d.PageOf(), d.PageOf()
		wantAsked := func(when string, now time.Time, want ...string) (tokens []string) {
			t.Helper()
			lines, tokens := d.Asked(now)
			if diff := cmp.Diff(want, lines); diff != "" {
				t.Errorf("%s (-want +got):\n%s", when, diff)
			}
			return tokens
		}
		d.Subscribe(storetest.Clock(0), page, " Ann@Example.test")
		first := wantAsked("at first", storetest.Clock(0), "ann@example.test about Status")
		d.Subscribe(storetest.Clock(59), page, "ann@example.test")
		wantAsked("within an hour", storetest.Clock(59))
		d.Subscribe(storetest.Clock(59), other, "ann@example.test")
		wantAsked("another page", storetest.Clock(59), "ann@example.test about Status")
		d.Subscribe(storetest.Clock(60), page, "ann@example.test")
		if again := wantAsked("after an hour", storetest.Clock(60), "ann@example.test about Status"); !slices.Equal(again, first) {
			t.Errorf("the link is another one: %q, %q", first, again)
		}
		if _, err := d.Status.ConfirmSubscriber(t.Context(), storetest.Clock(61), page.ID, first[0]); err != nil {
			t.Fatal(err)
		}
		d.Subscribe(storetest.Clock(600), page, "ann@example.test")
		wantAsked("confirmed", storetest.Clock(600))
	})
}

func TestConfirmingAndUnsubscribing(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		ctx := t.Context()
		page, other := d.PageOf(), d.PageOf()
		d.Subscribe(storetest.Clock(0), page, "ann@example.test")
		_, tokens := d.Asked(storetest.Clock(0))
		token := tokens[0]
		wantCode(t, "another page's", sett.NotFound, func() error {
			_, err := d.Status.ConfirmSubscriber(ctx, storetest.Clock(1), other.ID, token)
			return err
		})
		wantCode(t, "another token", sett.NotFound, func() error { _, err := d.Status.SubscriberByToken(ctx, storetest.Clock(1), page.ID, "x"); return err })
		late := storetest.Clock(0).Add(status.SubscriptionLife)
		wantCode(t, "too late", sett.NotFound, func() error { _, err := d.Status.ConfirmSubscriber(ctx, late, page.ID, token); return err })
		for n := range 2 { // the second changes nothing
			if _, err := d.Status.ConfirmSubscriber(ctx, storetest.Clock(2+n), page.ID, token); err != nil {
				t.Fatal(err)
			}
		}
		found, err := d.Status.SubscriberByToken(ctx, late, page.ID, token)
		want := status.StatusSubscriber{
			ID: found.ID, PageID: page.ID, Kind: status.EmailSubscriber, Address: "ann@example.test", Token: token, ConfirmedAt: storetest.Clock(2), CreatedAt: storetest.Clock(0),
		}
		if diff := cmp.Diff(want, found); err != nil || diff != "" {
			t.Errorf("error %v (-want +got):\n%s", err, diff)
		}
		if err := d.Status.UnsubscribeStatus(ctx, other.ID, token); err != nil {
			t.Fatal(err)
		}
		if _, err := d.Status.SubscriberByToken(ctx, late, page.ID, token); err != nil {
			t.Errorf("unsubscribed from another page: %v", err)
		}
		for range 2 {
			if err := d.Status.UnsubscribeStatus(ctx, page.ID, token); err != nil {
				t.Fatal(err)
			}
		}
		wantCode(t, "unsubscribed", sett.NotFound, func() error { _, err := d.Status.SubscriberByToken(ctx, late, page.ID, token); return err })
	})
}

// Only the link of the last confirmation request confirms a webhook. A webhook is asked once in an hour; during that time a new
// subscription does not change its secret.
func TestAWebHookIsAskedOnce(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		ctx := t.Context()
		page := d.PageOf()
		ask := func(now time.Time, secret string) {
			t.Helper()
			if err := d.Status.SubscribeWebHook(ctx, now, page.ID, " HTTPS://Hook.Example.test?key=1#x", secret); err != nil {
				t.Fatal(err)
			}
		}
		wantAsked := func(when string, now time.Time, secret string) (s status.StatusSubscriber) {
			t.Helper()
			_, claimed := d.claimNotices(now)
			if len(claimed) != 1 || !claimed[0].Asks || claimed[0].Subscriber.Secret != secret || claimed[0].Subscriber.Address != "https://hook.example.test/?key=1" {
				t.Fatalf("%s: asked %+v", when, claimed)
			}
			d.notified(claimed...)
			return claimed[0].Subscriber
		}
		woken, stop := d.Sleep(statusdb.StatusPublished)
		defer stop()
		ask(storetest.Clock(0), "one")
		if len(woken) != 1 {
			t.Error("no sleeper was woken")
		}
		ask(storetest.Clock(59), "two")
		first := wantAsked("within an hour", storetest.Clock(59), "one")
		ask(storetest.Clock(60), "three")
		ask(storetest.Clock(61), "four")
		last := wantAsked("after an hour", storetest.Clock(61), "three")
		wantCode(t, "the first link", sett.NotFound, func() error {
			_, err := d.Status.ConfirmSubscriber(ctx, storetest.Clock(62), page.ID, first.Token)
			return err
		})
		if _, err := d.Status.ConfirmSubscriber(ctx, storetest.Clock(62), page.ID, last.Token); err != nil {
			t.Fatal(err)
		}
		ask(storetest.Clock(600), "five")
		if lines, _ := d.claimNotices(storetest.Clock(600)); lines != nil {
			t.Errorf("asked once more: %q", lines)
		}
		for _, bad := range []string{"", "hook.example.test", "ftp://hook.example.test/", "https://ann:hush@hook.example.test/", "https:///x"} {
			wantCode(t, bad, sett.Invalid, func() error { return d.Status.SubscribeWebHook(ctx, storetest.Clock(1), page.ID, bad, "x") })
		}
	})
}

func TestWhoDoesNotConfirmIsForgotten(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		page := d.PageOf()
		d.Subscriber(storetest.Clock(0), page, "ann@example.test")
		d.Subscribe(storetest.Clock(0), page, "bob@example.test")
		d.Subscribe(storetest.Clock(1), page, "cid@example.test")
		if err := d.Status.ForgetSubscribers(t.Context(), storetest.Clock(0).Add(status.SubscriptionLife)); err != nil {
			t.Fatal(err)
		}
		d.WantNumbers("left", `SELECT count(*) FROM status_subscribers WHERE address <> 'bob@example.test'`, nil, 2)
		d.WantNumbers("forgotten", `SELECT count(*) FROM status_subscribers WHERE address = 'bob@example.test'`, nil, 0)
	})
}

// If the confirmation email is refused, the subscriber has the reason until they are asked again, confirm or are deleted.
func TestQuestionThatDoesNotArrive(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d, ctx := newDesk(t, s), t.Context()
		page := d.PageOf()
		ask := func(m int) outbox.ClaimedMail {
			t.Helper()
			d.Subscribe(storetest.Clock(m), page, "ann@example.test")
			claimed, err := d.Outbox.ClaimMails(ctx, storetest.Clock(m), time.Minute, 1, func(alerts.MailKind) int { return 1 })
			if err != nil || len(claimed) == 0 {
				t.Fatalf("no mail: %v", err)
			}
			return claimed[0]
		}
		problem := func(m outbox.ClaimedMail) string {
			t.Helper()
			found, err := d.Status.SubscriberByToken(ctx, storetest.Clock(0), page.ID, m.Fields["token"])
			if err != nil {
				t.Fatal(err)
			}
			return found.Problem
		}
		giveUp := func(m outbox.ClaimedMail) {
			t.Helper()
			if err := d.Outbox.RecordMails(ctx, []outbox.MailResult{{Mail: m, KeepUntil: storetest.Clock(9999), Problem: "550 no such user"}}); err != nil {
				t.Fatal(err)
			}
		}
		first := ask(0)
		giveUp(first)
		if got := problem(first); got != "550 no such user" {
			t.Errorf("given up: %q", got)
		}
		second := ask(61)
		if got := problem(second); got != "" {
			t.Errorf("asked again: %q", got)
		}
		lost := second
		lost.Claim++
		giveUp(lost) // by a process that has lost its claim
		if got := problem(second); got != "" {
			t.Errorf("given up by another: %q", got)
		}
		if _, err := d.Status.ConfirmSubscriber(ctx, storetest.Clock(62), page.ID, second.Fields["token"]); err != nil {
			t.Fatal(err)
		}
		giveUp(second)
		if got := problem(second); got != "" {
			t.Errorf("given up once they have confirmed: %q", got)
		}
		d.Run(`UPDATE status_subscribers SET confirmed_at = 0, problem = '550 no such user'`)
		if err := d.Status.ForgetSubscribers(ctx, storetest.Clock(61).Add(status.SubscriptionLife)); err != nil {
			t.Fatal(err)
		}
		d.WantNumbers("left", `SELECT count(*) FROM status_subscribers`, nil, 0)
	})
}

func TestFullPageTakesNoSubscribers(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		page := d.PageOf()
		d.Subscriber(storetest.Clock(0), page, "ann@example.test")
		d.Run(`INSERT INTO status_subscribers (page, kind, address, token, secret, confirmed_at, created_at, problem, failing_at)
		    SELECT s.page, s.kind, 'a' || n.n, 'token' || n.n, '', 1, 1, '', 0 FROM status_subscribers s,
		    (WITH RECURSIVE n(n) AS (SELECT 2 UNION ALL SELECT n + 1 FROM n WHERE n < $1) SELECT n FROM n) n`, status.MostSubscribers)
		for _, address := range []string{"ann@example.test", "new@example.test"} {
			wantCode(t, address, sett.Conflict, func() error { return d.Status.SubscribeEmail(t.Context(), storetest.Clock(1), page.ID, address) })
		}
		wantCode(t, "no address", sett.Invalid, func() error { return d.Status.SubscribeEmail(t.Context(), storetest.Clock(1), page.ID, "ann") })
		wantCode(t, "no page", sett.NotFound, func() error {
			return d.Status.SubscribeEmail(t.Context(), storetest.Clock(1), "nothing", "ann@example.test")
		})
	})
}

func wantCode(t *testing.T, what string, code sett.Code, f func() error) {
	t.Helper()
	if err := f(); sett.CodeOf(err) != code {
		t.Errorf("%s: error %v, want %s", what, err, code)
	}
}
