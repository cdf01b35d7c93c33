package store

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
)

// countingStore is a store on PostgreSQL that counts the statements of its transactions that write.
type countingStore struct {
	*Store
	n atomic.Int64
}

func countStatements(t *testing.T) *countingStore {
	t.Helper()
	dsn := freshPostgres(t)
	c := &countingStore{Store: openTest(t, Options{Database: dsn})}
	config, err := pgx.ParseConfig(dsn)
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range writerSettings {
		config.RuntimeParams[name] = value
	}
	config.Tracer = c
	if err := errors.Join(c.write.Close(), c.intake.Close()); err != nil {
		t.Fatal(err)
	}
	c.write, c.intake = stdlib.OpenDB(*config), stdlib.OpenDB(*config)
	return c
}

// TraceQueryStart counts.
func (c *countingStore) TraceQueryStart(ctx context.Context, _ *pgx.Conn, _ pgx.TraceQueryStartData) context.Context {
	c.n.Add(1)
	return ctx
}

// TraceQueryEnd is of no interest.
func (c *countingStore) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}
