package uptimedb

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"sett/internal/sett"
	"sett/internal/store/db"
	"sett/internal/store/statusdb"
	"sett/internal/store/work"
)

// TombstoneAge is how long tombstones of sites are kept for locations. A location that was offline for longer reads all sites again.
const TombstoneAge = 30 * 24 * time.Hour

const dropSite = `-- uptimedb.DeleteSite
DELETE FROM sites WHERE id = $1`

const insertTombstone = `-- uptimedb.insertTombstone
INSERT INTO site_graves (revision, uuid, site_id, at, swept) VALUES ($1, $2, $3, 0, false)`

const deletionOfSites work.Kind = "delete sites"

// sitePieces is how many pieces of a site's checks are deleted before the answer.
const sitePieces = 20

// goneSites are the numbers of deleted sites.
type goneSites struct {
	Sites []int64 `json:"sites"`
}

// DeleteSite deletes a site with its history. Its checks are deleted in small steps, each a transaction: the first ones before it returns,
// the rest in the background. The error is NotFound if the project has no such site.
func (s *Store) DeleteSite(ctx context.Context, projectID int64, id sett.UUID) error {
	var i work.Item
	err := s.inTx(ctx, "delete site", func(t Tx) error {
		t.KeepsCaches = true
		have, err := t.lockSite(ctx, projectID, id)
		if err != nil {
			return err
		}
		i, err = t.deleteSites(ctx, []int64{have.Number}, []sett.UUID{id})
		return err
	})
	if err != nil {
		return err
	}
	_, err = s.work.Begin(ctx, i, sitePieces, nil)
	return err
}

// deleteSites deletes sites, and adds work that deletes their checks.
func (t Tx) deleteSites(ctx context.Context, numbers []int64, ids []sett.UUID) (i work.Item, err error) {
	if len(numbers) == 0 {
		return i, nil
	}
	if err := t.insertSiteTombstones(ctx, numbers, ids); err != nil {
		return i, err
	}
	return t.s.work.In(t.Tx).Add(ctx, deletionOfSites, 0, goneSites{numbers})
}

// continueSites deletes the checks of deleted sites.
func (s *Store) continueSites(ctx context.Context, i work.Item) error {
	var gone goneSites
	if err := i.Read(&gone); err != nil {
		return err
	}
	for _, number := range gone.Sites {
		if err := s.sweepSite(ctx, number); err != nil {
			return err
		}
	}
	return nil
}

// insertSiteTombstones deletes sites, in the order of their numbers, and writes tombstones for locations that know them. It acquires all locks
// before it deletes the first site.
func (t Tx) insertSiteTombstones(ctx context.Context, numbers []int64, ids []sett.UUID) error {
	pages, err := t.holdSites(ctx, numbers)
	if err != nil {
		return err
	}
	many := int64(len(numbers))
	last, err := t.nextRevision(ctx, many)
	if err != nil {
		return err
	}
	if err := t.status().HoldPages(ctx, pages); err != nil {
		return err
	}
	for i, number := range numbers {
		if _, err := t.Exec(ctx, dropSite, number); err != nil {
			return fmt.Errorf("delete site: %w", err)
		}
		if _, err := t.Exec(ctx, insertTombstone, last-many+1+int64(i), ids[i][:], number); err != nil {
			return err
		}
	}
	return t.status().BumpPageRevisions(ctx, pages...)
}

// holdSites locks sites and returns the numbers of the status pages that show them.
func (t Tx) holdSites(ctx context.Context, numbers []int64) (pages []int64, err error) {
	for _, number := range numbers {
		if err := t.status().HoldShown(ctx, statusdb.HoldShownSite, number); err != nil {
			return nil, err
		}
		shown, err := t.status().ShownBy(ctx, statusdb.PagesOfSite, number)
		if err != nil {
			return nil, err
		}
		pages = append(pages, shown...)
	}
	return pages, nil
}

