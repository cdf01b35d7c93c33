package notify

import (
	"bytes"
	"context"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sett/internal/base/dial"
	"sett/internal/notify/channel"
	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/alerts"
	"sett/internal/sett/status"
	"sett/internal/sett/status/locale"
	"sett/internal/setttest/fresh"
	"sett/internal/setttest/mailserver"
	"sett/internal/store"
	"sett/internal/store/accountdb"
	"sett/internal/store/outbox"
	"sett/internal/store/statusdb"
)

// bulletin is a status page with the notifier of its subscribers.
type bulletin struct {
	*StatusNotifier
	t       *testing.T
	clock   *clock
	account string
	page    status.StatusPage
	mailer  *Mailer
	log     bytes.Buffer
}

// newBulletin returns one that hands its mails in at the server, or whose mail is off when that is nil.
func newBulletin(t *testing.T, s *store.Store, server *mailserver.Server) *bulletin {
	t.Helper()
	b := &bulletin{t: t, clock: newClock()}
	account, _, err := s.Accounts.CreateAccount(t.Context(), b.clock.Now(), "Acme", accountdb.NewUser{Email: "ann@example.test", Name: "Ann"})
	if err != nil {
		t.Fatal(err)
	}
	b.account = account
	made, err := s.Status.CreateStatusPage(t.Context(), b.clock.Now(), account, status.StatusPageRules{}, status.StatusPageChange{
		Name: sett.Some("Acme & Sons"), Slug: sett.Some("acme"),
	})
	if err != nil {
		t.Fatal(err)
	}
	b.page = made.StatusPage
	b.mailer = newMailer(t, s, b.clock, server, &b.log)
	egress := dial.Policy{Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}}
	b.StatusNotifier = NewStatusNotifier(StatusNotifierOptions{
		DB: s.DB, Status: s.Status, Lease: b.mailer.Lease, BaseURL: b.mailer.BaseURL, Now: b.clock.Now, Log: b.mailer.Log,
		Tools: channel.Tools{Email: b.mailer.Email, HTTP: dial.New(egress).Client(channel.SendTimeout), Egress: egress, Agent: "sett/test", Now: b.clock.Now},
	})
	return b
}

func openMigrated(t *testing.T) *store.Store {
	t.Helper()
	s := openStore(t, fresh.SQLite(t))
	if _, _, err := s.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	return s
}

// subscribe makes subscribers who have confirmed, without any mail.
func (b *bulletin) subscribe(addresses ...string) (tokens []string) {
	b.t.Helper()
	for _, address := range addresses {
		if err := b.Status.SubscribeEmail(b.t.Context(), b.clock.Now(), b.page.ID, address); err != nil {
			b.t.Fatal(err)
		}
		mails, err := b.mailer.Outbox.ClaimMails(b.t.Context(), b.clock.Now(), time.Hour, 1, func(alerts.MailKind) int { return 1 })
		if err != nil || len(mails) != 1 {
			b.t.Fatal(mails, err)
		}
		token := mails[0].Fields["token"]
		if _, err := b.Status.ConfirmSubscriber(b.t.Context(), b.clock.Now(), b.page.ID, token); err != nil {
			b.t.Fatal(err)
		}
		if err := b.mailer.Outbox.RecordMails(b.t.Context(), []outbox.MailResult{{Mail: mails[0]}}); err != nil {
			b.t.Fatal(err)
		}
		tokens = append(tokens, token)
	}
	return tokens
}

func (b *bulletin) open(name, message string) status.StatusIncident {
	b.t.Helper()
	made, err := b.Status.CreateIncident(b.t.Context(), b.clock.Now(), b.account, b.page.ID, status.IncidentChange{Name: sett.Some(name), Message: sett.Some(message)})
	if err != nil {
		b.t.Fatal(err)
	}
	return made.StatusIncident
}

func (b *bulletin) add(i status.StatusIncident, message string) {
	b.t.Helper()
	_, err := b.Status.AddIncidentUpdate(b.t.Context(), b.clock.Now(), b.account, b.page.ID, i.ID, status.IncidentUpdateChange{Message: sett.Some(message)})
	if err != nil {
		b.t.Fatal(err)
	}
}

