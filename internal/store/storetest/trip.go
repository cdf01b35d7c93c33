package storetest

import (
	"context"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"sett/internal/store"
)

// Trips sees each round trip to PostgreSQL of transactions that write, as the names of its statements.
type Trips struct {
	All    [][]string
	Last   *pgx.Batch
	Before func(conn *pgx.Conn, statements []string) // is called before each of them; nil: nothing
}

func (r *Trips) note(conn *pgx.Conn, texts ...string) {
	var names []string
	for _, text := range texts {
		if strings.HasPrefix(text, "SELECT set_config(") { // the settings that each transaction has behind a pooler
			continue
		}
		name, _, _ := strings.Cut(text, "\n")
		if strings.HasPrefix(name, "-- ") {
			_, name, _ = strings.Cut(name, ".") // behind its package
		}
		names = append(names, name)
	}
	r.All = append(r.All, names)
	if r.Before != nil {
		r.Before(conn, names)
	}
}

func (r *Trips) TraceQueryStart(ctx context.Context, conn *pgx.Conn, q pgx.TraceQueryStartData) context.Context {
	r.note(conn, q.SQL)
	return ctx
}

func (*Trips) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}

func (r *Trips) TraceBatchStart(ctx context.Context, conn *pgx.Conn, q pgx.TraceBatchStartData) context.Context {
	var texts []string
	for _, st := range q.Batch.QueuedQueries {
		texts = append(texts, st.SQL)
	}
	r.Last = q.Batch
	r.note(conn, texts...)
	return ctx
}

func (*Trips) TraceBatchQuery(context.Context, *pgx.Conn, pgx.TraceBatchQueryData) {}

func (*Trips) TraceBatchEnd(context.Context, *pgx.Conn, pgx.TraceBatchEndData) {}

// Cutter ends the session of the first statement with a name.
type Cutter struct {
	T         *testing.T
	Other     *store.Store // sends the order to end it
	Statement string
	Done      bool
}

func (c *Cutter) TraceQueryStart(ctx context.Context, conn *pgx.Conn, q pgx.TraceQueryStartData) context.Context {
	if !c.Done && strings.Contains(q.SQL, c.Statement) {
		c.Done = true
		var pid uint32 // not conn's, which a pooler makes up
		var ended bool
		err := conn.QueryRow(c.T.Context(), `SELECT pg_backend_pid()`, pgx.QueryExecModeSimpleProtocol).Scan(&pid)
		if err == nil {
			err = c.Other.Read.QueryRowContext(c.T.Context(), `SELECT pg_terminate_backend($1, 60000)`, pid).Scan(&ended)
		}
		if err != nil || !ended {
			c.T.Errorf("the session has survived: %v", err)
		}
	}
	return ctx
}

func (*Cutter) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}
