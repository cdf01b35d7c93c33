package storetest

import (
	"testing"
	"time"

	"sett/internal/store"
	"sett/internal/store/db"
)

var MailNoon = time.Date(2026, 11, 18, 12, 0, 0, 0, time.UTC)

const MailLease = 5 * time.Minute

// SubscribeOthers returns once the store hears what all nodes commit. It is called before anything sleeps, as every sleeper is
// woken when the connection stands.
func SubscribeOthers(t *testing.T, s *store.Store) {
	t.Helper()
	heard, stop := s.Sleep("connected")
	defer stop()
	if !s.SQLite() {
		<-heard
	}
}

// WakeSleepers wakes the sleepers for a topic by a transaction that does nothing else.
func WakeSleepers(t *testing.T, s *store.Store, topic db.Topic) {
	t.Helper()
	if err := s.InTx(t.Context(), "wake", func(tx *db.Tx) error { tx.Wake(topic); return nil }); err != nil {
		t.Fatal(err)
	}
}
