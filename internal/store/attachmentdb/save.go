package attachmentdb

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"sync"
	"time"

	"github.com/klauspost/compress/zstd"

	"sett/internal/sett"
	"sett/internal/sett/faults"
	"sett/internal/store/db"
)

// File is an attachment that is to be stored. Name and type are those of package sett.
type File struct {
	Name, Type string
	Body       []byte
}

// Saved is how many files of a notice ended in which way. A file that is stored already counts as stored.
type Saved struct {
	Stored   int
	TooLarge int // beyond what a notice may have
	Full     int // beyond what the project or the server may have
	NoNotice int // of a notice that is not stored
}

// encoder and decoder are for one file at a time and two: a file has at most 1 MiB.
var encoder = sync.OnceValue(func() *zstd.Encoder {
	e, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(faults.MostAttachmentBytes), zstd.WithEncoderCRC(true))
	if err != nil {
		panic("attachments: " + err.Error()) // the options are constants
	}
	return e
})

var decoder = sync.OnceValue(func() *zstd.Decoder {
	d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(2), zstd.WithDecoderMaxMemory(faults.MostAttachmentBytes), zstd.WithDecoderLowmem(true))
	if err != nil {
		panic("attachments: " + err.Error()) // the options are constants
	}
	return d
})

// hash identifies a file among those of its notice.
func (f File) hash() []byte {
	h := sha256.New()
	_ = binary.Write(h, binary.BigEndian, int64(len(f.Name))) // a hash never fails
	h.Write([]byte(f.Name))
	h.Write(f.Body)
	return h.Sum(nil)
}

// Save stores files of the notice of a project with a public id, durably, and returns what became of them.
func (s *Store) Save(ctx context.Context, now time.Time, project int64, notice sett.UUID, files []File) (saved Saved, err error) {
	full, err := s.full(ctx, now, project)
	if err != nil || full {
		return Saved{Full: len(files)}, s.db.Explain(err)
	}
	packed := make([][]byte, len(files))
	for i, f := range files {
		packed[i] = encoder().EncodeAll(f.Body, nil)
	}
	var bytes int64
	err = s.db.InTx(ctx, "store attachments", func(t *db.Tx) (err error) {
		t.KeepsCaches = true
		saved, bytes, err = s.In(t).save(ctx, project, notice, files, packed)
		return err
	})
	if err != nil {
		return Saved{}, s.db.Explain(err)
	}
	s.added(project, bytes)
	return saved, nil
}

const sumOfNotice = `-- attachmentdb.sumOfNotice
SELECT count(*), CAST(coalesce(sum(bytes), 0) AS bigint) FROM attachments WHERE notice_id = $1`

const knownFile = `-- attachmentdb.known
SELECT id FROM attachments WHERE notice_id = $1 AND hash = $2`

const insertFile = `-- attachmentdb.insert
INSERT INTO attachments (project_id, notice_id, hash, name, type, bytes, stored, body)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT (notice_id, hash) DO NOTHING`

func (t Tx) save(ctx context.Context, project int64, notice sett.UUID, files []File, packed [][]byte) (saved Saved, stored int64, err error) {
	id, err := t.s.fault.In(t.Tx).LockNotice(ctx, project, notice)
	if sett.CodeOf(err) == sett.NotFound {
		return Saved{NoNotice: len(files)}, 0, nil
	}
	if err != nil {
		return saved, 0, err
	}
	var count, bytes int64
	if err := t.QueryRowContext(ctx, t.s.db.Text(sumOfNotice), id).Scan(&count, &bytes); err != nil {
		return saved, 0, fmt.Errorf("count attachments of notice: %w", err)
	}
	for i, f := range files {
		hash := f.hash()
		known, err := t.s.db.ListIDs(ctx, t, knownFile, id, hash)
		if err != nil {
			return saved, 0, fmt.Errorf("find attachment: %w", err)
		}
		switch {
		case len(known) > 0:
			saved.Stored++
			continue
		case count >= faults.MostAttachments || bytes+int64(len(f.Body)) > faults.MostAttachmentBytes:
			saved.TooLarge++
			continue
		}
		if _, err := t.Exec(ctx, insertFile, project, id, hash, f.Name, f.Type, len(f.Body), len(packed[i]), packed[i]); err != nil {
			return saved, 0, fmt.Errorf("insert attachment: %w", err)
		}
		count, bytes, stored = count+1, bytes+int64(len(f.Body)), stored+int64(len(packed[i]))+rowBytes
		saved.Stored++
	}
	return saved, stored, nil
}
