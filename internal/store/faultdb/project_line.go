package faultdb

import (
	"context"
	"database/sql"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/stats"
	"sett/internal/store/accountdb"
	"sett/internal/store/db"
)

// ProjectPulses returns a page of the projects that a user can see with their state, and its cursors, as ListProjects does. A page takes
// as many statements as one project.
func (s *Store) ProjectPulses(ctx context.Context, now time.Time, userID int64, f accountdb.ProjectFilter) (lines []stats.ProjectLine, marks sett.Marks, err error) {
	var at int64
	statement := accountdb.ListProjects
	if f.Back {
		statement = accountdb.ListProjectsBack
	}
	if f.Mark != "" {
		if err := db.ParseMark(f.Mark, &at); err != nil {
			return nil, sett.Marks{}, err
		}
	}
	err = s.db.Snapshot(ctx, "list projects with their state", func(q db.Querier) error {
		if err := s.account.CheckAccount(ctx, q, userID, f.AccountID); err != nil {
			return err
		}
		skip, most := f.Rows()
		ids, err := s.db.ListIDs(ctx, q, statement, userID, f.AccountID, at, most, skip, db.Containing(f.Named))
		if err != nil {
			return err
		}
		ids, marks = sett.Cut(f.Page, ids, func(id int64) string { return db.FormatMark(id) })
		lines, err = s.projectLines(ctx, q, now, userID, ids)
		return err
	})
	return lines, marks, err
}

// lineReader builds the lines of projects.
type lineReader struct {
	s     *Store
	q     db.Querier
	now   time.Time
	user  int64
	ids   []int64
	lines []stats.ProjectLine
	byID  map[int64]*stats.ProjectLine
}

// projectLines returns the state of the projects with the given ids, in the order of their ids; Mine counts the faults assigned to the
// user.
func (s *Store) projectLines(ctx context.Context, q db.Querier, now time.Time, userID int64, ids []int64) ([]stats.ProjectLine, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	r := &lineReader{s: s, q: q, now: now, user: userID, ids: ids, byID: map[int64]*stats.ProjectLine{}}
	for _, part := range []func(context.Context) error{r.names, r.open, r.deploys, r.fresh, r.mine, r.hours, r.sites, r.checkIns} {
		if err := part(ctx); err != nil {
			return nil, err
		}
	}
	return r.lines, nil
}

// each runs a statement that ends where a list of projects is inserted, and calls scan for every row.
func (r *lineReader) each(ctx context.Context, statement, rest string, scan func(*sql.Rows) error, args ...any) error {
	list, ids := db.In(r.s.db, len(args)+1, r.ids)
	rows, err := r.q.QueryContext(ctx, r.s.db.Text(statement+list+rest), append(args, ids...)...)
	return db.ScanAll(rows, err, scan)
}

// count runs a statement like each whose rows are a project and a number.
func (r *lineReader) count(ctx context.Context, statement string, of func(*stats.ProjectLine) *int64, args ...any) error {
	return r.each(ctx, statement, " GROUP BY project_id", func(rows *sql.Rows) error {
		var project, n int64
		err := rows.Scan(&project, &n)
		*of(r.byID[project]) = n
		return err
	}, args...)
}

const lineNames = `-- faultdb.line names
SELECT id, account_id, name, active FROM projects WHERE id IN `

func (r *lineReader) names(ctx context.Context) error {
	err := r.each(ctx, lineNames, " ORDER BY id", func(rows *sql.Rows) error {
		var l stats.ProjectLine
		err := rows.Scan(&l.ID, &l.AccountID, &l.Name, &l.Active)
		r.lines = append(r.lines, l)
		return err
	})
	for i := range r.lines {
		l := &r.lines[i]
		l.Hours, r.byID[l.ID] = make([]int64, 24), l
	}
	return err
}

const lineOpen = `-- faultdb.line open faults
SELECT project_id, count(*) FROM faults WHERE resolved = false AND ignored = false AND project_id IN `

func (r *lineReader) open(ctx context.Context) error {
	return r.count(ctx, lineOpen, func(l *stats.ProjectLine) *int64 { return &l.Unresolved })
}

const lineMine = `-- faultdb.line assigned faults
SELECT project_id, count(*) FROM faults WHERE assignee_id IN ` + AssigneesOf + ` AND resolved = false AND ignored = false AND project_id IN `

func (r *lineReader) mine(ctx context.Context) error {
	return r.count(ctx, lineMine, func(l *stats.ProjectLine) *int64 { return &l.Mine }, r.user)
}

const lineDeploys = `-- faultdb.line deploys
SELECT id, project_id, environment, revision, repository, local_username, created_at FROM deploys WHERE id IN (
    SELECT (SELECT d.id FROM deploys d WHERE d.project_id = p.id ORDER BY d.created_at DESC, d.id DESC LIMIT 1)
    FROM projects p WHERE p.id IN `