// run spreads, sends and records all that is due.
func (b *bulletin) run() {
	b.t.Helper()
	ctx := b.t.Context()
	do := func(work func(context.Context) (bool, error)) (more bool) {
		more, err := work(ctx)
		if err != nil {
			b.t.Fatal(err)
		}
		return more
	}
	for do(b.fanOut) {
	}
	b.drain(b.t)
}

// onEngines runs f on each engine.
func onEngines(t *testing.T, f func(t *testing.T, s *store.Store)) {
	t.Helper()
	t.Run("sqlite", func(t *testing.T) {
		t.Parallel()
		f(t, openMigrated(t))
	})
	t.Run("postgres", func(t *testing.T) {
		t.Parallel()
		f(t, openStore(t, fresh.Postgres(t)))
	})
}

func TestSubscriberIsAskedByMail(t *testing.T) {
	t.Parallel()
	server := mailserver.Start(t, mailserver.Options{})
	b := newBulletin(t, openMigrated(t), server)
	if err := b.Status.SubscribeEmail(t.Context(), b.clock.Now(), b.page.ID, "ann@example.test"); err != nil {
		t.Fatal(err)
	}
	b.mailer.drain(t)
	m := server.Next(t)
	if subject := m.Header.Get("Subject"); subject != "Confirm your subscription to Acme & Sons" ||
		!strings.Contains(string(m.Raw), "https://sett.example.org/status/acme/subscribers/") || m.Header.Get("List-Unsubscribe") != "" {
		t.Errorf("subject %q:\n%s", subject, m.Raw)
	}
	b.open("Slow", "There is no confirmed subscriber.")
	b.run()
	if n := len(server.Mails()); n != 1 {
		t.Errorf("%d mails before there was a confirmation, want 1", n)
	}
}

// Who subscribes an address that takes no mail makes no alarm.
func TestAskedAddressThatTakesNoMail(t *testing.T) {
	t.Parallel()
	server := mailserver.Start(t, mailserver.Options{Answer: func(string) error { return mailserver.Refuse(550, "no such user") }})
	b := newBulletin(t, openMigrated(t), server)
	if err := b.Status.SubscribeEmail(t.Context(), b.clock.Now(), b.page.ID, "ann@example.test"); err != nil {
		t.Fatal(err)
	}
	b.mailer.drain(t)
	found, _, err := b.Status.ListSubscribers(t.Context(), b.account, b.page.ID, sett.Page{Size: 10})
	if err != nil || len(found) != 1 || !strings.Contains(found[0].Problem, "no such user") {
		t.Errorf("%+v, %v", found, err)
	}
	if log := b.log.String(); !strings.Contains(log, `level=WARN msg="an email was not delivered and is not retried"`) || strings.Contains(log, "ERROR") {
		t.Error(log)
	}
}

func TestSubscribersGetUpdatesByEmail(t *testing.T) {
	t.Parallel()
	onEngines(t, func(t *testing.T, s *store.Store) {
		server := mailserver.Start(t, mailserver.Options{})
		b := newBulletin(t, s, server)
		var people []string
		for n := range 40 { // more than are on their way together
			people = append(people, fmt.Sprintf("%02d@example.test", n))
		}
		tokens := b.subscribe(people...)
		slow := b.open("Slow checkout", "It is known.\n<b>Soon</b> more.")
		b.add(slow, "Still slow.")
		b.run()
		b.clock.Push(time.Hour)
		b.run()
		received := map[string][]string{}
		ids := map[string]bool{}
		for _, m := range server.Mails() {
			ids[m.Header.Get("Message-ID")] = true
			what := "?"
			for _, message := range []string{"It is known.", "Still slow."} {
				if strings.Contains(string(m.Raw), message) {
					what = message
				}
			}
			received[m.To] = append(received[m.To], what)
		}
		for _, address := range people {
			if diff := cmp.Diff([]string{"It is known.", "Still slow."}, received[address]); diff != "" {
				t.Errorf("%s (-want +got):\n%s", address, diff)
			}
		}
		if len(ids) != 2*len(people) {
			t.Errorf("%d Message-IDs, want %d", len(ids), 2*len(people))
		}
		at := slices.IndexFunc(server.Mails(), func(m mailserver.Mail) bool { return m.To == people[0] })
		m := server.Mails()[at]
		unsubscribe := "https://sett.example.org/status/acme/subscribers/" + tokens[0] + "/unsubscribe"
		for name, want := range map[string]string{
			"Subject": "[Acme & Sons] Investigating: Slow checkout", "List-Unsubscribe": "<" + unsubscribe + ">", "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
			"Message-Id": fmt.Sprintf("<status.%d.1.%d@sett.example.org>", slow.Updates[0].ID, slow.Updates[0].At.UnixMicro()),
		} {
			if got := m.Header.Get(name); got != want {
				t.Errorf("%s: %q, want %q", name, got, want)
			}
		}
	})
}

