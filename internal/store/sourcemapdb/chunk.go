package sourcemapdb

import (
	"context"
	"crypto/sha1"
	"database/sql"
	"hash"
	"time"

	"sett/internal/store/db"
)

// The bounds on chunks. Beyond them the oldest are deleted, and their senders are asked for them again.
const (
	LargestChunk    = 8 << 20
	KeepChunks      = 24 * time.Hour
	mostOfAccount   = 512 << 20 // bytes of an account, compressed
	chunksOfAccount = 5_000
	mostOfChunks    = 2 << 30 // bytes of all
)

// Sender is who sends chunks. Others cannot use them.
type Sender struct {
	AccountID string
	UserID    int64 // 0: a client with a key of the project
	ProjectID int64 // 0: the user
}

// ChunkHash names a chunk.
type ChunkHash [sha1.Size]byte

// HashChunk returns the name of a chunk.
func HashChunk(chunk []byte) ChunkHash { return sha1.Sum(chunk) }

const saveChunk = `-- sourcemapdb.SaveChunk
INSERT INTO upload_chunks (account_id, user_id, project_id, hash, bytes, stored, created_at, body) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
ON CONFLICT (account_id, user_id, project_id, hash) DO UPDATE SET created_at = excluded.created_at`

// SaveChunk stores a chunk of an archive, which has at most LargestChunk bytes.
func (s *Store) SaveChunk(ctx context.Context, now time.Time, from Sender, chunk []byte) error {
	hash, body := HashChunk(chunk), encoder().EncodeAll(chunk, nil)
	err := s.inTx(ctx, "save chunk", func(t Tx) error {
		_, err := t.Exec(ctx, saveChunk, from.AccountID, from.UserID, from.ProjectID, hash[:], len(chunk), len(body), db.Micros(now), body)
		if err != nil {
			return db.Wrap("insert chunk", err)
		}
		return t.fitChunks(ctx, from.AccountID)
	})
	return s.db.Explain(err)
}

const sizeOfAccount = `-- sourcemapdb.chunksOfAccount
SELECT count(*), CAST(coalesce(sum(stored), 0) AS bigint) FROM upload_chunks WHERE account_id = $1`

const sizeOfChunks = `-- sourcemapdb.allChunks
SELECT 0, CAST(coalesce(sum(stored), 0) AS bigint) FROM upload_chunks`

const oldestOfAccount = `-- sourcemapdb.oldestOfAccount
SELECT id, stored FROM upload_chunks WHERE account_id = $1 ORDER BY created_at, id LIMIT $2`

const oldestChunks = `-- sourcemapdb.oldestChunks
SELECT id, stored FROM upload_chunks ORDER BY created_at, id LIMIT $1`

// fitChunks deletes the oldest chunks of an account, and of all, until the rest is within the bounds.
func (t Tx) fitChunks(ctx context.Context, account string) error {
	if err := t.fit(ctx, sizeOfAccount, oldestOfAccount, chunksOfAccount, mostOfAccount, account); err != nil {
		return err
	}
	return t.fit(ctx, sizeOfChunks, oldestChunks, 1, mostOfChunks)
}

// chunksAtOnce is how many of the oldest chunks are looked at, and deleted, in one step.
const chunksAtOnce = 20

func (t Tx) fit(ctx context.Context, size, oldest string, mostChunks, mostBytes int64, args ...any) error {
	var chunks, bytes int64
	if err := t.QueryRowContext(ctx, t.s.db.Text(size), args...).Scan(&chunks, &bytes); err != nil {
		return db.Wrap("count chunks", err)
	}
	for chunks > mostChunks || bytes > mostBytes {
		var ids []int64
		rows, err := t.QueryContext(ctx, t.s.db.Text(oldest), append(args[:len(args):len(args)], chunksAtOnce)...)
		err = db.ScanAll(rows, err, func(rows *sql.Rows) error {
			var id, stored int64
			err := rows.Scan(&id, &stored)
			if chunks > mostChunks || bytes > mostBytes {
				ids, chunks, bytes = append(ids, id), chunks-1, bytes-stored
			}
			return err
		})
		if err == nil {
			err = t.dropChunks(ctx, ids)
		}
		if err != nil {
			return db.Wrap("delete oldest chunks", err)
		}
		if len(ids) == 0 {
			return nil
		}
	}
	return nil
}

