package accountdb

import (
	"context"
	"database/sql"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/forward"
	"sett/internal/store/db"
)

const projectForwarding = `-- accountdb.Forwarding
SELECT target, starts_at, ends_at, problem, problem_at FROM forwards WHERE project_id = $1`

// Forwarding returns where a project forwards its reports to, or a NotFound error.
func (s *Store) Forwarding(ctx context.Context, projectID int64) (f forward.Forwarding, err error) {
	var target string
	var start, end, problemAt int64
	err = s.db.Read.QueryRowContext(ctx, s.db.Text(projectForwarding), projectID).Scan(&target, &start, &end, &f.Problem.Text, &problemAt)
	if err != nil {
		return f, s.db.Explain(db.NotFound(err, "Forwarding", "read forwarding"))
	}
	if target, err = s.db.Reveal(sealedForward, target, projectID); err != nil {
		return f, err
	}
	f.Target, f.Start, f.End = forward.Stored(target), db.FromMicros(start), db.FromMicros(end)
	f.Problem.ProjectID, f.Problem.At = projectID, db.FromMicros(problemAt)
	return f, nil
}

const setForwarding = `-- accountdb.SetForwarding
INSERT INTO forwards (project_id, target, starts_at, ends_at) VALUES ($1, $2, $3, $4)
ON CONFLICT (project_id) DO UPDATE SET target = excluded.target, ends_at = excluded.ends_at, problem = '', problem_at = 0,
    starts_at = CASE WHEN forwards.ends_at <= excluded.starts_at THEN excluded.starts_at ELSE forwards.starts_at END`

// SetForwarding sets where a project forwards its reports to, from now until an end. It replaces what was set before.
func (s *Store) SetForwarding(ctx context.Context, now time.Time, projectID int64, to forward.Target, end time.Time) error {
	return s.inTx(ctx, "set forwarding", func(t Tx) error {
		if err := t.QueryRowContext(ctx, s.db.Text(holdProjectKeys), projectID).Scan(new(int64)); err != nil {
			return db.NotFound(err, "Project", "lock project")
		}
		sealed, err := t.Seal(ctx, sealedForward, to.Text(), projectID)
		if err != nil {
			return err
		}
		_, err = t.Exec(ctx, setForwarding, projectID, sealed, db.Micros(now), db.Micros(end))
		return err
	})
}

const stopForwarding = `-- accountdb.StopForwarding
DELETE FROM forwards WHERE project_id = $1`

// StopForwarding ends it. The counts are kept. The error is NotFound if the project forwards nothing.
func (s *Store) StopForwarding(ctx context.Context, projectID int64) error {
	return s.inTx(ctx, "stop forwarding", func(t Tx) error {
		n, err := t.Changed(ctx, stopForwarding, projectID)
		if err == nil && n == 0 {
			err = sett.Errorf(sett.NotFound, "Forwarding not found")
		}
		return err
	})
}

const addForwarded = `-- accountdb.addForwarded
INSERT INTO forward_days (project_id, day, sent, refused, failed, dropped, errors)
SELECT k.project_id, k.day, k.sent, k.refused, k.failed, k.dropped, k.errors
FROM {{rows k(project_id bigint, day bigint, sent bigint, refused bigint, failed bigint, dropped bigint, errors bigint)}}
WHERE EXISTS (SELECT 1 FROM projects p WHERE p.id = k.project_id)
ON CONFLICT (project_id, day) DO UPDATE SET sent = forward_days.sent + excluded.sent, refused = forward_days.refused + excluded.refused,
    failed = forward_days.failed + excluded.failed, dropped = forward_days.dropped + excluded.dropped, errors = forward_days.errors + excluded.errors`

const noteForwardProblem = `-- accountdb.noteForwardProblem
UPDATE forwards SET problem = k.problem, problem_at = k.at FROM {{rows k(project_id bigint, problem text, at bigint)}}
WHERE forwards.project_id = k.project_id AND forwards.problem_at < k.at`

// AddForwarded adds to the counts of what was forwarded, and keeps the newest problems.
func (s *Store) AddForwarded(ctx context.Context, days []forward.Day, problems []forward.Problem) error {
	var projects, at, sent, refused, failed, dropped, errors []int64
	for _, d := range days {
		projects, at, sent = append(projects, d.ProjectID), append(at, db.Micros(d.Day)), append(sent, d.Sent)
		refused, failed, dropped, errors = append(refused, d.Refused), append(failed, d.Failed), append(dropped, d.Dropped), append(errors, d.Errors)
	}
	var of, noted []int64
	var texts []string
	for _, p := range problems {
		of, texts, noted = append(of, p.ProjectID), append(texts, p.Text), append(noted, db.Micros(p.At))
	}
	return s.inTx(ctx, "count forwarded reports", func(t Tx) error {
		t.KeepsCaches = true
		if err := t.Each(ctx, addForwarded, projects, at, sent, refused, failed, dropped, errors); err != nil {
			return err
		}
		return t.Each(ctx, noteForwardProblem, of, texts, noted)
	})
}

const forwardDays = `-- accountdb.ForwardDays
SELECT d.day, CAST(sum(d.sent) AS bigint), CAST(sum(d.refused) AS bigint), CAST(sum(d.failed) AS bigint), CAST(sum(d.dropped) AS bigint),
    CAST(sum(d.errors) AS bigint), CAST(sum(d.received) AS bigint)
FROM (SELECT day, sent, refused, failed, dropped, errors, 0 AS received FROM forward_days WHERE project_id = $1 AND day >= $2
    UNION ALL SELECT l.day, 0, 0, 0, 0, 0, l.stored FROM projects p JOIN ledger l ON l.account_id = p.account_id AND l.day >= $2 AND l.project_id = p.id WHERE p.id = $1) d
GROUP BY d.day ORDER BY d.day DESC`

// mostForwardDays is how many days ForwardDays looks back.
const mostForwardDays = forward.MostDays

// ForwardDays returns how many reports of a project were forwarded and how many errors were stored, by the day, the newest first: since it
// began, but of the last 90 days at most.
func (s *Store) ForwardDays(ctx context.Context, now time.Time, projectID int64, start time.Time) (all []forward.Day, err error) {
	since := accounts.Day(now).AddDate(0, 0, 1-mostForwardDays)
	if first := accounts.Day(start); first.After(since) {
		since = first
	}
	rows, err := s.db.Read.QueryContext(ctx, s.db.Text(forwardDays), projectID, db.Micros(since))
	err = db.ScanAll(rows, err, func(rows *sql.Rows) error {
		d := forward.Day{ProjectID: projectID}
		var day int64
		err := rows.Scan(&day, &d.Sent, &d.Refused, &d.Failed, &d.Dropped, &d.Errors, &d.Received)
		d.Day = db.FromMicros(day)
		all = append(all, d)
		return err
	})
	return all, s.db.Explain(db.Wrap("read forwarded reports", err))
}
