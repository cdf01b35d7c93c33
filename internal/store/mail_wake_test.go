package store

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"sett/internal/sett"
	"sett/internal/store/db"
)

func TestCommitWakesWhoSleepsForMails(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, s *Store) {
		hearOthers(t, s)
		one, _ := s.Sleep(MailQueued)
		two, _ := s.Sleep(MailQueued)
		woken := func() [2]int { return [2]int{len(one), len(two)} }
		failed := s.inTx(t.Context(), "fail", func(tx *tx) error {
			if err := tx.QueueMail(t.Context(), mailNoon, resetMail); err != nil {
				return err
			}
			return sett.Errorf(sett.Conflict, "no")
		})
		if sett.CodeOf(failed) != sett.Conflict || woken() != [2]int{} {
			t.Errorf("after a roll-back (%v): woken %v", failed, woken())
		}
		if _, err := s.CreateUser(t.Context(), mailNoon, NewUser{AccountID: makeAccount(t, s), Email: "b@example.test", Name: "B", Role: sett.Member}); err != nil {
			t.Fatal(err)
		}
		if woken() != [2]int{} {
			t.Errorf("a transaction without mails woke %v", woken())
		}
		queue(t, s, mailNoon, resetMail, resetMail)
		queue(t, s, mailNoon, resetMail)
		if woken() != [2]int{1, 1} {
			t.Errorf("three mails woke %v, want each once", woken())
		}
		<-one
		queue(t, s, mailNoon, resetMail)
		if woken() != [2]int{1, 1} {
			t.Errorf("who had been awake slept on: %v", woken())
		}
	})
}

// Such commits wait for one another, so notices must wake nobody.
func TestIntakeTellsNobody(t *testing.T) {
	t.Parallel()
	d := newDesk(t, newCluster(t).node(t))
	conn, err := pgx.Connect(t.Context(), d.Address())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background()) //nolint:errcheck // the test is over
	if _, err := conn.Exec(t.Context(), "LISTEN sett"); err != nil {
		t.Fatal(err)
	}
	d.record(noon, sett.Limits{}, d.many()...)
	d.recordBusy(noon.Add(time.Second), sett.Limits{}, d.many()...)
	if err := d.Fold(t.Context()); err != nil {
		t.Fatal(err)
	}
	wakeSleepers(t, d.Store, "the end")
	told, err := conn.WaitForNotification(t.Context())
	if err != nil || !strings.HasSuffix(told.Payload, " the end") {
		t.Errorf("intake told others %+v, %v", told, err)
	}
}

// hearOthers returns once the store hears what all nodes commit. It is called before anything sleeps, as every sleeper is
// woken when the connection stands.
func hearOthers(t *testing.T, s *Store) {
	t.Helper()
	heard, stop := s.Sleep("connected")
	defer stop()
	if !s.SQLite() {
		<-heard
	}
}

// wakeSleepers wakes the sleepers for a topic by a transaction that does nothing else.
func wakeSleepers(t *testing.T, s *Store, topic db.Topic) {
	t.Helper()
	if err := s.inTx(t.Context(), "wake", func(tx *tx) error { tx.Wake(topic); return nil }); err != nil {
		t.Fatal(err)
	}
}