const dropChunks = `-- sourcemapdb.dropChunks
DELETE FROM upload_chunks WHERE id IN (SELECT k.id FROM {{rows k(id bigint)}})`

func (t Tx) dropChunks(ctx context.Context, ids []int64) error { return t.Each(ctx, dropChunks, ids) }

const listChunks = `-- sourcemapdb.Chunks
SELECT id, hash, bytes FROM upload_chunks WHERE account_id = $1 AND user_id = $2 AND project_id = $3`

// Archive is a sequence of chunks that are all there.
type Archive struct {
	Bytes  int64
	chunks []chunk
	read   func(id int64) ([]byte, error)
	last   []byte // the chunk that was read last
	lastID int64
}

type chunk struct{ id, at, bytes int64 }

// Chunks returns the archive that consists of some chunks of a sender, or those of them that are missing. It can be read until ctx ends.
func (s *Store) Chunks(ctx context.Context, from Sender, hashes []ChunkHash) (a *Archive, missing []ChunkHash, err error) {
	known := map[ChunkHash]chunk{}
	rows, err := s.db.Read.QueryContext(ctx, s.db.Text(listChunks), from.AccountID, from.UserID, from.ProjectID)
	err = db.ScanAll(rows, err, func(rows *sql.Rows) error {
		var c chunk
		var hash []byte
		err := rows.Scan(&c.id, &hash, &c.bytes)
		if len(hash) == sha1.Size {
			known[ChunkHash(hash)] = c
		}
		return err
	})
	if err != nil {
		return nil, nil, s.db.Explain(db.Wrap("list chunks", err))
	}
	a = &Archive{read: func(id int64) ([]byte, error) { return s.chunk(ctx, id) }}
	asked := map[ChunkHash]bool{}
	for _, hash := range hashes {
		c, ok := known[hash]
		if !ok && !asked[hash] {
			missing = append(missing, hash)
		}
		asked[hash] = true
		c.at = a.Bytes
		a.Bytes += c.bytes
		a.chunks = append(a.chunks, c)
	}
	return a, missing, nil
}

const readChunk = `-- sourcemapdb.chunk
SELECT body FROM upload_chunks WHERE id = $1`

func (s *Store) chunk(ctx context.Context, id int64) (text []byte, err error) {
	var body []byte
	if err = s.db.Read.QueryRowContext(ctx, s.db.Text(readChunk), id).Scan(&body); err == nil {
		text, err = decoder().DecodeAll(body, nil)
	}
	return text, s.db.Explain(db.NotFound(err, "A chunk of the upload", "read chunk"))
}

// DropArchive deletes the chunks of an archive, which are of no more use.
func (s *Store) DropArchive(ctx context.Context, a *Archive) error {
	var ids []int64
	for _, c := range a.chunks {
		ids = append(ids, c.id)
	}
	return s.db.Explain(s.inTx(ctx, "delete chunks", func(t Tx) error { return t.dropChunks(ctx, ids) }))
}

const oldChunks = `-- sourcemapdb.DropOldChunks
DELETE FROM upload_chunks WHERE id IN (SELECT id FROM upload_chunks WHERE created_at < $1 ORDER BY created_at LIMIT $2)`

// DropOldChunks deletes at most so many chunks from before a time, and returns how many.
func (t Tx) DropOldChunks(ctx context.Context, before time.Time, most int64) (int64, error) {
	return t.Changed(ctx, oldChunks, db.Micros(before), most)
}

const accountChunks = `-- sourcemapdb.sweepChunks
DELETE FROM upload_chunks WHERE id IN (
    SELECT c.id FROM projects p JOIN upload_chunks c ON c.account_id = p.account_id AND c.project_id IN (0, p.id) WHERE p.id = $1 LIMIT $2)`

// sweepChunks deletes the chunks that came with the keys of a project, and those of all users of its account: which of these have maps of the
// project is not known before they are together.
func (s *Store) sweepChunks(ctx context.Context, project int64) error {
	err := s.db.Sweep(ctx, "delete chunks", chunksAtOnce, func(t *db.Tx) (int64, error) {
		t.KeepsCaches = true
		return t.Changed(ctx, accountChunks, project, chunksAtOnce)
	})
	return s.db.Explain(err)
}

// NewChecksum returns the hash by which archives are named, as chunks are.
func NewChecksum() hash.Hash { return sha1.New() }
