package intakedb_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/setttest/pgcluster"
	"sett/internal/store"
	"sett/internal/store/db"
	"sett/internal/store/faultdb"
	"sett/internal/store/intakedb"
	"sett/internal/store/storetest"
)

// What a commit did that was not answered is found out before anything else is recorded.
func TestUnansweredCommits(t *testing.T) {
	t.Parallel()
	lost := errors.New("no answer")
	for name, carriedOut := range map[string]bool{"carried out": true, "not carried out": false} {
		t.Run(name, func(t *testing.T) {
			storetest.Engines(t, func(t *testing.T, s *store.Store) {
				d := newDesk(t, s)
				if err := s.Node.Take(t.Context()); err != nil {
					t.Fatal(err)
				}
				var b *intakedb.Batch
				err := s.Intake.InOwnTx(t.Context(), "record", func(tx intakedb.Tx) error {
					b = intakedb.NewBatch(s.Intake.Own(), tx, storetest.Noon, accounts.Limits{}, intakedb.Intake{Reports: d.Many()})
					if err := b.Record(t.Context()); err != nil || carriedOut {
						return err
					}
					return lost
				})
				if err != nil && !errors.Is(err, lost) {
					t.Fatal(err)
				}
				s.Intake.SetInDoubt(b)

				d.Record(storetest.Noon.Add(time.Second), accounts.Limits{}, d.Report("A"))
				want := int64(1)
				if carriedOut {
					want += storetest.BusyBatch
				}
				d.WantCounts("after the next batch", storetest.All(want))
			})
		})
	}
}

// A batch in doubt may be the last for long: its notices are counted, and so listed, without another one.
func TestUnansweredCommitsThatNothingFollows(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		if err := s.Node.Take(t.Context()); err != nil {
			t.Fatal(err)
		}
		err := s.Intake.InOwnTx(t.Context(), "record", func(tx intakedb.Tx) error {
			b := intakedb.NewBatch(s.Intake.Own(), tx, storetest.Noon, accounts.Limits{}, intakedb.Intake{Reports: d.Many()})
			s.Intake.SetInDoubt(b)
			return b.Record(t.Context())
		})
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Intake.Flush(t.Context()); err != nil {
			t.Fatal(err)
		}
		d.WantCounts("after a flush", storetest.All(storetest.BusyBatch))
	})
}

// PostgreSQL shows what it has committed to others as soon as the wait for the standby is cancelled: by the end of a batch's time. It would be lost with the
// primary, so the batch is in doubt until the standby has it.
func TestCommitsThatNoStandbyHas(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("-short leaves out tests that need PostgreSQL")
	}
	server, err := pgcluster.Start(t.Context(), pgcluster.Options{Primary: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := server.Stop(); err != nil {
			t.Error(err)
		}
	})
	if err := storetest.MigrateNew(db.Options{Database: server.DSN(), KeyFile: pgcluster.KeyFile(server.DSN())}); err != nil {
		t.Fatal(err)
	}
	d := newDesk(t, storetest.OpenTest(t, db.Options{Database: server.DSN()}))
	d.Record(storetest.Noon, accounts.Limits{}, d.Report("A"))
	waitFor := func(standby string) {
		for _, statement := range []string{"ALTER SYSTEM SET synchronous_standby_names = '" + standby + "'", "SELECT pg_reload_conf()"} {
			if _, err := d.Write.ExecContext(t.Context(), statement); err != nil {
				t.Fatal(err)
			}
		}
	}
	waitFor("away")
	for waiting := false; !waiting; { // the server reads its settings soon
		ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
		_, err := d.Write.ExecContext(ctx, "ALTER ROLE CURRENT_USER SET work_mem = '4MB'")
		waiting = err != nil
		cancel()
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	_, err = d.Intake.RecordNotices(ctx, storetest.Noon, accounts.Limits{}, intakedb.Intake{Reports: []*faultdb.Packed{d.Report("A")}})
	doubt, inDoubt := errors.AsType[*intakedb.InDoubtError](err)
	if !inDoubt {
		t.Fatalf("a batch that no standby has: %v, want that it is in doubt", err)
	}
	stored, err := d.Intake.Fate(t.Context(), doubt.Transaction, doubt.IDs)
	for sett.CodeOf(err) == sett.Unavailable && t.Context().Err() == nil { // a busy server has not ended the wait yet
		stored, err = d.Intake.Fate(t.Context(), doubt.Transaction, doubt.IDs)
	}
	if err != nil || len(stored) != 1 {
		t.Errorf("PostgreSQL shows %v, %v, want the notice: else this test shows nothing", stored, err)
	}
	waitFor("")
	if err := d.Intake.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	d.WantCounts("once no standby is waited for", storetest.All(2))
}

