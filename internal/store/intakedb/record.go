package intakedb

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/faults"
	"sett/internal/store/accountdb"
	"sett/internal/store/db"
	"sett/internal/store/faultdb"
	"sett/internal/store/nodedb"
	"sett/internal/store/rollupdb"
)

// Intake is what arrived while the previous batch was being stored.
type Intake struct {
	Reports []*faultdb.Packed
	Refused []accounts.Refusal

	LockWait time.Duration // how long to wait for a row that another transaction holds; 0: the default. PostgreSQL only
}

// errMoved says that another node changed a fault between our read and our write, so the batch must be retried.
var errMoved = errors.New("a fault moved while notices were recorded")

// RecordNotices stores what arrived, in one transaction: notices, and the faults that they create or reopen. Counts may follow later; see
// rollupdb. It returns one receipt per report, in order. Either all of it is stored or nothing is; which of both is unknown after an
// InDoubtError. It is durable once a Sync that was called afterwards has returned.
func (s *Store) RecordNotices(ctx context.Context, now time.Time, limits accounts.Limits, in Intake) ([]accounts.Receipt, error) {
	if err := s.rollups.KeepUp(ctx); err != nil {
		return nil, err
	}
	s.recording.Lock()
	defer s.recording.Unlock()
	s.rollups.Settled()
	if _, err := s.makeSure(ctx); err != nil {
		return nil, err
	}
	for range db.Tries {
		b, err := s.tryRecord(ctx, now, limits, in)
		if err == nil {
			return b.receipts, nil
		}
		if err = s.overcome(ctx, b, err); err != nil {
			return nil, err
		}
	}
	return nil, &sett.Error{Code: sett.Unavailable, Message: "The server is busy. Try again in a moment.", RetryAfter: time.Second}
}

// tryRecord stores a batch, and leaves it to be counted. It returns the batch with the error too, unless that came before the batch.
func (s *Store) tryRecord(ctx context.Context, now time.Time, limits accounts.Limits, in Intake) (b *batch, err error) {
	if err := s.node.Take(ctx); err != nil {
		return nil, err
	}
	err = s.inPipelinedTx(ctx, "record notices", func(t Tx) error {
		b, t.Unsynced = newBatch(s, t, now, limits, in), true
		return b.Record(ctx)
	})
	s.damage.note(time.Now(), err)
	switch {
	case err == nil:
		s.rollups.Hand(b.counted)
		s.rollups.FlushLight(ctx, b.counted)
	case b != nil && b.t.Committing:
		s.inDoubt = b
		stored, failed := s.makeSure(ctx)
		if failed != nil {
			return b, &InDoubtError{b.Name, b.Ids, err}
		}
		if stored {
			return b, nil
		}
	}
	return b, err
}

// overcome does what lets a batch succeed that has failed. It returns the error if there is nothing to do.
func (s *Store) overcome(ctx context.Context, b *batch, err error) error {
	_, inDoubt := errors.AsType[*InDoubtError](err)
	switch {
	case b == nil || inDoubt:
		return err
	case s.db.ConflictIn(rollupdb.TokenTable, err): // another node has stored a token since it was looked up
		return nil
	case s.db.Conflict(err): // the clock was set back on the previous holder of our number
		return s.node.SkipUsed(ctx)
	case errors.Is(err, nodedb.ErrFenced):
		return s.node.Renew(ctx, b.Holder)
	case errors.Is(err, errMoved):
		return nil
	case errors.Is(err, errNearLimit):
		return s.rollups.FlushProjects(ctx)
	}
	return err
}

