package sourcemapdb

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"errors"
	"sync"

	"github.com/klauspost/compress/zstd"

	"sett/internal/sett"
	"sett/internal/store/db"
)

// LargestFile is how many bytes a file may have.
const LargestFile = 32 << 20

// encoder and decoder are each for two files at a time: together they take some 30 MB.
var encoder = sync.OnceValue(func() *zstd.Encoder {
	e, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(2), zstd.WithWindowSize(2<<20), zstd.WithEncoderCRC(true))
	if err != nil {
		panic("source maps: " + err.Error()) // the options are constants
	}
	return e
})

var decoder = sync.OnceValue(func() *zstd.Decoder {
	d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(2), zstd.WithDecoderMaxMemory(LargestFile), zstd.WithDecoderLowmem(true))
	if err != nil {
		panic("source maps: " + err.Error()) // the options are constants
	}
	return d
})

// packedFile is a file that is ready to be stored.
type packedFile struct {
	hash  [sha256.Size]byte
	bytes int
	body  []byte
}

func pack(file []byte) packedFile {
	return packedFile{sha256.Sum256(file), len(file), encoder().EncodeAll(file, nil)}
}

const findFile = `-- sourcemapdb.findFile
SELECT id FROM source_files WHERE project_id = $1 AND hash = $2`

const insertFile = `-- sourcemapdb.insertFile
INSERT INTO source_files (project_id, hash, bytes, stored, body) VALUES ($1, $2, $3, $4, $5) RETURNING id`

// file returns the id of a file, which it stores if the project has none with these bytes. The project's total is locked.
func (t Tx) file(ctx context.Context, project int64, f packedFile, sum *total) (id int64, err error) {
	ids, err := t.s.db.ListIDs(ctx, t, findFile, project, f.hash[:])
	if err != nil || len(ids) > 0 {
		return first(ids), err
	}
	sum.bytes += int64(len(f.body))
	ids, err = t.s.db.ListIDs(ctx, t, insertFile, project, f.hash[:], f.bytes, len(f.body), f.body)
	return first(ids), err
}

func first(ids []int64) int64 {
	if len(ids) == 0 {
		return 0
	}
	return ids[0]
}

const readFile = `-- sourcemapdb.File
SELECT bytes, body FROM source_files WHERE project_id = $1 AND id = $2`

// File returns a file of a project, or a NotFound error.
func (s *Store) File(ctx context.Context, project, id int64) (file []byte, err error) {
	var size int64
	var body []byte
	err = s.db.Read.QueryRowContext(ctx, s.db.Text(readFile), project, id).Scan(&size, &body)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, sett.Errorf(sett.NotFound, "Source map not found")
	}
	if err != nil {
		return nil, s.db.Explain(db.Wrap("read source map", err))
	}
	file, err = decoder().DecodeAll(body, make([]byte, 0, min(size, LargestFile)))
	return file, db.Wrap("decompress source map", err)
}

const dropFile = `-- sourcemapdb.dropFile
DELETE FROM source_files WHERE id = $1
    AND NOT EXISTS (SELECT 1 FROM source_maps m WHERE m.file_id = $1) AND NOT EXISTS (SELECT 1 FROM source_map_files f WHERE f.file_id = $1)
RETURNING stored`

// dropFiles deletes files that no map uses any more.
func (t Tx) dropFiles(ctx context.Context, ids []int64, sum *total) error {
	for _, id := range ids {
		stored, err := t.s.db.ListIDs(ctx, t, dropFile, id)
		if err != nil {
			return db.Wrap("delete file", err)
		}
		sum.bytes -= first(stored)
	}
	return nil
}
