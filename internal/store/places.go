package store

import (
	"context"
	"database/sql"
	"strconv"
	"strings"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/store/db"
)

// Statements that find places by a pattern. Their lists are of the projects that the user can see, or of the user's accounts.
const (
	namedProjects = `-- store.named projects
SELECT CAST(p.id AS text), p.name, '', p.id, p.account_id FROM projects p WHERE p.name {{like}} $1 ESCAPE '\' AND p.id IN `
	byProjectName = ` ORDER BY p.name, p.id LIMIT $2`

	// However many errors there are, no more than the newest are read: the sum keeps SQLite from reading all of a project by its index.
	namedFaults = `-- store.named faults
SELECT CAST(f.id AS text), f.class, f.message, f.project_id, '' FROM faults f WHERE f.id > (SELECT coalesce(max(id), 0) FROM faults) - 20000
    AND (f.class {{like}} $1 ESCAPE '\' OR f.message {{like}} $1 ESCAPE '\') AND f.project_id + 0 IN `
	newestFaults = ` ORDER BY f.id DESC LIMIT $2`

	// An error says more messages than its first. Those of the errors that were merged into it are its own.
	saidFaults = `-- store.said faults
SELECT CAST(v.id AS text), v.class, v.said, v.project_id, '' FROM (SELECT f.id, f.class, f.project_id, coalesce(
    (SELECT s.message FROM fault_messages s WHERE s.project_id = f.project_id AND s.part_id = f.id AND s.last_id > 0 AND s.message {{like}} $1 ESCAPE '\' LIMIT 1),
    (SELECT s.message FROM merged_faults p JOIN fault_messages s ON s.project_id = p.project_id AND s.part_id = p.id
        WHERE p.into_id = f.id AND s.last_id > 0 AND s.message {{like}} $1 ESCAPE '\' LIMIT 1)) AS said
    FROM faults f WHERE f.id > (SELECT coalesce(max(id), 0) FROM faults) - 2000
        AND NOT (f.class {{like}} $1 ESCAPE '\' OR f.message {{like}} $1 ESCAPE '\')) v WHERE v.said IS NOT NULL AND v.project_id IN `
	newestSaid = ` ORDER BY v.id DESC LIMIT $2`

	faultNumber = `-- store.fault by number
SELECT CAST(f.id AS text), f.class, f.message, f.project_id, '' FROM faults f WHERE CAST(f.id AS text) = $1 AND f.id = CAST($1 AS bigint) AND f.project_id IN `

	namedSites = `-- store.named sites
SELECT s.uuid, s.name, '', s.project_id, '' FROM sites s WHERE s.name {{like}} $1 ESCAPE '\' AND s.project_id IN ` // URLs are encrypted
	bySiteName = ` ORDER BY s.name, s.id LIMIT $2`

	namedCheckIns = `-- store.named check-ins
SELECT c.id, coalesce(nullif(c.name, ''), c.slug), '', c.project_id, '' FROM check_ins c
WHERE (c.name {{like}} $1 ESCAPE '\' OR c.slug {{like}} $1 ESCAPE '\') AND c.project_id IN `
	byCheckInName = ` ORDER BY 2, c.number LIMIT $2`

	namedStatusPages = `-- store.named status pages
SELECT p.id, p.name, '', 0, p.account_id FROM status_pages p WHERE p.name {{like}} $1 ESCAPE '\' AND p.account_id IN `
	byPageName = ` ORDER BY p.name, p.number LIMIT $2`

	namedPeople = `-- store.named people
SELECT CAST(u.id AS text), u.name, u.email, 0, m.account_id FROM memberships m JOIN users u ON u.id = m.user_id
WHERE (u.name {{like}} $1 ESCAPE '\' OR u.email {{like}} $1 ESCAPE '\') AND m.account_id IN `
	byPersonName = ` ORDER BY u.name, u.id LIMIT $2`
)

// Places returns what a user can see whose name contains a text, at most so many of each kind; an error also by any of its messages, or its number. An empty
// text finds nothing.
func (s *Store) Places(ctx context.Context, userID int64, text string, most int) (found []sett.Place, err error) {
	if text = strings.TrimSpace(text); text == "" {
		return nil, nil
	}
	projects, err := s.Accounts.VisibleProjectIDs(ctx, userID)
	if err != nil {
		return nil, err
	}
	named, err := s.Accounts.NamedAccounts(ctx, userID)
	if err != nil {
		return nil, err
	}
	var all []string
	for _, a := range named {
		if (accounts.Scope{Role: a.Role}).May(accounts.ReadAccount) {
			all = append(all, a.ID)
		}
	}
	err = s.Snapshot(ctx, "find places", func(q db.Querier) error {
		f := placeFinder{s, q, db.Containing(text), most, projects, all, &found}
		if _, err := strconv.ParseInt(text, 10, 64); err == nil {
			if err := f.find(ctx, sett.ErrorPlace, faultNumber, "", text); err != nil {
				return err
			}
		}
		for _, part := range []struct {
			kind             sett.PlaceKind
			statement, order string
		}{
			{sett.ProjectPlace, namedProjects, byProjectName},
			{sett.ErrorPlace, namedFaults, newestFaults},
			{sett.ErrorPlace, saidFaults, newestSaid},
			{sett.SitePlace, namedSites, bySiteName},
			{sett.CheckInPlace, namedCheckIns, byCheckInName},
			{sett.StatusPagePlace, namedStatusPages, byPageName},
			{sett.PersonPlace, namedPeople, byPersonName},
		} {
			if err := f.find(ctx, part.kind, part.statement, part.order, f.pattern, f.left(part.kind)); err != nil {
				return err
			}
		}
		return nil
	})
	return found, err
}

// placeFinder runs the statements of Places.
type placeFinder struct {
	s        *Store
	q        db.Querier
	pattern  string
	most     int
	projects []int64
	accounts []string
	found    *[]sett.Place
}

// left returns how many more of a kind may be found.
func (f *placeFinder) left(kind sett.PlaceKind) int64 {
	left := f.most
	for _, p := range *f.found {
		if p.Kind == kind {
			left--
		}
	}
	return int64(max(left, 0))
}

func (f *placeFinder) find(ctx context.Context, kind sett.PlaceKind, statement, order string, args ...any) error {
	list, ids := db.In(f.s.DB, len(args)+1, f.projects)
	if kind == sett.StatusPagePlace || kind == sett.PersonPlace {
		list, ids = db.In(f.s.DB, len(args)+1, f.accounts)
	}
	rows, err := f.q.QueryContext(ctx, f.s.Text(statement+list+order), append(args, ids...)...)
	return db.ScanAll(rows, err, func(rows *sql.Rows) error {
		p := sett.Place{Kind: kind}
		var id []byte
		err := rows.Scan(&id, &p.Name, &p.Detail, &p.ProjectID, &p.AccountID)
		if p.ID = string(id); kind == sett.SitePlace && err == nil {
			p.ID = sett.UUID(id).String()
		}
		*f.found = append(*f.found, p)
		return err
	})
}
