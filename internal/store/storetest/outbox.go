package storetest

import (
	"testing"
	"time"

	"sett/internal/sett/alerts"
	"sett/internal/store"
	"sett/internal/store/db"
	"sett/internal/store/outbox"
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

// ClaimMails claims all mails that are due for an hour, in the order in which they were queued.
func ClaimMails(t testing.TB, s *store.Store, now time.Time) []outbox.ClaimedMail {
	t.Helper()
	mails, err := s.Outbox.ClaimMails(t.Context(), now, time.Hour, 1000, func(alerts.MailKind) int { return 1000 })
	if err != nil {
		t.Fatal(err)
	}
	return mails
}

// TakeMails is ClaimMails, and deletes the mails.
func TakeMails(t testing.TB, s *store.Store, now time.Time) []outbox.ClaimedMail {
	t.Helper()
	mails := ClaimMails(t, s, now)
	var sent []outbox.MailResult
	for _, m := range mails {
		sent = append(sent, outbox.MailResult{Mail: m})
	}
	if err := s.Outbox.RecordMails(t.Context(), sent); err != nil {
		t.Fatal(err)
	}
	return mails
}
