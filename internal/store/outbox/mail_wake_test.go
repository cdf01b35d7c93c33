package outbox_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/store"
	"sett/internal/store/accountdb"
	"sett/internal/store/db"
	"sett/internal/store/outbox"
	"sett/internal/store/storetest"
)

func TestCommitWakesWhoSleepsForMails(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		storetest.SubscribeOthers(t, s)
		one, _ := s.Sleep(outbox.MailQueued)
		two, _ := s.Sleep(outbox.MailQueued)
		woken := func() [2]int { return [2]int{len(one), len(two)} }
		failed := s.InTx(t.Context(), "fail", func(own *db.Tx) error {
			tx := s.Outbox.In(own)
			if err := tx.QueueMail(t.Context(), storetest.MailNoon, resetMail); err != nil {
				return err
			}
			return sett.Errorf(sett.Conflict, "no")
		})
		if sett.CodeOf(failed) != sett.Conflict || woken() != [2]int{} {
			t.Errorf("after a roll-back (%v): woken %v", failed, woken())
		}
		if _, err := s.Accounts.CreateUser(t.Context(), storetest.MailNoon, accountdb.NewUser{AccountID: makeAccount(t, s), Email: "b@example.test", Name: "B", Role: accounts.Member}); err != nil {
			t.Fatal(err)
		}
		if woken() != [2]int{} {
			t.Errorf("a transaction without mails woke %v", woken())
		}
		queue(t, s, storetest.MailNoon, resetMail, resetMail)
		queue(t, s, storetest.MailNoon, resetMail)
		if woken() != [2]int{1, 1} {
			t.Errorf("three mails woke %v, want each once", woken())
		}
		<-one
		queue(t, s, storetest.MailNoon, resetMail)
		if woken() != [2]int{1, 1} {
			t.Errorf("who had been awake slept on: %v", woken())
		}
	})
}

// Commits that notify other nodes wait for one another, so the recording of notices must not notify them.
func TestIntakeDoesNotNotifyOtherNodes(t *testing.T) {
	t.Parallel()
	d := newDesk(t, storetest.NewCluster(t).Node(t))
	conn, err := pgx.Connect(t.Context(), d.Address())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background())
	if _, err := conn.Exec(t.Context(), "LISTEN sett"); err != nil {
		t.Fatal(err)
	}
	d.Record(storetest.Noon, accounts.Limits{}, d.Many()...)
	d.RecordBusy(storetest.Noon.Add(time.Second), accounts.Limits{}, d.Many()...)
	if err := d.Intake.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	storetest.WakeSleepers(t, d.Store, "the end")
	first, err := conn.WaitForNotification(t.Context())
	if err != nil || !strings.HasSuffix(first.Payload, " the end") {
		t.Errorf("the first notification is %+v, %v; want none of intake", first, err)
	}
}
