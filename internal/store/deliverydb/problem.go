package deliverydb

import (
	"cmp"
	"context"
	"database/sql"
	"strconv"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/alerts"
	"sett/internal/store/db"
)

// aboutThing names a thing of a project as alerts do.
type aboutThing struct {
	project int64
	subject alerts.AlertSubject
}

// A site that is paused has no problem: it is not known whether it lasts.
const problemsOfSites = `-- deliverydb.problemsOfSites
SELECT k.project_id, k.subject, s.name, o.down_at, '' FROM {{rows k(project_id bigint, subject text, uuid bytea)}} JOIN sites s ON s.uuid = k.uuid AND s.project_id = k.project_id
JOIN site_states x ON x.site_id = s.id AND x.state = 'down' JOIN outages o ON o.site_id = s.id AND o.up_at = 0 WHERE s.active`

const problemsOfCheckIns = `-- deliverydb.problemsOfCheckIns
SELECT k.project_id, k.subject, coalesce(nullif(c.name, ''), nullif(c.slug, ''), c.id), c.trouble_at, '' FROM {{rows k(project_id bigint, subject text, id text)}}
JOIN check_ins c ON c.id = k.id AND c.project_id = k.project_id WHERE c.state IN ('missing', 'failing') AND c.trouble_at > 0`

const problemsOfAlarms = `-- deliverydb.problemsOfAlarms
SELECT k.project_id, k.subject, a.name, a.state_since, '' FROM {{rows k(project_id bigint, subject text, id text)}}
JOIN alarms a ON a.id = k.id AND a.project_id = k.project_id WHERE a.state = 'alarm'`

// An error that was merged into another one has the problem of that one.
const problemsOfFaults = `-- deliverydb.problemsOfFaults
SELECT k.project_id, k.subject, f.class || CASE WHEN f.message = '' THEN '' ELSE ': ' || f.message END,
    coalesce((SELECT max(c.created_at) FROM comments c WHERE c.fault_id = f.id AND c.event IN ('reopened', 'unresolved')), f.created_at), CAST(f.id AS text)
FROM {{rows k(project_id bigint, subject text, id bigint)}} LEFT JOIN merged_faults m ON m.id = k.id
JOIN faults f ON f.id = coalesce(m.into_id, k.id) AND f.project_id = k.project_id WHERE NOT f.resolved AND NOT f.ignored`

// mostProblemName is how much of the message of an error is part of its name here, in characters.
const mostProblemName = 200

// problems returns which things have a problem now, by how they were asked for, with who acknowledged it.
func (s *Store) problems(ctx context.Context, q db.Querier, about []aboutThing) (map[aboutThing]alerts.Problem, error) {
	found := map[aboutThing]alerts.Problem{}
	scan := func(rows *sql.Rows) error {
		var of aboutThing
		var p alerts.Problem
		var began int64
		var fault string // that the error is part of
		err := rows.Scan(&of.project, &of.subject, &p.Name, &began, &fault)
		p.Began, p.Name = db.FromMicros(began), cutName(p.Name)
		if p.Subject = of.subject; fault != "" {
			id, _ := strconv.ParseInt(fault, 10, 64)
			p.Subject = alerts.FaultSubject(id)
		}
		found[of] = p
		return err
	}
	for _, part := range partsOf(about) {
		if err := s.db.ReadRows(ctx, q, part.statement, scan, part.projects, part.subjects, part.ids()); err != nil {
			return nil, err
		}
	}
	return found, s.readAcknowledged(ctx, q, found)
}

// cutName returns a name in one line that is not long.
func cutName(name string) string {
	if letters := []rune(name); len(letters) > mostProblemName {
		return string(letters[:mostProblemName-3]) + "..."
	}
	return name
}

// problemsPart is the things of one kind.
type problemsPart struct {
	statement string
	projects  []int64
	subjects  []string

	texts   []string
	numbers []int64
	uuids   [][]byte
}

// ids are the ids, with the type that the statement wants.
func (p *problemsPart) ids() any {
	switch {
	case p.numbers != nil:
		return p.numbers
	case p.uuids != nil:
		return p.uuids
	}
	return p.texts
}

