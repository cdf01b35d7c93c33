package ingest

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/faults"
	"sett/internal/store/db"
	"sett/internal/store/faultdb"
	"sett/internal/store/intakedb"
)

// The buffer's bounds. A batch is whatever arrived while the last one was committed, so its size follows the load.
const (
	mostQueued  = 8192                  // notices
	mostBytes   = 64 << 20              // of their bodies
	mostInBatch = 512                   // notices
	patience    = 10 * time.Second      // maximum wait of a client for a commit
	idleFlush   = 30 * time.Millisecond // without a notice, after which all pending counts are written
	retry       = time.Second           // until that is tried again when it has failed
	stuckAfter  = 2 * time.Second       // for which the store records one batch, what comes goes to the spool
	spoolAfter  = 4 * time.Second       // the batch itself does, so that its clients still wait
)

// recorder is what the buffer needs of the store; a test puts a failing one in its place.
type recorder interface {
	RecordNotices(context.Context, time.Time, accounts.Limits, intakedb.Intake) ([]accounts.Receipt, error)
	Sync() error
	Flush(context.Context) error
	FlushDue(context.Context, time.Time) error
}

// Buffer passes reports to the store in batches, one durable transaction each: all waiting callers share the cost of a
// commit. It answers only after the batch is on disk, and refuses at once when it is full. A batch passes three goroutines,
// so that one is collected while another is written and a third is synced to disk.
type Buffer struct {
	line[*waiting] // what is to be stored

	store  recorder
	limits accounts.Limits
	now    func() time.Time
	log    *slog.Logger

	bytes    atomic.Int64
	ended    [4]atomic.Int64 // notices by outcome, in the order of outcomes
	projects projectCounts
	done     sync.Pool // of *waiting
	packers  *packers
	ready    chan struct{} // the writer is, for another batch
	batches  chan []*waiting
	written  chan written
	apart    apart          // of the writer alone
	stages   sync.WaitGroup // one goroutine each: ids are stored in their order

	recorded chan struct{} // something was, and may be due to be flushed
	flusher  sync.WaitGroup

	commits, flushes trouble // for the log

	spool   *Spool       // nil: there is none
	writing atomic.Int64 // since when the store records a batch, in nanoseconds; 0: it records none

	lateMu sync.Mutex
	late   map[accounts.Refusal]int64 // by refusal with Count 0: those that found the queue full
}

// waiting is one report or refusal, and the caller that waits for its result.
type waiting struct {
	report  *faults.Report // nil for a refusal
	packed  *faultdb.Packed
	refusal accounts.Refusal
	done    chan ended

	patience *time.Timer // of the waiting caller
}

type ended struct {
	receipt accounts.Receipt
	err     error
}

// NewBuffer returns a running Buffer; Close ends it.
func NewBuffer(r recorder, limits accounts.Limits, now func() time.Time, log *slog.Logger) *Buffer {
	b := &Buffer{
		line: newLine[*waiting](), store: r, limits: limits, now: now, log: log,
		packers: newPackers(), late: map[accounts.Refusal]int64{},
		ready: make(chan struct{}, 1), batches: make(chan []*waiting), written: make(chan written, 1),
		recorded: make(chan struct{}, 1),
		commits:  trouble{message: "events cannot be stored, so clients get an error"},
		flushes:  trouble{message: "counts of events cannot be updated, so they fall behind"},
	}
	b.stages.Go(b.gather)
	b.stages.Go(b.write)
	b.stages.Go(b.answer)
	b.flusher.Go(b.follow)
	return b
}

// KeepIn makes the buffer keep in a spool what the store does not take. It is called before anything is submitted.
func (b *Buffer) KeepIn(s *Spool) { b.spool, s.count = s, b.count }

// Close takes nothing more, stores what is queued and returns when that is done.
func (b *Buffer) Close() {
	if b.close() {
		b.stages.Wait()
		b.packers.close()
		close(b.recorded)
	}
	b.flusher.Wait()
}

// outcomes lists every way that a notice can end.
var outcomes = []accounts.Outcome{accounts.Stored, accounts.Ignored, accounts.Limited, accounts.InvalidNotice}

// Ended returns how many notices have ended so since the start, without repetitions.
func (b *Buffer) Ended(o accounts.Outcome) int64 { return b.ended[slices.Index(outcomes, o)].Load() }

