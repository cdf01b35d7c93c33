package accountdb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/store/db"
)

// An ignored fault that is not resolved counts as unresolved: the two flags are independent, and only users and deploys resolve.
var (
	projectRows      = projectColumns + countsOfProject + restOfProject
	uncountedProject = projectColumns + "0, 0," + restOfProject
)

var projectColumns = `-- accountdb.projects
SELECT ` + noSettings.Of("p") + `, p.id, p.account_id, p.active, p.created_at, coalesce(p.earliest_notice_at, 0),
    coalesce((SELECT max(c.last_notice_at) FROM fault_counts c WHERE c.project_id = p.id), 0),
    `

const countsOfProject = `(SELECT count(*) FROM faults f WHERE f.project_id = p.id),
    (SELECT count(*) FROM faults f WHERE f.project_id = p.id AND NOT f.resolved),`

const restOfProject = `
    coalesce((SELECT k.key FROM project_keys k WHERE k.project_id = p.id` + firstKey + ` LIMIT 1), ''),
    o.id, o.email, o.name
FROM projects p LEFT JOIN users o ON o.id = p.owner_id WHERE p.id IN `

// countFaults says whether projects are read with the counts of their faults. Counting reads each fault, and most pages do not show the counts.
type countFaults bool

const (
	withCounts    countFaults = true
	withoutCounts countFaults = false
)

// projects returns the projects with the given ids in the order of their ids. A page of projects takes as many statements as one project.
func (s *Store) projects(ctx context.Context, q db.Querier, ids []int64, counts countFaults) ([]accounts.Project, error) {
	r := &projectReader{s: s, q: q}
	r.list, r.args = db.In(s.db, 1, ids)
	statement := projectRows
	if counts == withoutCounts {
		statement = uncountedProject
	}
	rows, err := q.QueryContext(ctx, s.db.Text(statement+r.list+" ORDER BY p.id"), r.args...)
	if err := db.ScanAll(rows, err, r.scanner()); err != nil {
		return nil, fmt.Errorf("read projects: %w", err)
	}
	r.byID = make(map[int64]*accounts.Project, len(r.projects))
	for i := range r.projects {
		r.byID[r.projects[i].ID] = &r.projects[i]
	}
	for _, part := range []func(context.Context) error{r.environments, r.sites, r.teams, r.users} {
		if err := part(ctx); err != nil {
			return nil, fmt.Errorf("read parts of projects: %w", err)
		}
	}
	return r.projects, nil
}

// projectReader builds projects from their rows and other tables.
type projectReader struct {
	s        *Store
	q        db.Querier
	list     string // of parameters, for IN
	args     []any
	projects []accounts.Project
	byID     map[int64]*accounts.Project
}

// scanner returns a function that adds the project of a row.
func (r *projectReader) scanner() func(*sql.Rows) error {
	var p accounts.Project
	var owner sql.NullInt64
	var email, name sql.NullString
	into := append(settingsOf(&p.ProjectSettings).Into(), &p.ID, &p.AccountID, &p.Active, db.TimeIn(&p.CreatedAt), db.TimeIn(&p.EarliestNoticeAt),
		db.TimeIn(&p.LastNoticeAt), &p.FaultCount, &p.UnresolvedCount, &p.Token, &owner, &email, &name)
	return func(rows *sql.Rows) error {
		err := rows.Scan(into...)
		p.Owner = nil
		if owner.Valid {
			p.Owner = &sett.Person{ID: owner.Int64, Email: email.String, Name: name.String}
		}
		r.projects = append(r.projects, p)
		return err
	}
}

// each runs a statement that ends where the list of projects is inserted and has the project's id as its first column. It calls add for
// every row, after scanning the other columns into dst.
func (r *projectReader) each(ctx context.Context, statement, rest string, add func(*accounts.Project), dst ...any) error {
	rows, err := r.q.QueryContext(ctx, r.s.db.Text(statement+r.list+rest), r.args...)
	return db.ScanAll(rows, err, func(rows *sql.Rows) error {
		var id int64
		if err := rows.Scan(append([]any{&id}, dst...)...); err != nil {
			return err
		}
		add(r.byID[id])
		return nil
	})
}

const projectTeams = `-- accountdb.projects teams
SELECT tp.project_id, t.id, t.name FROM team_projects tp JOIN teams t ON t.id = tp.team_id WHERE tp.project_id IN `

func (r *projectReader) teams(ctx context.Context) error {
	var team accounts.TeamName
	return r.each(ctx, projectTeams, " ORDER BY t.id", func(p *accounts.Project) {
		p.Teams = append(p.Teams, team)
	}, &team.ID, &team.Name)
}

const projectUsers = `-- accountdb.projects users
SELECT p.id, u.id, u.email, u.name FROM projects p JOIN memberships m ON m.account_id = p.account_id
JOIN users u ON u.id = m.user_id WHERE ` + SeenBy + ` AND p.id IN `

// users adds the users who can see the project.
func (r *projectReader) users(ctx context.Context) error {
	var user sett.Person
	return r.each(ctx, projectUsers, " ORDER BY u.id", func(p *accounts.Project) {
		p.Users = append(p.Users, user)
	}, &user.ID, &user.Email, &user.Name)
}

const projectSites = `-- accountdb.projects sites
SELECT s.project_id, s.uuid, s.name, s.url, s.active, st.state, st.last_checked_at
FROM sites s JOIN site_states st ON st.site_id = s.id WHERE s.project_id IN `

// sites adds the sites in order of creation.
func (r *projectReader) sites(ctx context.Context) error {
	var site accounts.SiteSummary
	var id []byte
	var checked int64
	var unread error
	err := r.each(ctx, projectSites, " ORDER BY s.id", func(p *accounts.Project) {
		site.ID, site.LastCheckedAt = sett.UUID(id), db.FromMicros(checked)
		var err error
		site.URL, err = r.s.db.Reveal(SealedURL, site.URL, site.ID)
		unread = errors.Join(unread, err)
		p.Sites = append(p.Sites, site)
	}, &id, &site.Name, &site.URL, &site.Active, &site.State, &checked)
	return errors.Join(err, unread)
}
