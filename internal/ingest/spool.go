package ingest

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/faults"
	"sett/internal/store/db"
	"sett/internal/store/intakedb"
	"sett/internal/store/spool"
	"sett/internal/store/uptimedb"
)

// Spool keeps reports in a file on this machine while the database does not take them, and passes them on in their order once it does. As long
// as it holds any, all further ones go there too, so that nothing overtakes them. A nil Spool never holds anything.
type Spool struct {
	SpoolOptions
	adding  *committer[spool.Entry, struct{}]
	holding atomic.Bool // what comes goes to the spool

	stored, lost atomic.Int64 // entries that were passed on, and that could not be

	count func(written) // counts notices that are passed on

	passing sync.Mutex // guards what follows: one Pass at a time
	tries   int        // at the first entry
	failing trouble
	packers *packers
}

// SpoolOptions is what a Spool needs.
type SpoolOptions struct {
	File   *spool.Spool
	Main   mainStore  // that of the buffer
	Intake spoolStore // of the spool
	Pings  pingRecorder
	Faults deployRecorder
	Limits accounts.Limits
	Now    func() time.Time
	Log    *slog.Logger
}

// mainStore is what a Spool needs of the store whose commits may be in doubt.
type mainStore interface {
	Fate(ctx context.Context, transaction string, ids []sett.NoticeID) (stored map[sett.NoticeID]bool, err error)
	TryWrite(ctx context.Context, now time.Time) error
}

// spoolStore is what a Spool needs of its own store.
type spoolStore interface {
	RecordNotices(ctx context.Context, now time.Time, limits accounts.Limits, in intakedb.Intake) ([]accounts.Receipt, error)
	Sync() error
	FlushDue(ctx context.Context, now time.Time) error
	Leave(ctx context.Context) error
}

// deployRecorder is what a Spool needs to store deploys.
type deployRecorder interface {
	HasDeploy(ctx context.Context, projectID int64, d faults.Deploy) (bool, error)
	RecordDeploy(ctx context.Context, now time.Time, projectID int64, d faults.Deploy) (int64, error)
}

// NewSpool returns a running Spool; Close ends it.
func NewSpool(o SpoolOptions) *Spool {
	s := &Spool{SpoolOptions: o, packers: newPackers(), failing: trouble{message: "reports in the spool cannot be stored, and wait for the database"}}
	s.adding = newCommitter(func(ctx context.Context, entries []spool.Entry) ([]struct{}, error) {
		return make([]struct{}, len(entries)), o.File.Add(ctx, entries)
	})
	if o.File.Size().Entries > 0 {
		s.holding.Store(true)
	}
	return s
}

// Close takes nothing more. What the spool holds stays in its file.
func (s *Spool) Close(ctx context.Context) error {
	if s == nil {
		return nil
	}
	s.adding.close()
	s.passing.Lock()
	defer s.passing.Unlock()
	s.packers.close()
	if err := s.Intake.Leave(ctx); err != nil && sett.CodeOf(err) != sett.Unavailable { // then another node counts what was stored
		return errors.Join(err, s.File.Close())
	}
	return s.File.Close()
}

// SpoolState is what is known of a spool.
type SpoolState struct {
	Holding bool // what is reported goes to the spool
	Full    bool // and is refused
	spool.Size
	Stored, Lost int64 // entries since the start that were passed on, and that the database did not take
}

// State returns what is known of the spool; ok is false if there is none.
func (s *Spool) State() (state SpoolState, ok bool) {
	if s == nil {
		return state, false
	}
	return SpoolState{s.Holds(), s.File.Full(), s.File.Size(), s.stored.Load(), s.lost.Load()}, true
}

// Holds reports whether reports go to the spool.
func (s *Spool) Holds() bool { return s != nil && s.holding.Load() }

// takes reports whether what failed with an error goes to the spool: the database did not respond, and does not respond to others either.
func (s *Spool) takes(err error) bool {
	return s != nil && sett.CodeOf(err) == sett.Unavailable && !errors.Is(err, db.ErrHeld)
}

// Hold makes all that comes go to the spool, before anything comes.
func (s *Spool) Hold() { s.holding.Store(true) }

// hold makes all that comes go to the spool.
func (s *Spool) hold() {
	if !s.holding.Swap(true) {
		s.Log.Warn("the database does not respond, so reports are kept in the spool", "hint", "check PostgreSQL; the reports are stored once it responds")
	}
}

// errAway ends what was to be stored while the spool holds reports that came before.
var errAway = &sett.Error{Code: sett.Unavailable, Message: "The database does not respond. Try again in a moment.", RetryAfter: 5 * time.Second}

// Notice keeps a report, and returns the receipt for its client.
func (s *Spool) Notice(r *faults.Report) (accounts.Receipt, error) {
	e, receipt, err := newNoticeEntry(r, 0, "")
	if err == nil {
		_, err = s.adding.do(e)
	}
	return receipt, err
}

// notices keeps the reports of a batch that failed, and returns their receipts.
func (s *Spool) notices(reports []*faults.Report, why error) (receipts []accounts.Receipt, err error) {
	s.hold()
	var entries []spool.Entry
	doubt, inDoubt := errors.AsType[*intakedb.InDoubtError](why)
	for i, r := range reports {
		var tried sett.NoticeID
		var transaction string
		if inDoubt && i < len(doubt.IDs) {
			tried, transaction = doubt.IDs[i], doubt.Transaction
		}
		e, receipt, err := newNoticeEntry(r, tried, transaction)
		if err != nil {
			return nil, err
		}
		entries, receipts = append(entries, e), append(receipts, receipt)
	}
	return receipts, s.File.Add(context.Background(), entries)
}

// pingShare is the part of a spool that pings may take. Their check-ins cannot be looked up, so strangers may send them.
const pingShare = 8

// Ping keeps a ping.
func (s *Spool) Ping(p uptimedb.PingReport) error {
	s.hold()
	if s.File.Share(spool.Ping)*pingShare > 1 {
		return errAway
	}
	e, err := newEntry(spool.Ping, p.At, p)
	if err == nil {
		_, err = s.adding.do(e)
	}
	return err
}

// Deploy keeps a deploy of a project.
func (s *Spool) Deploy(now time.Time, projectID int64, d faults.Deploy) error {
	s.hold()
	d.ProjectID = projectID
	e, err := newEntry(spool.Deploy, now, d)
	if err == nil {
		_, err = s.adding.do(e)
	}
	return err
}
