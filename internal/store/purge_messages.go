package store

import (
	"context"
	"database/sql"
	"fmt"

	"sett/internal/store/db"
	"sett/internal/store/faultdb"
)

const oldMessages = `-- store.oldMessages
SELECT project_id, part_id, cause, key FROM fault_messages WHERE project_id = $1 AND last_id > 0 AND last_id < $2 LIMIT $3`

// messages forgets what no event says that is still stored.
func (p *purge) messages(ctx context.Context, all []keeping) error {
	for _, k := range all {
		for n := int64(mostInPiece); n == mostInPiece; {
			rows, err := p.Read.QueryContext(ctx, p.Text(oldMessages), k.project, faultdb.NoticeIDAt(db.FromMicros(k.from)), int64(mostInPiece))
			old, err := db.Collect(rows, err, faultdb.ScanMessageKey)
			if n = int64(len(old)); err == nil && n > 0 {
				err = p.piece(ctx, "forget old messages", func(t *tx) error { return t.fault.ForgetMessages(ctx, old) })
			}
			if err != nil {
				return fmt.Errorf("purge messages: %w", err)
			}
		}
	}
	return nil
}

const messagesOfErased = `-- store.messagesOfErased
SELECT v.project_id, v.part_id, v.cause, v.key FROM {{rows k(id bigint, project_id bigint, fault_id bigint)}}
    JOIN fault_messages v ON v.project_id = k.project_id AND v.part_id = k.fault_id AND v.first_id <= k.id AND v.last_id >= k.id`

// forgetSaid forgets every message that deleted notices may have. Which of those of the same time it is, is not stored; what others say too comes back
// with their next event.
func (t *tx) forgetSaid(ctx context.Context, project int64, notices, faults []int64) error {
	said := map[faultdb.MessageKey]bool{}
	err := t.EachRow(ctx, messagesOfErased, func(rows *sql.Rows) error {
		k, err := faultdb.ScanMessageKey(rows)
		said[k] = true
		return err
	}, notices, db.Repeated(project, len(notices)), faults)
	if err != nil {
		return fmt.Errorf("find messages of deleted notices: %w", err)
	}
	return t.fault.ForgetMessages(ctx, db.Sorted(said, faultdb.MessageKey.Compare))
}