// partsOf sorts things by their kinds; others, such as deploys, have no problems.
func partsOf(about []aboutThing) (parts []*problemsPart) {
	byKind := map[string]*problemsPart{
		alerts.SiteKind: {statement: problemsOfSites}, alerts.CheckInKind: {statement: problemsOfCheckIns},
		alerts.AlarmKind: {statement: problemsOfAlarms}, alerts.FaultKind: {statement: problemsOfFaults},
	}
	for _, of := range about {
		part, id := byKind[of.subject.Kind()], of.subject.ID()
		if subject, ok := alerts.SubjectOf(of.subject.Kind(), id); part == nil || !ok || subject != of.subject {
			continue
		}
		part.projects, part.subjects = append(part.projects, of.project), append(part.subjects, string(of.subject))
		switch of.subject.Kind() {
		case alerts.SiteKind:
			uuid, _ := sett.ParseUUID(id)
			part.uuids = append(part.uuids, uuid[:])
		case alerts.FaultKind:
			number, _ := strconv.ParseInt(id, 10, 64)
			part.numbers = append(part.numbers, number)
		default:
			part.texts = append(part.texts, id)
		}
	}
	for _, kind := range alerts.AcknowledgedKinds() {
		if len(byKind[kind].projects) > 0 {
			parts = append(parts, byKind[kind])
		}
	}
	return parts
}

const acknowledgedOf = `-- deliverydb.acknowledgedOf
SELECT ` + acknowledgementColumns + ` FROM {{rows k(project_id bigint, subject text)}}
JOIN acknowledgements w ON w.project_id = k.project_id AND w.subject = k.subject LEFT JOIN users u ON u.id = w.user_id`

// acknowledgementColumns are the columns that scanAcknowledgement reads.
const acknowledgementColumns = `w.id, w.project_id, w.subject, w.name, w.began_at, w.way, w.at, u.id, u.email, u.name`

func scanAcknowledgement(row db.Row) (a alerts.Acknowledgement, err error) {
	var began, at int64
	var user sql.NullInt64
	var email, name sql.NullString
	err = row.Scan(&a.ID, &a.ProjectID, &a.Subject, &a.Name, &began, &a.Way, &at, &user, &email, &name)
	if a.Began, a.At = db.FromMicros(began), db.FromMicros(at); user.Valid {
		a.By = &sett.Person{ID: user.Int64, Email: email.String, Name: name.String}
	}
	return a, err
}

// readAcknowledged adds who acknowledged the problems.
func (s *Store) readAcknowledged(ctx context.Context, q db.Querier, found map[aboutThing]alerts.Problem) error {
	var projects []int64
	var subjects []string
	for _, of := range db.Sorted(found, aboutThing.compare) {
		projects, subjects = append(projects, of.project), append(subjects, string(found[of].Subject))
	}
	have := map[aboutThing]alerts.Acknowledgement{}
	err := s.db.ReadRows(ctx, q, acknowledgedOf, func(rows *sql.Rows) error {
		a, err := scanAcknowledgement(rows)
		have[aboutThing{a.ProjectID, a.Subject}] = a
		return err
	}, projects, subjects)
	for of, p := range found {
		if a, ok := have[aboutThing{of.project, p.Subject}]; ok && a.Of(p.Began) {
			p.Acknowledgement = &a
			found[of] = p
		}
	}
	return err
}

func (a aboutThing) compare(b aboutThing) int {
	return cmp.Or(cmp.Compare(a.project, b.project), cmp.Compare(a.subject, b.subject))
}

// ProblemOf returns the problem that a thing of a project has now, or nil.
func (s *Store) ProblemOf(ctx context.Context, projectID int64, subject alerts.AlertSubject) (p *alerts.Problem, err error) {
	err = s.db.Snapshot(ctx, "read problem", func(q db.Querier) error {
		p, err = s.ReadProblem(ctx, q, projectID, subject)
		return err
	})
	return p, err
}

// ReadProblem is ProblemOf with a querier.
func (s *Store) ReadProblem(ctx context.Context, q db.Querier, projectID int64, subject alerts.AlertSubject) (*alerts.Problem, error) {
	about := aboutThing{projectID, subject}
	found, err := s.problems(ctx, q, []aboutThing{about})
	if p, ok := found[about]; ok {
		return &p, err
	}
	return nil, err
}

// WhoLooks returns who acknowledged the problems that some things of a project have now. What has none, or was acknowledged by no person, is not in it.
func (s *Store) WhoLooks(ctx context.Context, projectID int64, subjects []alerts.AlertSubject) (who map[alerts.AlertSubject]string, err error) {
	who = map[alerts.AlertSubject]string{}
	var about []aboutThing
	for _, subject := range subjects {
		about = append(about, aboutThing{projectID, subject})
	}
	if len(about) == 0 {
		return who, nil
	}
	err = s.db.Snapshot(ctx, "read who looks", func(q db.Querier) error {
		clear(who)
		found, err := s.problems(ctx, q, about)
		for of, p := range found {
			if p.Acknowledgement != nil {
				who[of.subject] = p.Acknowledgement.Who()
			}
		}
		return err
	})
	return who, err
}

