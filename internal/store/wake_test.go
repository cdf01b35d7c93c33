package store

import (
	"testing"

	"sett/internal/sett"
)

// hearAll returns once the store hears what all nodes commit. It is called before anybody sleeps: whoever does is woken
// when the connection stands.
func hearAll(t *testing.T, s *Store) {
	t.Helper()
	woken, stop := s.Sleep("connected")
	defer stop()
	if s.dialect != sqliteDialect {
		<-woken
	}
}

// tell wakes others by a transaction that does nothing else.
func tell(t *testing.T, s *Store, topics ...Topic) {
	t.Helper()
	err := s.inTx(t.Context(), "wake", func(tx *tx) error {
		for _, topic := range topics {
			tx.wake(topic)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestCommitWakesWhoSleepsForMails(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, s *Store) {
		hearAll(t, s)
		one, _ := s.Sleep(MailQueued)
		two, _ := s.Sleep(MailQueued)
		woken := func() [2]int { return [2]int{len(one), len(two)} }
		failed := s.inTx(t.Context(), "fail", func(tx *tx) error {
			if err := tx.queueMail(t.Context(), mailNoon, resetMail); err != nil {
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

// Sleepers for a single row come and go; nothing is left of them.
func TestSleepersComeAndGo(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, s *Store) {
		hearAll(t, s)
		seven, _ := s.Sleep("agent 7")
		again, stopAgain := s.Sleep("agent 7")
		eight, stopEight := s.Sleep("agent 8")
		stopAgain()
		stopEight()
		stopEight()
		tell(t, s, "agent 9", "agent 8", "agent 7")
		if len(seven) != 1 || len(again) != 0 || len(eight) != 0 {
			t.Errorf("woken %d, %d after it stopped, %d after it stopped twice; want 1, 0, 0", len(seven), len(again), len(eight))
		}
		if n := len(s.wakes.sleepers); n != 1 {
			t.Errorf("%d topics have sleepers, want 1: %v", n, s.wakes.sleepers)
		}
	})
}
