package store

import (
	"context"
	"sync/atomic"
	"testing"

	"sett/internal/store/db"

	"github.com/jackc/pgx/v5"
)

// countingStore is a store on PostgreSQL that counts the statements of its transactions that write.
type countingStore struct {
	*Store
	n atomic.Int64
}

func countStatements(t *testing.T) *countingStore {
	t.Helper()
	c := &countingStore{}
	c.Store = openTest(t, db.Options{Database: freshPostgres(t), Tracer: c})
	return c
}

// TraceQueryStart counts.
func (c *countingStore) TraceQueryStart(ctx context.Context, _ *pgx.Conn, _ pgx.TraceQueryStartData) context.Context {
	c.n.Add(1)
	return ctx
}

// TraceQueryEnd is of no interest.
func (c *countingStore) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}
