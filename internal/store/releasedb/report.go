package releasedb

import (
	"context"
	"database/sql"
	"math"
	"time"

	"sett/internal/sett/faults"
	"sett/internal/sett/release"
	"sett/internal/store/db"
)

// reader reads the figures of some releases of a project.
type reader struct {
	s        *Store
	q        db.Querier
	project  int64
	now      time.Time
	reports  []release.Report
	previous map[string]release.Release // by the version of the release after
	sessions map[string]release.SessionSums
}

// Reports returns releases of a project with their figures, in their order.
func (s *Store) Reports(ctx context.Context, now time.Time, projectID int64, releases []release.Release) (reports []release.Report, err error) {
	err = s.db.Snapshot(ctx, "read figures of releases", func(q db.Querier) error {
		r := reader{s, q, projectID, now, nil, map[string]release.Release{}, map[string]release.SessionSums{}}
		for _, one := range releases {
			r.reports = append(r.reports, release.Report{Release: one})
		}
		for _, part := range []func(context.Context) error{r.before, r.sums, r.errors} {
			if err := part(ctx); err != nil {
				return err
			}
		}
		reports = r.reports
		return nil
	})
	return reports, s.db.Explain(err)
}

const releaseBefore = `-- releasedb.before
SELECT k.version, r.version, r.created_at FROM {{rows k(project_id bigint, version text)}}
JOIN releases t ON t.project_id = k.project_id AND t.version = k.version
JOIN releases r ON r.id = (SELECT b.id FROM releases b WHERE b.project_id = t.project_id AND (b.created_at, b.id) < (t.created_at, t.id)
    ORDER BY b.created_at DESC, b.id DESC LIMIT 1)`

func (r *reader) versions() (all []string) {
	for _, report := range r.reports {
		all = append(all, report.Version)
	}
	return all
}

// before finds the previous releases.
func (r *reader) before(ctx context.Context) error {
	versions := r.versions()
	return r.s.db.ReadRows(ctx, r.q, releaseBefore, func(rows *sql.Rows) error {
		var version string
		var before release.Release
		var created int64
		err := rows.Scan(&version, &before.Version, &created)
		before.CreatedAt = db.FromMicros(created)
		r.previous[version] = before
		return err
	}, db.Repeated(r.project, len(versions)), versions)
}

const sumSessions = `-- releasedb.sumSessions
SELECT version, CAST(sum(total) AS bigint), CAST(sum(errored) AS bigint), CAST(sum(crashed) AS bigint), CAST(sum(abnormal) AS bigint)
FROM release_hours WHERE project_id = $1 AND version IN `

// sums reads the sessions of the releases and of the previous ones.
func (r *reader) sums(ctx context.Context) error {
	versions := r.versions()
	for _, before := range r.previous {
		versions = append(versions, before.Version)
	}
	if len(versions) == 0 {
		return nil
	}
	list, args := db.In(r.s.db, 2, versions)
	rows, err := r.q.QueryContext(ctx, r.s.db.Text(sumSessions+list+" GROUP BY version"), append([]any{r.project}, args...)...)
	return db.ScanAll(rows, err, func(rows *sql.Rows) error {
		var version string
		var n release.SessionSums
		err := rows.Scan(&version, &n.Total, &n.Errored, &n.Crashed, &n.Abnormal)
		r.sessions[version] = n
		return err
	})
}

// CountFaults counts the faults of a release until a time. Those that are deleted or merged into others are not counted. The time is summed so that SQLite
// reads the rows of the release, and not all of the project until then.
const CountFaults = `-- releasedb.CountFaults
SELECT k.i, k.event, (SELECT count(*) FROM release_faults x JOIN faults f ON f.id = x.fault_id
    WHERE x.project_id = k.project_id AND x.version = k.version AND x.event = k.event AND x.at + 0 < k.until)
FROM {{rows k(i bigint, project_id bigint, version text, event text, until bigint)}} WHERE true`

// errors counts the errors of the releases, and those of the previous ones in as much time, and compares them.
func (r *reader) errors(ctx context.Context) error {
	var index, untils []int64
	var versions, events []string
	ask := func(i int, version string, until int64) {
		for _, event := range []release.Event{release.New, release.Reopened, release.Resolved} {
			index, versions, events, untils = append(index, int64(i)), append(versions, version), append(events, string(event)), append(untils, until)
		}
	}
	n := len(r.reports)
	for i, report := range r.reports {
		ask(i, report.Version, math.MaxInt64)
		if before, ok := r.previous[report.Version]; ok {
			ask(n+i, before.Version, db.Micros(before.CreatedAt.Add(r.now.Sub(report.CreatedAt))))
		}
	}
	counts := make([]map[release.Event]int64, 2*n)
	err := r.s.db.ReadRows(ctx, r.q, CountFaults, func(rows *sql.Rows) error {
		var i, count int64
		var event release.Event
		err := rows.Scan(&i, &event, &count)
		if counts[i] == nil {
			counts[i] = map[release.Event]int64{}
		}
		counts[i][event] = count
		return err
	}, index, db.Repeated(r.project, len(index)), versions, events, untils)
	for i := range r.reports {
		r.compare(&r.reports[i], counts[i], counts[n+i])
	}
	return err
}

