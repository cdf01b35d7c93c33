package deliverydb

import (
	"context"
	"database/sql"
	"slices"

	"sett/internal/sett"
	"sett/internal/sett/alerts"
	"sett/internal/store/db"
)

const sitesAmong = `-- deliverydb.sitesAmong
SELECT s.uuid FROM sites s WHERE s.project_id = $1 AND s.uuid IN `

const checkInsAmong = `-- deliverydb.checkInsAmong
SELECT c.id FROM check_ins c WHERE c.project_id = $1 AND c.id IN `

// checkWatched adds a problem for each new site or check-in of an integration that does not belong to its project, and returns all
// problems as one error. Those that the integration already had may have been deleted since.
func (t Tx) checkWatched(ctx context.Context, p *sett.Problems, projectID int64, have, want alerts.IntegrationSettings) error {
	sites, err := t.strangeSites(ctx, projectID, added(have.SiteIDs, want.SiteIDs))
	if err != nil {
		return err
	}
	if len(sites) > 0 {
		p.Add("site_ids", "must be ids of sites of this project; %.60q is none", sites[0])
	}
	checkIns, err := t.strangeCheckIns(ctx, projectID, added(have.CheckInIDs, want.CheckInIDs))
	if err != nil {
		return err
	}
	if len(checkIns) > 0 {
		p.Add("check_in_ids", "must be ids of check-ins of this project; %.60q is none", checkIns[0])
	}
	return p.Refusal()
}

// added returns the elements of after that are not in before.
func added(before, after []string) []string {
	return slices.DeleteFunc(slices.Clone(after), func(id string) bool { return slices.Contains(before, id) })
}

// strangeSites returns the ids that belong to no site of the project.
func (t Tx) strangeSites(ctx context.Context, projectID int64, ids []string) ([]string, error) {
	var keys [][]byte
	for _, text := range ids {
		if id, err := sett.ParseUUID(text); err == nil {
			keys = append(keys, id[:])
		}
	}
	return strange(ctx, t, sitesAmong, projectID, ids, keys, func(rows *sql.Rows) (string, error) {
		var id sett.UUID
		var key []byte
		err := rows.Scan(&key)
		copy(id[:], key)
		return id.String(), err
	})
}

// strangeCheckIns returns the ids that belong to no check-in of the project.
func (t Tx) strangeCheckIns(ctx context.Context, projectID int64, ids []string) ([]string, error) {
	return strange(ctx, t, checkInsAmong, projectID, ids, ids, func(rows *sql.Rows) (id string, err error) {
		err = rows.Scan(&id)
		return id, err
	})
}

// strange returns the ids that a statement, run with the keys, does not find.
func strange[T string | []byte](ctx context.Context, t Tx, statement string, projectID int64, ids []string, keys []T, id func(*sql.Rows) (string, error)) ([]string, error) {
	if len(keys) == 0 {
		return ids, nil
	}
	known := map[string]bool{}
	list, args := db.In(t.s.db, 2, keys)
	rows, err := t.QueryContext(ctx, t.s.db.Text(statement+list), append([]any{projectID}, args...)...)
	err = db.ScanAll(rows, err, func(rows *sql.Rows) error {
		found, err := id(rows)
		known[found] = true
		return err
	})
	return slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return known[id] }), err
}
