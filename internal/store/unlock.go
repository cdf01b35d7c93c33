package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"

	"sett/internal/seal"
)

// Unlocked is what Unlock has done.
type Unlocked struct {
	MadeFile string // the key file, where it is new
	Sealed   int64  // values that could be read before
	LeftOver error  // why readable copies of values may still be in the files of the database; nil: none are
}

// Unlock has the secrets of the database encrypted, after Migrate and before anything else: it makes the key of a database
// that has none yet, and encrypts or masks what an earlier version of sett has stored. The error is a Conflict, which says what to do,
// when the key file is not the one that the database needs.
func (s *DB) Unlock(ctx context.Context) (u Unlocked, err error) {
	err = s.changeSchema(ctx, func() error {
		if u.MadeFile, err = s.unlock(ctx); err != nil {
			return err
		}
		if u.Sealed, err = s.sealAll(ctx, seal.Prefix); err != nil {
			return err
		}
		u.LeftOver, err = s.wipeOld(ctx, mostToWipe)
		return err
	})
	return u, err
}

// unlock has the database know a key, and checks that the file has all keys that it knows.
func (s *DB) unlock(ctx context.Context) (madeFile string, err error) {
	if ids, err := s.knownKeys(ctx, s.read); err != nil || len(ids) == 0 {
		if err = errors.Join(err, s.hooks.firstKey(ctx)); err != nil {
			return "", err
		}
	}
	err = s.inTx(ctx, "unlock secrets", func(t *Tx) error {
		t.keepsCaches = true
		ids, err := s.knownKeys(ctx, t)
		if err != nil {
			return err
		}
		if len(ids) > 0 {
			return s.checkKeys(ids)
		}
		_, made, err := t.adoptKey(ctx)
		if made {
			madeFile = s.keys.file
		}
		return err
	})
	return madeFile, err
}

// checkKeys returns a Conflict unless the file has all keys.
func (s *DB) checkKeys(ids []string) error {
	for _, id := range ids {
		if _, err := s.keys.key(id); err != nil {
			return err
		}
	}
	return nil
}

// CheckKeys reports the name of the key file. The error is a Conflict when the file lacks a key that the database needs.
func (s *DB) CheckKeys(ctx context.Context) (file string, err error) {
	ids, err := s.knownKeys(ctx, s.read)
	if err != nil {
		return s.keys.file, err
	}
	return s.keys.file, s.checkKeys(ids)
}