// batch is one run of RecordNotices.
type batch struct {
	S           *Store
	t           Tx
	node        int64 // this process's number; Holder proves that it is
	Holder      string
	Name        string // PostgreSQL's id of the transaction; see nodedb.Node.Hold
	now         time.Time
	limits      accounts.Limits
	exact       bool // a limit is near: what is stored is counted with the batch
	in          Intake
	receipts    []accounts.Receipt
	Ids         []sett.NoticeID
	Live        []int                   // indexes of reports that are not decided yet, then of those that are stored
	found       map[faultKey]knownFault // as they were read; the zero knownFault if there is none
	used        usage                   // the same
	faults      map[faultKey]*batchFault
	order       []*batchFault      // in the order of their first report
	parts       map[faultKey]int64 // for keys whose faults were merged into others: the ids of these faults
	newKeys     []newKey           // in the order of their first report
	fullPlaces  []faultKey         // by near: they have more keys than are compared
	touched     []faultKey         // known keys that occur in another revision than before
	duplicates  map[int]int        // report → an earlier one of the batch with the same token
	seen        newlySeen
	messages    map[int64]*partMessages           // by part
	ownMessages map[int64]bool                    // of which parts the batch may change them
	said        map[faultdb.MessageKey]*newSaid   // that is not stored
	again       map[faultdb.MessageKey]*newSaid   // that is
	spared      []faultdb.MessageKey              // that make room for others
	fresh       map[accountdb.EnvironmentKey]bool // environments that the batch creates if it stores anything in them
	counted     *rollupdb.Batch                   // what is stored
}

type faultKey struct {
	project int64
	key     [16]byte
}

// batchFault is a fault that has reports in the batch.
type batchFault struct {
	faultKey
	id    int64 // 0 while unknown
	part  int64 // id of the fault that the key created; differs from id when that fault was merged into this one
	state faults.FaultState
	tags  []string
	had   []string // tags before the batch
	first *faultdb.Packed
	count int64
	last  sett.NoticeID

	retagged bool
	recurs   bool  // it is resolved, and the batch reopens it; first and last are of the reports that do
	made     bool  // by this batch, like reopened
	reopened bool  // and it had so many notices before, as far as they were counted
	before   int64 // 0 when it was not reopened
}

func newBatch(s *Store, t Tx, now time.Time, limits accounts.Limits, in Intake) *batch {
	b := &batch{S: s, t: t, now: now, limits: limits, in: in, faults: map[faultKey]*batchFault{}}
	b.node, b.Holder = s.node.Current()
	b.receipts = make([]accounts.Receipt, len(in.Reports))
	b.Ids = make([]sett.NoticeID, len(in.Reports))
	for i, r := range in.Reports {
		b.Ids[i] = s.node.NextID(s.acceptedAt(now, r.Report), b.node)
		b.receipts[i] = accounts.Receipt{ID: r.Token, Outcome: accounts.Stored}
		if r.Token.IsZero() {
			b.receipts[i].ID = b.Ids[i].UUID()
		}
		b.Live = append(b.Live, i)
	}
	return b
}

func (b *batch) Record(ctx context.Context) error {
	err := b.t.WaitForLocks(ctx, b.in.LockWait)
	if err != nil {
		return err
	}
	b.S.node.Ask(b.t.Tx, b.node, b.Holder, &b.Name)
	for _, step := range []func(context.Context) error{
		b.placeInEnvironments, b.ask, b.dropRepeated, b.continueFaults, b.findFaults, b.discardIgnored, b.admit, b.makeFaults, b.writeKeys, b.reopen, b.noteReleases,
		b.raise, b.answerDuplicates, b.writeBacktraces, b.writeNotices, b.noteMessages, b.noteEnvironments, b.noteFirst, b.count,
	} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	if b.t.KeepsCaches = true; b.S.db.SQLite() {
		b.S.faults.add(b)
	}
	return nil
}

// ask reads what the batch is to be compared with.
func (b *batch) ask(ctx context.Context) error {
	b.askTokens()
	b.askFaults()
	b.askUsage()
	if err := b.t.Answers(ctx); err != nil {
		return fmt.Errorf("find tokens, faults and usage: %w", err)
	}
	if b.Name == "" && !b.S.db.SQLite() {
		return nodedb.ErrFenced
	}
	return nil
}

// keep keeps only the live reports for which f is true.
func (b *batch) keep(f func(i int) bool) {
	var live []int
	for _, i := range b.Live {
		if f(i) {
			live = append(live, i)
		}
	}
	b.Live = live
}

const faultsByKey = `-- intakedb.faultsByKey
SELECT k.i, y.part_id, f.id, f.resolved, f.resolved_in, f.ignored, f.tags, y.revision, y.revised_at
FROM {{rows k(i bigint, project_id bigint, key bytea)}} JOIN fault_keys y ON y.project_id = k.project_id AND y.key = k.key
    JOIN faults f ON f.id = y.fault_id`

