package movedb

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/faults"
	"sett/internal/store/accountdb"
	"sett/internal/store/block"
	"sett/internal/store/db"
	"sett/internal/store/faultdb"
)

// MostEvents is how many events one transaction stores.
const MostEvents = 20

// ImportedEvent is an event of an imported error, and when it happened.
type ImportedEvent struct {
	*faults.Report
	FaultID int64
	At      time.Time
}

const knownTokens = `-- movedb.knownTokens
SELECT k.i FROM {{rows k(i bigint, token bytea, project_id bigint)}} JOIN notice_tokens t ON t.token = k.token AND t.project_id = k.project_id`

// Events stores events of imported errors at the times at which they happened. It returns how many are new. No one
// counts them: the counts of the errors have them already. Those with an id that the project knows are left.
func (s *Store) Events(ctx context.Context, now time.Time, projectID int64, events []ImportedEvent) (made int64, err error) {
	if len(events) > MostEvents {
		return 0, fmt.Errorf("%d events at once", len(events))
	}
	err = s.inTx(ctx, "import events", func(t Tx) error {
		fresh, err := t.freshEvents(ctx, projectID, events)
		if err != nil || len(fresh) == 0 {
			return err
		}
		made = int64(len(fresh))
		return t.addEvents(ctx, now, projectID, fresh)
	})
	return made, err
}

// freshEvents returns the events whose ids the project does not know, oldest first.
func (t Tx) freshEvents(ctx context.Context, projectID int64, events []ImportedEvent) (fresh []ImportedEvent, err error) {
	had := map[int]bool{}
	var index []int64
	var tokens [][]byte
	for i, e := range events {
		index, tokens = append(index, int64(i)), append(tokens, e.Token[:])
	}
	err = t.EachRow(ctx, knownTokens, func(rows *sql.Rows) error {
		var i int
		err := rows.Scan(&i)
		had[i] = true
		return err
	}, index, tokens, db.Repeated(projectID, len(events)))
	twice := map[sett.UUID]bool{}
	for i, e := range events {
		if !had[i] && !twice[e.Token] {
			twice[e.Token], fresh = true, append(fresh, e)
		}
	}
	return fresh, err
}

const takenIDs = `-- movedb.takenIDs
SELECT id FROM notices WHERE id >= $1 AND id < $2 AND id % $3 = $4 LIMIT 1000`

const insertNotices = `-- movedb.insertNotices
INSERT INTO notices (id, fault_id, backtrace_id, token, bundle_id, slot, facets)
SELECT k.id, k.fault_id, k.backtrace_id, k.token, k.bundle_id, k.slot, ''
FROM {{rows k(id bigint, fault_id bigint, backtrace_id bigint, token bytea, bundle_id bigint, slot bigint)}} WHERE true`

const insertFaultNotices = `-- movedb.insertFaultNotices
INSERT INTO fault_notices (fault_id, id) SELECT k.fault_id, k.id FROM {{rows k(fault_id bigint, id bigint)}} WHERE true`

const insertTokens = `-- movedb.insertTokens
INSERT INTO notice_tokens (token, project_id, notice_id)
SELECT k.token, k.project_id, k.id FROM {{rows k(token bytea, project_id bigint, id bigint)}} WHERE true ON CONFLICT (token, project_id) DO NOTHING`

const upsertBacktraces = `-- movedb.upsertBacktraces
INSERT INTO backtraces (project_id, hash, seen_on, body)
SELECT k.project_id, k.hash, k.day, k.body FROM {{rows k(project_id bigint, hash bytea, day bigint, body bytea)}} WHERE true
ON CONFLICT (project_id, hash) DO UPDATE SET seen_on = CASE WHEN backtraces.seen_on > excluded.seen_on THEN backtraces.seen_on ELSE excluded.seen_on END
RETURNING id, hash`

const noteEarliest = `-- movedb.noteEarliest
UPDATE projects SET earliest_notice_at = $2 WHERE id = $1 AND (earliest_notice_at IS NULL OR earliest_notice_at > $2)`

