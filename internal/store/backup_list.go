package store

import (
	"context"
	"database/sql"
	"fmt"

	"sett/internal/sett/accounts"
	"sett/internal/store/db"
)

const insertBackup = `-- store.NoteBackup
INSERT INTO backups (made_at, bytes, schema_version, made_by) VALUES ($1, $2, $3, $4)`

const pruneBackups = `-- store.pruneBackups
DELETE FROM backups WHERE id NOT IN (SELECT id FROM backups ORDER BY made_at DESC, id DESC LIMIT 50)`

// NoteBackup records a backup. The last 50 are kept.
func (s *Store) NoteBackup(ctx context.Context, b accounts.Backup) error {
	return s.inTx(ctx, "note backup", func(t *tx) error {
		t.KeepsCaches = true
		if _, err := t.Exec(ctx, insertBackup, db.Micros(b.At), b.Bytes, b.Schema, b.By); err != nil {
			return err
		}
		_, err := t.Exec(ctx, pruneBackups)
		return err
	})
}

const listBackups = `-- store.ListBackups
SELECT made_at, bytes, schema_version, made_by FROM backups ORDER BY made_at DESC, id DESC LIMIT $1`

// ListBackups returns the last recorded backups, newest first. It is for operators.
func (s *Store) ListBackups(ctx context.Context, most int) (backups []accounts.Backup, err error) {
	rows, err := s.Read.QueryContext(ctx, s.Text(listBackups), most)
	err = db.ScanAll(rows, err, func(rows *sql.Rows) error {
		var b accounts.Backup
		var at int64
		err := rows.Scan(&at, &b.Bytes, &b.Schema, &b.By)
		b.At = db.FromMicros(at)
		backups = append(backups, b)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("list backups: %w", err)
	}
	return backups, nil
}