// Queued returns how many notices wait for the next batch.
func (b *Buffer) Queued() int { return len(b.queue) }

// Submit stores a report and returns its outcome. The error is Unavailable if there is no room for it, or if the store does
// not respond in time.
func (b *Buffer) Submit(r *faults.Report) (accounts.Receipt, error) {
	if b.isStuck() {
		b.spool.hold()
	}
	if b.spool.Holds() {
		return b.spool.Notice(r)
	}
	w := b.newWaiting()
	w.report = r
	if b.bytes.Load() > mostBytes || !b.enqueue(w) {
		return accounts.Receipt{}, b.full(r.AccountID, r.ProjectID)
	}
	return b.wait(w)
}

// isStuck reports whether there is a spool, and the store has been recording one batch for long.
func (b *Buffer) isStuck() bool {
	since := b.writing.Load()
	return b.spool != nil && since != 0 && time.Since(time.Unix(0, since)) > stuckAfter
}

// Refuse counts a notice that was rejected before it could be stored. It returns once that is committed; if there is no room
// to wait, the count goes with the next batch.
func (b *Buffer) Refuse(p accounts.KeyedProject, o accounts.Outcome) error {
	w := b.newWaiting()
	w.refusal = accounts.Refusal{AccountID: p.AccountID, ProjectID: p.ProjectID, Outcome: o, Count: 1}
	if !b.enqueue(w) {
		b.countLater(w.refusal)
		return nil
	}
	_, err := b.wait(w)
	return err
}

func (b *Buffer) enqueue(w *waiting) bool {
	size := w.size()
	b.bytes.Add(size)
	if !b.join(w) {
		b.bytes.Add(-size)
		return false
	}
	return true
}

// size is how many bytes are held for w until it has ended.
func (w *waiting) size() int64 {
	if w.report == nil {
		return 0
	}
	return int64(len(w.report.Body))
}

func (b *Buffer) full(account string, project int64) error {
	b.countLater(accounts.Refusal{AccountID: account, ProjectID: project, Outcome: accounts.Limited, Count: 1})
	return errOverloaded()
}

func (b *Buffer) newWaiting() *waiting {
	if w, ok := b.done.Get().(*waiting); ok {
		return w
	}
	w := &waiting{done: make(chan ended, 1), patience: time.NewTimer(patience)}
	w.patience.Stop()
	return w
}

// wait returns how w ended. That the client has hung up meanwhile, or has closed its half of the connection, ends
// nothing: what is handed over is stored, and the answer says so.
func (b *Buffer) wait(w *waiting) (accounts.Receipt, error) {
	w.patience.Reset(patience)
	select {
	case e := <-w.done:
		w.patience.Stop()
		w.report, w.packed, w.refusal = nil, nil, accounts.Refusal{}
		b.done.Put(w)
		return e.receipt, e.err
	case <-w.patience.C:
		return accounts.Receipt{}, errSilent()
	}
}

// write commits batches until there are no more.
func (b *Buffer) write() {
	defer close(b.written)
	for {
		b.ready <- struct{}{}
		batch, ok := b.nextBatch()
		if !ok {
			break
		}
		b.record(b.setApart(batch))
		select {
		case b.recorded <- struct{}{}:
		default:
		}
	}
	b.endApart()
	b.record(nil) // the remaining refusals without a waiting caller
}

// follow brings up to date what follows notices: what is due while they come, and all of it when idle and at the end.
// What fails stays pending.
func (b *Buffer) follow() {
	quiet := time.NewTimer(idleFlush)
	defer quiet.Stop()
	for {
		select {
		case _, ok := <-b.recorded:
			if !ok {
				b.flush(b.store.Flush)
				return
			}
			b.flush(func(ctx context.Context) error { return b.store.FlushDue(ctx, b.now()) })
			quiet.Reset(idleFlush)
		case <-quiet.C:
			if b.bytes.Load() > 0 { // not idle: a commit takes its time
				quiet.Reset(idleFlush)
			} else if !b.flush(b.store.Flush) {
				quiet.Reset(retry)
			}
		}
	}
}

func (b *Buffer) flush(flush func(context.Context) error) (ok bool) {
	err := flush(context.Background())
	b.flushes.note(b.log, b.now(), err)
	return err == nil
}

