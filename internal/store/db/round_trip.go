package db

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
)

// RoundTrip is a pipelined transaction: it reads once, and writes what follows from that. On PostgreSQL it needs two round trips instead
// of one per statement: on a busy machine, both ends wait for a processor with every round trip.
type RoundTrip struct {
	Read  RowsStatement
	Scan  func(Row) error        // called with each row
	Write func() []RowsStatement // called after that; the returned statements that have rows run in order
}

// RowsStatement is a statement with a {{rows}} hole, and the columns of the rows: slices of equal length.
type RowsStatement struct {
	Text    string
	Columns []any
	Wakes   Topic // the topic to wake if there were rows; "": none
}

type Row interface{ Scan(...any) error }

// InRoundTrip runs the transaction that begin describes, and restarts it on a conflict with another node. It must not change anything that
// knownFaults caches, and wakes only the topics that its statements name.
func (d *DB) InRoundTrip(ctx context.Context, what string, begin func() RoundTrip) error {
	if d.dialect == sqliteDialect {
		return d.InIntakeTx(ctx, what, func(t *Tx) error { return t.roundTrip(ctx, begin()) })
	}
	ctx, cancel := d.Limited(ctx, intakePatience)
	defer cancel()
	again := func(err error) bool { return d.dialect.busy(err) || errors.Is(err, errNotBegun) }
	return d.try(what, again, func() error { return d.tryRoundTrip(ctx, begin()) })
}

func (t *Tx) roundTrip(ctx context.Context, e RoundTrip) error {
	t.KeepsCaches = true
	if err := t.EachRow(ctx, e.Read.Text, func(r *sql.Rows) error { return e.Scan(r) }, e.Read.Columns...); err != nil {
		return err
	}
	writes := filled(e.Write())
	t.Unsynced = len(writes) == 0
	return t.EachOf(ctx, writes)
}

// EachOf runs each statement for all of its rows.
func (t *Tx) EachOf(ctx context.Context, statements []RowsStatement) error {
	for _, st := range statements {
		if err := t.Each(ctx, st.Text, st.Columns...); err != nil {
			return err
		}
	}
	for _, topic := range wokenBy(statements) {
		t.Wake(topic)
	}
	return nil
}

// wokenBy returns the distinct topics of the statements.
func wokenBy(statements []RowsStatement) (topics []Topic) {
	for _, st := range filled(statements) {
		if st.Wakes != "" && !slices.Contains(topics, st.Wakes) {
			topics = append(topics, st.Wakes)
		}
	}
	return topics
}

// filled returns the statements that have rows.
func filled(statements []RowsStatement) (with []RowsStatement) {
	for _, st := range statements {
		if length(st.Columns[0]) > 0 {
			with = append(with, st)
		}
	}
	return with
}

// tryRoundTrip runs an exchange on a connection to PostgreSQL.
func (d *DB) tryRoundTrip(ctx context.Context, e RoundTrip) error {
	pooled, err := d.intake.Conn(ctx)
	if err != nil {
		return err
	}
	defer pooled.Close()
	return pooled.Raw(func(c any) error {
		conn := c.(*stdlib.Conn).Conn()
		err := d.roundTripOn(ctx, conn, e)
		if err == nil || conn.IsClosed() {
			return err
		}
		if _, failed := conn.Exec(ctx, "rollback"); failed != nil {
			return errors.Join(err, driver.ErrBadConn) // this connection must not be reused
		}
		return err
	})
}

func (d *DB) roundTripOn(ctx context.Context, conn *pgx.Conn, e RoundTrip) error {
	if err := d.beginAndRead(ctx, conn, e); err != nil {
		if conn.IsClosed() {
			err = fmt.Errorf("%w: %w", errNotBegun, err)
		}
		return err
	}
	var b pgx.Batch
	writes := e.Write()
	for _, st := range filled(writes) {
		b.Queue(d.Text(st.Text), st.Columns...)
	}
	topics := wokenBy(writes)
	if len(topics) > 0 {
		b.Queue(notifyNodes, d.listener.self, topics)
	}
	b.Queue("commit")
	if err := conn.SendBatch(ctx, &b).Close(); err != nil {
		return err
	}
	d.wakes.wake(topics...)
	return nil
}

func (d *DB) beginAndRead(ctx context.Context, conn *pgx.Conn, e RoundTrip) (err error) {
	var b pgx.Batch
	b.Queue("begin")
	b.Queue(d.Text(e.Read.Text), e.Read.Columns...)
	results := conn.SendBatch(ctx, &b)
	defer func() {
		if closed := results.Close(); err == nil {
			err = closed
		}
	}()
	if _, err := results.Exec(); err != nil {
		return err
	}
	rows, err := results.Query()
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := e.Scan(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}
