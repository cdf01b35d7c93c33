package statusdb

import (
	"context"
	"database/sql"
	"fmt"
	"slices"

	"sett/internal/sett"
	"sett/internal/sett/status"
	"sett/internal/store/db"
)

const sitesOfAccount = `-- statusdb.sitesOfAccount
SELECT s.uuid FROM sites s JOIN site_states st ON st.site_id = s.id WHERE s.project_id IN (SELECT p.id FROM projects p WHERE p.account_id = $1 AND NOT p.deleting) AND s.uuid IN `

const checkInsOfAccount = `-- statusdb.checkInsOfAccount
SELECT c.id FROM check_ins c WHERE c.project_id IN (SELECT p.id FROM projects p WHERE p.account_id = $1 AND NOT p.deleting) AND c.id IN `

// knownComponents returns which of the sites and check-ins belong to projects of an account. Until the transaction ends, it prevents
// their deletion and changes of their state: a transaction that changes one looks for the pages that show it, and would not see this page
// yet.
func (t Tx) knownComponents(ctx context.Context, accountID string, named status.KnownComponents) (known status.KnownComponents, err error) {
	var keys [][]byte
	for _, id := range named.Sites {
		keys = append(keys, id[:])
	}
	list, args := db.In(t.s.db, 2, keys)
	rows, err := t.QueryContext(ctx, t.s.db.Text(sitesOfAccount+list+" ORDER BY s.id {{for share of st}} {{for key share of s}}"), append([]any{accountID}, args...)...)
	err = db.ScanAll(rows, err, func(rows *sql.Rows) error {
		var id []byte
		err := rows.Scan(&id)
		known.Sites = append(known.Sites, sett.UUID(id))
		return err
	})
	if err != nil {
		return known, fmt.Errorf("look for sites: %w", err)
	}
	list, args = db.In(t.s.db, 2, named.CheckIns)
	rows, err = t.QueryContext(ctx, t.s.db.Text(checkInsOfAccount+list+" ORDER BY c.number {{for share}}"), append([]any{accountID}, args...)...)
	err = db.ScanAll(rows, err, func(rows *sql.Rows) error {
		var id string
		err := rows.Scan(&id)
		known.CheckIns = append(known.CheckIns, id)
		return err
	})
	return known, db.Wrap("look for check-ins", err)
}

const deleteComponents = `-- statusdb.deleteComponents
DELETE FROM status_components WHERE id IN (SELECT k.id FROM {{rows k(id bigint)}})`

const updateComponents = `-- statusdb.updateComponents
UPDATE status_components SET position = k.position, display_name = k.display_name, description = k.description, group_name = k.group_name
FROM {{rows k(id bigint, position bigint, display_name text, description text, group_name text)}} WHERE status_components.id = k.id`

const insertSiteComponents = `-- statusdb.insertSiteComponents
INSERT INTO status_components (page, position, site_id, display_name, description, group_name)
SELECT k.page, k.position, s.id, k.display_name, k.description, k.group_name
FROM {{rows k(page bigint, uuid bytea, position bigint, display_name text, description text, group_name text)}} JOIN sites s ON s.uuid = k.uuid`

const insertCheckInComponents = `-- statusdb.insertCheckInComponents
INSERT INTO status_components (page, position, check_in, display_name, description, group_name)
SELECT k.page, k.position, c.number, k.display_name, k.description, k.group_name
FROM {{rows k(page bigint, id text, position bigint, display_name text, description text, group_name text)}} JOIN check_ins c ON c.id = k.id`

// writeComponents changes the components of a page to the wanted ones, in order.
func (t Tx) writeComponents(ctx context.Context, page int64, have, want []status.StatusComponent) error {
	var w componentWrites
	for _, c := range have {
		if !slices.ContainsFunc(want, func(w status.StatusComponent) bool { return w.ID == c.ID }) {
			w.gone = append(w.gone, c.ID)
		}
	}
	for i, c := range want {
		w.add(page, int64(i), c)
	}
	return db.Wrap("write components", t.EachOf(ctx, w.statements()))
}

// componentWrites holds the components of a page that are written together.
type componentWrites struct {
	gone                  []int64
	kept, sites, checkIns componentColumns
}

type componentColumns struct {
	pages, ids, positions []int64
	uuids                 [][]byte
	checkIns              []string
	names, descriptions   []string
	groups                []string
}

func (w *componentWrites) add(page, position int64, c status.StatusComponent) {
	to := &w.checkIns
	switch {
	case c.ID > 0:
		to = &w.kept
	case c.IsSite():
		to = &w.sites
	}
	to.pages, to.ids, to.positions = append(to.pages, page), append(to.ids, c.ID), append(to.positions, position)
	to.uuids, to.checkIns = append(to.uuids, c.SiteID[:]), append(to.checkIns, c.CheckInID)
	to.names, to.descriptions, to.groups = append(to.names, c.DisplayName), append(to.descriptions, c.Description), append(to.groups, c.Group)
}

func (w *componentWrites) statements() []db.RowsStatement {
	k, s, c := w.kept, w.sites, w.checkIns
	return []db.RowsStatement{
		{Text: deleteComponents, Columns: []any{w.gone}},
		{Text: updateComponents, Columns: []any{k.ids, k.positions, k.names, k.descriptions, k.groups}},
		{Text: insertSiteComponents, Columns: []any{s.pages, s.uuids, s.positions, s.names, s.descriptions, s.groups}},
		{Text: insertCheckInComponents, Columns: []any{c.pages, c.checkIns, c.positions, c.names, c.descriptions, c.groups}},
	}
}
