package store

import (
	"context"
	"database/sql"
	"fmt"

	"sett/internal/sett"
	"sett/internal/store/db"
)

// Reports make the environments that they name, as long as their project has room for them. What is known of an
// environment is believed for a minute, so that a batch whose environments all came lately takes no statement.

const knownEnvironments = `-- store.knownEnvironments
SELECT e.project_id, e.name FROM {{rows k(project_id bigint, name text)}} JOIN environments e ON e.project_id = k.project_id AND e.name = k.name`

const addEnvironments = `-- store.addEnvironments
INSERT INTO environments (project_id, name, notifications, created_at, updated_at)
SELECT k.project_id, k.name, true, k.at, k.at FROM {{rows k(project_id bigint, name text, at bigint)}} WHERE true
ON CONFLICT (project_id, name) DO NOTHING`

// placeInEnvironments moves the reports to sett.OtherEnvironment that name an environment for which there is no room.
func (b *batch) placeInEnvironments(ctx context.Context) error {
	b.seen.environments, b.fresh = map[environmentKey]seenEnvironment{}, map[environmentKey]bool{}
	if err := b.settleEnvironments(ctx, b.unknownEnvironments()); err != nil {
		return fmt.Errorf("find room for environments: %w", err)
	}
	others := map[environmentKey]bool{}
	for _, i := range b.live {
		if r := b.in.Reports[i]; b.environmentOf(r).full {
			r.Collect()
			others[environmentKey{r.ProjectID, r.Environment}] = true
		}
	}
	var asked []environmentKey
	for k := range others {
		if known := b.known(k); !known {
			asked = append(asked, k)
		}
	}
	return b.settleEnvironments(ctx, asked)
}

// environmentOf returns what is known of a report's environment.
func (b *batch) environmentOf(r *Packed) seenEnvironment {
	return b.seen.environments[environmentKey{r.ProjectID, r.Environment}]
}

// known reports whether it is known what becomes of an environment, and notes it for the batch.
func (b *batch) known(k environmentKey) bool {
	if _, noted := b.seen.environments[k]; noted {
		return true
	}
	e, ok := b.s.seen.environment(k, b.now.Unix()/minute)
	if ok {
		b.seen.environments[k] = e
	}
	return ok
}

// unknownEnvironments returns the environments of reports that are not known, in the order of their reports.
func (b *batch) unknownEnvironments() (unknown []environmentKey) {
	asked := map[environmentKey]bool{}
	for _, i := range b.live {
		k := environmentKey{b.in.Reports[i].ProjectID, b.in.Reports[i].Environment}
		if !asked[k] && !b.known(k) {
			asked[k], unknown = true, append(unknown, k)
		}
	}
	return unknown
}

// settleEnvironments looks which environments there are, and for which of the others there is room.
func (b *batch) settleEnvironments(ctx context.Context, asked []environmentKey) error {
	there, err := b.t.environmentsThere(ctx, asked)
	if err != nil {
		return err
	}
	now, room := b.now.Unix()/minute, environmentRoom{}
	for _, k := range asked {
		full := false
		if !there[k] {
			if full, err = room.full(ctx, b.t, k); err != nil {
				return err
			}
			b.fresh[k] = !full
		}
		b.seen.environments[k] = seenEnvironment{now, full}
	}
	return nil
}

// environmentsThere returns those of some environments that there are.
func (t *tx) environmentsThere(ctx context.Context, asked []environmentKey) (map[environmentKey]bool, error) {
	there := map[environmentKey]bool{}
	var projects []int64
	var names []string
	for _, k := range asked {
		projects, names = append(projects, k.project), append(names, k.name)
	}
	return there, t.EachRow(ctx, knownEnvironments, func(rows *sql.Rows) error {
		var k environmentKey
		err := rows.Scan(&k.project, &k.name)
		there[k] = true
		return err
	}, projects, names)
}

// environmentRoom is how many environments projects may have more, by their ids.
type environmentRoom map[int64]int64

const countEnvironments = `-- store.countEnvironments
SELECT count(*) FROM (SELECT 1 FROM environments WHERE project_id = $1 LIMIT $2) AS few`

// full reports whether there is no room for an environment, and takes room for it where there is.
func (r environmentRoom) full(ctx context.Context, t *tx, k environmentKey) (bool, error) {
	if sett.AlwaysEnvironment(k.name) {
		return false, nil
	}
	if _, counted := r[k.project]; !counted {
		var n int64
		if err := t.QueryRowContext(ctx, t.s.Text(countEnvironments), k.project, sett.MostEnvironments).Scan(&n); err != nil {
			return false, fmt.Errorf("count environments: %w", err)
		}
		r[k.project] = sett.MostEnvironments - n
	}
	r[k.project]--
	return r[k.project] < 0, nil
}

// noteEnvironments makes the environments that stored notices are the first to name.
func (b *batch) noteEnvironments(ctx context.Context) error {
	if len(b.fresh) == 0 {
		return nil
	}
	var projects, ats []int64
	var names []string
	for _, i := range b.live {
		k := environmentKey{b.in.Reports[i].ProjectID, b.in.Reports[i].Environment}
		if b.fresh[k] {
			b.fresh[k] = false
			projects, names, ats = append(projects, k.project), append(names, k.name), append(ats, db.Micros(b.now))
		}
	}
	b.forgetUnmade()
	return b.t.Each(ctx, addEnvironments, projects, names, ats)
}

// forgetUnmade forgets the environments that nothing was stored in, so that the next notice looks for them again.
func (b *batch) forgetUnmade() {
	for k, unmade := range b.fresh {
		if unmade {
			delete(b.seen.environments, k)
		}
	}
}

// roomFor returns the environment that a deploy is recorded with which names one, and whether that is to be made.
func (t *tx) roomFor(ctx context.Context, projectID int64, named string) (name string, fresh bool, err error) {
	if named == "" {
		return "", false, nil
	}
	k := environmentKey{projectID, named}
	there, err := t.environmentsThere(ctx, []environmentKey{k})
	if err != nil || there[k] {
		return named, false, db.Wrap("find environment", err)
	}
	full, err := environmentRoom{}.full(ctx, t, k)
	if full {
		named = sett.OtherEnvironment
	}
	return named, true, err
}