// A server that crashed may not know the transaction any more, or may have given its name to another.
func TestUnansweredCommitsOfACrashedServer(t *testing.T) {
	t.Parallel()
	d := newDesk(t, storetest.NewCluster(t).Node(t))
	for _, name := range []string{"9000000000000000000", "3"} { // in the future; of a long finished transaction
		b := &intakedb.Batch{S: d.Intake.Own(), Name: name, Live: []int{0}, Ids: []sett.NoticeID{1}}
		d.Intake.SetInDoubt(b)
		if stored, err := d.Intake.MakeSure(t.Context()); stored || err != nil {
			t.Errorf("transaction %s: stored is %v, %v", name, stored, err)
		}
	}
}

// While the server is still at a commit, nothing more is recorded: its notices could not be counted in their turn.
func TestCommitsThatAreNotDecided(t *testing.T) {
	t.Parallel()
	d := newDesk(t, storetest.NewCluster(t).Node(t))
	running, err := d.Write.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer running.Rollback() //nolint:errcheck // ended below
	b := &intakedb.Batch{S: d.Intake.Own(), Live: []int{0}, Ids: []sett.NoticeID{1}}
	if err := running.QueryRowContext(t.Context(), `SELECT pg_current_xact_id()::text`).Scan(&b.Name); err != nil {
		t.Fatal(err)
	}
	d.Intake.SetInDoubt(b)
	if _, err := d.Intake.RecordNotices(t.Context(), storetest.Noon, accounts.Limits{}, intakedb.Intake{Reports: []*faultdb.Packed{d.Report("A")}}); sett.CodeOf(err) != sett.Unavailable {
		t.Errorf("while a commit is under way: %v, want Unavailable", err)
	}
	if err := d.Intake.Flush(t.Context()); sett.CodeOf(err) != sett.Unavailable {
		t.Errorf("a flush meanwhile: %v, want Unavailable, so that it is tried again", err)
	}
	if err := running.Rollback(); err != nil {
		t.Fatal(err)
	}
	d.Record(storetest.Noon, accounts.Limits{}, d.Report("A"))
	d.WantCounts("once it is decided", storetest.All(1))
}

// A batch whose commit was not acknowledged is counted by the node that took over its dead node, and not again by that node.
func TestUnansweredCommitsOfAFencedNode(t *testing.T) {
	t.Parallel()
	c := storetest.NewCluster(t)
	d := newDesk(t, c.Node(t))
	err := d.Intake.InOwnTx(t.Context(), "record", func(tx intakedb.Tx) error {
		d.Intake.SetInDoubt(intakedb.NewBatch(d.Store.Intake.Own(), tx, storetest.Noon, accounts.Limits{}, intakedb.Intake{Reports: d.Many()}))
		return d.Intake.InDoubt().Record(t.Context())
	})
	if err != nil {
		t.Fatal(err)
	}
	alive := c.Node(t)
	storetest.Die(t, d.Store)
	storetest.TakeOverDead(t, alive)
	if err := d.Node.Renew(t.Context(), d.Intake.InDoubt().Holder); err != nil {
		t.Fatal(err)
	}
	d.Record(storetest.Noon.Add(time.Second), accounts.Limits{}, d.Report("A"))
	d.WantCounts("after the next batch", storetest.All(storetest.BusyBatch+1))
}

// The first notice of a batch may be deleted before it is known that the batch was stored.
func TestUnansweredCommitsWhoseFirstNoticeIsGone(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		if _, err := s.Intake.Recover(t.Context()); err != nil {
			t.Fatal(err)
		}
		var b *intakedb.Batch
		err := s.Intake.InOwnTx(t.Context(), "record", func(tx intakedb.Tx) error {
			b = intakedb.NewBatch(s.Intake.Own(), tx, storetest.Noon, accounts.Limits{}, intakedb.Intake{Reports: d.Many()})
			return b.Record(t.Context())
		})
		if err != nil {
			t.Fatal(err)
		}
		s.Intake.SetInDoubt(b)
		d.Run(`DELETE FROM notices WHERE id = $1`, int64(b.Ids[0]))
		if stored, err := s.Intake.MakeSure(t.Context()); !stored || err != nil {
			t.Errorf("stored is %v, %v", stored, err)
		}
	})
}
