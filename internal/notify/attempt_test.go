package notify

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"sett/internal/notify/channel"
	"sett/internal/sett/alerts"
	"sett/internal/setttest/fresh"
	"sett/internal/store/db"
)

// An attempt may repeat an earlier one if it is not the first, if the delivery is older than the dispatcher, or if it waited long.
func TestAgain(t *testing.T) {
	t.Parallel()
	began := time.Date(2026, 11, 18, 12, 0, 0, 0, time.UTC)
	now := began
	c := NewDispatcher(DispatcherOptions{Now: func() time.Time { return now }})
	for name, d := range map[string]struct {
		tries     int
		made, now time.Duration // since the dispatcher began
		want      bool
	}{
		"the first try":              {1, time.Hour, time.Hour + time.Second, false},
		"the second try":             {2, time.Hour, time.Hour + time.Second, true},
		"made before the dispatcher": {1, -time.Second, time.Second, true},
		"made long ago, sent again":  {1, time.Hour, 2 * time.Hour, true},
	} {
		now = began.Add(d.now)
		if got := c.again(alerts.Delivery{Tries: d.tries, CreatedAt: began.Add(d.made)}); got != d.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// A database that does not respond while a message is composed says nothing about its receiver, whatever a receiver does.
func TestFailuresOfTheDatabase(t *testing.T) {
	t.Parallel()
	c := NewDispatcher(DispatcherOptions{DB: openDB(t), Now: time.Now})
	for name, of := range map[string]struct {
		err  error
		want bool
	}{
		"the database did not respond": {fmt.Errorf("find project: %w", context.DeadlineExceeded), true},
		"nor the receiver":             {fmt.Errorf("send: %w", &channel.Failure{Problem: "timeout"}), false},
		"a message without words":      {errors.New("no words"), false},
		"a panic":                      {safely(func() error { panic(context.DeadlineExceeded) }), false},
	} {
		if got := c.isOurs(of.err); got != of.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}

func openDB(t *testing.T) *db.DB {
	t.Helper()
	d, err := db.Open(t.Context(), fresh.SQLite(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	return d
}
