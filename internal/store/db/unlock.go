package db

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"sett/internal/base/seal"
)

// Unlocked is the result of Unlock.
type Unlocked struct {
	MadeFile string // the key file, if it is new
	Sealed   int64  // values that were stored in plain text
	LeftOver error  // why readable copies of values may still be in the database files; nil: there are none
}

// Unlock encrypts the secrets of the database, after Migrate and before anything else: it creates the key of a database that has none
// yet, and encrypts or masks what an earlier version of sett has stored. The error is a Conflict, which says what to do, if the key file
// is not the one that the database needs.
func (d *DB) Unlock(ctx context.Context) (u Unlocked, err error) {
	err = d.changeSchema(ctx, func() error {
		if u.MadeFile, err = d.unlock(ctx); err != nil {
			return err
		}
		if u.Sealed, err = d.sealAll(ctx, seal.Prefix); err != nil {
			return err
		}
		u.LeftOver, err = d.wipeOld(ctx, mostToWipe)
		return err
	})
	return u, err
}

// unlock registers a key with the database if it has none, and checks that the file contains all of the database's keys.
func (d *DB) unlock(ctx context.Context) (madeFile string, err error) {
	if ids, err := d.KnownKeys(ctx, d.Read); err != nil || len(ids) == 0 {
		if err = errors.Join(err, d.hooks.firstKey(ctx)); err != nil {
			return "", err
		}
	}
	err = d.InTx(ctx, "unlock secrets", func(t *Tx) error {
		t.KeepsCaches = true
		ids, err := d.KnownKeys(ctx, t)
		if err != nil {
			return err
		}
		if len(ids) > 0 {
			return d.checkKeys(ids)
		}
		_, made, err := t.takeKey(ctx)
		if made {
			madeFile = d.keys.file
		}
		return err
	})
	return madeFile, err
}

// checkKeys returns a Conflict unless the file contains all keys.
func (d *DB) checkKeys(ids []string) error {
	for _, id := range ids {
		if _, err := d.keys.key(id); err != nil {
			return err
		}
	}
	return nil
}

// CheckKeys reports the name of the key file. The error is a Conflict if the file lacks a key that the database needs.
func (d *DB) CheckKeys(ctx context.Context) (file string, err error) {
	ids, err := d.KnownKeys(ctx, d.Read)
	if err != nil {
		return d.keys.file, err
	}
	return d.keys.file, d.checkKeys(ids)
}

// sealAll encrypts all values that do not start with a prefix, with the current key, and returns their number.
func (d *DB) sealAll(ctx context.Context, prefix string) (sealed int64, err error) {
	for _, c := range d.sealed.Columns {
		for {
			n, err := d.sealSome(ctx, c, prefix)
			if err != nil {
				return sealed, fmt.Errorf("encrypt %s: %w", c.Name(), err)
			}
			if sealed += n; n == 0 {
				break
			}
		}
	}
	return sealed, nil
}

// sealedAtOnce is how many values one transaction encrypts.
const sealedAtOnce = 200

// sealSome encrypts some values of a column that do not start with a prefix.
func (d *DB) sealSome(ctx context.Context, c *SealedColumn, prefix string) (sealed int64, err error) {
	if some, err := d.StoredValues(ctx, d.Read, c, Outside, prefix, 1); err != nil || len(some) == 0 {
		return 0, err // usually there is nothing to do, and nothing to wait for
	}
	err = d.InTx(ctx, "encrypt values", func(t *Tx) error {
		t.KeepsCaches = true
		found, err := d.StoredValues(ctx, t, c, Outside, prefix, sealedAtOnce)
		if err != nil || len(found) == 0 {
			return err
		}
		if err := t.NoteLeftOver(ctx); err != nil {
			return err
		}
		for _, v := range found {
			if err := t.sealAgain(ctx, c, v); err != nil {
				return err
			}
		}
		sealed = int64(len(found))
		return nil
	})
	return sealed, err
}

// storedValue is a value as it is stored, and the identity of its row.
type storedValue struct {
	Text string
	Row  []any
}

// Which values StoredValues returns: those that start with a prefix, or those that do not.
const (
	Within  = "="
	Outside = "<>"
)

// StoredValues returns some values of a column, selected by prefix. Empty ones are omitted.
func (d *DB) StoredValues(ctx context.Context, q Querier, c *SealedColumn, which, prefix string, limit int) (found []storedValue, err error) {
	statement := fmt.Sprintf("-- db.values of %s\nSELECT %s, %s FROM %s WHERE length(%s) > 0 AND substr(%s, 1, %d) %s $1 ORDER BY %s LIMIT $2",
		c.Name(), c.Column, c.Row, c.Table, c.Column, c.Column, len(prefix), which, c.Row)
	rows, err := q.QueryContext(ctx, d.Text(statement), c.Stored(prefix), limit)
	err = ScanAll(rows, err, func(rows *sql.Rows) error {
		v := storedValue{Row: make([]any, strings.Count(c.Row, ",")+1)}
		into := []any{&v.Text}
		for i := range v.Row {
			into = append(into, &v.Row[i])
		}
		err := rows.Scan(into...)
		found = append(found, v)
		return err
	})
	return found, Wrap("read "+c.Name(), err)
}

// Stored converts a text to the type of the column.
func (c *SealedColumn) Stored(text string) any {
	if c.Binary {
		return []byte(text)
	}
	return text
}

