package outbox_test

import (
	"context"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/alerts"
	"sett/internal/sett/signin"
	"sett/internal/store"
	"sett/internal/store/accountdb"
	"sett/internal/store/db"
	"sett/internal/store/outbox"
	"sett/internal/store/storetest"
)

var resetMail = alerts.Mail{To: "ann@example.test", Kind: alerts.PasswordResetMail, Fields: map[string]string{"token": "secret"}}

func queue(t *testing.T, s *store.Store, now time.Time, mails ...alerts.Mail) {
	t.Helper()
	err := s.InTx(t.Context(), "queue mails", func(tx *db.Tx) error {
		t := s.Outbox.In(tx)
		for _, m := range mails {
			if err := t.QueueMail(context.Background(), now, m); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// claim returns the mail that is due, or nil.
func claim(t *testing.T, s *store.Store, now time.Time) *outbox.ClaimedMail {
	t.Helper()
	mails, err := s.Outbox.ClaimMails(t.Context(), now, storetest.MailLease, 1, room)
	if err != nil {
		t.Fatal(err)
	}
	if len(mails) == 0 {
		return nil
	}
	return &mails[0]
}

// room is room for all mails of a kind.
func room(alerts.MailKind) int { return 1000 }

func record(t *testing.T, s *store.Store, results ...outbox.MailResult) {
	t.Helper()
	if err := s.Outbox.RecordMails(t.Context(), results); err != nil {
		t.Fatal(err)
	}
}

func TestMailIsClaimedUntilItsLeaseEnds(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		if m := claim(t, s, storetest.MailNoon); m != nil {
			t.Fatalf("of no mails, %+v was claimed", m)
		}
		queue(t, s, storetest.MailNoon, resetMail)
		if m := claim(t, s, storetest.MailNoon.Add(-time.Second)); m != nil {
			t.Errorf("%+v was claimed before it was due", m)
		}
		first := claim(t, s, storetest.MailNoon)
		if first == nil {
			t.Fatal("a due mail was not claimed")
		}
		want := &outbox.ClaimedMail{Mail: resetMail, ID: first.ID, Claim: 1, CreatedAt: storetest.MailNoon, Tries: 1}
		if diff := cmp.Diff(want, first); diff != "" {
			t.Errorf("claimed mail (-want +got):\n%s", diff)
		}
		if m := claim(t, s, storetest.MailNoon.Add(storetest.MailLease-time.Second)); m != nil {
			t.Errorf("%+v was claimed while it is in flight", m)
		}
		want.Tries, want.Claim = 2, 2
		if diff := cmp.Diff(want, claim(t, s, storetest.MailNoon.Add(storetest.MailLease))); diff != "" {
			t.Errorf("after the lease (-want +got):\n%s", diff)
		}
		record(t, s, outbox.MailResult{Mail: *first}) // the claim is no longer valid
		record(t, s, outbox.MailResult{Mail: *want})
		if m := claim(t, s, storetest.MailNoon.Add(24*time.Hour)); m != nil {
			t.Errorf("%+v was claimed after it was sent", m)
		}
	})
}

func TestMailsAreClaimedInOrder(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		late, early := resetMail, resetMail
		late.To, early.To = "late@example.test", "early@example.test"
		queue(t, s, storetest.MailNoon.Add(time.Second), late)
		queue(t, s, storetest.MailNoon, early)
		for _, want := range []string{early.To, late.To} {
			if m := claim(t, s, storetest.MailNoon.Add(time.Minute)); m == nil || m.To != want {
				t.Errorf("claimed %+v, want the mail to %s", m, want)
			}
		}
	})
}

// A mail to a user is in their time zone: the one that they chose, else that of their browser.
func TestMailHasTheZoneOfItsReader(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		_, ann, err := s.Accounts.CreateAccount(t.Context(), storetest.MailNoon, "Acme", accountdb.NewUser{Email: resetMail.To, Name: "Ann", Password: "phc"})
		if err != nil {
			t.Fatal(err)
		}
		by := signin.Session{UserID: ann, ID: accounts.Operator, How: signin.ByPassword}
		for n, c := range []struct{ browser, chosen, want string }{
			{"", "", ""}, {"Asia/Kolkata", "", "Asia/Kolkata"}, {"", "", "Asia/Kolkata"}, {"", "Europe/Berlin", "Europe/Berlin"}, {"Asia/Tokyo", "", "Asia/Tokyo"},
		} {
			by.Zone = c.browser
			if err := s.Accounts.CreateSession(t.Context(), storetest.MailNoon, by, "phc", []byte{byte(n)}, nil); err != nil {
				t.Fatal(err)
			}
			if err := s.Accounts.SetZone(t.Context(), by, c.chosen); err != nil {
				t.Fatal(err)
			}
			queue(t, s, storetest.MailNoon, resetMail)
			m := claim(t, s, storetest.MailNoon)
			if m == nil || m.Zone != c.want {
				t.Fatalf("%+v: claimed %+v", c, m)
			}
			record(t, s, outbox.MailResult{Mail: *m})
		}
		queue(t, s, storetest.MailNoon, alerts.Mail{To: "stranger@example.test", Kind: alerts.SubscriptionMail})
		if m := claim(t, s, storetest.MailNoon); m == nil || m.Zone != "" {
			t.Errorf("a stranger: %+v", m)
		}
		if err := s.Accounts.SetZone(t.Context(), by, "Mars/Base"); sett.CodeOf(err) != sett.Invalid {
			t.Errorf("a zone that does not exist: %v", err)
		}
	})
}