func (r *lineReader) deploys(ctx context.Context) error {
	list, args := db.In(r.s.db, 1, r.ids)
	found, err := r.s.deploys(ctx, r.q, lineDeploys+list+")", args...)
	for _, d := range found {
		l := r.byID[d.ProjectID]
		l.LastDeploy = &d
	}
	return err
}

const (
	// By environment: faults since the time from which they count as new in environments without a deploy.
	lineNew = `-- faultdb.line new faults
SELECT k.project_id, f.environment, count(*) FROM {{rows k(project_id bigint, since bigint)}} CROSS JOIN faults f
WHERE f.project_id = k.project_id AND f.resolved = false AND f.ignored = false AND f.created_at >= k.since GROUP BY k.project_id, f.environment`

	lineNewSinceDeploy = `-- faultdb.line new faults since deploys
SELECT k.project_id, count(*) FROM {{rows k(project_id bigint, environment text, since bigint)}} CROSS JOIN faults f
WHERE f.project_id = k.project_id AND f.resolved = false AND f.ignored = false AND f.created_at >= k.since AND f.environment = k.environment
GROUP BY k.project_id`
)

func (r *lineReader) fresh(ctx context.Context) error {
	fresh, err := r.s.NewFaultsOf(ctx, r.q, r.ids, r.now)
	if err != nil {
		return err
	}
	var whole, apart newRows
	for _, l := range r.lines {
		n := fresh[l.ID]
		r.byID[l.ID].Deployed = n.Deployed("", r.now)
		whole.add(l.ID, "", n.Since)
		for environment, at := range n.In {
			apart.add(l.ID, environment, at)
		}
	}
	err = r.s.db.ReadRows(ctx, r.q, lineNew, func(rows *sql.Rows) error {
		var project, n int64
		var environment string
		err := rows.Scan(&project, &environment, &n)
		if _, deployed := fresh[project].In[environment]; !deployed {
			r.byID[project].New += n
		}
		return err
	}, whole.projects, whole.since)
	if err != nil {
		return err
	}
	return r.s.db.ReadRows(ctx, r.q, lineNewSinceDeploy, func(rows *sql.Rows) error {
		var project, n int64
		err := rows.Scan(&project, &n)
		r.byID[project].New += n
		return err
	}, apart.projects, apart.environments, apart.since)
}

// newRows holds the times since which faults of projects and environments count as new.
type newRows struct {
	projects, since []int64
	environments    []string
}

func (n *newRows) add(project int64, environment string, since time.Time) {
	n.projects, n.environments, n.since = append(n.projects, project), append(n.environments, environment), append(n.since, db.Micros(since))
}

func (r *lineReader) hours(ctx context.Context) error {
	starts := stats.PastDay.Starts(r.now)
	return r.s.projectHours(ctx, r.q, starts, r.ids, func(project, at, n int64) {
		r.byID[project].Hours[(at-starts[0])/Hour] += n
	})
}

const projectHours = `-- faultdb.projectHours
SELECT project_id, at, count FROM project_buckets WHERE width = $1 AND at IN `

// projectHours calls add with the number of notices that projects had in some hours, by environment.
func (s *Store) projectHours(ctx context.Context, q db.Querier, starts, projects []int64, add func(project, at, n int64)) error {
	times, ats := db.In(s.db, 2, starts)
	list, ids := db.In(s.db, 2+len(ats), projects)
	rows, err := q.QueryContext(ctx, projectHours+times+" AND project_id IN "+list, append(append([]any{Hour}, ats...), ids...)...)
	return db.ScanAll(rows, err, func(rows *sql.Rows) error {
		var project, at, n int64
		err := rows.Scan(&project, &at, &n)
		if err == nil {
			add(project, at, n)
		}
		return err
	})
}

const lineSites = `-- faultdb.line sites
SELECT s.project_id, s.active, st.state, count(*) FROM sites s JOIN site_states st ON st.site_id = s.id WHERE s.project_id IN `

func (r *lineReader) sites(ctx context.Context) error {
	return r.each(ctx, lineSites, " GROUP BY s.project_id, s.active, st.state", func(rows *sql.Rows) error {
		var project, n int64
		var active bool
		var state sett.SiteState
		err := rows.Scan(&project, &active, &state, &n)
		if err == nil {
			r.byID[project].AddSites(active, state, n)
		}
		return err
	})
}

const lineCheckIns = `-- faultdb.line check-ins
SELECT project_id, state, expected_at > 0 AND expected_at < $1, count(*) FROM check_ins WHERE project_id IN `

func (r *lineReader) checkIns(ctx context.Context) error {
	return r.each(ctx, lineCheckIns, " GROUP BY 1, 2, 3", func(rows *sql.Rows) error {
		var project, n int64
		var late bool
		var state sett.CheckInState
		err := rows.Scan(&project, &state, &late, &n)
		if err == nil {
			r.byID[project].AddCheckIns(state, late, n)
		}
		return err
	}, db.Micros(r.now))
}
