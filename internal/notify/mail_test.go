package notify

import (
	"bytes"
	"log/slog"
	"net/mail"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sett/internal/base/dial"
	"sett/internal/notify/channel"
	"sett/internal/sett"
	"sett/internal/sett/alerts"
	"sett/internal/sett/signin"
	"sett/internal/setttest/fresh"
	"sett/internal/setttest/mailserver"
	"sett/internal/store"
	"sett/internal/store/accountdb"
	"sett/internal/store/db"
	"sett/internal/store/outbox"
)

// post is a Mailer with its store, a clock and what it has logged.
type post struct {
	*Mailer
	store *store.Store
	clock *clock
	log   bytes.Buffer
}

// clock stands still until it is pushed; setttest, which has one too, is built on this package.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func newClock() *clock { return &clock{now: time.Date(2026, 11, 18, 10, 30, 0, 0, time.UTC)} }

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) Push(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// openStore returns a store that is closed when the test ends.
func openStore(t *testing.T, o db.Options) *store.Store {
	t.Helper()
	s, err := store.Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func addAnn(t *testing.T, s *store.Store, now time.Time) {
	t.Helper()
	if _, _, err := s.Accounts.CreateAccount(t.Context(), now, "Acme", accountdb.NewUser{Email: "ann@example.test", Name: "Ann"}); err != nil {
		t.Fatal(err)
	}
}

// newPost returns a post on SQLite that hands its mails in at the server, or whose mail is off when that is nil.
func newPost(t *testing.T, s *mailserver.Server) *post {
	t.Helper()
	p := &post{store: openStore(t, fresh.SQLite(t)), clock: newClock()}
	if _, _, err := p.store.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	addAnn(t, p.store, p.clock.Now())
	p.Mailer = newMailer(t, p.store, p.clock, s, &p.log)
	return p
}

func newMailer(t *testing.T, s *store.Store, c *clock, server *mailserver.Server, log *bytes.Buffer) *Mailer {
	t.Helper()
	o := MailerOptions{
		DB: s.DB, Outbox: s.Outbox, Lease: NewLease(s.Intake), BaseURL: "https://sett.example.org", Domain: "sett.example.org", Now: c.Now,
		Log: slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
			if a.Key == slog.TimeKey {
				return slog.Attr{}
			}
			return a
		}})),
	}
	if server != nil {
		address, err := channel.ParseMailServer("smtp://" + server.Addr)
		if err != nil {
			t.Fatal(err)
		}
		o.Email = channel.NewEmail(channel.EmailOptions{
			Server: address, From: mail.Address{Address: "sett@sett.example.org"}, Dialer: dial.New(dial.Anywhere()), Roots: server.Roots,
		})
	}
	return NewMailer(o)
}

// ask queues a mail with a link for another password.
func (p *post) ask(t *testing.T) {
	t.Helper()
	ask(t, p.store, p.clock.Now())
}

func ask(t *testing.T, s *store.Store, now time.Time) {
	t.Helper()
	if err := s.Accounts.RequestReset(t.Context(), now, "ann@example.test", "hush", []byte(sett.RandomString(32))); err != nil {
		t.Fatal(err)
	}
}

// run sends all mails that are due, and returns the number of attempts.
func (p *post) run(t *testing.T) (attempts int) {
	t.Helper()
	return p.drain(t)
}

func TestMailIsSentAndGone(t *testing.T) {
	t.Parallel()
	s := mailserver.Start(t, mailserver.Options{})
	p := newPost(t, s)
	p.ask(t)
	if tried := p.run(t); tried != 1 {
		t.Errorf("%d tries, want 1", tried)
	}
	m := s.Next(t)
	if m.To != "ann@example.test" || m.Header.Get("Subject") != "Choose a new password for sett" || !strings.Contains(string(m.Raw), "https://sett.example.org/reset/hush") {
		t.Errorf("to %s:\n%s", m.To, m.Raw)
	}
	if id := m.Header.Get("Message-ID"); id != "<mail.1.1794997800000000@sett.example.org>" {
		t.Errorf("Message-ID %s", id)
	}
	p.clock.Push(48 * time.Hour)
	if tried := p.run(t); tried != 0 || len(s.Mails()) != 1 {
		t.Errorf("%d more tries, %d mails", tried, len(s.Mails()))
	}
}

