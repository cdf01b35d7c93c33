package repodb

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/repo"
	"sett/internal/store/db"
)

// same is a condition that two ids are of one commit: Bitbucket shortens them in webhooks, and people in messages. Neither may be empty.
func same(a, b string) string {
	return fmt.Sprintf("(%[1]s <> '' AND %[2]s <> '' AND substr(%[1]s, 1, length(%[2]s)) = substr(%[2]s, 1, length(%[1]s)))", a, b)
}

var linkFix = `-- repodb.linkFix
INSERT INTO fixes (repository_id, fault_id, number, sha, project_id, branch, title, author, url, fixes, by_hand, state, landed_sha, reverted_by, release, created_at)
SELECT CAST($1 AS bigint), CAST($2 AS bigint), CAST($3 AS bigint), CAST($4 AS text), CAST($5 AS bigint), $6, $7, $8, $9, $10, $11, '', $12, '', '', $13
WHERE (EXISTS (SELECT 1 FROM faults f WHERE f.project_id = $5 AND f.id = $2)
    OR EXISTS (SELECT 1 FROM merged_faults m JOIN faults f ON f.id = m.into_id WHERE f.project_id = $5 AND m.id = $2))
    AND NOT (CAST($3 AS bigint) = 0 AND EXISTS (SELECT 1 FROM changes c JOIN fixes o ON o.repository_id = c.repository_id AND o.number = c.number AND o.fault_id = $2
        WHERE c.repository_id = $1 AND ` + same("c.merge_sha", "CAST($4 AS text)") + `))
ON CONFLICT (repository_id, fault_id, number, sha) DO UPDATE SET fixes = CASE WHEN fixes.by_hand THEN true ELSE excluded.fixes END,
    by_hand = CASE WHEN excluded.by_hand THEN true ELSE fixes.by_hand END,
    branch = CASE WHEN excluded.landed_sha <> '' THEN excluded.branch ELSE fixes.branch END,
    landed_sha = CASE WHEN fixes.landed_sha = '' THEN excluded.landed_sha ELSE fixes.landed_sha END`

// link links what a text names, of the errors of the project, with a change or commit. Errors of other projects are left out.
func (rec *recording) link(ctx context.Context, f repo.Fix, named []repo.Reference) error {
	for _, n := range named {
		f.FaultID, f.Fixes = n.Fault, n.Fixes
		if _, err := rec.addFix(ctx, rec.r, f, rec.now); err != nil {
			return err
		}
	}
	return nil
}

func (t Tx) addFix(ctx context.Context, r repo.Repository, f repo.Fix, now time.Time) (int64, error) {
	n, err := t.Changed(ctx, linkFix, r.ID, f.FaultID, f.Number, f.SHA, r.ProjectID, f.Branch, f.Title, f.Author, f.URL, f.Fixes, f.ByHand, f.LandedSHA, db.Micros(now))
	return n, db.Wrap("link fix", err)
}

var (
	revertFixes = `-- repodb.revertFixes
UPDATE fixes SET state = 'reverted', reverted_by = k.by FROM {{rows k(repository_id bigint, sha text, number bigint, by text)}}
WHERE fixes.repository_id = k.repository_id AND fixes.state <> 'reverted' AND fixes.landed_sha NOT IN ('', k.by)
    AND (` + same("k.sha", "fixes.landed_sha") + ` OR ` + same("k.sha", "fixes.sha") + ` OR k.number > 0 AND fixes.number = k.number)
RETURNING fixes.fault_id, fixes.number, fixes.sha, fixes.release, fixes.reverted_by`

	reapplyFixes = `-- repodb.reapplyFixes
UPDATE fixes SET state = '', reverted_by = '', landed_sha = k.by, release = '' FROM {{rows k(repository_id bigint, sha text, number bigint, by text)}}
WHERE fixes.repository_id = k.repository_id AND fixes.state = 'reverted' AND (` + same("k.sha", "fixes.reverted_by") + `
    OR k.number > 0 AND EXISTS (SELECT 1 FROM changes c WHERE c.repository_id = k.repository_id AND c.number = k.number AND ` + same("c.merge_sha", "fixes.reverted_by") + `))`
)

