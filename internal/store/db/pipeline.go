package db

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// A pipelined transaction sends several statements to PostgreSQL at once: what Ask has collected together with its begin, and what Later
// has together with its commit. So it needs two round trips instead of one per statement: on a busy machine, both ends wait for a processor
// with every round trip. Any other statement runs at once, after what was collected before it.

// Ask adds a read with a {{rows}} hole to those that Answers runs, in their order.
func (t *Tx) Ask(text string, scan func(Row) error, columns ...any) {
	if length(columns[0]) > 0 {
		t.asked = append(t.asked, pipedStatement{text, columns, scan})
	}
}

// AskOne is Ask for a statement of PostgreSQL without such a hole.
func (t *Tx) AskOne(text string, scan func(Row) error, args ...any) {
	t.asked = append(t.asked, pipedStatement{text, args, scan})
}

// Answers runs what was asked.
func (t *Tx) Answers(ctx context.Context) error {
	asked := t.asked
	t.asked = nil
	if t.pipe != nil {
		t.pipe.waiting = append(t.pipe.waiting, asked...)
		return t.pipe.send(ctx)
	}
	for _, a := range asked {
		each := t.EachRow
		if t.db.dialect != sqliteDialect { // AskOne's have no columns
			each = t.query
		}
		if err := each(ctx, a.text, func(r *sql.Rows) error { return a.scan(r) }, a.args...); err != nil {
			return err
		}
	}
	return nil
}

func (t *Tx) query(ctx context.Context, text string, scan func(*sql.Rows) error, args ...any) error {
	return run(ctx, t, t.db.Text(text), scan, args)
}

// Later is Each for a statement whose result nothing in the transaction depends on.
func (t *Tx) Later(ctx context.Context, text string, columns ...any) error {
	if t.pipe == nil {
		return t.Each(ctx, text, columns...)
	}
	if length(columns[0]) > 0 {
		t.pipe.waiting = append(t.pipe.waiting, pipedStatement{text: text, args: columns})
	}
	return nil
}

// InPipelinedIntakeTx is InIntakeTx in a pipelined transaction, on PostgreSQL.
func (d *DB) InPipelinedIntakeTx(ctx context.Context, what string, f func(*Tx) error) error {
	if d.dialect == sqliteDialect {
		return d.InIntakeTx(ctx, what, f)
	}
	ctx, cancel := d.Limited(ctx, intakePatience)
	defer cancel()
	again := func(err error) bool { return d.dialect.busy(err) || errors.Is(err, errNotBegun) }
	return d.try(what, again, func() error { return d.tryPipelined(ctx, f) })
}

func (d *DB) tryPipelined(ctx context.Context, f func(*Tx) error) error {
	pooled, err := d.intake.Conn(ctx)
	if err != nil {
		return d.notBegun(err)
	}
	defer pooled.Close()
	p := &pipeline{db: d, conn: pooled}
	if err := d.runTx(ctx, &Tx{session: p, pipe: p, db: d}, f); err != nil {
		return p.rollback(ctx, err)
	}
	return nil
}

// pipeline is a pipelined transaction on a connection to PostgreSQL.
type pipeline struct {
	db      *DB
	conn    *sql.Conn
	begun   bool
	waiting []pipedStatement
	failed  error // of the statements that were sent
}

// pipedStatement is a statement, its parameters, and what is called with each row of its result; nil: nothing.
type pipedStatement struct {
	text string
	args []any
	scan func(Row) error
}

// ExecContext implements session.
func (p *pipeline) ExecContext(ctx context.Context, text string, args ...any) (sql.Result, error) {
	if err := p.send(ctx); err != nil {
		return nil, err
	}
	return p.conn.ExecContext(ctx, text, args...)
}

// QueryContext implements session.
func (p *pipeline) QueryContext(ctx context.Context, text string, args ...any) (*sql.Rows, error) {
	if err := p.send(ctx); err != nil {
		return nil, err
	}
	return p.conn.QueryContext(ctx, text, args...)
}