// sealAgain encrypts a value with the current key, unless it was changed meanwhile.
func (t *Tx) sealAgain(ctx context.Context, c *SealedColumn, v storedValue) error {
	plain, err := t.db.Reveal(c, v.Text, v.Row...)
	if err != nil {
		return err
	}
	var sealed any
	if !c.HashOnly {
		text, err := t.Seal(ctx, c, plain, v.Row...)
		if err != nil {
			return err
		}
		sealed = c.Stored(text)
	}
	set, args := c.Column+" = $1", []any{sealed, c.Stored(v.Text)}
	if c.Hash != "" {
		set, args = set+", "+c.Hash+" = $3", append(args, c.HashOf(plain))
	}
	statement := fmt.Sprintf("-- db.seal %s\nUPDATE %s SET %s WHERE %s = $2%s", c.Name(), c.Table, set, c.Column, c.OfRow(len(args)+1))
	_, err = t.Exec(ctx, statement, append(args, v.Row...)...)
	return err
}

// OfRow is the condition that selects a row, with parameters from the given number on.
func (c *SealedColumn) OfRow(parameter int) string {
	condition := ""
	for i, column := range strings.Split(c.Row, ", ") {
		condition += fmt.Sprintf(" AND %s = $%d", column, parameter+i)
	}
	return condition
}

const noteLeftOver = `-- db.noteLeftOver
UPDATE secret_traces SET left_over = true WHERE NOT left_over`

// NoteLeftOver notes that the files may contain readable copies of values that are encrypted or masked now.
func (t *Tx) NoteLeftOver(ctx context.Context) error {
	_, err := t.Exec(ctx, noteLeftOver)
	return err
}

const leftOver = `-- db.leftOver
SELECT left_over FROM secret_traces`

const noteWiped = `-- db.noteWiped
UPDATE secret_traces SET left_over = false`

// mostToWipe is the size of an SQLite database, in bytes, up to which it is rewritten at the start of a server. That takes some seconds.
const mostToWipe = 512 << 20

// errLargeDatabase is the reason why old values were not wiped immediately.
var errLargeDatabase = errors.New("the database is large, and rewriting it would take long; run sett secrets wipe when it may be slow for some minutes")

// wipeOld rewrites what may still contain readable copies of values that are encrypted now, if the database is not larger than the given
// size; 0 means any size. A failure to do so does not prevent the start.
func (d *DB) wipeOld(ctx context.Context, largest int64) (why, err error) {
	left := false
	if err := d.Read.QueryRowContext(ctx, d.Text(leftOver)).Scan(&left); err != nil || !left {
		return nil, Wrap("look for old values", err)
	}
	if size, err := d.DiskBytes(ctx); err == nil && largest > 0 && size > largest && d.dialect == sqliteDialect {
		return errLargeDatabase, nil
	}
	if err := d.writeAnew(ctx); err != nil {
		return fmt.Errorf("rewrite the database: %w", err), ctx.Err()
	}
	return nil, d.InTx(ctx, "note wiped values", func(t *Tx) error {
		t.KeepsCaches = true
		_, err := t.Exec(ctx, noteWiped)
		return err
	})
}

// writeAnew removes all traces of deleted or replaced rows from the files: in SQLite from the whole file, in PostgreSQL from the tables
// with encrypted columns or masked URLs.
func (d *DB) writeAnew(ctx context.Context) error {
	if d.dialect == sqliteDialect {
		if _, err := d.Write.ExecContext(ctx, "VACUUM"); err != nil {
			return err
		}
		return d.EmptyLog(ctx)
	}
	tables := slices.Clone(d.sealed.Masked)
	for _, c := range d.sealed.Columns {
		if !slices.Contains(tables, c.Table) {
			tables = append(tables, c.Table)
		}
	}
	for _, table := range tables {
		if _, err := d.upkeep.ExecContext(ctx, "VACUUM (FULL) "+table); err != nil {
			return fmt.Errorf("%s: %w", table, err)
		}
	}
	return nil
}

// errLogInUse says that a reader, or a checkpoint, has kept the log from being emptied.
var errLogInUse = errors.New("the log of the database is in use; run sett secrets wipe again")

// How often EmptyLog tries. SQLite itself waits for readers, but not for a checkpoint that runs.
const (
	triesToEmpty = 100
	nextToEmpty  = 50 * time.Millisecond
)

// EmptyLog copies the log of SQLite to the file, and cuts it off.
func (d *DB) EmptyLog(ctx context.Context) error {
	for range triesToEmpty {
		var busy int
		err := d.Write.QueryRowContext(ctx, "PRAGMA wal_checkpoint(TRUNCATE)").Scan(&busy, new(int), new(int))
		if err != nil || busy == 0 {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(nextToEmpty):
		}
	}
	return errLogInUse
}

// WipeOld removes readable copies of what is encrypted now from the database files, however large the database is. Others wait for it.
func (d *DB) WipeOld(ctx context.Context) error {
	if err := d.InTx(ctx, "note old values", func(t *Tx) error {
		t.KeepsCaches = true
		return t.NoteLeftOver(ctx)
	}); err != nil {
		return err
	}
	why, err := d.wipeOld(ctx, 0)
	return errors.Join(why, err)
}

// LeftOver reports whether the database files may contain readable copies of what is encrypted now.
func (d *DB) LeftOver(ctx context.Context) (left bool, err error) {
	err = d.Read.QueryRowContext(ctx, d.Text(leftOver)).Scan(&left)
	return left, Wrap("look for old values", err)
}
