package db

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"

	"sett/internal/base/progress"
	"sett/internal/sett"
	"sett/internal/sett/accounts"
)

// CopyRows replaces the rows of all tables of another database by those of this one, as of one moment, and returns their sums. Both must have
// the newest schema. The other one must have no users; on PostgreSQL, it is changed in one transaction, and only if it then holds the same
// rows. Rows are read and written one after another, so that memory does not grow with the data.
func (d *DB) CopyRows(ctx context.Context, to *DB) (sums []accounts.TableSum, err error) {
	err = d.still(ctx, func(q Querier) error {
		tables, err := listTables(ctx, q, d.dialect)
		if err != nil {
			return err
		}
		ids, err := lastIDs(ctx, q, d.dialect, tables)
		if err != nil {
			return err
		}
		c := copying{ctx: ctx, from: q, tables: tables, ids: ids, step: progress.Begin(ctx, "copying the rows of the tables", progress.Rows, 0)}
		defer c.step.End()
		if to.SQLite() {
			err = c.intoFile(to)
		} else {
			err = c.intoServer(to)
		}
		sums = c.sums
		slices.SortFunc(sums, func(a, b accounts.TableSum) int { return strings.Compare(a.Table, b.Table) })
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("copy rows: %w", err)
	}
	return sums, nil
}

// copying is a copy of all rows that is being made.
type copying struct {
	ctx    context.Context //nolint:containedctx // it lives as long as one call
	from   Querier
	tables []table
	ids    map[string]int64 // the last ids that the engine assigned
	sums   []accounts.TableSum
	step   *progress.Step
}

// note keeps the sum of a table that was copied.
func (c *copying) note(t table, s *summer) {
	if !slices.Contains(processTables, t.name) {
		c.sums = append(c.sums, s.of(t))
	}
}

// checkTarget returns an error unless a database has the tables that are copied, and no users.
func (c *copying) checkTarget(q Querier, d *dialect) error {
	have, err := listTables(c.ctx, q, d)
	if err != nil {
		return err
	}
	same := slices.EqualFunc(c.tables, have, func(a, b table) bool {
		return a.name == b.name && slices.Equal(a.names(), b.names())
	})
	if !same {
		return errors.New("the databases have different tables or columns")
	}
	var users bool
	if err := q.QueryRowContext(c.ctx, `SELECT EXISTS (SELECT 1 FROM users)`).Scan(&users); err != nil {
		return err
	}
	if users {
		return sett.Errorf(sett.Conflict, "the database is not empty: it has users; choose an empty database")
	}
	return nil
}

// rowsAtOnceInFile is how many rows one transaction writes into a new file.
const rowsAtOnceInFile = 20_000

// intoFile copies into an SQLite file that nothing else uses.
func (c *copying) intoFile(to *DB) error {
	if err := c.checkTarget(to.Write, to.dialect); err != nil {
		return err
	}
	conn, err := to.Write.Conn(c.ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	if _, err := conn.ExecContext(c.ctx, "PRAGMA foreign_keys=OFF"); err != nil {
		return err
	}
	for _, t := range c.tables {
		if err := c.tableIntoFile(conn, t); err != nil {
			return err
		}
	}
	for _, name := range Sorted(c.ids, strings.Compare) {
		if _, err := conn.ExecContext(c.ctx, `DELETE FROM sqlite_sequence WHERE name = $1`, name); err != nil {
			return err
		}
		if _, err := conn.ExecContext(c.ctx, `INSERT INTO sqlite_sequence (name, seq) VALUES ($1, $2)`, name, c.ids[name]); err != nil {
			return err
		}
	}
	return errors.Join(checkReferences(c.ctx, conn), execOn(c.ctx, conn, "PRAGMA foreign_keys=ON"))
}

func execOn(ctx context.Context, conn *sql.Conn, statement string) error {
	_, err := conn.ExecContext(ctx, statement)
	return err
}

// checkReferences returns an error if a row of an SQLite file refers to one that does not exist.
func checkReferences(ctx context.Context, q Querier) error {
	var broken []string
	rows, err := q.QueryContext(ctx, `SELECT DISTINCT "table" FROM pragma_foreign_key_check ORDER BY 1`)
	err = ScanAll(rows, err, func(rows *sql.Rows) error {
		var name string
		err := rows.Scan(&name)
		broken = append(broken, name)
		return err
	})
	if err == nil && len(broken) > 0 {
		err = fmt.Errorf("rows of these tables refer to rows that do not exist: %s", strings.Join(broken, ", "))
	}
	return err
}

func (c *copying) tableIntoFile(conn *sql.Conn, t table) (err error) {
	if _, err := conn.ExecContext(c.ctx, "DELETE FROM "+quoteName(t.name)); err != nil { //nolint:gosec // a name of the catalog, quoted
		return err
	}
	marks := make([]string, len(t.columns))
	for i := range marks {
		marks[i] = "$" + strconv.Itoa(i+1)
	}
	insert, err := conn.PrepareContext(c.ctx, "INSERT INTO "+quoteName(t.name)+" ("+strings.Join(t.names(), ", ")+") VALUES ("+strings.Join(marks, ", ")+")") //nolint:gosec // names of the catalog, quoted
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, insert.Close()) }()
	if err := execOn(c.ctx, conn, "BEGIN"); err != nil {
		return err
	}
	s := summer{step: c.step}
	err = t.eachValue(c.ctx, c.from, func(values []any) error {
		if s.add(values); s.rows%rowsAtOnceInFile == 0 {
			if err := errors.Join(execOn(c.ctx, conn, "COMMIT"), execOn(c.ctx, conn, "BEGIN")); err != nil {
				return err
			}
		}
		_, err := insert.ExecContext(c.ctx, values...)
		return err
	})
	if err != nil {
		return errors.Join(err, execOn(context.WithoutCancel(c.ctx), conn, "ROLLBACK"))
	}
	c.note(t, &s)
	return execOn(c.ctx, conn, "COMMIT")
}

