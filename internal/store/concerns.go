package store

import (
	"context"
	"database/sql"
	"slices"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/faults"
	"sett/internal/sett/stats"
	"sett/internal/store/db"
	"sett/internal/store/faultdb"
)

const awayAt = `-- store.awayAt
SELECT away_at FROM users WHERE id = $1`

// What concerns a user, of a list of projects: the columns are those of a timeline entry.
const (
	assignedFaults = `-- store.assigned faults
SELECT c.last_notice_at, f.project_id, CAST(f.id AS text), f.class, f.message FROM faults f JOIN fault_counts c ON c.fault_id = f.id
WHERE f.assignee_id IN ` + faultdb.AssigneesOf + ` AND f.resolved = false AND f.ignored = false AND f.project_id IN `
	newestAssigned = ` ORDER BY c.last_notice_at DESC, f.id DESC LIMIT $2`

	// An index alone determines which they are; only these are read.
	freshFaults = `-- store.fresh faults
SELECT f.created_at, f.project_id, CAST(f.id AS text), f.class, f.message FROM (SELECT k.id FROM faults k
    WHERE k.resolved = false AND k.ignored = false AND k.created_at >= $1 AND k.project_id IN `
	newestFresh = ` ORDER BY k.created_at DESC, k.id DESC LIMIT $2) l JOIN faults f ON f.id = l.id ORDER BY f.created_at DESC, f.id DESC`

	downSites = `-- store.down sites
SELECT st.changed_at, s.project_id, s.uuid, s.name, '' FROM sites s JOIN site_states st ON st.site_id = s.id
WHERE s.active = true AND st.state = $1 AND s.project_id IN `
	newestDown = ` ORDER BY st.changed_at DESC, s.id LIMIT $2`

	checkInsIn = `-- store.check-ins in a state
SELECT coalesce((SELECT t.at FROM check_in_turns t WHERE t.check_in = c.number ORDER BY t.id DESC LIMIT 1), c.reported_at) AS since, c.project_id, c.id, coalesce(nullif(c.name, ''), c.slug), ''
FROM check_ins c WHERE c.state = $1 AND c.project_id IN `
	newestCheckIns = ` ORDER BY since DESC, c.number LIMIT $2`
)

// Concerns returns what concerns a user, at most so many entries of each kind.
func (s *Store) Concerns(ctx context.Context, now time.Time, userID int64, most int) (c stats.Concerns, err error) {
	projects, err := s.Accounts.VisibleProjectIDs(ctx, userID)
	if err != nil || len(projects) == 0 {
		return c, err
	}
	err = s.Snapshot(ctx, "read what concerns a user", func(q db.Querier) error {
		var away int64
		if err := q.QueryRowContext(ctx, s.Text(awayAt), userID).Scan(&away); err != nil {
			return db.NotFound(err, "User", "find user")
		}
		c.Since, c.Visited = stats.Since(now, db.FromMicros(away))
		var sites, checkIns []faults.TimelineEntry
		list, ids := db.In(s.DB, 3, projects)
		for _, part := range []struct {
			statement, order string
			of               any
			kind             faults.TimelineKind
			into             *[]faults.TimelineEntry
		}{
			{assignedFaults, newestAssigned, userID, faults.TimelineNew, &c.Assigned},
			{freshFaults, newestFresh, db.Micros(c.Since), faults.TimelineNew, &c.New},
			{downSites, newestDown, sett.SiteDown, faults.TimelineDown, &sites},
			{checkInsIn, newestCheckIns, sett.CheckInMissing, faults.TimelineMissing, &checkIns},
			{checkInsIn, newestCheckIns, sett.CheckInFailing, faults.TimelineFailing, &checkIns},
		} {
			rows, err := q.QueryContext(ctx, s.Text(part.statement+list+part.order), append([]any{part.of, most + 1}, ids...)...)
			err = db.ScanAll(rows, err, func(rows *sql.Rows) error {
				e := faults.TimelineEntry{Kind: part.kind}
				var at int64
				var subject []byte
				err := rows.Scan(&at, &e.ProjectID, &subject, &e.Title, &e.Detail)
				if e.At, e.SubjectID = db.FromMicros(at), string(subject); part.kind == faults.TimelineDown && err == nil {
					e.SubjectID = sett.UUID(subject).String()
				}
				*part.into = append(*part.into, e)
				return err
			})
			if err != nil {
				return err
			}
		}
		c.Down = append(sites, checkIns...)
		return nil
	})
	slices.SortStableFunc(c.Down, func(a, b faults.TimelineEntry) int { return b.At.Compare(a.At) })
	c.Down, c.MoreDown = few(c.Down, most)
	c.Assigned, c.MoreAssigned = few(c.Assigned, most)
	c.New, c.MoreNew = few(c.New, most)
	return c, err
}

func few(entries []faults.TimelineEntry, most int) (some []faults.TimelineEntry, more bool) {
	return entries[:min(len(entries), most)], len(entries) > most
}
