package store

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/alerts"
	"sett/internal/store/db"
	"sett/internal/store/faultdb"
)

// userHour is a row of the report by user, of one project.
type userHour struct {
	at                int64
	environment, name string
}

func (h userHour) compare(other userHour) int {
	return cmp.Or(cmp.Compare(h.at, other.at), cmp.Compare(h.environment, other.environment), cmp.Compare(h.name, other.name))
}

// userCounts are deleted notices by what the report by user counts them under.
type userCounts map[userHour]int64

const lowerNamed = `-- store.lowerNamed
UPDATE named_buckets SET count = named_buckets.count - k.n
FROM {{rows k(kind text, at bigint, project_id bigint, environment text, name text, n bigint)}}
WHERE named_buckets.kind = k.kind AND named_buckets.at = k.at AND named_buckets.project_id = k.project_id
    AND named_buckets.environment = k.environment AND named_buckets.name = k.name`

const dropLowered = `-- store.dropLowered
DELETE FROM named_buckets WHERE (kind, at, project_id, environment, name) IN (
    SELECT k.kind, k.at, k.project_id, k.environment, k.name FROM {{rows k(kind text, at bigint, project_id bigint, environment text, name text)}})
AND count <= 0`

const dropNamed = `-- store.dropNamed
DELETE FROM named_buckets WHERE (kind, at, project_id, environment, name) IN (
    SELECT k.kind, k.at, k.project_id, k.environment, k.name FROM {{rows k(kind text, at bigint, project_id bigint, environment text, name text)}})`

// lower subtracts the notices from the report by user, and deletes rows without notices.
func (c userCounts) lower(ctx context.Context, t *tx, project int64) error {
	hours := db.Sorted(c, userHour.compare)
	var ns []int64
	for _, h := range hours {
		ns = append(ns, c[h])
	}
	columns := columnsOf(project, hours)
	if err := t.Each(ctx, lowerNamed, append(columns, ns)...); err != nil {
		return fmt.Errorf("lower the report by user: %w", err)
	}
	return db.Wrap("delete rows of the report by user", t.Each(ctx, dropLowered, columnsOf(project, hours)...))
}

// columnsOf returns the keys of rows of the report by user.
func columnsOf(project int64, hours []userHour) []any {
	var kinds, environments, names []string
	var ats []int64
	for _, h := range hours {
		kinds, ats = append(kinds, faultdb.OfUser), append(ats, h.at)
		environments, names = append(environments, h.environment), append(names, h.name)
	}
	return []any{kinds, ats, db.Repeated(project, len(hours)), environments, names}
}

const spanOfProject = `-- store.spanOfProject
SELECT purged_to, coalesce(earliest_notice_at, 0) FROM projects WHERE id = $1`

const namesOfHours = `-- store.namesOfHours
SELECT at, environment, name FROM named_buckets WHERE kind = $1 AND project_id = $2 AND at IN `

// eraseReports deletes the rows of the report by user that have the name, day by day. Notices that lowered them are gone; what is left are
// those of notices that were deleted earlier, with their error.
func (p *purge) eraseReports(ctx context.Context, e *erasing) error {
	var upto, first int64
	if err := p.Read.QueryRowContext(ctx, p.Text(spanOfProject), e.project).Scan(&upto, &first); err != nil || first == 0 {
		return db.Wrap("find the first notice of the project", err)
	}
	from := accounts.Day(db.FromMicros(max(upto, first)).Add(-time.Hour)) // the clocks of nodes differ
	to := max(sett.NoticeID(e.before).Time().Unix(), p.Now().Unix()) + faultdb.Hour
	for at := from.Unix(); at < to; at += faultdb.Day {
		list, hours := db.In(p.DB, 3, faultdb.Starts(at, at+faultdb.Day, faultdb.Hour))
		rows, err := p.Read.QueryContext(ctx, p.Text(namesOfHours+list), append([]any{faultdb.OfUser, e.project}, hours...)...)
		var found []userHour
		err = db.ScanAll(rows, err, func(rows *sql.Rows) error {
			var h userHour
			err := rows.Scan(&h.at, &h.environment, &h.name)
			if e.value.Is(h.name) {
				found = append(found, h)
			}
			return err
		})
		if err != nil {
			return fmt.Errorf("read the report by user: %w", err)
		}
		for some := range slices.Chunk(found, db.RowsAtOnce) {
			err := p.piece(ctx, "erase rows of the report by user", func(t *tx) error {
				return t.Each(ctx, dropNamed, columnsOf(e.project, some)...)
			})
			if err != nil {
				return err
			}
		}
	}
	return nil
}