func TestQueuedMailWakesTheLoop(t *testing.T) {
	t.Parallel()
	p := newPost(t, nil)
	l := p.Loops()[0]
	if len(l.Wake) != 0 {
		t.Error("woken before there was a mail")
	}
	p.ask(t)
	if len(l.Wake) != 1 {
		t.Error("not woken")
	}
}

func TestGreylistedMailArrivesLater(t *testing.T) {
	t.Parallel()
	refusals := 2
	s := mailserver.Start(t, mailserver.Options{Answer: func(string) error {
		if refusals--; refusals >= 0 {
			return mailserver.Refuse(451, "greylisted")
		}
		return nil
	}})
	p := newPost(t, s)
	p.ask(t)
	for i, step := range []struct {
		push  time.Duration
		tried int
	}{{0, 1}, {3 * time.Second, 0}, {3 * time.Second, 1}, {23 * time.Second, 0}, {13 * time.Second, 1}, {time.Hour, 0}} {
		p.clock.Push(step.push)
		if tried := p.run(t); tried != step.tried {
			t.Errorf("step %d: %d tries, want %d", i, tried, step.tried)
		}
	}
	if len(s.Mails()) != 1 {
		t.Errorf("%d mails arrived, want 1", len(s.Mails()))
	}
	log := p.log.String()
	if strings.Count(log, "emails cannot be sent and are retried") != 1 || strings.Count(log, "emails are sent again") != 1 || strings.Contains(log, "hush") {
		t.Errorf("want each said once, and no secret:\n%s", log)
	}
}

func TestRefusedMailIsGivenUp(t *testing.T) {
	t.Parallel()
	s := mailserver.Start(t, mailserver.Options{Answer: func(string) error { return mailserver.Refuse(550, "no such user") }})
	p := newPost(t, s)
	p.ask(t)
	p.run(t)
	p.clock.Push(24 * time.Hour)
	if tried := p.run(t); tried != 0 {
		t.Errorf("%d more tries", tried)
	}
	log := p.log.String()
	if strings.Count(log, "\n") != 1 || !strings.Contains(log, `level=ERROR msg="an email was not delivered and is not retried" email=password_reset email_id=1 attempts=1`) ||
		!strings.Contains(log, "no such user") || strings.Contains(log, "hush") {
		t.Errorf("want one line that says why, and no secret:\n%s", log)
	}
}

// Emails wait while the mail server is down, and are sent once it is up again.
func TestMailWaitsForAServerThatIsDown(t *testing.T) {
	t.Parallel()
	down := mailserver.Start(t, mailserver.Options{})
	down.Stop()
	p := newPost(t, down)
	p.ask(t)
	if tried := p.run(t); tried != 1 {
		t.Fatalf("%d tries", tried)
	}
	up := mailserver.Start(t, mailserver.Options{})
	p.Email = newMailer(t, p.store, p.clock, up, &p.log).Email
	p.clock.Push(6 * time.Second)
	p.run(t)
	if up.Next(t).To != "ann@example.test" {
		t.Errorf("mails %v", up.Mails())
	}
}

// A link that is dead by then is not sent; one that lives is tried to the end of the table.
func TestMailIsTriedAsLongAsItIsOfUse(t *testing.T) {
	t.Parallel()
	for kind, tries := range map[alerts.MailKind]int{alerts.PasswordResetMail: 5, alerts.AccountInvitationMail: 9, alerts.PasswordChangedMail: 9} {
		m := &Mailer{MailerOptions: MailerOptions{}}
		now := newClock().Now()
		m.Now = func() time.Time { return now }
		claimed := outbox.ClaimedMail{Mail: alerts.Mail{Kind: kind}, CreatedAt: now}
		postponed := 0
		for claimed.Tries = 1; claimed.Tries <= 12; claimed.Tries++ {
			due, again := m.tryAgain(claimed)
			if !again {
				break
			}
			now = due
			postponed++
		}
		if postponed != tries {
			t.Errorf("%s: postponed %d times, want %d", kind, postponed, tries)
		}
	}
}