// revert takes back the fixes that a landed commit reverts. One that reverts a revert brings the fix back: it waits for a deploy again.
func (rec *recording) revert(ctx context.Context, message, by string) error {
	r := repo.Reverts(message)
	n := len(r.SHAs) + len(r.Numbers)
	if n == 0 {
		return nil
	}
	ids, bys := slices.Repeat([]int64{rec.r.ID}, n), slices.Repeat([]string{by}, n)
	shas, numbers := slices.Concat(r.SHAs, make([]string, len(r.Numbers))), slices.Concat(make([]int64, len(r.SHAs)), r.Numbers)
	if err := rec.Each(ctx, reapplyFixes, ids, shas, numbers, bys); err != nil {
		return db.Wrap("reapply fixes", err)
	}
	err := rec.EachRow(ctx, revertFixes, func(rows *sql.Rows) error {
		t := TakenBack{Fix: repo.Fix{RepositoryID: rec.r.ID, ProjectID: rec.r.ProjectID}}
		err := rows.Scan(&t.FaultID, &t.Number, &t.SHA, &t.Release, &t.By)
		if t.Release != "" {
			rec.taken = append(rec.taken, t)
		}
		return err
	}, ids, shas, numbers, bys)
	return db.Wrap("revert fixes", err)
}

const fixColumns = `x.repository_id, x.project_id, x.fault_id, x.number, x.sha, x.branch, coalesce(c.title, x.title), coalesce(c.author, x.author), coalesce(c.url, x.url),
    x.fixes, x.by_hand, x.state, x.landed_sha, x.reverted_by, x.release, x.created_at,
    coalesce(c.state, ''), coalesce(c.draft, false), coalesce(c.branch, ''), coalesce(c.target, ''), coalesce(c.head_sha, ''), coalesce(c.checks, ''),
    coalesce(c.updated_at, 0), coalesce(c.merged_at, 0)
FROM fixes x LEFT JOIN changes c ON c.repository_id = x.repository_id AND c.number = x.number`

const (
	fixesOf = `-- repodb.FixesOf
SELECT ` + fixColumns + ` WHERE x.project_id = $1 AND (x.fault_id = $2 OR x.fault_id IN (SELECT id FROM merged_faults WHERE into_id = $2))
ORDER BY x.created_at DESC, x.number DESC, x.sha LIMIT 200`

	waitingFixes = `-- repodb.Waiting
SELECT ` + fixColumns + ` WHERE x.project_id = $1 AND x.state = '' AND x.fixes AND (x.landed_sha <> '' OR x.number = 0 AND x.created_at >= $2) ORDER BY x.created_at DESC LIMIT 200`
)

func scanFix(row db.Row) (f repo.Fix, err error) {
	var created, updated, merged int64
	var c repo.Change
	err = row.Scan(&f.RepositoryID, &f.ProjectID, &f.FaultID, &f.Number, &f.SHA, &f.Branch, &f.Title, &f.Author, &f.URL, &f.Fixes, &f.ByHand, &f.State,
		&f.LandedSHA, &f.RevertedBy, &f.Release, &created, &c.State, &c.Draft, &c.Branch, &c.Target, &c.HeadSHA, &c.Checks, &updated, &merged)
	f.CreatedAt = db.FromMicros(created)
	if c.State != "" {
		c.Number, c.Title, c.Author, c.URL = f.Number, f.Title, f.Author, f.URL
		c.UpdatedAt, c.MergedAt = db.FromMicros(updated), db.FromMicros(merged)
		f.Change = &c
	}
	return f, err
}

// FixesOf returns the changes and commits that are about an error, the latest link first, each once.
func (s *Store) FixesOf(ctx context.Context, projectID, faultID int64) ([]repo.Fix, error) {
	return s.ReadFixesOf(ctx, s.db.Read, projectID, faultID)
}

// ReadFixesOf is FixesOf in a snapshot.
func (s *Store) ReadFixesOf(ctx context.Context, q db.Querier, projectID, faultID int64) ([]repo.Fix, error) {
	rows, err := q.QueryContext(ctx, s.db.Text(fixesOf), projectID, faultID)
	all, err := db.Collect(rows, err, scanFix)
	return repo.EachOnce(all), s.db.Explain(db.Wrap("list fixes", err))
}

// keepBranches is for how long a deploy may bring a commit that is on no default branch and in no change: most of these are abandoned.
const keepBranches = 30 * 24 * time.Hour

// Waiting returns the fixes of a project that a deploy may bring, the newest 200: the host may be asked about each.
func (s *Store) Waiting(ctx context.Context, now time.Time, projectID int64) ([]repo.Fix, error) {
	rows, err := s.db.Read.QueryContext(ctx, s.db.Text(waitingFixes), projectID, db.Micros(now.Add(-keepBranches)))
	all, err := db.Collect(rows, err, scanFix)
	return all, s.db.Explain(db.Wrap("list fixes that wait", err))
}