const faultsOfProject = `-- store.faultsOfProject
SELECT id FROM faults WHERE project_id = $1 UNION SELECT id FROM merged_faults WHERE project_id = $1
UNION SELECT fault_id FROM fault_graves WHERE project_id = $1`

const usersOfFaults = `-- store.usersOfFaults
SELECT u.fault_id, u.name FROM {{rows k(id bigint)}} JOIN fault_users u ON u.fault_id = k.id`

const dropUsers = `-- store.dropUsers
DELETE FROM fault_users WHERE (fault_id, name) IN (SELECT k.fault_id, k.name FROM {{rows k(fault_id bigint, name text)}})`

// eraseUsers deletes the affected users of the project's errors that have the name.
func (p *purge) eraseUsers(ctx context.Context, e *erasing) error {
	faults, err := p.ListIDs(ctx, p.Read, faultsOfProject, e.project)
	if err != nil {
		return fmt.Errorf("find faults of project: %w", err)
	}
	slices.Sort(faults)
	for some := range slices.Chunk(faults, faultsAtOnce) {
		var of []int64
		var names []string
		err := p.ReadRows(ctx, p.Read, usersOfFaults, func(rows *sql.Rows) error {
			var fault int64
			var name string
			err := rows.Scan(&fault, &name)
			if e.value.Is(name) {
				of, names = append(of, fault), append(names, name)
			}
			return err
		}, some)
		if err != nil {
			return fmt.Errorf("read users of faults: %w", err)
		}
		for from := 0; from < len(of); from += db.RowsAtOnce {
			to := min(len(of), from+db.RowsAtOnce)
			err := p.piece(ctx, "erase users of faults", func(t *tx) error { return t.Each(ctx, dropUsers, of[from:to], names[from:to]) })
			if err != nil {
				return err
			}
		}
	}
	return nil
}

const messagesOfProject = `-- store.messagesOfProject
SELECT id, facts FROM alerts WHERE project_id = $1 AND id > $2 AND message IS NOT NULL ORDER BY id LIMIT $3`

const messagesGone = `-- store.messagesGone
SELECT k.alert_id FROM {{rows k(alert_id bigint, notice_id bigint)}} LEFT JOIN notices n ON n.id = k.notice_id WHERE n.id IS NULL`

const dropMessages = `-- store.dropMessages
UPDATE alerts SET message = NULL WHERE id IN (SELECT k.id FROM {{rows k(id bigint)}})`

// eraseMessages deletes the stored messages of notifications whose notice is deleted: they show its user. One that is still to be sent is
// composed again, without the notice.
func (p *purge) eraseMessages(ctx context.Context, e *erasing) error {
	for after := int64(0); ; {
		var raised, notices []int64
		n := 0
		rows, err := p.Read.QueryContext(ctx, p.Text(messagesOfProject), e.project, after, db.RowsAtOnce)
		err = db.ScanAll(rows, err, func(rows *sql.Rows) error {
			var text []byte
			if err := rows.Scan(&after, &text); err != nil {
				return err
			}
			n++
			var facts alerts.AlertFacts
			if err := json.Unmarshal(text, &facts); err == nil && facts.NoticeID != 0 && int64(facts.NoticeID) < e.before {
				raised, notices = append(raised, after), append(notices, int64(facts.NoticeID))
			}
			return nil
		})
		if err != nil {
			return fmt.Errorf("find messages: %w", err)
		}
		var gone []int64
		if err := p.ReadRows(ctx, p.Read, messagesGone, db.ScanID(func(id int64) { gone = append(gone, id) }), raised, notices); err != nil {
			return fmt.Errorf("find messages of deleted notices: %w", err)
		}
		if len(gone) > 0 {
			if err := p.piece(ctx, "erase messages", func(t *tx) error { return t.Each(ctx, dropMessages, gone) }); err != nil {
				return err
			}
		}
		if n < db.RowsAtOnce {
			return nil
		}
	}
}
