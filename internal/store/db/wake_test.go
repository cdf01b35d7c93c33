package db

import (
	"testing"

	"sett/internal/sett"
)

// hearAll returns once the process hears what all nodes commit. It is called before anything sleeps, as every
// sleeper is woken when the connection stands.
func hearAll(t *testing.T, s *DB) {
	t.Helper()
	woken, stop := s.Sleep("connected")
	defer stop()
	if !s.SQLite() {
		<-woken
	}
}

// wakeUp wakes the sleepers for topics by a transaction that does nothing else.
func wakeUp(t *testing.T, s *DB, topics ...Topic) {
	t.Helper()
	err := s.InTx(t.Context(), "wake", func(tx *Tx) error {
		for _, topic := range topics {
			tx.Wake(topic)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// Sleepers for a single row come and go; nothing is left of them.
func TestSleepersComeAndGo(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, s *DB) {
		hearAll(t, s)
		seven, _ := s.Sleep("agent 7")
		again, stopAgain := s.Sleep("agent 7")
		eight, stopEight := s.Sleep("agent 8")
		stopAgain()
		stopEight()
		stopEight()
		wakeUp(t, s, "agent 9", "agent 8", "agent 7")
		if len(seven) != 1 || len(again) != 0 || len(eight) != 0 {
			t.Errorf("woken %d, %d after it stopped, %d after it stopped twice; want 1, 0, 0", len(seven), len(again), len(eight))
		}
		if n := len(s.wakes.sleepers); n != 1 {
			t.Errorf("%d topics have sleepers, want 1: %v", n, s.wakes.sleepers)
		}
	})
}

func TestCommitsWakeSleepers(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, s *DB) {
		hearAll(t, s)
		one, _ := s.Sleep("mail")
		two, _ := s.Sleep("mail")
		woken := func() [2]int { return [2]int{len(one), len(two)} }
		failed := s.InTx(t.Context(), "fail", func(tx *Tx) error {
			tx.Wake("mail")
			return sett.Errorf(sett.Conflict, "no")
		})
		if sett.CodeOf(failed) != sett.Conflict || woken() != [2]int{} {
			t.Errorf("after a roll-back (%v): woken %v", failed, woken())
		}
		wakeUp(t, s, "another topic")
		if woken() != [2]int{} {
			t.Errorf("another topic woke %v", woken())
		}
		wakeUp(t, s, "mail", "mail")
		wakeUp(t, s, "mail")
		if woken() != [2]int{1, 1} {
			t.Errorf("three commits woke %v, want each once", woken())
		}
		<-one
		wakeUp(t, s, "mail")
		if woken() != [2]int{1, 1} {
			t.Errorf("a sleeper that was awake was not woken again: %v", woken())
		}
	})
}