func (t Tx) addEvents(ctx context.Context, now time.Time, projectID int64, events []ImportedEvent) error {
	var reports []*faults.Report
	var of []int64
	for _, e := range events {
		reports, of = append(reports, e.Report), append(of, e.FaultID)
	}
	var packer faultdb.Packer
	packed := packer.Pack(reports)
	ids, err := t.idsOf(ctx, events)
	if err != nil {
		return err
	}
	traces, err := t.addBacktraces(ctx, now, projectID, packed)
	if err != nil {
		return fmt.Errorf("write backtraces: %w", err)
	}
	bundle := &block.Added{Bundle: packed[0].Bundle, ID: ids[0], ProjectID: projectID}
	var tokens [][]byte
	var backtraces, slots []int64
	var environments []string
	earliest := ids[0]
	for i, p := range packed {
		bundle.Members = append(bundle.Members, block.Member{Slot: p.Slot, ID: ids[i], Fault: of[i]})
		tokens, backtraces, slots = append(tokens, p.Token[:]), append(backtraces, traces[p.Hash]), append(slots, int64(p.Slot))
		environments, earliest = append(environments, p.Environment), min(earliest, ids[i])
	}
	if err := t.s.block.In(t.Tx).AddBundles(ctx, []*block.Added{bundle}); err != nil {
		return err
	}
	n := len(ids)
	if err := t.Each(ctx, insertNotices, ids, of, backtraces, tokens, db.Repeated(bundle.ID, n), slots); err != nil {
		return fmt.Errorf("write notices: %w", err)
	}
	if err := t.Each(ctx, insertFaultNotices, of, ids); err != nil {
		return err
	}
	if err := t.Each(ctx, insertTokens, tokens, db.Repeated(projectID, n), ids); err != nil {
		return err
	}
	if err := t.Each(ctx, accountdb.AddEnvironments, db.Repeated(projectID, n), environments, db.Repeated(db.Micros(now), n)); err != nil {
		return err
	}
	_, err = t.Exec(ctx, noteEarliest, projectID, db.Micros(sett.NoticeID(earliest).Time()))
	return err
}

// idsOf gives events ids of their times, under the number of what is imported.
func (t Tx) idsOf(ctx context.Context, events []ImportedEvent) (ids []int64, err error) {
	used := map[int64]bool{}
	for _, e := range events {
		from := int64(sett.NoticeIDAt(e.At))
		taken, err := t.s.db.ListIDs(ctx, t, takenIDs, from, from+1000*sett.MaxNodes, int64(sett.MaxNodes), int64(sett.ImportNode))
		if err != nil {
			return nil, err
		}
		for _, id := range taken {
			used[id] = true
		}
		id := from + sett.ImportNode
		for used[id] {
			id += sett.MaxNodes
		}
		used[id], ids = true, append(ids, id)
	}
	return ids, nil
}

// addBacktraces stores the backtraces of events as in use today: they stay at least as long as the events.
func (t Tx) addBacktraces(ctx context.Context, now time.Time, projectID int64, packed []*faultdb.Packed) (ids map[[16]byte]int64, err error) {
	ids = map[[16]byte]int64{}
	var hashes, bodies [][]byte
	for _, p := range packed {
		if _, once := ids[p.Hash]; p.Backtrace != nil && !once {
			ids[p.Hash], hashes, bodies = 0, append(hashes, p.Hash[:]), append(bodies, faultdb.PackBacktrace(p.Backtrace))
		}
	}
	return ids, t.EachRow(ctx, upsertBacktraces, func(rows *sql.Rows) error {
		var id int64
		var hash []byte
		err := rows.Scan(&id, &hash)
		ids[[16]byte(hash)] = id
		return err
	}, db.Repeated(projectID, len(hashes)), hashes, db.Repeated(db.Micros(accounts.Day(now)), len(hashes)), bodies)
}