// scanKnown scans what faultsByKey selects, and more.
func scanKnown(rows db.Row, more ...any) (i int64, f knownFault, err error) {
	var tags string
	err = rows.Scan(append([]any{&i, &f.part, &f.id, &f.state.Resolved, &f.state.ResolvedIn, &f.state.Ignored, &tags, &f.revision, &f.revisedAt}, more...)...)
	f.tags = faults.SplitLines(tags)
	return i, f, err
}

// askFaults asks for the faults of all reports that are not known.
func (b *batch) askFaults() {
	b.found = map[faultKey]knownFault{}
	var asked []faultKey
	var index, projects []int64
	var keys [][]byte
	for _, i := range b.Live {
		r := b.in.Reports[i]
		k := faultKey{r.ProjectID, r.Grouping.Key}
		if _, once := b.found[k]; once {
			continue
		}
		known, ok := b.S.faults.find(k)
		if b.found[k] = known; !ok {
			asked, index = append(asked, k), append(index, int64(len(index)))
			projects, keys = append(projects, k.project), append(keys, r.Grouping.Key[:])
		}
	}
	b.t.Ask(faultsByKey, func(rows db.Row) error {
		i, f, err := scanKnown(rows)
		if err == nil {
			b.found[asked[i]] = f
		}
		return err
	}, index, projects, keys)
}

// findFaults sets the faults of the reports that are left.
func (b *batch) findFaults(context.Context) error {
	same := map[faultKey]faultKey{}
	for _, n := range b.newKeys {
		if n.with != n.faultKey {
			same[n.faultKey] = n.with
		}
	}
	for _, i := range b.Live {
		r := b.in.Reports[i]
		k := faultKey{r.ProjectID, r.Grouping.Key}
		if b.faults[k] != nil {
			continue
		}
		if with, ok := same[k]; ok {
			b.faults[k] = b.faults[with]
			continue
		}
		f := b.found[k]
		b.faults[k] = &batchFault{faultKey: k, first: r, id: f.id, part: f.part, state: f.state, tags: f.tags, had: f.tags}
		b.order = append(b.order, b.faults[k])
	}
	b.joinMerged()
	return nil
}

func (b *batch) faultOf(i int) *batchFault {
	r := b.in.Reports[i]
	return b.faults[faultKey{r.ProjectID, r.Grouping.Key}]
}

// discardIgnored drops the reports of ignored faults.
func (b *batch) discardIgnored(context.Context) error {
	b.keep(func(i int) bool {
		_, outcome := b.faultOf(i).state.Occur()
		b.receipts[i].Outcome = outcome
		return outcome == accounts.Stored
	})
	return nil
}

const insertFaults = `-- intakedb.insertFaults
INSERT INTO faults (project_id, key, environment, class, component, action, message, tags, grouping_inputs, created_at,
    resolved, ignored, resolve_on_deploy, resolved_in, paused_until, paused_count, comments_count)
SELECT k.project_id, k.key, k.environment, k.class, k.component, k.action, k.message, k.tags, k.inputs, k.at,
    false, false, false, '', 0, 0, 0
FROM {{rows k(project_id bigint, key bytea, environment text, class text, component text, action text,
    message text, tags text, inputs text, at bigint)}} JOIN projects p ON p.id = k.project_id WHERE true
ON CONFLICT (project_id, key) DO NOTHING RETURNING id, project_id, key`

const insertFaultCounts = `-- intakedb.insertFaultCounts
INSERT INTO fault_counts (fault_id, project_id, notices_count, last_notice_at)
SELECT k.id, k.project_id, 0, k.at FROM {{rows k(id bigint, project_id bigint, at bigint)}} WHERE true`