// compare sets the figures of a release, of which the counts of its faults are given, and those of the previous release.
func (r *reader) compare(report *release.Report, counts, before map[release.Event]int64) {
	report.New, report.Reopened, report.Resolved = counts[release.New], counts[release.Reopened], counts[release.Resolved]
	report.Sessions = r.sessions[report.Version]
	previous, ok := r.previous[report.Version]
	if !ok {
		report.Verdict = release.Verdict{State: release.First}
		return
	}
	report.Previous = previous.Version
	report.Verdict = release.Compare(
		release.Figures{Age: r.now.Sub(report.CreatedAt), Errors: report.New + report.Reopened, Sessions: report.Sessions},
		release.Figures{Age: r.now.Sub(previous.CreatedAt), Errors: before[release.New] + before[release.Reopened], Sessions: r.sessions[previous.Version]},
	)
}

// ListFaults reads the newest faults of a release.
const ListFaults = `-- releasedb.Faults
SELECT x.at, CAST(f.id AS text), f.class, f.message, f.environment FROM release_faults x JOIN faults f ON f.id = x.fault_id
WHERE x.project_id = $1 AND x.version = $2 AND x.event = $3 ORDER BY x.at + 0 DESC, f.id DESC LIMIT $4`

// Faults returns the newest of those faults to which something happened in a release, as entries of a timeline.
func (s *Store) Faults(ctx context.Context, projectID int64, version string, event release.Event, most int) (entries []faults.TimelineEntry, err error) {
	kinds := map[release.Event]faults.TimelineKind{release.New: faults.TimelineNew, release.Reopened: faults.TimelineReopened, release.Resolved: faults.TimelineResolved}
	rows, err := s.db.Read.QueryContext(ctx, s.db.Text(ListFaults), projectID, version, string(event), most)
	err = db.ScanAll(rows, err, func(rows *sql.Rows) error {
		e := faults.TimelineEntry{Kind: kinds[event], ProjectID: projectID}
		var at int64
		err := rows.Scan(&at, &e.SubjectID, &e.Title, &e.Detail, &e.Environment)
		e.At = db.FromMicros(at)
		entries = append(entries, e)
		return err
	})
	return entries, s.db.Explain(db.Wrap("list faults of release", err))
}

const listDeploys = `-- releasedb.Deploys
SELECT id, environment, local_username, repository, created_at FROM deploys WHERE project_id = $1 AND revision = $2 ORDER BY created_at DESC, id DESC LIMIT $3`

// Deploys returns the newest deploys of a release.
func (s *Store) Deploys(ctx context.Context, projectID int64, version string, most int) (deploys []faults.Deploy, err error) {
	rows, err := s.db.Read.QueryContext(ctx, s.db.Text(listDeploys), projectID, version, most)
	err = db.ScanAll(rows, err, func(rows *sql.Rows) error {
		d := faults.Deploy{ProjectID: projectID, Revision: version}
		var at int64
		err := rows.Scan(&d.ID, &d.Environment, &d.LocalUsername, &d.Repository, &at)
		d.CreatedAt = db.FromMicros(at)
		deploys = append(deploys, d)
		return err
	})
	return deploys, s.db.Explain(db.Wrap("list deploys of release", err))
}

// The scalar subqueries make both engines look each deploy up by its index. SQLite takes no column as a limit.
const latestDeploys = `-- releasedb.LatestDeploys
SELECT d.id, d.revision, d.environment, d.local_username, d.created_at FROM {{rows k(project_id bigint, version text)}}
JOIN deploys d ON d.id IN (
    (SELECT b.id FROM deploys b WHERE b.project_id = k.project_id AND b.revision = k.version ORDER BY b.created_at DESC, b.id DESC LIMIT 1),
    (SELECT b.id FROM deploys b WHERE b.project_id = k.project_id AND b.revision = k.version ORDER BY b.created_at DESC, b.id DESC LIMIT 1 OFFSET 1))
ORDER BY d.created_at DESC, d.id DESC`

// LatestDeploys returns the two newest deploys of each of some releases, by version, newest first.
func (s *Store) LatestDeploys(ctx context.Context, projectID int64, versions []string) (map[string][]faults.Deploy, error) {
	deploys := map[string][]faults.Deploy{}
	err := s.db.ReadRows(ctx, s.db.Read, latestDeploys, func(rows *sql.Rows) error {
		d := faults.Deploy{ProjectID: projectID}
		var at int64
		err := rows.Scan(&d.ID, &d.Revision, &d.Environment, &d.LocalUsername, &at)
		d.CreatedAt = db.FromMicros(at)
		deploys[d.Revision] = append(deploys[d.Revision], d)
		return err
	}, db.Repeated(projectID, len(versions)), versions)
	return deploys, s.db.Explain(db.Wrap("list deploys of releases", err))
}
