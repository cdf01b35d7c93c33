package releasedb

import (
	"cmp"
	"context"
	"database/sql"
	"time"

	"sett/internal/sett/release"
	"sett/internal/store/db"
)

// Named is a release that something names, with the events that did.
type Named struct {
	Key
	At          time.Time // when; the latest, if several did
	First, Last time.Time // of the events; zero: none
	Events      int64
}

const releasesThere = `-- releasedb.there
SELECT r.project_id, r.version FROM {{rows k(project_id bigint, version text)}} JOIN releases r ON r.project_id = k.project_id AND r.version = k.version`

// there returns which of some releases exist.
func (t Tx) there(ctx context.Context, keys []Key) (map[Key]bool, error) {
	there := map[Key]bool{}
	var projects []int64
	var versions []string
	for _, k := range keys {
		projects, versions = append(projects, k.ProjectID), append(versions, k.Version)
	}
	return there, t.EachRow(ctx, releasesThere, func(rows *sql.Rows) error {
		var k Key
		err := rows.Scan(&k.ProjectID, &k.Version)
		there[k] = true
		return err
	}, projects, versions)
}

const countReleases = `-- releasedb.count
SELECT count(*) FROM (SELECT 1 FROM releases WHERE project_id = $1 LIMIT $2) AS few`

// withoutRoom returns those of some releases that neither exist nor have room in their project.
func (t Tx) withoutRoom(ctx context.Context, keys []Key) (map[Key]bool, error) {
	there, err := t.there(ctx, keys)
	if err != nil {
		return nil, err
	}
	full, room := map[Key]bool{}, map[int64]int64{}
	for _, k := range keys {
		if there[k] {
			continue
		}
		if _, counted := room[k.ProjectID]; !counted {
			var n int64
			if err := t.QueryRowContext(ctx, t.s.db.Text(countReleases), k.ProjectID, release.MostPerProject).Scan(&n); err != nil {
				return nil, err
			}
			room[k.ProjectID] = release.MostPerProject - n
		}
		room[k.ProjectID]--
		full[k] = room[k.ProjectID] < 0
	}
	return full, nil
}

const noteReleases = `-- releasedb.Note
INSERT INTO releases (project_id, version, created_at, active_at, released_at, ref, url, first_seen_at, last_seen_at, events)
SELECT k.project_id, k.version, k.at, k.at, 0, '', '', k.first, k.last, k.events
FROM {{rows k(project_id bigint, version text, at bigint, first bigint, last bigint, events bigint)}} WHERE EXISTS (SELECT 1 FROM projects p WHERE p.id = k.project_id)
ON CONFLICT (project_id, version) DO UPDATE SET
    active_at = CASE WHEN releases.active_at > excluded.active_at THEN releases.active_at ELSE excluded.active_at END,
    created_at = CASE WHEN excluded.first_seen_at > 0 AND excluded.first_seen_at < releases.created_at THEN excluded.first_seen_at ELSE releases.created_at END,
    first_seen_at = CASE WHEN releases.first_seen_at = 0 OR excluded.first_seen_at > 0 AND excluded.first_seen_at < releases.first_seen_at
        THEN excluded.first_seen_at ELSE releases.first_seen_at END,
    last_seen_at = CASE WHEN releases.last_seen_at > excluded.last_seen_at THEN releases.last_seen_at ELSE excluded.last_seen_at END,
    events = releases.events + excluded.events`

// Note creates the releases that something names, or adds to them, and returns those for which there is no room; nothing is stored of
// these. Each release is to be named once.
func (t Tx) Note(ctx context.Context, named []Named) (full map[Key]bool, err error) {
	byKey := map[Key]Named{}
	for _, n := range named {
		byKey[n.Key] = n
	}
	keys := db.Sorted(byKey, compare)
	if full, err = t.withoutRoom(ctx, keys); err != nil {
		return nil, db.Wrap("find releases", err)
	}
	var projects, ats, firsts, lasts, events []int64
	var versions []string
	for _, k := range keys {
		if n := byKey[k]; !full[k] {
			projects, versions, ats = append(projects, k.ProjectID), append(versions, k.Version), append(ats, db.Micros(n.At))
			firsts, lasts, events = append(firsts, db.Micros(n.First)), append(lasts, db.Micros(n.Last)), append(events, n.Events)
		}
	}
	return full, db.Wrap("note releases", t.Each(ctx, noteReleases, projects, versions, ats, firsts, lasts, events))
}

// compare orders releases as all transactions lock them.
func compare(a, b Key) int {
	return cmp.Or(cmp.Compare(a.ProjectID, b.ProjectID), cmp.Compare(a.Version, b.Version))
}
