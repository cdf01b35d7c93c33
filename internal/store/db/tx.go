package db

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"iter"
	"slices"
	"time"

	"sett/internal/base/seal"
	"sett/internal/sett"
)

// Tx is a running write transaction.
type Tx struct {
	session
	tx     *sql.Tx   // nil if it is pipelined
	pipe   *pipeline // nil if it is not
	asked  []pipedStatement
	db     *DB
	wanted []statement // statements that were prepared for this transaction only

	KeepsCaches bool    // everything that a process has cached of the database stays valid
	wakes       []Topic // topics whose sleepers are woken after the commit
	wakesHere   []Topic // the same, for sleepers of this process only
	local       map[any]any
	Committing  bool     // the commit has started: an error leaves it in doubt
	key         seal.Key // the key for encryption; the zero Key until it has sealed something
	Unsynced    bool     // the commit is synced to disk by a later Sync; see logFile
}

// session runs the statements of a transaction.
type session interface {
	Querier
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
}

// Tries is how often a transaction is tried if it conflicts with another node.
const Tries = 5

// InTx runs f in one write transaction, and retries it on a conflict with another node. An error of f rolls it back. It keeps the pace of
// its context.
func (d *DB) InTx(ctx context.Context, what string, f func(*Tx) error) error {
	f, err := paced(ctx, f)
	if err != nil {
		return err
	}
	return d.inTxOf(ctx, d.Write, txPatience, what, f)
}

// InIntakeTx is InTx for what clients report and what follows from it, which must not wait for long.
func (d *DB) InIntakeTx(ctx context.Context, what string, f func(*Tx) error) error {
	return d.inTxOf(ctx, d.intake, intakePatience, what, f)
}

// TryIntakeTx is InIntakeTx without a retry and without explaining its error.
func (d *DB) TryIntakeTx(ctx context.Context, f func(*Tx) error) error {
	ctx, cancel := d.Limited(ctx, intakePatience)
	defer cancel()
	return d.tryTx(ctx, d.intake, f)
}

func (d *DB) inTxOf(ctx context.Context, db *sql.DB, patience time.Duration, what string, f func(*Tx) error) error {
	ctx, cancel := d.Limited(ctx, patience)
	defer cancel()
	again := func(err error) bool { return d.dialect.busy(err) || errors.Is(err, errNotBegun) || d.release(ctx, err) }
	return d.try(what, again, func() error { return d.tryTx(ctx, db, f) })
}

// try runs a transaction until there is no reason for a retry, and explains the remaining error.
func (d *DB) try(what string, again func(error) bool, run func() error) error {
	var err error
	for range Tries {
		if err = run(); err == nil || !again(err) {
			break
		}
	}
	if err == nil || sett.CodeOf(err) != "" {
		return err
	}
	if d.dialect.standby(err) {
		d.dropIdle()
	}
	if e := d.reason(err); e != nil {
		return fmt.Errorf("%s: %w: %w", what, e, err)
	}
	return fmt.Errorf("%s: %w", what, err)
}

func (d *DB) tryTx(ctx context.Context, db *sql.DB, f func(*Tx) error) error {
	if err := d.log.check(); err != nil {
		return err
	}
	begun, err := db.BeginTx(ctx, nil)
	if err != nil {
		return d.notBegun(err)
	}
	defer begun.Rollback() //nolint:errcheck // after a commit there is nothing to roll back
	return d.runTx(ctx, &Tx{session: begun, tx: begun, db: d}, f)
}

// runTx runs a transaction, and what follows its commit.
func (d *DB) runTx(ctx context.Context, t *Tx, f func(*Tx) error) error {
	if err := t.run(ctx, f); err != nil {
		d.hooks.rolledBack()
		return err
	}
	for _, f := range d.hooks.AfterCommit {
		f(ctx, t)
	}
	d.checkpoints.written.Store(true)
	if d.dialect == sqliteDialect && !t.Unsynced {
		if err := d.log.sync(); err != nil {
			return err
		}
	}
	d.wakes.wake(t.wakes...)
	d.wakes.wake(t.wakesHere...)
	for _, st := range t.wanted {
		d.keep(ctx, st)
	}
	return nil
}

// rolledBack returns why a commit failed. If its context ended before the commit, the error only says that the transaction is over, which
// the caller that ended the context would take for a failure.
func rolledBack(ctx context.Context, err error) error {
	if errors.Is(err, sql.ErrTxDone) && ctx.Err() != nil {
		return ctx.Err()
	}
	return err
}

func (t *Tx) runHooks(ctx context.Context, hooks []func(context.Context, *Tx) error) error {
	for _, f := range hooks {
		if err := f(ctx, t); err != nil {
			return err
		}
	}
	return nil
}

// run runs f and the hooks of every transaction, and commits.
func (t *Tx) run(ctx context.Context, f func(*Tx) error) error {
	if err := t.runHooks(ctx, t.db.hooks.AfterBegin); err != nil {
		return err
	}
	if err := f(t); err != nil {
		return err
	}
	if err := t.runHooks(ctx, t.db.hooks.BeforeCommit); err != nil {
		return err
	}
	if err := t.notifyNodes(ctx); err != nil {
		return err
	}
	return t.commit(ctx)
}