// QueryRowContext implements session. If the statements before it failed, the error of the row says nothing; see rollback.
func (p *pipeline) QueryRowContext(ctx context.Context, text string, args ...any) *sql.Row {
	if p.send(ctx) != nil {
		ended, cancel := context.WithCancel(ctx)
		cancel()
		ctx = ended
	}
	return p.conn.QueryRowContext(ctx, text, args...)
}

// send sends what waits.
func (p *pipeline) send(ctx context.Context) error {
	if p.failed != nil || p.begun && len(p.waiting) == 0 {
		return p.failed
	}
	first := !p.begun
	_, p.failed = p.exchange(ctx, p.next())
	if p.failed != nil && first && p.closed() {
		p.failed = fmt.Errorf("%w: %w", errNotBegun, p.failed)
	}
	return p.failed
}

// next returns what waits, after the begin if the transaction has not begun.
func (p *pipeline) next() []pipedStatement {
	all := p.waiting
	if !p.begun {
		all = append(p.beginning(), all...)
	}
	p.begun, p.waiting = true, nil
	return all
}

// beginning returns what begins the transaction.
func (p *pipeline) beginning() []pipedStatement {
	all := []pipedStatement{{text: "begin"}}
	_ = p.conn.Raw(func(c any) error { // a connection that is lost gives the same error next
		if pooled, ok := c.(*pooledConn); ok {
			all = append(all, pooled.before()...)
		}
		return nil
	})
	return all
}

// commit sends what waits, and the commit after it. If it fails, undone says that nothing was committed; otherwise that is unknown.
func (p *pipeline) commit(ctx context.Context) (undone bool, err error) {
	if p.failed != nil || !p.begun && len(p.waiting) == 0 {
		return true, p.failed
	}
	all := append(p.next(), pipedStatement{text: "commit"})
	done, err := p.exchange(ctx, all)
	e, answered := errors.AsType[*pgconn.PgError](err)
	return done < len(all)-1 && answered && e.SeverityUnlocalized == "ERROR", err // PostgreSQL skips what follows a statement that fails
}

// exchange sends statements, reads their results, and returns how many succeeded.
func (p *pipeline) exchange(ctx context.Context, all []pipedStatement) (done int, err error) {
	var b pgx.Batch
	for _, st := range all {
		b.Queue(p.db.Text(st.text), st.args...)
	}
	err = p.raw(func(conn *pgx.Conn) (err error) {
		results := conn.SendBatch(ctx, &b)
		defer func() {
			if closed := results.Close(); err == nil {
				err = closed
			}
		}()
		for _, st := range all {
			if err := st.read(results); err != nil {
				return err
			}
			done++
		}
		return nil
	})
	return done, err
}

func (st pipedStatement) read(results pgx.BatchResults) error {
	if st.scan == nil {
		tag, err := results.Exec()
		if err == nil && st.text == "commit" && tag.String() == "ROLLBACK" {
			err = pgx.ErrTxCommitRollback
		}
		return err
	}
	rows, err := results.Query()
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := st.scan(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}

// pgxConn is a connection of any pool.
type pgxConn interface{ Conn() *pgx.Conn }

func (p *pipeline) raw(f func(*pgx.Conn) error) error {
	return p.conn.Raw(func(c any) error { return f(c.(pgxConn).Conn()) })
}

func (p *pipeline) closed() (is bool) {
	err := p.raw(func(conn *pgx.Conn) error { is = conn.IsClosed(); return nil })
	return is || err != nil
}

// rollback ends a transaction that failed, and returns why: the first error of what was sent, or err.
func (p *pipeline) rollback(ctx context.Context, err error) error {
	if p.failed != nil && !errors.Is(err, p.failed) {
		err = p.failed
	}
	if !p.begun || p.closed() {
		return err
	}
	_ = p.raw(func(conn *pgx.Conn) error {
		if _, failed := conn.Exec(ctx, "rollback"); failed != nil {
			return driver.ErrBadConn // this connection must not be reused
		}
		return nil
	})
	return err
}