// Recording checks locks the state of a site before the site: a deletion in the opposite order would deadlock with it.
const sitesOfProject = `-- uptimedb.sitesOfProject
SELECT s.id, s.uuid FROM sites s JOIN site_states st ON st.site_id = s.id WHERE s.project_id = $1
ORDER BY s.id LIMIT $2 {{for update of st}}`

// SitesAtOnce is how many sites, with their outages, one step of a project's deletion handles.
const SitesAtOnce = 100

// DeleteProjectSites deletes the first sites of a project, and returns their number and the work that deletes their checks, if there are any.
func (t Tx) DeleteProjectSites(ctx context.Context, projectID int64) (n int64, i work.Item, err error) {
	var numbers []int64
	var ids []sett.UUID
	rows, err := t.QueryContext(ctx, t.s.db.Text(sitesOfProject), projectID, SitesAtOnce)
	err = db.ScanAll(rows, err, func(rows *sql.Rows) error {
		var number int64
		var id []byte
		err := rows.Scan(&number, &id)
		numbers, ids = append(numbers, number), append(ids, sett.UUID(id))
		return err
	})
	if err != nil {
		return 0, i, err
	}
	i, err = t.deleteSites(ctx, numbers, ids)
	return int64(len(ids)), i, err
}

const dateTombstones = `-- uptimedb.dateTombstones
UPDATE site_graves SET at = $1 WHERE at = 0`

const forgetTombstones = `-- uptimedb.forgetTombstones
DELETE FROM site_graves WHERE swept AND at > 0 AND at <= $1 RETURNING revision`

const noteForgotten = `-- uptimedb.noteForgotten
UPDATE site_feed SET forgotten = $1 WHERE forgotten < $1`

// ForgetSites drops tombstones that are older than TombstoneAge.
func (s *Store) ForgetSites(ctx context.Context, now time.Time) error {
	return s.inTx(ctx, "forget sites", func(t Tx) error {
		t.KeepsCaches = true
		if _, err := t.Exec(ctx, dateTombstones, db.Micros(now)); err != nil {
			return err
		}
		revisions, err := s.db.ListIDs(ctx, t, forgetTombstones, db.Micros(now.Add(-TombstoneAge)))
		for _, r := range revisions {
			if _, err := t.Exec(ctx, noteForgotten, r); err != nil {
				return err
			}
		}
		return err
	})
}

const sweepChecks = `-- uptimedb.sweepChecks
DELETE FROM uptime_checks WHERE (site_id, at, location) IN (SELECT site_id, at, location FROM uptime_checks WHERE site_id = $1 LIMIT $2)`

const sweepDays = `-- uptimedb.sweepDays
DELETE FROM uptime_days WHERE (site_id, day, location) IN (SELECT site_id, day, location FROM uptime_days WHERE site_id = $1 LIMIT $2)`

const sweepCheckedDays = `-- uptimedb.sweepCheckedDays
DELETE FROM checked_days WHERE (site_id, stretch) IN (SELECT site_id, stretch FROM checked_days WHERE site_id = $1 LIMIT $2)`

const markSwept = `-- uptimedb.markSwept
UPDATE site_graves SET swept = true WHERE site_id = $1`

// sweepSite deletes the checks of a deleted site.
func (s *Store) sweepSite(ctx context.Context, number int64) error {
	for _, statement := range []string{sweepChecks, sweepDays, sweepCheckedDays} {
		err := s.sweep(ctx, "delete checks", db.RowsAtOnce, func(t Tx) (int64, error) {
			t.KeepsCaches = true
			return t.Changed(ctx, statement, number, db.RowsAtOnce)
		})
		if err != nil {
			return err
		}
	}
	return s.inTx(ctx, "mark site as swept", func(t Tx) error {
		t.KeepsCaches = true
		_, err := t.Exec(ctx, markSwept, number)
		return err
	})
}
