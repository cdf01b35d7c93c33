package db

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"sett/internal/base/seal"
	"sett/internal/sett"
)

// keyFileName is the name of the key file in the data directory.
const keyFileName = "secret.key"

// keyring holds the keys of the file, as of its last reading.
type keyring struct {
	file string // "" if none is named and there is no data directory
	own  bool   // the file is in the data directory, which is created if missing
	mu   sync.Mutex
	ring seal.Ring
}

// SecretKeyFile returns the name of the key file: the given one, or the one in the data directory.
func (o Options) SecretKeyFile() string {
	if o.KeyFile != "" {
		return o.KeyFile
	}
	if o.Dir == "" {
		return ""
	}
	return filepath.Join(o.Dir, keyFileName)
}

// key returns the key with an id. An unknown one may be new: then the file is read again.
func (k *keyring) key(id string) (seal.Key, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if key, ok := k.ring.Key(id); ok {
		return key, nil
	}
	ring, err := k.read()
	if err != nil {
		return seal.Key{}, err
	}
	key, ok := ring.Key(id)
	if !ok {
		return key, k.lacks(id)
	}
	k.ring = ring
	return key, nil
}

// read returns the keys of the file; none if it does not exist.
func (k *keyring) read() (seal.Ring, error) {
	if k.file == "" {
		return nil, nil
	}
	ring, err := seal.ReadFile(k.file)
	if seal.Missing(err) {
		return nil, nil
	}
	return ring, err
}

// make returns the keys of the file, and creates the file if it is missing. A directory that the operator has named must exist: it may be
// a disk that is not mounted yet.
func (k *keyring) make() (seal.Ring, bool, error) {
	ring, err := k.read()
	if err != nil || ring != nil {
		return ring, false, err
	}
	if k.file == "" {
		return nil, false, k.homeless()
	}
	if k.own {
		if err := os.MkdirAll(filepath.Dir(k.file), 0o700); err != nil {
			return nil, false, fmt.Errorf("make data directory for the secret key: %w", err)
		}
	}
	ring, err = seal.CreateFile(k.file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, false, k.homeless()
	}
	return ring, err == nil, err
}

// homeless is the error of a database without a key if there is no place for the key file.
func (k *keyring) homeless() error {
	where := "name one"
	if k.file != "" {
		where = fmt.Sprintf("the directory of %s does not exist: create it, or name another file", k.file)
	}
	return sett.Errorf(sett.Conflict, "this database needs a secret key file; %s with --secret-key-file (SETT_SECRET_KEY_FILE). "+
		"It is created if it is missing. All servers of one database need the same file, and it has to outlive them", where)
}

// lacks is the error of a file without the key that values are encrypted with.
func (k *keyring) lacks(id string) error {
	state := "does not have it"
	if _, err := os.Stat(k.file); k.file == "" {
		return sett.Errorf(sett.Conflict, "the secrets in this database are encrypted with the key %s, and no key file is named; name it with --secret-key-file (SETT_SECRET_KEY_FILE)", id)
	} else if seal.Missing(err) {
		state = "does not exist"
	}
	return sett.Errorf(sett.Conflict, "the secrets in this database are encrypted with the key %s, and the key file %s %s; copy the file from another server of this "+
		"database or from where you keep a copy, or name it with --secret-key-file (SETT_SECRET_KEY_FILE). If the key is lost for good, see: sett secrets forget --help", id, k.file, state)
}

const knownKeys = `-- db.knownKeys
SELECT id, current FROM secret_keys ORDER BY current DESC, id`

// KnownKeys returns the ids of the keys that values are encrypted with, the current one first.
func (d *DB) KnownKeys(ctx context.Context, q Querier) (ids []string, err error) {
	rows, err := q.QueryContext(ctx, d.Text(knownKeys))
	err = ScanAll(rows, err, func(rows *sql.Rows) error {
		var id string
		var current bool
		err := rows.Scan(&id, &current)
		ids = append(ids, id)
		return err
	})
	return ids, Wrap("read ids of secret keys", err)
}

const currentKey = `-- db.currentKey
SELECT id FROM secret_keys WHERE current {{for share}}`

const insertKey = `-- db.insertKey
INSERT INTO secret_keys (id, current) VALUES ($1, true) ON CONFLICT DO NOTHING`

// sealingKey returns the key that this transaction encrypts with. Until the transaction ends, no other key can become the current one.
func (t *Tx) sealingKey(ctx context.Context) (seal.Key, error) {
	if t.key.ID() != "" {
		return t.key, nil
	}
	id := ""
	err := t.QueryRowContext(ctx, t.db.Text(currentKey)).Scan(&id)
	if errors.Is(err, sql.ErrNoRows) {
		id, _, err = t.takeKey(ctx)
	}
	if err != nil {
		return seal.Key{}, Wrap("find secret key", err)
	}
	t.key, err = t.db.keys.key(id)
	return t.key, locked(err)
}

// locked wraps the reason why a running server lacks a key, as Unavailable: the operator's message is not for users.
func locked(err error) error {
	if err == nil {
		return nil
	}
	e := &sett.Error{Code: sett.Unavailable, Message: "The server lacks a key that it needs for this. Ask its operator to check its log.", RetryAfter: time.Minute}
	return fmt.Errorf("%w: %w", e, err)
}

// takeKey makes the newest key of the file the current one of a database that has none, and reports whether the file is new.
func (t *Tx) takeKey(ctx context.Context) (id string, made bool, err error) {
	ring, made, err := t.db.keys.make()
	if err != nil {
		return "", false, err
	}
	if _, err := t.Exec(ctx, insertKey, ring[0].ID()); err != nil {
		return "", made, err
	}
	return id, made, t.QueryRowContext(ctx, t.db.Text(currentKey)).Scan(&id) // another process may have chosen one
}

// Seal encrypts a value for a row of a column.
func (t *Tx) Seal(ctx context.Context, c *SealedColumn, plain string, row ...any) (string, error) {
	if plain == "" {
		return "", nil
	}
	key, err := t.sealingKey(ctx)
	if err != nil {
		return "", err
	}
	return key.Seal(c.place(row), plain), nil
}

// Reveal decrypts a value. A value that an older version of sett has written since the last start is not encrypted yet.
func (d *DB) Reveal(c *SealedColumn, stored string, row ...any) (string, error) {
	id, sealed := seal.KeyOf(stored)
	if !sealed {
		return stored, nil
	}
	key, err := d.keys.key(id)
	if err != nil {
		return "", locked(err)
	}
	plain, err := key.Open(c.place(row), stored)
	if err != nil {
		return "", UnreadableError(fmt.Errorf("read %s: %w", c.place(row), err))
	}
	return plain, nil
}

// RevealAll decrypts some values of one row in place.
func (d *DB) RevealAll(row []any, values map[*SealedColumn]*string) error {
	for c, value := range values {
		plain, err := d.Reveal(c, *value, row...)
		if err != nil {
			return err
		}
		*value = plain
	}
	return nil
}

// Unreadable is the error of a stored value that cannot be read. Everything that was read beside it is valid.
type Unreadable struct{ error }

func (u Unreadable) Unwrap() error { return u.error }

// UnreadableError wraps the reason why a stored value cannot be read, now or later.
func UnreadableError(err error) error { return Unreadable{err} }
