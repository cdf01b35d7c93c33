package movedb

import (
	"context"
	"database/sql"

	"sett/internal/sett/move"
	"sett/internal/store/db"
)

const importedIDs = `-- movedb.importedIDs
SELECT k.i, m.record FROM {{rows k(i bigint, source text, host text, kind text, id text)}}
JOIN imported m ON m.source = k.source AND m.host = k.host AND m.kind = k.kind AND m.source_id = k.id`

const noteImported = `-- movedb.noteImported
INSERT INTO imported (source, host, kind, source_id, project_id, sett_id, record, state, count, last_at, complete)
VALUES ($1, $2, $3, $4, $5, $6, $7, '', 0, 0, true)
ON CONFLICT (source, host, kind, source_id) DO UPDATE SET project_id = excluded.project_id, sett_id = excluded.sett_id, record = excluded.record`

// things are the things of one kind of a place.
type things struct {
	move.Place
	kind string
}

// imported returns which of some things of the source came before, by their places in the list, with what was noted of each.
func (s *Store) imported(ctx context.Context, q db.Querier, of things, ids []string) (map[int]string, error) {
	had := map[int]string{}
	var index []int64
	var sources, hosts, kinds []string
	for i := range ids {
		index, sources, hosts, kinds = append(index, int64(i)), append(sources, of.Source), append(hosts, of.Host), append(kinds, of.kind)
	}
	return had, s.db.ReadRows(ctx, q, importedIDs, func(rows *sql.Rows) error {
		var i int
		var record string
		err := rows.Scan(&i, &record)
		had[i] = record
		return err
	}, index, sources, hosts, kinds, ids)
}

// noteImported notes that a thing came. A thing of the whole account belongs to the project with which it came.
func (t Tx) noteImported(ctx context.Context, of things, id string, projectID, settID int64, record string) error {
	_, err := t.Exec(ctx, noteImported, of.Source, of.Host, of.kind, id, projectID, settID, record)
	return err
}