// commit sets Committing for as long as the outcome is unknown.
func (t *Tx) commit(ctx context.Context) error {
	t.Committing = true
	if t.pipe != nil {
		undone, err := t.pipe.commit(ctx)
		t.Committing = err != nil && !undone
		return err
	}
	if err := t.tx.Commit(); err != nil {
		return rolledBack(ctx, err)
	}
	t.Committing = false
	return nil
}

// keep prepares a statement on SQLite's one write connection, for all later transactions.
func (d *DB) keep(ctx context.Context, st statement) {
	if _, ok := d.stmts.Load(st); ok {
		return
	}
	if stmt, err := d.Write.PrepareContext(ctx, d.textOf(st)); err == nil {
		d.stmts.Store(st, stmt)
	}
}

// Exec runs a statement.
func (t *Tx) Exec(ctx context.Context, text string, args ...any) (sql.Result, error) {
	if t.db.dialect != sqliteDialect {
		return t.ExecContext(ctx, t.db.Text(text), args...)
	}
	stmt, err := t.prepared(ctx, statement{text, 1})
	if err != nil {
		return nil, err
	}
	return stmt.ExecContext(ctx, args...)
}

// prepared returns a statement that SQLite's one write connection keeps prepared; pgx keeps its own. A statement that is not kept yet is
// prepared on the transaction (the pool's only connection is taken) and kept once it has committed.
func (t *Tx) prepared(ctx context.Context, st statement) (*sql.Stmt, error) {
	if kept, ok := t.db.stmts.Load(st); ok {
		return t.tx.StmtContext(ctx, kept.(*sql.Stmt)), nil
	}
	t.wanted = append(t.wanted, st)
	return t.tx.PrepareContext(ctx, t.db.textOf(st))
}

// Each runs a statement that has a {{rows}} hole for every row of the columns, which are slices of equal length.
func (t *Tx) Each(ctx context.Context, text string, columns ...any) error {
	return t.EachRow(ctx, text, nil, columns...)
}

// EachRow is Each for a statement that returns rows; it calls scan for each of them.
func (t *Tx) EachRow(ctx context.Context, text string, scan func(*sql.Rows) error, columns ...any) error {
	switch {
	case length(columns[0]) == 0:
		return nil
	case t.db.dialect != sqliteDialect:
		return run(ctx, t, t.db.Text(text), scan, columns)
	}
	prepared := map[statement]*sql.Stmt{}
	for rows, args := range chunked(columns) {
		chunk := statement{text, rows}
		if prepared[chunk] == nil {
			stmt, err := t.prepared(ctx, chunk)
			if err != nil {
				return err
			}
			prepared[chunk] = stmt
		}
		if err := runPrepared(ctx, prepared[chunk], scan, args); err != nil {
			return err
		}
	}
	return nil
}

// ReadRows is EachRow for reads, without keeping statements prepared.
func (d *DB) ReadRows(ctx context.Context, q Querier, text string, scan func(*sql.Rows) error, columns ...any) error {
	switch {
	case length(columns[0]) == 0:
		return nil
	case d.dialect != sqliteDialect:
		rows, err := q.QueryContext(ctx, d.Text(text), columns...)
		return ScanAll(rows, err, scan)
	}
	for rows, args := range chunked(columns) {
		found, err := q.QueryContext(ctx, d.textOf(statement{text, rows}), args...)
		if err := ScanAll(found, err, scan); err != nil {
			return err
		}
	}
	return nil
}

// chunked splits the rows of columns into parts that one run of a statement on SQLite can take, with their values. The values are valid
// until the next part.
func chunked(columns []any) iter.Seq2[int, []any] {
	return func(yield func(rows int, args []any) bool) {
		n := length(columns[0])
		args := make([]any, 0, min(n, chunks[0])*len(columns))
		for done := 0; done < n; {
			rows := chunks[slices.IndexFunc(chunks, func(size int) bool { return size <= n-done })]
			args = args[:0]
			for i := done; i < done+rows; i++ {
				for _, c := range columns {
					args = append(args, element(c, i))
				}
			}
			if !yield(rows, args) {
				return
			}
			done += rows
		}
	}
}

func run(ctx context.Context, t *Tx, text string, scan func(*sql.Rows) error, args []any) error {
	if scan == nil {
		_, err := t.ExecContext(ctx, text, args...)
		return err
	}
	rows, err := t.QueryContext(ctx, text, args...)
	return ScanAll(rows, err, scan)
}

func runPrepared(ctx context.Context, stmt *sql.Stmt, scan func(*sql.Rows) error, args []any) error {
	if scan == nil {
		_, err := stmt.ExecContext(ctx, args...)
		return err
	}
	rows, err := stmt.QueryContext(ctx, args...)
	return ScanAll(rows, err, scan)
}

func length(column any) int {
	switch c := column.(type) {
	case nil: // see Columns.Collect
		return 0
	case []int64:
		return len(c)
	case []string:
		return len(c)
	case []bool:
		return len(c)
	case [][]byte:
		return len(c)
	default:
		panic(fmt.Sprintf("store: a column of rows cannot be a %T", column))
	}
}

func element(column any, i int) any {
	switch c := column.(type) {
	case []int64:
		return c[i]
	case []string:
		return c[i]
	case []bool:
		return c[i]
	case [][]byte:
		if c[i] == nil {
			return nil
		}
		return c[i]
	default:
		panic(fmt.Sprintf("store: a column of rows cannot be a %T", column))
	}
}