// makeFaults creates the faults that have their first report in the batch, and sums up what is added to each fault.
func (b *batch) makeFaults(ctx context.Context) error {
	for _, i := range b.Live {
		f := b.faultOf(i)
		if f.count == 0 && f.id == 0 {
			f.first = b.in.Reports[i]
		}
		f.count++
		f.last = max(f.last, b.Ids[i])
		tags, changed := faults.MergeTags(f.tags, b.in.Reports[i].Tags)
		f.tags, f.retagged = tags, f.retagged || changed
	}
	var fresh []*batchFault
	for _, f := range b.order {
		if f.id == 0 && f.count > 0 {
			fresh = append(fresh, f)
		}
	}
	if len(fresh) == 0 {
		return nil
	}
	if err := b.insertFaults(ctx, fresh); err != nil {
		return fmt.Errorf("create faults: %w", err)
	}
	var ids, projects, ats []int64
	for _, f := range fresh {
		if f.id == 0 {
			if err := b.dropGone(ctx, f); err != nil {
				return err
			}
			continue
		}
		f.made = true
		ids, projects, ats = append(ids, f.id), append(projects, f.project), append(ats, db.Micros(f.last.Time()))
	}
	return b.t.Each(ctx, insertFaultCounts, ids, projects, ats)
}

const projectExists = `-- intakedb.projectExists
SELECT count(*) FROM projects WHERE id = $1`

// dropGone rejects the reports of a fault that could not be created because its project was deleted after they were accepted. If the
// project exists, another node created the fault a moment ago.
func (b *batch) dropGone(ctx context.Context, f *batchFault) error {
	var n int64
	if err := b.t.QueryRowContext(ctx, b.S.db.Text(projectExists), f.project).Scan(&n); err != nil {
		return err
	}
	if n > 0 {
		return errMoved
	}
	f.count = 0
	b.keep(func(i int) bool {
		if b.faultOf(i) != f {
			return true
		}
		b.receipts[i].Outcome, b.receipts[i].Why = accounts.InvalidNotice, "The project that this key belongs to was deleted. Use the key of another project."
		return false
	})
	return nil
}

func (b *batch) insertFaults(ctx context.Context, fresh []*batchFault) error {
	var projects, ats []int64
	var keys [][]byte
	var environments, classes, components, actions, messages, tags, inputs []string
	for _, f := range fresh {
		r := f.first
		grouping, err := json.Marshal(r.Grouping)
		if err != nil {
			return err
		}
		projects, ats = append(projects, f.project), append(ats, db.Micros(b.now))
		keys, environments, classes = append(keys, f.key[:]), append(environments, r.Environment), append(classes, r.Class)
		components, actions, messages = append(components, r.Component), append(actions, r.Action), append(messages, r.Message)
		tags, inputs = append(tags, faults.JoinLines(f.tags)), append(inputs, string(grouping))
		f.retagged = false
	}
	scan := func(rows *sql.Rows) error {
		var k faultKey
		var id int64
		var key []byte
		err := rows.Scan(&id, &k.project, &key)
		if copy(k.key[:], key); err == nil {
			b.faults[k].id = id
		}
		return err
	}
	return b.t.EachRow(ctx, insertFaults, scan, projects, keys, environments, classes, components, actions,
		messages, tags, inputs, ats)
}

const insertNotices = `-- intakedb.insertNotices
INSERT INTO notices (id, fault_id, backtrace_id, token, bundle_id, slot, facets)
SELECT k.id, k.fault_id, k.backtrace_id, k.token, k.bundle_id, k.slot, ''
FROM {{rows k(id bigint, fault_id bigint, backtrace_id bigint, token bytea, bundle_id bigint, slot bigint)}} WHERE true`

func (b *batch) writeNotices(ctx context.Context) error {
	written, err := b.writeBundles(ctx)
	if err != nil {
		return err
	}
	var ids, faults, backtraces, bundles, slots []int64
	var tokens [][]byte
	for _, i := range b.Live {
		r := b.in.Reports[i]
		ids, faults = append(ids, int64(b.Ids[i])), append(faults, b.partOf(i))
		backtraces = append(backtraces, b.seen.backtraceOf(b.S, r))
		bundles, slots = append(bundles, written[r.Bundle]), append(slots, int64(r.Slot))
		var token []byte
		if !r.Token.IsZero() {
			token = r.Token[:]
		}
		tokens = append(tokens, token)
	}
	if err := b.t.Later(ctx, insertNotices, ids, faults, backtraces, tokens, bundles, slots); err != nil {
		return fmt.Errorf("write notices: %w", err)
	}
	return nil
}