// Acknowledge says that a user looks at the problem that a thing of a project has, and returns that; who did so before is replaced. The
// error is Conflict if it has no problem.
func (s *Store) Acknowledge(ctx context.Context, now time.Time, projectID, userID int64, subject alerts.AlertSubject, way alerts.AcknowledgedBy) (a alerts.Acknowledgement, err error) {
	err = s.inTx(ctx, "acknowledge problem", func(t Tx) error {
		t.KeepsCaches = true
		p, err := s.ReadProblem(ctx, t, projectID, subject)
		if err != nil {
			return err
		}
		if p == nil {
			return errNoProblem()
		}
		a, err = t.acknowledge(ctx, now, projectID, userID, *p, way)
		return err
	})
	return a, err
}

func errNoProblem() error {
	return sett.Errorf(sett.Conflict, "There is nothing to acknowledge: it has no problem now.")
}

const putAcknowledgement = `-- deliverydb.putAcknowledgement
INSERT INTO acknowledgements (project_id, subject, name, began_at, user_id, way, at) VALUES ($1, $2, $3, $4, $5, $6, $7)
ON CONFLICT (project_id, subject) DO UPDATE SET name = excluded.name, began_at = excluded.began_at, user_id = excluded.user_id, way = excluded.way, at = excluded.at`

const acknowledgementBySubject = `-- deliverydb.acknowledgementBySubject
SELECT ` + acknowledgementColumns + ` FROM acknowledgements w LEFT JOIN users u ON u.id = w.user_id WHERE w.project_id = $1 AND w.subject = $2`

func (t Tx) acknowledge(ctx context.Context, now time.Time, projectID, userID int64, p alerts.Problem, way alerts.AcknowledgedBy) (a alerts.Acknowledgement, err error) {
	if _, err := t.Exec(ctx, putAcknowledgement, projectID, string(p.Subject), p.Name, db.Micros(p.Began), userID, string(way), db.Micros(now)); err != nil {
		return a, err
	}
	return scanAcknowledgement(t.QueryRowContext(ctx, t.s.db.Text(acknowledgementBySubject), projectID, string(p.Subject)))
}

const deleteAcknowledgement = `-- deliverydb.deleteAcknowledgement
DELETE FROM acknowledgements WHERE project_id = $1 AND id = $2 RETURNING subject`

// Unacknowledge takes an acknowledgement back and returns what it was about, or a NotFound error.
func (s *Store) Unacknowledge(ctx context.Context, projectID, id int64) (subject alerts.AlertSubject, err error) {
	err = s.inTx(ctx, "take acknowledgement back", func(t Tx) error {
		t.KeepsCaches = true
		err := t.QueryRowContext(ctx, s.db.Text(deleteAcknowledgement), projectID, id).Scan(&subject)
		return db.NotFound(err, "Acknowledgement", "take acknowledgement back")
	})
	return subject, err
}

const listAcknowledgements = `-- deliverydb.listAcknowledgements
SELECT ` + acknowledgementColumns + ` FROM acknowledgements w LEFT JOIN users u ON u.id = w.user_id WHERE w.project_id = $1 ORDER BY w.at DESC, w.id DESC LIMIT $2`

// mostAcknowledgements is how many of the newest acknowledgements of a project are read.
const mostAcknowledgements = 1000

// Acknowledgements returns those of problems of a project that last, the newest first.
func (s *Store) Acknowledgements(ctx context.Context, projectID int64) (last []alerts.Acknowledgement, err error) {
	err = s.db.Snapshot(ctx, "list acknowledgements", func(q db.Querier) error {
		last = nil
		rows, err := q.QueryContext(ctx, s.db.Text(listAcknowledgements), projectID, mostAcknowledgements)
		all, err := db.Collect(rows, err, scanAcknowledgement)
		if err != nil {
			return err
		}
		var about []aboutThing
		for _, a := range all {
			about = append(about, aboutThing{projectID, a.Subject})
		}
		problems, err := s.problems(ctx, q, about)
		for i, a := range all {
			if p, ok := problems[about[i]]; ok && p.Subject == a.Subject && a.Of(p.Began) {
				last = append(last, a)
			}
		}
		return err
	})
	return last, err
}

const pruneAcknowledgements = `-- deliverydb.pruneAcknowledgements
DELETE FROM acknowledgements WHERE id IN (SELECT id FROM acknowledgements WHERE at < $1 ORDER BY at LIMIT $2)`

// PruneAcknowledgements deletes at most limit acknowledgements from before a time, and reports whether there may be more.
func (s *Store) PruneAcknowledgements(ctx context.Context, before time.Time, limit int) (more bool, err error) {
	err = s.inTx(ctx, "prune acknowledgements", func(t Tx) error {
		t.KeepsCaches = true
		n, err := t.Changed(ctx, pruneAcknowledgements, db.Micros(before), limit)
		more = n == int64(limit)
		return err
	})
	return more, err
}
