package intakedb_test

import (
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sett/internal/store"
	"sett/internal/store/accountdb"
	"sett/internal/store/db"
	"sett/internal/store/intakedb"
	"sett/internal/store/storetest"
)

func take(t *testing.T, s *store.Store, user int64, now time.Time) intakedb.RateWindow {
	t.Helper()
	w, err := s.Intake.TakeRequest(t.Context(), now, user, time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// makeUsers makes an account with two users.
func makeUsers(t *testing.T, s *store.Store) (ann, ben int64) {
	t.Helper()
	account, ann, err := s.Accounts.CreateAccount(t.Context(), storetest.MailNoon, "Acme", accountdb.NewUser{Email: "ann@example.test", Name: "Ann"})
	if err != nil {
		t.Fatal(err)
	}
	ben, err = s.Accounts.CreateUser(t.Context(), storetest.MailNoon, accountdb.NewUser{AccountID: account, Email: "ben@example.test", Name: "Ben", Role: "Member"})
	if err != nil {
		t.Fatal(err)
	}
	return ann, ben
}

func TestTakeRequest(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		ann, ben := makeUsers(t, s)
		for i, c := range []struct {
			user       int64
			after      time.Duration
			used       int64
			resetAfter time.Duration
			saved      bool
		}{
			{user: ann, after: 0, used: 1, resetAfter: time.Hour},
			{user: ann, after: time.Minute, used: 2, resetAfter: time.Hour, saved: true},
			{user: ben, after: time.Minute, used: 1, resetAfter: time.Hour + time.Minute},
			{user: ann, after: time.Hour - time.Microsecond, used: 3, resetAfter: time.Hour},
			{user: ann, after: time.Hour, used: 1, resetAfter: 2 * time.Hour},
			{user: ben, after: time.Hour, used: 2, resetAfter: time.Hour + time.Minute, saved: true},
			{user: ben, after: 5 * time.Hour, used: 1, resetAfter: 6 * time.Hour},
			{user: ann, after: 90 * time.Minute, used: 2, resetAfter: 2 * time.Hour},
		} {
			want := intakedb.RateWindow{Used: c.used, Reset: storetest.MailNoon.Add(c.resetAfter)}
			if diff := cmp.Diff(want, take(t, s, c.user, storetest.MailNoon.Add(c.after))); diff != "" {
				t.Errorf("request %d (-want +got):\n%s", i, diff)
			}
			if c.saved {
				if err := s.Intake.SaveRateWindows(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
		}
	})
}

func TestRateWindowSurvivesARestart(t *testing.T) {
	t.Parallel()
	for engine, o := range map[string]db.Options{
		"sqlite":   {Dir: t.TempDir()},
		"postgres": {Database: storetest.FreshPostgres(t)},
	} {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			s, err := store.Open(t.Context(), o)
			if err != nil {
				t.Fatal(err)
			}
			if _, _, err := s.Migrate(t.Context()); err != nil {
				t.Fatal(err)
			}
			ann, _ := makeUsers(t, s)
			take(t, s, ann, storetest.MailNoon)
			take(t, s, ann, storetest.MailNoon)
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			s = storetest.OpenTest(t, o)
			want := intakedb.RateWindow{Used: 3, Reset: storetest.MailNoon.Add(time.Hour)}
			if diff := cmp.Diff(want, take(t, s, ann, storetest.MailNoon.Add(time.Minute))); diff != "" {
				t.Errorf("after a restart (-want +got):\n%s", diff)
			}
			want = intakedb.RateWindow{Used: 1, Reset: storetest.MailNoon.Add(2 * time.Hour)}
			if diff := cmp.Diff(want, take(t, s, ann, storetest.MailNoon.Add(time.Hour))); diff != "" {
				t.Errorf("after the window (-want +got):\n%s", diff)
			}
		})
	}
}

