package db

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"sett/internal/base/seal"
	"sett/internal/sett"
)

// Rotation is the progress of a change to a new key.
type Rotation struct {
	File    string // the key file
	KeyID   string // of the newest key in the file
	Waiting bool   // the key is new in the file, and every other server needs the file before anything is encrypted with the key
	Sealed  int64  // values that were encrypted with the key
}

// RotateKey changes to a new key: it adds one to the key file, encrypts all values with it, and removes the old ones from the file.
// Servers can keep running. It can be interrupted at any moment and called again. On PostgreSQL, where other servers have key files of
// their own, it stops once the new key is in the file, and continues when it is called again.
func (d *DB) RotateKey(ctx context.Context) (r Rotation, err error) {
	if _, err := d.Unlock(ctx); err != nil {
		return r, err
	}
	err = d.changeSchema(ctx, func() error {
		ring, added, err := d.newestKey(ctx)
		if err != nil {
			return err
		}
		r = Rotation{File: d.keys.file, KeyID: ring[0].ID(), Waiting: added && d.dialect != sqliteDialect}
		if r.Waiting {
			return nil
		}
		r.Sealed, err = d.changeKey(ctx, ring[0])
		return err
	})
	return r, err
}

// newestKey returns the keys of the file. The first of them is not the database's current one; if necessary, it is added.
func (d *DB) newestKey(ctx context.Context) (ring seal.Ring, added bool, err error) {
	ids, err := d.KnownKeys(ctx, d.Read)
	if err != nil {
		return nil, false, err
	}
	if ring, err = d.keys.read(); err != nil {
		return nil, false, err
	}
	if len(ring) > 0 && (ring[0].ID() != ids[0] || len(ids) > 1) {
		return ring, false, nil // an earlier call was interrupted, or an operator has added a key
	}
	ring = append(seal.Ring{seal.NewKey()}, ring...)
	return ring, true, seal.WriteFile(d.keys.file, ring)
}

const retireKeys = `-- db.retireKeys
UPDATE secret_keys SET current = false WHERE id <> $1`

const chooseKey = `-- db.chooseKey
INSERT INTO secret_keys (id, current) VALUES ($1, true) ON CONFLICT (id) DO UPDATE SET current = true`

const forgetKeys = `-- db.forgetKeys
DELETE FROM secret_keys WHERE NOT current`

// changeKey makes a key of the file the current one, encrypts all values with it and forgets the others. A transaction that encrypts
// meanwhile locks the row of the current key, so nothing is encrypted with another key afterwards.
func (d *DB) changeKey(ctx context.Context, key seal.Key) (sealed int64, err error) {
	if err := d.chooseKey(ctx, key); err != nil {
		return 0, err
	}
	if sealed, err = d.sealAll(ctx, key.Prefix()); err != nil {
		return sealed, err
	}
	err = d.InTx(ctx, "forget secret keys", func(t *Tx) error {
		t.KeepsCaches = true
		_, err := t.Exec(ctx, forgetKeys)
		return err
	})
	if err != nil {
		return sealed, err
	}
	return sealed, seal.WriteFile(d.keys.file, seal.Ring{key})
}

func (d *DB) chooseKey(ctx context.Context, key seal.Key) error {
	return d.InTx(ctx, "choose secret key", func(t *Tx) error {
		t.KeepsCaches = true
		if _, err := t.Exec(ctx, retireKeys, key.ID()); err != nil {
			return err
		}
		_, err := t.Exec(ctx, chooseKey, key.ID())
		return err
	})
}

// ForgottenValues is the number of a column's values that were cleared.
type ForgottenValues struct {
	Column string
	Count  int64
}

// ForgetLost clears all values that are encrypted with keys that the key file does not have, so that the database can be used without
// them, and returns their numbers. A key file without keys is created.
func (d *DB) ForgetLost(ctx context.Context) (lost []ForgottenValues, err error) {
	err = d.changeSchema(ctx, func() error {
		ring, _, err := d.keys.make()
		if err != nil {
			return err
		}
		gone, err := d.lostKeys(ctx, ring)
		if err != nil || len(gone) == 0 {
			return err
		}
		return d.InTx(ctx, "forget lost values", func(t *Tx) error {
			t.KeepsCaches = true
			lost, err = t.forgetLost(ctx, gone)
			return err
		})
	})
	if err != nil {
		return nil, err
	}
	_, err = d.Unlock(ctx)
	return lost, err
}

// lostKeys returns the ids of the keys that values are encrypted with and the file does not have.
func (d *DB) lostKeys(ctx context.Context, ring seal.Ring) (gone []string, err error) {
	ids, err := d.KnownKeys(ctx, d.Read)
	for _, id := range ids {
		if _, ok := ring.Key(id); !ok {
			gone = append(gone, id)
		}
	}
	return gone, err
}

const dropKey = `-- db.dropKey
DELETE FROM secret_keys WHERE id = $1`

func (t *Tx) forgetLost(ctx context.Context, keys []string) (lost []ForgottenValues, err error) {
	for _, c := range t.db.sealed.Columns {
		n, err := t.forgetColumn(ctx, c, keys)
		if err != nil {
			return nil, fmt.Errorf("forget %s: %w", c.Name(), err)
		}
		if n > 0 {
			lost = append(lost, ForgottenValues{c.Name(), n})
		}
	}
	for _, id := range keys {
		if _, err := t.Exec(ctx, dropKey, id); err != nil {
			return nil, err
		}
	}
	return lost, t.keepCurrent(ctx)
}

const anyKey = `-- db.anyKey
UPDATE secret_keys SET current = true WHERE id = (SELECT min(id) FROM secret_keys) AND NOT EXISTS (SELECT 1 FROM secret_keys k WHERE k.current)`

// keepCurrent makes one of the remaining keys the current one, if that was lost.
func (t *Tx) keepCurrent(ctx context.Context) error {
	_, err := t.Exec(ctx, anyKey)
	return err
}

// forgetColumn clears the values of a column that are encrypted with some keys.
func (t *Tx) forgetColumn(ctx context.Context, c *SealedColumn, keys []string) (n int64, err error) {
	if c.HashOnly {
		return 0, nil
	}
	for _, id := range keys {
		prefix := seal.Prefix + id + ":"
		for {
			found, err := t.db.StoredValues(ctx, t, c, Within, prefix, sealedAtOnce)
			if err != nil {
				return n, err
			}
			if len(found) == 0 {
				break
			}
			for _, v := range found {
				if err := t.forgetValue(ctx, c, v); err != nil {
					return n, err
				}
			}
			n += int64(len(found))
		}
	}
	return n, nil
}

// forgetValue runs the Lost statement of a column for one row.
func (t *Tx) forgetValue(ctx context.Context, c *SealedColumn, v storedValue) error {
	statement, args := c.Lost, slices.Clone(v.Row)
	condition := " WHERE" + strings.TrimPrefix(c.OfRow(1), " AND")
	if strings.Contains(statement, "{{random}}") {
		statement = strings.ReplaceAll(statement, "{{random}}", fmt.Sprintf("$%d", len(args)+1))
		args = append(args, c.Stored(sett.RandomString(43)))
	}
	_, err := t.Exec(ctx, "-- db.forget "+c.Name()+"\n"+statement+condition, args...)
	return err
}
