package db

import "context"

// ColumnShape is a column of a table, as those see it that read and write rows of any table.
type ColumnShape struct {
	Name     string
	Type     string // integer, boolean, number, text or bytes
	Identity bool   // the engine assigns its values
	Sealed   *SealedColumn
}

// typeNames are the names of the kinds of values.
var typeNames = map[valueKind]string{intKind: "integer", boolKind: "boolean", floatKind: "number", textKind: "text", bytesKind: "bytes"}

// Columns returns the columns of all tables by the names of the tables. The columns are sorted by name.
func (d *DB) Columns(ctx context.Context, q Querier) (map[string][]ColumnShape, error) {
	tables, err := listTables(ctx, q, d.dialect)
	if err != nil {
		return nil, err
	}
	all := map[string][]ColumnShape{}
	for _, t := range tables {
		for _, c := range t.columns {
			all[t.name] = append(all[t.name], ColumnShape{c.name, typeNames[c.kind], c.identity, d.sealedAt(t.name, c.name)})
		}
	}
	return all, nil
}

func (d *DB) sealedAt(table, column string) *SealedColumn {
	for _, c := range d.sealed.Columns {
		if c.Table == table && c.Column == column {
			return c
		}
	}
	return nil
}

// EachRow calls f with the values of each row that a condition selects, in an order. f must not keep them.
func (d *DB) EachRow(ctx context.Context, q Querier, tableName string, columns []ColumnShape, condition, order string, f func(values []any) error) error {
	t := table{name: tableName}
	for _, c := range columns {
		for kind, name := range typeNames {
			if name == c.Type {
				t.columns = append(t.columns, tableColumn{c.Name, kind, c.Identity})
			}
		}
	}
	return t.eachValueWhere(ctx, q, condition, order, f)
}

// LastID returns the last id that the engine assigned in a column of a table, or a higher one that a row has; 0 for none. No
// one adds rows to the table until the transaction ends.
func (t *Tx) LastID(ctx context.Context, tableName, column string) (last int64, err error) {
	if t.db.dialect == sqliteDialect {
		err = t.QueryRowContext(ctx, `SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = $1`, tableName).Scan(&last)
		return last, err
	}
	if _, err := t.ExecContext(ctx, "LOCK TABLE "+quoteName(tableName)+" IN SHARE ROW EXCLUSIVE MODE"); err != nil {
		return 0, err
	}
	err = t.QueryRowContext(ctx, `SELECT coalesce(pg_sequence_last_value(pg_get_serial_sequence($1, $2)::regclass), 0)`, quoteName(tableName), column).Scan(&last)
	return last, err
}

// SkipIDs has the engine assign only ids above last from now on, after LastID in the same transaction.
func (t *Tx) SkipIDs(ctx context.Context, tableName, column string, last int64) error {
	if t.db.dialect != sqliteDialect {
		_, err := t.ExecContext(ctx, `SELECT setval(pg_get_serial_sequence($1, $2), $3)`, quoteName(tableName), column, last)
		return err
	}
	n, err := t.ExecContext(ctx, `UPDATE sqlite_sequence SET seq = $2 WHERE name = $1`, tableName, last)
	if err != nil {
		return err
	}
	if rows, err := n.RowsAffected(); err != nil || rows > 0 {
		return err
	}
	_, err = t.ExecContext(ctx, `INSERT INTO sqlite_sequence (name, seq) VALUES ($1, $2)`, tableName, last)
	return err
}