// intoServer copies into a PostgreSQL database, in one transaction.
func (c *copying) intoServer(to *DB) (err error) {
	conn, err := to.upkeep.Conn(c.ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	tx, err := conn.BeginTx(c.ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback() //nolint:errcheck // does nothing after the commit
	if err := c.fill(conn, tx, to.dialect); err != nil {
		return err
	}
	stored, err := sumTables(c.ctx, tx, to.dialect)
	if err != nil {
		return err
	}
	if differ := DiffSums(c.sums, stored); len(differ) > 0 {
		return fmt.Errorf("these tables were not stored as they were read: %s", strings.Join(differ, ", "))
	}
	return tx.Commit()
}

// fill empties all tables and writes the rows, those that others refer to first.
func (c *copying) fill(conn *sql.Conn, tx *sql.Tx, d *dialect) error {
	var all []string
	for _, t := range c.tables {
		all = append(all, quoteName(t.name))
	}
	if _, err := tx.ExecContext(c.ctx, "LOCK TABLE users IN ACCESS EXCLUSIVE MODE"); err != nil {
		return err
	}
	if err := c.checkTarget(tx, d); err != nil {
		return err
	}
	if _, err := tx.ExecContext(c.ctx, "TRUNCATE "+strings.Join(all, ", ")); err != nil {
		return err
	}
	ordered, err := inOrderOfReferences(c.ctx, tx, c.tables)
	if err != nil {
		return err
	}
	for _, t := range ordered {
		if err := c.tableIntoServer(conn, t); err != nil {
			return fmt.Errorf("table %s: %w", t.name, err)
		}
	}
	for _, t := range c.tables {
		for _, column := range t.columns {
			if id := c.ids[t.name]; column.identity && id > 0 {
				if _, err := tx.ExecContext(c.ctx, `SELECT setval(pg_get_serial_sequence($1, $2), $3)`, quoteName(t.name), column.name, id); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

const references = `-- db.references
SELECT DISTINCT c.conrelid::regclass::text, c.confrelid::regclass::text FROM pg_constraint c JOIN pg_class t ON t.oid = c.conrelid
WHERE c.contype = 'f' AND c.conrelid <> c.confrelid AND pg_table_is_visible(t.oid)`

// inOrderOfReferences sorts tables so that each follows those that it refers to.
func inOrderOfReferences(ctx context.Context, q Querier, tables []table) (ordered []table, err error) {
	needs := map[string][]string{}
	rows, err := q.QueryContext(ctx, references)
	err = ScanAll(rows, err, func(rows *sql.Rows) error {
		var from, to string
		err := rows.Scan(&from, &to)
		needs[from] = append(needs[from], to)
		return err
	})
	if err != nil {
		return nil, err
	}
	done := map[string]bool{}
	for left := tables; len(left) > 0; {
		var waiting []table
		for _, t := range left {
			if slices.ContainsFunc(needs[t.name], func(name string) bool { return !done[name] }) {
				waiting = append(waiting, t)
				continue
			}
			done[t.name], ordered = true, append(ordered, t)
		}
		if len(waiting) == len(left) {
			return nil, errors.New("tables refer to one another in a circle")
		}
		left = waiting
	}
	return ordered, nil
}

// tableIntoServer streams the rows of a table, in the transaction of the connection.
func (c *copying) tableIntoServer(conn *sql.Conn, t table) error {
	var names []string
	for _, column := range t.columns {
		names = append(names, column.name)
	}
	s := summer{step: c.step}
	err := conn.Raw(func(driver any) error {
		rows := make(chan []any)
		ended := make(chan error, 1)
		ctx, cancel := context.WithCancel(c.ctx)
		defer cancel()
		go func() {
			defer close(rows)
			ended <- t.eachValue(ctx, c.from, func(values []any) error {
				s.add(values)
				select {
				case rows <- slices.Clone(values):
					return nil
				case <-ctx.Done():
					return ctx.Err()
				}
			})
		}()
		_, err := driver.(*stdlib.Conn).Conn().CopyFrom(ctx, pgx.Identifier{t.name}, names, pgx.CopyFromFunc(func() ([]any, error) { return <-rows, nil }))
		cancel()
		for range rows { // until the reader has ended
		}
		read := <-ended
		if err == nil || read != nil && !errors.Is(read, context.Canceled) {
			return errors.Join(read, err)
		}
		return err
	})
	if err == nil {
		c.note(t, &s)
	}
	return err
}

// lastIDs returns the last id that the engine assigned in each table with an identity.
func lastIDs(ctx context.Context, q Querier, d *dialect, tables []table) (map[string]int64, error) {
	ids := map[string]int64{}
	if d == sqliteDialect {
		rows, err := q.QueryContext(ctx, `SELECT name, seq FROM sqlite_sequence WHERE name <> 'goose_db_version'`)
		return ids, ScanAll(rows, err, func(rows *sql.Rows) error {
			var name string
			var id int64
			err := rows.Scan(&name, &id)
			ids[name] = id
			return err
		})
	}
	for _, t := range tables {
		for _, c := range t.columns {
			if !c.identity {
				continue
			}
			var id sql.NullInt64 // NULL: it has assigned none
			err := q.QueryRowContext(ctx, `SELECT pg_sequence_last_value(pg_get_serial_sequence($1, $2)::regclass)`, quoteName(t.name), c.name).Scan(&id)
			if err != nil {
				return nil, err
			}
			if id.Valid {
				ids[t.name] = id.Int64
			}
		}
	}
	return ids, nil
}