// A process that is killed has lost no more than what it counted since the last time that it wrote.
func TestSavedRateWindowNeedsNoOrderlyEnd(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := storetest.OpenTest(t, db.Options{Dir: dir})
	if _, _, err := s.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	ann, _ := makeUsers(t, s)
	take(t, s, ann, storetest.MailNoon)
	if err := s.Intake.SaveRateWindows(t.Context()); err != nil {
		t.Fatal(err)
	}
	other := storetest.OpenTest(t, db.Options{Dir: dir}) // reads what is in the file
	if w := take(t, other, ann, storetest.MailNoon); w.Used != 2 {
		t.Errorf("used %d, want 2", w.Used)
	}
}

func TestRateWindowOfADeletedUserIsNotSaved(t *testing.T) {
	t.Parallel()
	s := storetest.OpenSQLite(t)
	ann, ben := makeUsers(t, s)
	take(t, s, ann, storetest.MailNoon)
	take(t, s, ben, storetest.MailNoon)
	if _, err := s.Write.ExecContext(t.Context(), `DELETE FROM users WHERE id = $1`, ben); err != nil {
		t.Fatal(err)
	}
	if err := s.Intake.SaveRateWindows(t.Context()); err != nil {
		t.Fatal(err)
	}
	var user int64
	if err := s.Read.QueryRowContext(t.Context(), `SELECT user_id FROM rate_windows`).Scan(&user); err != nil || user != ann {
		t.Errorf("saved the window of %d, %v; want that of %d alone", user, err, ann)
	}
}

// What could not be written is written the next time.
func TestRateWindowsThatWereNotSavedAreSavedLater(t *testing.T) {
	t.Parallel()
	s := storetest.OpenSQLite(t)
	ann, _ := makeUsers(t, s)
	take(t, s, ann, storetest.MailNoon)
	for _, statement := range []string{`ALTER TABLE rate_windows RENAME TO elsewhere`, `ALTER TABLE elsewhere RENAME TO rate_windows`} {
		if _, err := s.Write.ExecContext(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
		err := s.Intake.SaveRateWindows(t.Context())
		if failed := statement == `ALTER TABLE rate_windows RENAME TO elsewhere`; failed != (err != nil) {
			t.Fatalf("after %s: %v", statement, err)
		}
	}
	var used int64
	if err := s.Read.QueryRowContext(t.Context(), `SELECT used FROM rate_windows WHERE user_id = $1`, ann).Scan(&used); err != nil || used != 1 {
		t.Errorf("saved %d, %v; want 1", used, err)
	}
}

func TestTwoNodesShareAWindow(t *testing.T) {
	t.Parallel()
	dsn := storetest.FreshPostgres(t)
	nodes := []*store.Store{storetest.OpenTest(t, db.Options{Database: dsn}), storetest.OpenTest(t, db.Options{Database: dsn})}
	ann, _ := makeUsers(t, nodes[0])
	const each = 25
	var done sync.WaitGroup
	for i := range 4 {
		done.Go(func() {
			for range each {
				if _, err := nodes[i%2].Intake.TakeRequest(t.Context(), storetest.MailNoon, ann, time.Hour); err != nil {
					t.Error(err)
				}
			}
		})
	}
	done.Wait()
	for i, s := range nodes {
		if got, want := take(t, s, ann, storetest.MailNoon).Used, int64(4*each+1+i); got != want {
			t.Errorf("node %d counts %d, want %d", i, got, want)
		}
	}
}

// The count is not worth an fsync for every request, but only its own commit may do without.
func TestCountingDoesNotWaitForTheDisk(t *testing.T) {
	t.Parallel()
	s := storetest.OpenTest(t, db.Options{Database: storetest.FreshPostgres(t)})
	ann, _ := makeUsers(t, s)
	s.Write.SetMaxOpenConns(1) // so that the next statement has the same session
	take(t, s, ann, storetest.MailNoon)
	var setting string
	if err := s.Write.QueryRowContext(t.Context(), `SHOW synchronous_commit`).Scan(&setting); err != nil || setting != "on" {
		t.Errorf("the session commits with synchronous_commit %q afterwards, %v", setting, err)
	}
}
