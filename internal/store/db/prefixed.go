package db

import (
	"context"
	"database/sql/driver"
	"io"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/jackc/pgx/v5/stdlib"
)

// PostgreSQL runs statements that are sent together as one transaction. So a statement can have others before it, in the same round trip,
// that set or check something for it alone: if one of them fails, PostgreSQL skips what follows.

// queryAfter runs a query after other statements, which return nothing of interest.
func queryAfter(ctx context.Context, conn *stdlib.Conn, before []pipedStatement, text string, args []driver.NamedValue) (*prefixedRows, error) {
	results, err := sendAfter(ctx, conn, before, text, args)
	if err != nil {
		return nil, err
	}
	rows, err := results.Query()
	if err != nil {
		_ = results.Close() // the error is known
		return nil, unsent(err)
	}
	r := &prefixedRows{rows: rows, results: results}
	r.more = rows.Next() // otherwise the columns are unknown
	if err := rows.Err(); err != nil {
		_ = r.Close() // the error is known
		return nil, err
	}
	for _, f := range rows.FieldDescriptions() {
		r.names = append(r.names, f.Name)
		r.decode = append(r.decode, decoder(conn.Conn().TypeMap(), f))
	}
	return r, nil
}

// execAfter is queryAfter for a statement that returns no rows.
func execAfter(ctx context.Context, conn *stdlib.Conn, before []pipedStatement, text string, args []driver.NamedValue) (driver.Result, error) {
	results, err := sendAfter(ctx, conn, before, text, args)
	if err != nil {
		return nil, err
	}
	tag, err := results.Exec()
	if closed := results.Close(); err == nil {
		err = closed
	}
	return driver.RowsAffected(tag.RowsAffected()), unsent(err)
}

func sendAfter(ctx context.Context, conn *stdlib.Conn, before []pipedStatement, text string, args []driver.NamedValue) (pgx.BatchResults, error) {
	if conn.Conn().IsClosed() {
		return nil, driver.ErrBadConn
	}
	var b pgx.Batch
	for _, st := range before {
		b.Queue(st.text, st.args...)
	}
	b.Queue(text, valuesOf(args)...)
	results := conn.Conn().SendBatch(ctx, &b)
	for range before {
		if _, err := results.Exec(); err != nil {
			_ = results.Close() // the error is known
			return nil, unsent(err)
		}
	}
	return results, nil
}

func valuesOf(args []driver.NamedValue) []any {
	values := make([]any, len(args))
	for i, a := range args {
		values[i] = a.Value
	}
	return values
}

// unsent makes database/sql choose another connection if nothing was sent on this one.
func unsent(err error) error {
	if err != nil && pgconn.SafeToRetry(err) {
		return driver.ErrBadConn
	}
	return err
}

// prefixedRows are the rows of queryAfter. The transaction ends when they are closed.
type prefixedRows struct {
	rows    pgx.Rows
	results pgx.BatchResults
	names   []string
	decode  []func([]byte) (driver.Value, error)
	more    bool // there is a row that was not returned
}

// Columns implements driver.Rows.
func (r *prefixedRows) Columns() []string { return r.names }

// Next implements driver.Rows.
func (r *prefixedRows) Next(dest []driver.Value) (err error) {
	if !r.more {
		if err := r.rows.Err(); err != nil {
			return err
		}
		return io.EOF
	}
	for i, raw := range r.rows.RawValues() {
		if dest[i], err = r.decode[i](raw); err != nil {
			return err
		}
	}
	r.more = r.rows.Next()
	return nil
}

// Close implements driver.Rows.
func (r *prefixedRows) Close() error {
	r.rows.Close()
	return r.results.Close()
}

// decoder returns a function that decodes the values of a column.
func decoder(types *pgtype.Map, f pgconn.FieldDescription) func([]byte) (driver.Value, error) {
	switch f.DataTypeOID {
	case pgtype.BoolOID:
		return decode[bool](types, f)
	case pgtype.Int2OID, pgtype.Int4OID, pgtype.Int8OID, pgtype.OIDOID, pgtype.XIDOID:
		return decode[int64](types, f)
	case pgtype.Float4OID, pgtype.Float8OID:
		return decode[float64](types, f)
	case pgtype.ByteaOID:
		return decode[[]byte](types, f)
	}
	return decode[string](types, f)
}

func decode[T any](types *pgtype.Map, f pgconn.FieldDescription) func([]byte) (driver.Value, error) {
	return func(raw []byte) (driver.Value, error) {
		if raw == nil {
			return nil, nil
		}
		var v T
		err := types.Scan(f.DataTypeOID, f.Format, raw, &v)
		return v, err
	}
}
