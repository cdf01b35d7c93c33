package store

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

// exchange is a transaction that reads once and writes what follows from that. PostgreSQL needs two round trips for it, not
// one for each statement: on a busy machine, both ends wait for a processor with every one of them.
type exchange struct {
	read  rowsStatement
	scan  func(row) error        // called with each row that was read
	write func() []rowsStatement // called after that; in their order, those that have rows are run
}

// rowsStatement is a statement that has a {{rows}} hole, with the rows' columns: slices of equal length.
type rowsStatement struct {
	text    string
	columns []any
	wakes   Topic // whose sleepers are told when there were rows; "": nobody's
}

type row interface{ Scan(...any) error }

// inExchange runs a transaction that begin describes, from the beginning again when another node was in its way. It
// changes nothing that knownFaults tells of, and wakes only those whom its statements name.
func (s *DB) inExchange(ctx context.Context, what string, begin func() exchange) error {
	if s.dialect == sqliteDialect {
		return s.inIntakeTx(ctx, what, func(t *Tx) error { return t.exchange(ctx, begin()) })
	}
	ctx, cancel := s.limited(ctx, intakePatience)
	defer cancel()
	again := func(err error) bool { return s.dialect.busy(err) || errors.Is(err, errNotBegun) }
	return s.try(what, again, func() error { return s.tryExchange(ctx, begin()) })
}

func (t *Tx) exchange(ctx context.Context, e exchange) error {
	t.keepsCaches = true
	if err := t.eachRow(ctx, e.read.text, func(r *sql.Rows) error { return e.scan(r) }, e.read.columns...); err != nil {
		return err
	}
	writes := filled(e.write())
	t.unsynced = len(writes) == 0
	return t.eachOf(ctx, writes)
}

// eachOf runs statements for every one of their rows.
func (t *Tx) eachOf(ctx context.Context, statements []rowsStatement) error {
	for _, st := range statements {
		if err := t.each(ctx, st.text, st.columns...); err != nil {
			return err
		}
	}
	for _, topic := range wokenBy(statements) {
		t.wake(topic)
	}
	return nil
}

// wokenBy returns the topics whose sleepers are told of statements, each once.
func wokenBy(statements []rowsStatement) (topics []Topic) {
	for _, st := range filled(statements) {
		if st.wakes != "" && !slices.Contains(topics, st.wakes) {
			topics = append(topics, st.wakes)
		}
	}
	return topics
}

// filled returns the statements that have rows.
func filled(statements []rowsStatement) (with []rowsStatement) {
	for _, st := range statements {
		if length(st.columns[0]) > 0 {
			with = append(with, st)
		}
	}
	return with
}

// tryExchange runs an exchange on a connection to PostgreSQL.
func (s *DB) tryExchange(ctx context.Context, e exchange) error {
	pooled, err := s.intake.Conn(ctx)
	if err != nil {
		return err
	}
	defer pooled.Close()
	return pooled.Raw(func(c any) error {
		conn := c.(*stdlib.Conn).Conn()
		err := s.exchangeOn(ctx, conn, e)
		if err == nil || conn.IsClosed() {
			return err
		}
		if _, failed := conn.Exec(ctx, "rollback"); failed != nil {
			return errors.Join(err, driver.ErrBadConn) // nobody may have this connection again
		}
		return err
	})
}

func (s *DB) exchangeOn(ctx context.Context, conn *pgx.Conn, e exchange) error {
	if err := s.beginAndRead(ctx, conn, e); err != nil {
		if conn.IsClosed() {
			err = fmt.Errorf("%w: %w", errNotBegun, err)
		}
		return err
	}
	var b pgx.Batch
	writes := e.write()
	for _, st := range filled(writes) {
		b.Queue(s.text(st.text), st.columns...)
	}
	topics := wokenBy(writes)
	if len(topics) > 0 {
		b.Queue(tellNodes, s.listener.self, topics)
	}
	b.Queue("commit")
	if err := conn.SendBatch(ctx, &b).Close(); err != nil {
		return err
	}
	s.wakes.wake(topics...)
	return nil
}

func (s *DB) beginAndRead(ctx context.Context, conn *pgx.Conn, e exchange) (err error) {
	var b pgx.Batch
	b.Queue("begin")
	b.Queue(s.text(e.read.text), e.read.columns...)
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
		if err := e.scan(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}
