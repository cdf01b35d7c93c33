package statusdb

import (
	"context"
	"database/sql"
	"errors"
	"slices"
	"time"

	"sett/internal/sett/status"
	"sett/internal/store/db"
)

const PagesShowingSites = `-- statusdb.pagesShowingSites
SELECT DISTINCT c.page FROM {{rows k(site_id bigint)}} JOIN status_components c ON c.site_id = k.site_id`

const PagesShowingCheckIns = `-- statusdb.pagesShowingCheckIns
SELECT DISTINCT c.page FROM {{rows k(check_in bigint)}} JOIN status_components c ON c.check_in = k.check_in`

// EvaluateShowing runs evaluateStatusPages for the pages that show the sites, or check-ins, with these numbers, in the transaction that changed
// their state. If no page shows them, it does nothing.
func (t Tx) EvaluateShowing(ctx context.Context, now time.Time, statement string, numbers []int64) error {
	var pages []int64
	if err := t.EachRow(ctx, statement, db.ScanID(func(page int64) { pages = append(pages, page) }), numbers); err != nil {
		return db.Wrap("find status pages", err)
	}
	return t.evaluateStatusPages(ctx, now, pages...)
}

// evaluateStatusPages evaluates the rule of automatic incidents for pages after something that they show has changed, stores the result, and
// bumps their revisions. It locks pages in the order of their numbers, and after all other locks, to avoid deadlocks; later transactions
// see the results of earlier ones.
func (t Tx) evaluateStatusPages(ctx context.Context, now time.Time, numbers ...int64) error {
	numbers = slices.Compact(slices.Sorted(slices.Values(numbers)))
	for _, number := range numbers {
		if err := t.evaluateStatusPage(ctx, now, number); err != nil {
			return db.Wrap("evaluate status page", err)
		}
	}
	return t.BumpPageRevisions(ctx, numbers...)
}

const holdStatusPage = `-- statusdb.holdStatusPage
SELECT number FROM status_pages WHERE number = $1 {{for no key update}}`

const statusPageByNumber = statusPagesOf + "WHERE number = $1"

const incidentsToEvaluate = incidentRows + "WHERE i.page = $1 AND (i.resolved_at = 0 OR i.resolved_at > $2) ORDER BY i.id"

func (t Tx) evaluateStatusPage(ctx context.Context, now time.Time, number int64) error {
	switch err := t.QueryRowContext(ctx, t.s.db.Text(holdStatusPage), number).Scan(new(int64)); {
	case errors.Is(err, sql.ErrNoRows): // the page was deleted
		return nil
	case err != nil:
		return err
	}
	page, err := t.s.statusPage(ctx, t, statusPageByNumber, number)
	if err != nil {
		return err
	}
	components, since, err := t.componentsToWatch(ctx, now, number)
	if err != nil {
		return err
	}
	incidents, err := t.s.statusIncidents(ctx, t, incidentsToEvaluate, number, db.Micros(since))
	if err != nil {
		return err
	}
	i, u, changed := page.Watch(components, incidents, now)
	if !changed {
		return nil
	}
	_, err = t.WriteIncident(ctx, number, i, u)
	return err
}

// A check-in that is down has been so since its last turn, which is kept as long as that lasts; its events are not.
const downTimes = `-- statusdb.downTimes
SELECT c.id, coalesce(st.changed_at, (SELECT t.at FROM check_in_turns t WHERE t.check_in = ci.number ORDER BY t.id DESC LIMIT 1), 0)
FROM status_components c LEFT JOIN site_states st ON st.site_id = c.site_id LEFT JOIN check_ins ci ON ci.number = c.check_in
WHERE c.page = $1`

// componentsToWatch returns the components of a page, and since when the earliest of those that are down is down.
func (t Tx) componentsToWatch(ctx context.Context, now time.Time, number int64) (found []status.ComponentWatch, since time.Time, err error) {
	of, err := t.s.statusComponents(ctx, t, []int64{number})
	if err != nil {
		return nil, since, err
	}
	down := map[int64]time.Time{}
	rows, err := t.QueryContext(ctx, t.s.db.Text(downTimes), number)
	err = db.ScanAll(rows, err, func(rows *sql.Rows) error {
		var id, at int64
		err := rows.Scan(&id, &at)
		down[id] = db.FromMicros(at)
		return err
	})
	since = now
	for _, c := range of[number] {
		w := status.ComponentWatch{ComponentView: c.ComponentView}
		if w.State == status.ComponentDown {
			if w.DownAt = down[c.ID]; w.DownAt.Before(since) {
				since = w.DownAt
			}
		}
		found = append(found, w)
	}
	return found, since, err
}