// If a process dies between claim and answer, the email is sent again. Both copies have the same Message-ID.
func TestMailIsSentAgainAfterAKill(t *testing.T) {
	t.Parallel()
	s := mailserver.Start(t, mailserver.Options{})
	p := newPost(t, s)
	p.ask(t)
	claimed, err := p.store.Outbox.ClaimMails(t.Context(), p.clock.Now(), sendLease, 1, p.roomFor)
	if err != nil || len(claimed) != 1 {
		t.Fatal(claimed, err)
	}
	if err := p.send(t.Context(), claimed[0]); err != nil { // and here it is killed
		t.Fatal(err)
	}
	p.clock.Push(sendLease - time.Second)
	if tried := p.run(t); tried != 0 {
		t.Errorf("%d tries before the lease ended", tried)
	}
	p.clock.Push(time.Second)
	if tried := p.run(t); tried != 1 {
		t.Errorf("%d tries after the lease", tried)
	}
	first, second := s.Next(t), s.Next(t)
	if id := first.Header.Get("Message-ID"); id == "" || id != second.Header.Get("Message-ID") {
		t.Errorf("Message-IDs %s and %s", id, second.Header.Get("Message-ID"))
	}
}

func TestMailIsOff(t *testing.T) {
	t.Parallel()
	p := newPost(t, nil)
	p.ask(t)
	p.ask(t)
	if tried := p.run(t); tried != 2 {
		t.Errorf("%d mails were dropped, want 2", tried)
	}
	want := `level=WARN msg="email is off, so an email was not sent" hint="` + hintEmailOff + "\"\n"
	if diff := cmp.Diff(want, p.log.String()); diff != "" {
		t.Errorf("log (-want +got):\n%s", diff)
	}
}

// A mail server that hangs on one email does not delay the others.
func TestOneEmailThatHangsDelaysNoOther(t *testing.T) {
	t.Parallel()
	hangs := make(chan struct{})
	var mails atomic.Int64
	s := mailserver.Start(t, mailserver.Options{Answer: func(string) error {
		if mails.Add(1) == 1 {
			<-hangs
		}
		return nil
	}})
	p := newPost(t, s)
	p.ask(t)
	p.ask(t)
	if _, err := p.claim(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.Next(t)
	if n := len(s.Mails()); n != 1 {
		t.Errorf("%d mails arrived, want 1", n)
	}
	close(hangs)
	s.Next(t)
	p.inFlight.senders.Wait()
}

// Two nodes that work the same queue send each mail once.
func TestTwoNodesSendEachMailOnce(t *testing.T) {
	t.Parallel()
	options := fresh.Postgres(t)
	s := mailserver.Start(t, mailserver.Options{})
	tick := newClock()
	one, two := openStore(t, options), openStore(t, options)
	addAnn(t, one, tick.Now())
	const mails = 2 * signin.MostMailsTo
	for range mails {
		ask(t, one, tick.Now())
		tick.Push(20 * time.Minute)
	}
	var done sync.WaitGroup
	for _, node := range []*store.Store{one, two} {
		p := &post{store: node, clock: tick}
		p.Mailer = newMailer(t, node, tick, s, &p.log)
		done.Go(func() { p.drain(t) })
	}
	done.Wait()
	ids := map[string]int{}
	for _, m := range s.Mails() {
		ids[m.Header.Get("Message-ID")]++
	}
	if len(s.Mails()) != mails || len(ids) != mails {
		t.Errorf("%d mails arrived with %d ids, want %d", len(s.Mails()), len(ids), mails)
	}
}