const openChanges = `-- repodb.OpenChanges
SELECT DISTINCT x.number FROM fixes x LEFT JOIN changes c ON c.repository_id = x.repository_id AND c.number = x.number
WHERE x.repository_id = $1 AND x.number > 0 AND x.state = '' AND coalesce(c.state, 'open') = 'open' ORDER BY x.number DESC LIMIT 100`

// OpenChanges returns the numbers of changes that are about errors, and are open or not known yet, newest first.
func (s *Store) OpenChanges(ctx context.Context, repositoryID int64) ([]int64, error) {
	numbers, err := s.db.ListIDs(ctx, s.db.Read, openChanges, repositoryID)
	return numbers, s.db.Explain(db.Wrap("list open changes", err))
}

const openAmong = `-- repodb.OpenAmong
SELECT DISTINCT x.fault_id FROM {{rows k(id bigint)}} JOIN fixes x ON x.fault_id = k.id AND x.number > 0
JOIN changes c ON c.repository_id = x.repository_id AND c.number = x.number AND c.state = 'open'`

// OpenAmong returns which of some errors an open change is about.
func (s *Store) OpenAmong(ctx context.Context, faultIDs []int64) (map[int64]bool, error) {
	open := map[int64]bool{}
	err := s.db.ReadRows(ctx, s.db.Read, openAmong, func(rows *sql.Rows) error {
		var id int64
		err := rows.Scan(&id)
		open[id] = true
		return err
	}, faultIDs)
	return open, s.db.Explain(db.Wrap("find open changes", err))
}

const settleFix = `-- repodb.Settle
UPDATE fixes SET state = 'deployed', release = $5 WHERE repository_id = $1 AND fault_id = $2 AND number = $3 AND sha = $4 AND state = ''`

// Settle notes that a deploy of a revision contains a fix, and reports whether that is new.
func (t Tx) Settle(ctx context.Context, f repo.Fix, revision string) (bool, error) {
	n, err := t.Changed(ctx, settleFix, f.RepositoryID, f.FaultID, f.Number, f.SHA, revision)
	return n > 0, db.Wrap("settle fix", err)
}

const mergeOf = `-- repodb.mergeOf
SELECT coalesce(max(merge_sha), ''), count(*) FROM changes WHERE repository_id = $1 AND number = $2`

// LinkChange links an error of a project with a change of one of its repositories, as a user says: a deploy that contains it resolves the error. A change
// that no webhook has named is asked for. The error is Invalid if there is no token for that, and NotFound if the project has no such error.
func (s *Store) LinkChange(ctx context.Context, now time.Time, r repo.Repository, faultID, number int64) error {
	return s.inTx(ctx, "link change", func(t Tx) error {
		var known int64
		f := repo.Fix{FaultID: faultID, Number: number, Fixes: true, ByHand: true}
		if err := t.QueryRowContext(ctx, s.db.Text(mergeOf), r.ID, number).Scan(&f.LandedSHA, &known); err != nil {
			return err
		}
		if known == 0 && r.Token == "" {
			return sett.Refuse("url", "is a change that no webhook has named. Give the repository a token, so that sett can ask for it")
		}
		if known == 0 {
			if err := t.askNow(ctx, now, r); err != nil {
				return err
			}
		}
		n, err := t.addFix(ctx, r, f, now)
		if err == nil && n == 0 {
			err = sett.Errorf(sett.NotFound, "Fault not found")
		}
		if err == nil && f.LandedSHA != "" {
			err = t.examineRecent(ctx, now, r.ProjectID)
		}
		return err
	})
}

const unlinkChange = `-- repodb.UnlinkChange
DELETE FROM fixes WHERE repository_id = $1 AND project_id = $2 AND number = $4 AND number > 0
    AND (fault_id = $3 OR fault_id IN (SELECT id FROM merged_faults WHERE into_id = $3))`

// UnlinkChange ends the link of an error with a change. The error is NotFound if there is none.
func (s *Store) UnlinkChange(ctx context.Context, projectID, faultID, repositoryID, number int64) error {
	return s.inTx(ctx, "unlink change", func(t Tx) error {
		n, err := t.Changed(ctx, unlinkChange, repositoryID, projectID, faultID, number)
		if err == nil && n == 0 {
			err = sett.Errorf(sett.NotFound, "Change not found: this error is not linked with it")
		}
		return err
	})
}