func TestPostponeMail(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		queue(t, s, storetest.MailNoon, resetMail)
		m := claim(t, s, storetest.MailNoon)
		due := storetest.MailNoon.Add(10 * time.Second)
		record(t, s, outbox.MailResult{Mail: *m, DueAt: due, Problem: "451 come back"})
		if again := claim(t, s, due.Add(-time.Second)); again != nil {
			t.Errorf("%+v was claimed before it was due again", again)
		}
		again := claim(t, s, due)
		if again == nil || again.Tries != 2 {
			t.Fatalf("claimed %+v, want the second try", again)
		}
		record(t, s, outbox.MailResult{Mail: *m, DueAt: due, Problem: "late"})
		record(t, s, outbox.MailResult{Mail: *m, KeepUntil: due, Problem: "late"})
		record(t, s, outbox.MailResult{Mail: *m})
		var problem string
		if err := s.Read.QueryRowContext(t.Context(), `SELECT problem FROM mails`).Scan(&problem); err != nil || problem != "451 come back" {
			t.Errorf("problem %q, %v", problem, err)
		}
		if third := claim(t, s, due.Add(time.Second)); third != nil {
			t.Errorf("who had lost the mail made it due again: %+v", third)
		}
		if third := claim(t, s, due.Add(storetest.MailLease)); third == nil || third.Fields["token"] != "secret" {
			t.Errorf("who had lost the mail gave it up: %+v", third)
		}
	})
}

func TestGivenUpMailKeepsNoSecret(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		queue(t, s, storetest.MailNoon, resetMail)
		m := claim(t, s, storetest.MailNoon)
		week := storetest.MailNoon.AddDate(0, 0, 7)
		record(t, s, outbox.MailResult{Mail: *m, KeepUntil: week, Problem: "550 no such user"})
		var fields, problem string
		if err := s.Read.QueryRowContext(t.Context(), `SELECT fields, problem FROM mails`).Scan(&fields, &problem); err != nil {
			t.Fatal(err)
		}
		if fields != "" || problem != "550 no such user" {
			t.Errorf("kept fields %s and problem %q", fields, problem)
		}
		queue(t, s, week.Add(time.Minute), resetMail)
		if other := claim(t, s, week.Add(time.Hour)); other == nil || other.ID == m.ID {
			t.Errorf("%+v was claimed, want the other mail", other)
		} else {
			record(t, s, outbox.MailResult{Mail: *other})
		}
		if again := claim(t, s, week.Add(time.Hour)); again != nil {
			t.Errorf("%+v was claimed after it was given up", again)
		}
		for _, c := range []struct {
			now  time.Time
			left int
		}{{week.Add(-time.Second), 1}, {week, 0}} {
			if err := s.Outbox.ForgetMails(t.Context(), c.now); err != nil {
				t.Fatal(err)
			}
			var left int
			if err := s.Read.QueryRowContext(t.Context(), `SELECT count(*) FROM mails`).Scan(&left); err != nil || left != c.left {
				t.Errorf("at %v %d are left, %v; want %d", c.now, left, err, c.left)
			}
		}
	})
}

func TestForgetMailsLeavesThoseThatWait(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		queue(t, s, storetest.MailNoon, resetMail)
		if err := s.Outbox.ForgetMails(t.Context(), storetest.MailNoon.AddDate(1, 0, 0)); err != nil {
			t.Fatal(err)
		}
		if claim(t, s, storetest.MailNoon) == nil {
			t.Error("a mail that was still to be sent is gone")
		}
	})
}