// sealAll encrypts all values that do not begin with a prefix, with the current key, and returns how many these were.
func (s *DB) sealAll(ctx context.Context, prefix string) (sealed int64, err error) {
	for _, c := range s.sealed.Columns {
		for {
			n, err := s.sealSome(ctx, c, prefix)
			if err != nil {
				return sealed, fmt.Errorf("encrypt %s: %w", c.name(), err)
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

// sealSome encrypts some values of a column that do not begin with a prefix.
func (s *DB) sealSome(ctx context.Context, c *sealedColumn, prefix string) (sealed int64, err error) {
	if some, err := s.storedValues(ctx, s.read, c, outside, prefix, 1); err != nil || len(some) == 0 {
		return 0, err // mostly there is nothing to do, and nothing to wait for
	}
	err = s.inTx(ctx, "encrypt values", func(t *Tx) error {
		t.keepsCaches = true
		found, err := s.storedValues(ctx, t, c, outside, prefix, sealedAtOnce)
		if err != nil || len(found) == 0 {
			return err
		}
		if err := t.noteLeftOver(ctx); err != nil {
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

// storedValue is a value as it is stored, and what names its row.
type storedValue struct {
	text string
	row  []any
}

// Which values storedValues returns: those that begin with a prefix, or those that do not.
const (
	within  = "="
	outside = "<>"
)

// storedValues returns some values of a column, by how they begin. Empty ones are left out.
func (s *DB) storedValues(ctx context.Context, q querier, c *sealedColumn, which, prefix string, limit int) (found []storedValue, err error) {
	statement := fmt.Sprintf("-- store.values of %s\nSELECT %s, %s FROM %s WHERE length(%s) > 0 AND substr(%s, 1, %d) %s $1 ORDER BY %s LIMIT $2",
		c.name(), c.column, c.row, c.table, c.column, c.column, len(prefix), which, c.row)
	rows, err := q.QueryContext(ctx, s.text(statement), c.stored(prefix), limit)
	err = scanAll(rows, err, func(rows *sql.Rows) error {
		v := storedValue{row: make([]any, strings.Count(c.row, ",")+1)}
		into := []any{&v.text}
		for i := range v.row {
			into = append(into, &v.row[i])
		}
		err := rows.Scan(into...)
		found = append(found, v)
		return err
	})
	return found, wrap("read "+c.name(), err)
}

// stored is a text as the column takes it.
func (c *sealedColumn) stored(text string) any {
	if c.binary {
		return []byte(text)
	}
	return text
}

// sealAgain encrypts a value with the current key, unless it was changed meanwhile.
func (t *Tx) sealAgain(ctx context.Context, c *sealedColumn, v storedValue) error {
	plain, err := t.db.reveal(c, v.text, v.row...)
	if err != nil {
		return err
	}
	var sealed any
	if !c.hashOnly {
		text, err := t.seal(ctx, c, plain, v.row...)
		if err != nil {
			return err
		}
		sealed = c.stored(text)
	}
	set, args := c.column+" = $1", []any{sealed, c.stored(v.text)}
	if c.hash != "" {
		set, args = set+", "+c.hash+" = $3", append(args, c.hashOf(plain))
	}
	statement := fmt.Sprintf("-- store.seal %s\nUPDATE %s SET %s WHERE %s = $2%s", c.name(), c.table, set, c.column, c.ofRow(len(args)+1))
	_, err = t.exec(ctx, statement, append(args, v.row...)...)
	return err
}

// ofRow is the condition that names a row, with parameters from the given number on.
func (c *sealedColumn) ofRow(parameter int) string {
	condition := ""
	for i, column := range strings.Split(c.row, ", ") {
		condition += fmt.Sprintf(" AND %s = $%d", column, parameter+i)
	}
	return condition
}

const noteLeftOver = `-- store.noteLeftOver
UPDATE secret_traces SET left_over = true WHERE NOT left_over`

// noteLeftOver notes that the files may have readable copies of values that are encrypted or masked by now.
func (t *Tx) noteLeftOver(ctx context.Context) error {
	_, err := t.exec(ctx, noteLeftOver)
	return err
}

const leftOver = `-- store.leftOver
SELECT left_over FROM secret_traces`

const noteWiped = `-- store.noteWiped
UPDATE secret_traces SET left_over = false`

// mostToWipe is the size of an SQLite database, in bytes, up to which it is written anew at the start of a server. That takes
// some seconds.
const mostToWipe = 512 << 20

// errLargeDatabase is why old values were not wiped at once.
var errLargeDatabase = errors.New("the database is large, and writing it anew would take long; run sett secrets wipe when it may be slow for some minutes")

// wipeOld writes anew what may still have readable copies of values that are encrypted by now, where the database is not
// larger than a size; 0 is for any. What keeps it from that is no reason not to start.
func (s *DB) wipeOld(ctx context.Context, largest int64) (why, err error) {
	left := false
	if err := s.read.QueryRowContext(ctx, s.text(leftOver)).Scan(&left); err != nil || !left {
		return nil, wrap("look for old values", err)
	}
	if size, err := s.DiskBytes(ctx); err == nil && largest > 0 && size > largest && s.dialect == sqliteDialect {
		return errLargeDatabase, nil
	}
	if err := s.writeAnew(ctx); err != nil {
		return fmt.Errorf("write the database anew: %w", err), ctx.Err()
	}
	return nil, s.inTx(ctx, "note wiped values", func(t *Tx) error {
		t.keepsCaches = true
		_, err := t.exec(ctx, noteWiped)
		return err
	})
}

// writeAnew leaves nothing of deleted or replaced rows in the files: of the whole file in SQLite, of the tables with
// encrypted columns or masked addresses in PostgreSQL.
func (s *DB) writeAnew(ctx context.Context) error {
	if s.dialect == sqliteDialect {
		if _, err := s.write.ExecContext(ctx, "VACUUM"); err != nil {
			return err
		}
		_, err := s.write.ExecContext(ctx, "PRAGMA wal_checkpoint(TRUNCATE)")
		return err
	}
	tables := slices.Clone(s.sealed.Masked)
	for _, c := range s.sealed.Columns {
		if !slices.Contains(tables, c.table) {
			tables = append(tables, c.table)
		}
	}
	for _, table := range tables {
		if _, err := s.write.ExecContext(ctx, "VACUUM (FULL) "+table); err != nil {
			return fmt.Errorf("%s: %w", table, err)
		}
	}
	return nil
}

// WipeOld leaves no readable copy of what is encrypted by now in the files of the database, however large it is. Others wait
// for it.
func (s *DB) WipeOld(ctx context.Context) error {
	if err := s.inTx(ctx, "note old values", func(t *Tx) error {
		t.keepsCaches = true
		return t.noteLeftOver(ctx)
	}); err != nil {
		return err
	}
	why, err := s.wipeOld(ctx, 0)
	return errors.Join(why, err)
}

// LeftOver reports whether the files of the database may have readable copies of what is encrypted by now.
func (s *DB) LeftOver(ctx context.Context) (left bool, err error) {
	err = s.read.QueryRowContext(ctx, s.text(leftOver)).Scan(&left)
	return left, wrap("look for old values", err)
}