// What sett writes is in the language of the page, what people write is as they wrote it.
func TestSubscribersGetUpdatesInTheLanguageOfThePage(t *testing.T) {
	t.Parallel()
	onEngines(t, func(t *testing.T, s *store.Store) {
		server := mailserver.Start(t, mailserver.Options{})
		b := newBulletin(t, s, server)
		b.subscribe("ines@example.test")
		if err := s.Status.UpdateStatusPage(t.Context(), b.clock.Now(), b.account, b.page.ID, status.StatusPageRules{}, status.StatusPageChange{Language: sett.Some("fr")}); err != nil {
			t.Fatal(err)
		}
		_, err := s.Status.CreateIncident(t.Context(), b.clock.Now(), b.account, b.page.ID, status.IncidentChange{
			Kind: sett.Some("maintenance"), Name: sett.Some("New disks"), Message: sett.Some("Planned."),
			StartsAt: sett.Some(b.clock.Now().Add(time.Hour).Format(time.RFC3339)), EndsAt: sett.Some(b.clock.Now().Add(2 * time.Hour).Format(time.RFC3339)),
		})
		if err != nil {
			t.Fatal(err)
		}
		b.run()
		b.clock.Push(time.Hour)
		if _, err := s.Status.MoveIncidents(t.Context(), b.clock.Now()); err != nil {
			t.Fatal(err)
		}
		b.run()
		mails := server.Mails()
		if len(mails) != 2 || !strings.Contains(string(mails[0].Raw), "Planned.") || !strings.Contains(string(mails[1].Raw), "La maintenance a commenc=C3=A9.") {
			t.Errorf("the mails are %+v", mails)
		}
	})
}

// An email that has to wait delays the later emails to its subscriber, and no others.
func TestDeferredUpdateIsSentLater(t *testing.T) {
	t.Parallel()
	away := true
	server := mailserver.Start(t, mailserver.Options{Answer: func(to string) error {
		if to == "ann@example.test" && away {
			return mailserver.Refuse(451, "greylisted")
		}
		return nil
	}})
	b := newBulletin(t, openMigrated(t), server)
	b.subscribe("ann@example.test", "bob@example.test")
	slow := b.open("Slow", "one")
	b.add(slow, "two")
	b.run()
	if n := len(server.Mails()); n != 2 {
		t.Errorf("%d mails to others, want 2", n)
	}
	away = false
	b.clock.Push(10 * time.Second)
	b.run()
	var ids []string
	for _, m := range server.Mails() {
		if m.To == "ann@example.test" {
			ids = append(ids, m.Header.Get("Message-Id"))
		}
	}
	if len(ids) != 2 || !strings.HasPrefix(ids[0], "<status.1.") || !strings.HasPrefix(ids[1], "<status.2.") {
		t.Errorf("Message-IDs %q, want those of both updates in order", ids)
	}
}

func TestRefusedSubscriberIsStopped(t *testing.T) {
	t.Parallel()
	server := mailserver.Start(t, mailserver.Options{Answer: func(string) error { return mailserver.Refuse(550, "no such user") }})
	b := newBulletin(t, openMigrated(t), server)
	token := b.subscribe("ann@example.test")[0]
	for _, step := range []struct {
		push      time.Duration
		confirmed bool
	}{{0, true}, {status.FailingTooLong - time.Hour, true}, {time.Hour, false}} {
		b.clock.Push(step.push)
		b.open("Slow", "one")
		b.run()
		s, err := b.Status.SubscriberByToken(t.Context(), b.clock.Now(), b.page.ID, token)
		if err != nil || s.ConfirmedAt.IsZero() == step.confirmed || !strings.Contains(s.Problem, "no such user") {
			t.Errorf("after %s more: %+v, %v", step.push, s, err)
		}
	}
	if log := b.log.String(); strings.Contains(log, token) || !strings.Contains(log, "did not receive an update") {
		t.Errorf("log:\n%s", log)
	}
}