// A thousand mails of one kind do not delay those of another.
func TestKindsOfMailDoNotWaitForOneAnother(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		digest := alerts.Mail{To: "ann@example.test", Kind: alerts.PersonalDigestMail}
		queue(t, s, storetest.MailNoon, slices.Repeat([]alerts.Mail{digest}, 5)...)
		queue(t, s, storetest.MailNoon.Add(time.Second), resetMail)
		claimed, err := s.Outbox.ClaimMails(t.Context(), storetest.MailNoon.Add(time.Minute), storetest.MailLease, 10, func(alerts.MailKind) int { return 2 })
		var kinds []alerts.MailKind
		for _, m := range claimed {
			kinds = append(kinds, m.Kind)
		}
		if diff := cmp.Diff([]alerts.MailKind{digest.Kind, digest.Kind, resetMail.Kind}, kinds); diff != "" || err != nil {
			t.Errorf("claimed, %v (-want +got):\n%s", err, diff)
		}
	})
}

// A mail whose fields cannot be read does not keep others from being sent.
func TestUnreadableMailIsClaimed(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		queue(t, s, storetest.MailNoon, resetMail, resetMail)
		if _, err := s.Write.ExecContext(t.Context(), `UPDATE mails SET fields = 'sealed:x' WHERE id = 1`); err != nil {
			t.Fatal(err)
		}
		claimed, err := s.Outbox.ClaimMails(t.Context(), storetest.MailNoon, storetest.MailLease, 10, room)
		if err != nil || len(claimed) != 2 || claimed[0].Broken == nil || claimed[1].Broken != nil {
			t.Errorf("claimed %+v, %v", claimed, err)
		}
	})
}

// What a process had claimed when it died is due for the next one of an SQLite file, without counting the attempt.
func TestTheNextProcessFreesMails(t *testing.T) {
	t.Parallel()
	s := storetest.OpenSQLite(t)
	d := newDesk(t, s)
	queue(t, s, storetest.Noon, resetMail)
	late := claim(t, s, storetest.Noon)
	d.Free(storetest.Noon)
	if m := claim(t, s, storetest.Noon); m != nil {
		t.Errorf("%+v was claimed while its process lives", m)
	}
	s.Process = "the next"
	woken, stop := s.Sleep(outbox.MailQueued)
	defer stop()
	d.Free(storetest.Noon)
	<-woken
	m := claim(t, s, storetest.Noon)
	if m == nil || m.Tries != 1 {
		t.Fatalf("the next process claimed %+v, want the first attempt", m)
	}
	record(t, s, outbox.MailResult{Mail: *late})
	d.WantNumbers("mails after the dead process has recorded a result", `SELECT count(*) FROM mails`, nil, 1)
}

// Mails that a clock that was ahead has claimed, postponed or queued are due once the clock is right.
func TestMailsOfAWrongClockAreDue(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		right, wrong := storetest.Noon, storetest.Noon.AddDate(1, 0, 0)
		d.BeatAt(right)
		queue(t, s, right, resetMail)
		d.BeatAt(wrong)
		if claim(t, s, wrong) == nil {
			t.Fatal("no mail is due")
		}
		queue(t, s, wrong, resetMail)
		right = right.Add(time.Minute)
		d.BeatAt(right)
		if mails := storetest.TakeMails(t, s, right); len(mails) != 2 {
			t.Errorf("%d mails are due, want 2", len(mails))
		}
	})
}

// Two nodes that claim as fast as they can get each mail once, and all of them.
func TestTwoNodesClaimEachMailOnce(t *testing.T) {
	t.Parallel()
	dsn := storetest.FreshPostgres(t)
	nodes := []*store.Store{storetest.OpenTest(t, db.Options{Database: dsn}), storetest.OpenTest(t, db.Options{Database: dsn})}
	const mails = 40
	for range mails {
		queue(t, nodes[0], storetest.MailNoon, resetMail)
	}
	var mu sync.Mutex
	claimed := map[int64]int{}
	var done sync.WaitGroup
	for i := range 8 {
		done.Go(func() {
			for {
				found, err := nodes[i%2].Outbox.ClaimMails(t.Context(), storetest.MailNoon, storetest.MailLease, 3, room)
				if err != nil {
					t.Error(err)
				}
				if len(found) == 0 {
					return
				}
				mu.Lock()
				for _, m := range found {
					claimed[m.ID]++
				}
				mu.Unlock()
			}
		})
	}
	done.Wait()
	for id, times := range claimed {
		if times != 1 {
			t.Errorf("mail %d was claimed %d times", id, times)
		}
	}
	// A node that finds all due mails locked by others gets none. The next round claims what is left.
	for claim(t, nodes[0], storetest.MailNoon) != nil {
		claimed[-int64(len(claimed))] = 1
	}
	if len(claimed) != mails {
		t.Errorf("%d mails were claimed, want %d", len(claimed), mails)
	}
}

func makeAccount(t *testing.T, s *store.Store) string {
	t.Helper()
	id, _, err := s.Accounts.CreateAccount(t.Context(), storetest.MailNoon, "Acme", accountdb.NewUser{Email: "a@example.test", Name: "A"})
	if err != nil {
		t.Fatal(err)
	}
	return id
}
