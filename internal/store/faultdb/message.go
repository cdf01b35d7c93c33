package faultdb

import (
	"cmp"
	"context"
	"database/sql"
	"slices"

	"sett/internal/sett"
	"sett/internal/sett/faults"
	"sett/internal/store/db"
)

// MessageKey names a stored message of a part of a fault.
type MessageKey struct {
	Project, Part int64
	Cause         bool
	Key           faults.SaidKey
}

// Compare is the order in which transactions lock messages.
func (k MessageKey) Compare(other MessageKey) int {
	causes := map[bool]int{true: 1}
	return cmp.Or(cmp.Compare(k.Part, other.Part), causes[k.Cause]-causes[other.Cause], slices.Compare(k.Key[:], other.Key[:]))
}

// What is counted stays counted, as events whose messages are not kept.
const foldMessages = `-- faultdb.foldMessages
INSERT INTO fault_messages (project_id, part_id, cause, key, class, message, count, first_id, last_id)
SELECT v.project_id, v.part_id, v.cause, k.rest, '', '', CAST(sum(v.count) AS bigint), 0, 0
FROM {{rows k(project_id bigint, part_id bigint, cause boolean, key bytea, rest bytea)}}
    JOIN fault_messages v ON v.project_id = k.project_id AND v.part_id = k.part_id AND v.cause = k.cause AND v.key = k.key AND v.key <> k.rest
GROUP BY v.project_id, v.part_id, v.cause, k.rest
ON CONFLICT (project_id, part_id, cause, key) DO UPDATE SET count = fault_messages.count + excluded.count`

const dropMessages = `-- faultdb.dropMessages
DELETE FROM fault_messages WHERE (project_id, part_id, cause, key) IN (
    SELECT k.project_id, k.part_id, k.cause, k.key FROM {{rows k(project_id bigint, part_id bigint, cause boolean, key bytea, rest bytea)}} WHERE k.key <> k.rest)`

const emptyMessages = `-- faultdb.emptyMessages
UPDATE fault_messages SET class = '', message = '', last_id = 0 WHERE (project_id, part_id, cause, key) IN (
    SELECT k.project_id, k.part_id, k.cause, k.key FROM {{rows k(project_id bigint, part_id bigint, cause boolean, key bytea, rest bytea)}} WHERE k.key = k.rest)`

// ForgetMessages deletes stored messages. Their events stay counted.
func (t Tx) ForgetMessages(ctx context.Context, keys []MessageKey) error {
	var rest faults.SaidKey
	var projects, parts []int64
	var causes []bool
	var texts, rests [][]byte
	slices.SortFunc(keys, MessageKey.Compare)
	for _, k := range keys {
		projects, parts, causes = append(projects, k.Project), append(parts, k.Part), append(causes, k.Cause)
		texts, rests = append(texts, k.Key[:]), append(rests, rest[:])
	}
	for _, statement := range []string{foldMessages, dropMessages, emptyMessages} {
		if err := t.Each(ctx, statement, projects, parts, causes, texts, rests); err != nil {
			return db.Wrap("delete messages of faults", err)
		}
	}
	return nil
}

// ScanMessageKey scans project_id, part_id, cause and key.
func ScanMessageKey(row db.Row) (k MessageKey, err error) {
	var key []byte
	err = row.Scan(&k.Project, &k.Part, &k.Cause, &key)
	copy(k.Key[:], key)
	return k, err
}

const deleteFaultMessages = `-- faultdb.deleteFaultMessages
DELETE FROM fault_messages WHERE (project_id, part_id) IN (SELECT g.project_id, g.fault_id FROM fault_graves g WHERE g.fault_id = $1)`

// deleteFaultMessages deletes all messages of a part that has a tombstone: there are few.
func (s *Store) deleteFaultMessages(ctx context.Context, part int64) error {
	return s.inTx(ctx, "delete messages of fault", func(t Tx) error {
		t.KeepsCaches = true
		_, err := t.Exec(ctx, deleteFaultMessages, part)
		return err
	})
}

const keptMessages = `-- faultdb.keptMessages
SELECT v.part_id, v.key, v.class, v.message, v.count, v.last_id
FROM {{rows k(project_id bigint, part_id bigint)}} JOIN fault_messages v ON v.project_id = k.project_id AND v.part_id = k.part_id AND v.cause = false`

const saidByMerged = `-- faultdb.saidByMerged
SELECT m.id, m.class, m.message, m.notices_count FROM {{rows k(id bigint)}} JOIN merged_faults m ON m.id = k.id`

// messagesOf returns the different messages of some faults of a project, of each the newest first.
func (s *Store) messagesOf(ctx context.Context, q db.Querier, projectID int64, some []faults.Fault) (messages map[int64][]faults.Message, err error) {
	var ids []int64
	said := map[int64]*faults.PartSaid{}
	for _, f := range some {
		ids, said[f.ID] = append(ids, f.ID), &faults.PartSaid{Own: faults.Said{Class: f.Class, Message: f.Message}, Count: f.NoticesCount}
	}
	all, of, err := s.withParts(ctx, q, ids)
	if err != nil {
		return nil, err
	}
	err = s.db.ReadRows(ctx, q, saidByMerged, func(rows *sql.Rows) error {
		var id int64
		var p faults.PartSaid
		err := rows.Scan(&id, &p.Own.Class, &p.Own.Message, &p.Count)
		said[id], said[of[id]].Count = &p, said[of[id]].Count-p.Count
		return err
	}, all)
	if err != nil {
		return nil, db.Wrap("read messages of merged faults", err)
	}
	err = s.db.ReadRows(ctx, q, keptMessages, func(rows *sql.Rows) error {
		var part, last int64
		var key []byte
		var m faults.KeptMessage
		err := rows.Scan(&part, &key, &m.Class, &m.Said.Message, &m.Count, &last)
		copy(m.Key[:], key)
		if last > 0 { // otherwise it is what is not kept
			m.Last = sett.NoticeID(last).Time()
		}
		if p := said[part]; p != nil {
			p.Kept = append(p.Kept, m)
		}
		return err
	}, db.Repeated(projectID, len(all)), all)
	if err != nil {
		return nil, db.Wrap("read messages of faults", err)
	}
	parts := map[int64][]faults.PartSaid{}
	for _, id := range all {
		if p := said[id]; p != nil {
			parts[of[id]] = append(parts[of[id]], *p)
		}
	}
	messages = map[int64][]faults.Message{}
	for id, p := range parts {
		messages[id] = faults.MessagesOf(p)
	}
	return messages, nil
}

// Messages returns the different messages of a fault, the newest first.
func (s *Store) Messages(ctx context.Context, f faults.Fault) (all []faults.Message, err error) {
	err = s.db.Snapshot(ctx, "read messages of fault", func(q db.Querier) error {
		of, err := s.messagesOf(ctx, q, f.ProjectID, []faults.Fault{f})
		all = of[f.ID]
		return err
	})
	return all, err
}

// newestMessages returns the newest message of those of some faults whose messages differ.
func (s *Store) newestMessages(ctx context.Context, q db.Querier, projectID int64, some []faults.Fault) (newest map[int64]faults.Newest, err error) {
	messages, err := s.messagesOf(ctx, q, projectID, some)
	newest = map[int64]faults.Newest{}
	for id, all := range messages {
		if n, differ := faults.NewestOf(all); differ {
			newest[id] = n
		}
	}
	return newest, err
}