// written is a batch that was committed, or could not be.
type written struct {
	batch    []*waiting
	refused  []accounts.Refusal
	receipts []accounts.Receipt
	err      error
}

// record commits a batch. If the store fails for a reason that waiting would not fix, the batch is halved and tried again,
// so that one report that cannot be stored does not affect the others.
func (b *Buffer) record(batch []*waiting) {
	late := b.takeLate()
	if len(batch)+len(late) == 0 {
		return
	}
	in := intake(batch, late)
	receipts, err := b.recordNotices(in)
	if err != nil {
		b.countLater(late...)
		if errors.Is(err, db.ErrHeld) {
			b.recordByProject(batch, late)
			return
		}
		if len(batch) > 1 && (sett.CodeOf(err) == "" || errors.Is(err, db.ErrDamaged)) {
			b.record(batch[:len(batch)/2])
			b.record(batch[len(batch)/2:])
			return
		}
	}
	b.written <- written{batch, in.Refused, receipts, err}
}

// recordNotices passes a batch to the store, unless the spool holds what came before.
func (b *Buffer) recordNotices(in intakedb.Intake) ([]accounts.Receipt, error) {
	if b.spool.Holds() {
		return nil, errAway
	}
	b.writing.Store(time.Now().UnixNano())
	defer b.writing.Store(0)
	ctx := context.Background()
	if b.spool != nil {
		limited, cancel := context.WithTimeout(ctx, spoolAfter)
		defer cancel()
		ctx = limited
	}
	return b.store.RecordNotices(ctx, b.now(), b.limits, in)
}

// answer syncs committed data to disk and returns the results to all waiting callers.
func (b *Buffer) answer() {
	for w := range b.written {
		if w.err == nil {
			w.err = b.store.Sync()
		}
		if w.err == nil {
			b.count(w)
		}
		b.commits.note(b.log, b.now(), w.err)
		if b.spool.takes(w.err) {
			b.keep(&w)
		}
		b.reply(w)
	}
}

// keep keeps a batch that failed in the spool, and counts its refusals later.
func (b *Buffer) keep(w *written) {
	var reports []*faults.Report
	for _, w := range w.batch {
		if w.report != nil {
			reports = append(reports, w.report)
		} else {
			b.countLater(w.refusal)
		}
	}
	w.receipts, w.err = b.spool.notices(reports, w.err)
}

func (b *Buffer) reply(done written) {
	receipts := done.receipts
	for _, w := range done.batch {
		e := ended{err: done.err}
		if done.err == nil && w.report != nil {
			e.receipt, receipts = receipts[0], receipts[1:]
		}
		b.bytes.Add(-w.size())
		w.done <- e
	}
}

// count counts how the notices of a batch that is stored have ended.
func (b *Buffer) count(done written) {
	b.tally(done.receipts, done.refused)
	b.projects.count(done)
}

func (b *Buffer) tally(receipts []accounts.Receipt, refused []accounts.Refusal) {
	for _, r := range receipts {
		if !r.Duplicate {
			b.ended[slices.Index(outcomes, r.Outcome)].Add(1)
		}
	}
	for _, r := range refused {
		b.ended[slices.Index(outcomes, r.Outcome)].Add(r.Count)
	}
}

// intake is the store's form of the waiting items, and of the refusals without a waiting caller.
func intake(batch []*waiting, late []accounts.Refusal) intakedb.Intake {
	in := intakedb.Intake{Refused: late[:len(late):len(late)]}
	for _, w := range batch {
		if w.report != nil {
			in.Reports = append(in.Reports, w.packed)
		} else {
			in.Refused = append(in.Refused, w.refusal)
		}
	}
	return in
}

// countLater keeps refusals without a waiting caller until the next batch.
func (b *Buffer) countLater(refusals ...accounts.Refusal) {
	b.lateMu.Lock()
	defer b.lateMu.Unlock()
	for _, r := range refusals {
		n := r.Count
		r.Count = 0
		b.late[r] += n
	}
}

func (b *Buffer) takeLate() (late []accounts.Refusal) {
	b.lateMu.Lock()
	defer b.lateMu.Unlock()
	for r, n := range b.late {
		if b.apart.holds(r.ProjectID) {
			continue
		}
		delete(b.late, r)
		r.Count = n
		late = append(late, r)
	}
	return late
}