func TestSubscribersGetNothingWhileEmailIsOff(t *testing.T) {
	t.Parallel()
	b := newBulletin(t, openMigrated(t), nil)
	b.subscribe("ann@example.test", "bob@example.test")
	b.open("Slow", "one")
	b.run()
	b.open("Broken", "two")
	b.run()
	want := `level=WARN msg="email is off, so subscribers of status pages receive no emails" hint="` + hintEmailOff + "\"\n"
	if diff := cmp.Diff(want, b.log.String()); diff != "" {
		t.Errorf("log (-want +got):\n%s", diff)
	}
}

// The email contains all that is known of the update. Its links use the page's own domain if there is one.
func TestStatusLetter(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 18, 12, 0, 0, 0, time.UTC)
	full := statusdb.ClaimedStatusNotice{
		Page:     status.StatusPage{StatusPageSettings: status.StatusPageSettings{Name: "Acme & <b>Sons</b>\nBcc: x", Slug: "acme"}},
		Incident: status.StatusIncident{ID: 7, Kind: status.Maintenance, Name: "New <i>disks</i>", StartsAt: at, EndsAt: at.Add(time.Hour)},
		Update:   status.IncidentUpdate{ID: 9, Status: status.InProgress, Message: "We <script>begin</script>.\r\nNow.", At: at},
		Affected: []string{"Shop", "A & B"}, Subscriber: status.StatusSubscriber{Token: "tok_en"},
	}
	full.Page.HideBranding = true
	full.Page.Domain = status.StatusDomain{Name: "status.acme.example.test", VerifiedAt: at}
	bare := statusdb.ClaimedStatusNotice{
		Page:     status.StatusPage{StatusPageSettings: status.StatusPageSettings{Name: "Acme", Slug: "acme"}},
		Incident: status.StatusIncident{ID: 7, Name: "Slow"}, Update: status.IncidentUpdate{Status: status.Resolved, At: at}, Subscriber: status.StatusSubscriber{Token: "tok_en"},
	}
	german := full
	german.Page.Language = locale.German
	for name, c := range map[string]statusdb.ClaimedStatusNotice{"full": full, "bare": bare, "german": german} {
		l, unsubscribe, err := newStatusLetters().write("https://sett.example.org", c)
		if err != nil {
			t.Fatal(err)
		}
		golden(t, "status_update_"+name+".golden", "Subject: "+l.subject+"\nUnsubscribe: "+unsubscribe+"\n\n"+l.text+"\n=== HTML ===\n"+l.html)
	}
}

// Where a page does not say what it is made with, its mails do not either.
func TestMailsOfAPageWithoutBranding(t *testing.T) {
	t.Parallel()
	server := mailserver.Start(t, mailserver.Options{})
	b := newBulletin(t, openMigrated(t), server)
	for _, hidden := range []bool{false, true} {
		change := status.StatusPageChange{HideBranding: sett.Some(sett.LenientBool(hidden))}
		if err := b.Status.UpdateStatusPage(t.Context(), b.clock.Now(), b.account, b.page.ID, status.StatusPageRules{Plan: accounts.TeamPlan}, change); err != nil {
			t.Fatal(err)
		}
		address := fmt.Sprint(hidden, "@example.test")
		if err := b.Status.SubscribeEmail(t.Context(), b.clock.Now(), b.page.ID, address); err != nil {
			t.Fatal(err)
		}
		b.mailer.drain(t)
		b.subscribe("confirmed" + address)
		b.open("Slow", "one")
		b.run()
		for _, what := range []string{"asks for confirmation", "contains an update"} {
			if named := strings.Contains(string(server.Next(t).Raw), "sett at"); named == hidden {
				t.Errorf("the mail that %s: hidden %t, and the server is named: %t", what, hidden, named)
			}
		}
	}
}
