package repodb

import (
	"context"
	"database/sql"
	"errors"
	"slices"
	"strings"
	"time"

	"sett/internal/sett/repo"
	"sett/internal/store/db"
)

// TakenBack is a fix that had resolved an error, and was reverted.
type TakenBack struct {
	repo.Fix
	By string // commit
}

// recording is one webhook that is being recorded.
type recording struct {
	Tx
	r     repo.Repository
	now   time.Time
	base  string // address of this sett
	taken []TakenBack
	land  bool // something landed that a deploy may contain already
}

const (
	lockRepository = `-- repodb.lockRepository
SELECT default_branch, head_sha, unordered_to FROM repositories WHERE id = $1 {{for update}}`

	noteHeard = `-- repodb.noteHeard
UPDATE repositories SET heard_at = $2, default_branch = $3 WHERE id = $1`
)

// Record records what a webhook says, and returns the fixes that it takes back after they had resolved an error. To record it again changes
// nothing, and of two deliveries about a change the one that the host dates later counts, whichever comes first.
func (t Tx) Record(ctx context.Context, now time.Time, r repo.Repository, d repo.Delivery, base string) ([]TakenBack, error) {
	rec := &recording{Tx: t, r: r, now: now, base: base}
	var head string
	var unordered int64
	if err := t.QueryRowContext(ctx, t.s.db.Text(lockRepository), r.ID).Scan(&rec.r.DefaultBranch, &head, &unordered); err != nil {
		return nil, db.NotFound(err, "Repository", "lock repository")
	}
	if d.Trunk != "" {
		rec.r.DefaultBranch = d.Trunk
	}
	var err error
	if d.Event != repo.ReadEvent {
		_, err = t.Exec(ctx, noteHeard, r.ID, db.Micros(now), rec.r.DefaultBranch)
	}
	if err != nil {
		return nil, err
	}
	switch {
	case d.Push != nil:
		err = rec.pushes(ctx, append([]repo.Push{*d.Push}, d.More...), head)
	case d.Change != nil:
		err = rec.change(ctx, *d.Change)
	case d.Checks != nil:
		err = rec.checks(ctx, *d.Checks)
	}
	if err == nil && rec.land {
		err = t.examineRecent(ctx, now, r.ProjectID)
	}
	return rec.taken, err
}

const (
	insertCommits = `-- repodb.insertCommits
INSERT INTO branch_commits (repository_id, sha, message, author, email, at, url, files, is_head, heard_at)
SELECT k.repository_id, k.sha, k.message, k.author, k.email, k.at, k.url, k.files, false, k.heard_at
FROM {{rows k(i bigint, repository_id bigint, sha text, message text, author text, email text, at bigint, url text, files text, heard_at bigint)}}
WHERE true ORDER BY k.i ON CONFLICT (repository_id, sha) DO NOTHING RETURNING sha`

	moveHead = `-- repodb.moveHead
UPDATE repositories SET head_sha = $2, unordered_to = CASE WHEN $3 THEN coalesce((SELECT max(id) FROM branch_commits WHERE repository_id = $1), 0) ELSE unordered_to END
WHERE id = $1`

	markHead = `-- repodb.markHead
UPDATE branch_commits SET is_head = true WHERE repository_id = $1 AND sha = $2`
)

func (rec *recording) pushes(ctx context.Context, pushes []repo.Push, head string) (err error) {
	for _, p := range pushes {
		switch {
		case err != nil, p.After == "": // the branch was deleted
		case p.Branch == rec.r.DefaultBranch:
			err = rec.trunk(ctx, p, head)
		default:
			err = rec.branch(ctx, p)
		}
	}
	return err
}

// trunk records a push to the default branch. The order of its commits is known only if it follows the last one.
func (rec *recording) trunk(ctx context.Context, p repo.Push, head string) error {
	fresh, err := rec.addCommits(ctx, p.Commits)
	if err != nil {
		return err
	}
	if len(fresh) == 0 && !p.Forced && head != "" && len(p.Commits) > 0 {
		return nil // it was recorded before
	}
	disorder := p.Forced || !rec.r.Host.SaysForced() || head != "" && head != p.Before && head != p.After
	if _, err := rec.Exec(ctx, markHead, rec.r.ID, p.After); err != nil {
		return err
	}
	if _, err := rec.Exec(ctx, moveHead, rec.r.ID, p.After, disorder); err != nil {
		return err
	}
	if touchesOwners(rec.r.Host, p) {
		if err := rec.askNow(ctx, rec.now, rec.r); err != nil {
			return err
		}
	}
	for _, c := range p.Commits {
		if !fresh[c.SHA] {
			continue
		}
		rec.land = true
		if err := rec.link(ctx, commitFix(c, p.Branch, c.SHA), rec.references(c.Message)); err != nil {
			return err
		}
		if err := rec.revert(ctx, c.Message, c.SHA); err != nil {
			return err
		}
	}
	return nil
}

func (rec *recording) addCommits(ctx context.Context, commits []repo.Commit) (fresh map[string]bool, err error) {
	var order, ids, ats, heard []int64
	var shas, messages, authors, emails, urls, files []string
	for i, c := range commits {
		order, ids = append(order, int64(i)), append(ids, rec.r.ID)
		shas, messages, authors = append(shas, c.SHA), append(messages, firstLine(c.Message)), append(authors, c.Author)
		emails, ats, urls = append(emails, c.Email), append(ats, db.Micros(c.At)), append(urls, c.URL)
		files, heard = append(files, strings.Join(c.Files, "\n")), append(heard, db.Micros(rec.now))
	}
	fresh = map[string]bool{}
	err = rec.EachRow(ctx, insertCommits, func(rows *sql.Rows) error {
		var sha string
		err := rows.Scan(&sha)
		fresh[sha] = true
		return err
	}, order, ids, shas, messages, authors, emails, ats, urls, files, heard)
	return fresh, db.Wrap("insert commits", err)
}

func firstLine(message string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(message), "\n")
	return line
}

// commitFix is a fix that a commit is.
func commitFix(c repo.Commit, branch, landed string) repo.Fix {
	return repo.Fix{SHA: c.SHA, Branch: branch, Title: firstLine(c.Message), Author: c.Author, URL: c.URL, LandedSHA: landed}
}

const openChangeOf = `-- repodb.openChangeOf
SELECT number FROM changes WHERE repository_id = $1 AND branch = $2 AND state = 'open' AND NOT from_fork ORDER BY number DESC LIMIT 1`

// branch records a push to another branch: its commits speak for the change of the branch, if there is one.
func (rec *recording) branch(ctx context.Context, p repo.Push) error {
	var number int64
	err := rec.QueryRowContext(ctx, rec.s.db.Text(openChangeOf), rec.r.ID, p.Branch).Scan(&number)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return err
	}
	for _, c := range p.Commits {
		f := commitFix(c, p.Branch, "")
		f.Number = number
		if err := rec.link(ctx, f, rec.references(c.Message)); err != nil {
			return err
		}
	}
	return nil
}

const writeChange = `-- repodb.writeChange
INSERT INTO changes (repository_id, number, title, url, state, draft, branch, target, from_fork, head_sha, merge_sha, author, checks, checked_at, updated_at, merged_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $14, $15)
ON CONFLICT (repository_id, number) DO UPDATE SET title = excluded.title, url = excluded.url, state = excluded.state, draft = excluded.draft,
    branch = excluded.branch, target = excluded.target, from_fork = excluded.from_fork, merge_sha = excluded.merge_sha, author = excluded.author,
    checks = CASE WHEN excluded.checks <> '' THEN excluded.checks WHEN changes.head_sha = excluded.head_sha THEN changes.checks ELSE '' END,
    checked_at = CASE WHEN changes.head_sha = excluded.head_sha THEN changes.checked_at ELSE excluded.checked_at END,
    head_sha = excluded.head_sha, updated_at = excluded.updated_at, merged_at = excluded.merged_at
WHERE changes.updated_at <= excluded.updated_at AND (changes.state <> 'merged' OR excluded.state = 'merged')`

var (
	adoptCommits = `-- repodb.adoptCommits
UPDATE fixes SET number = $2 WHERE repository_id = $1 AND number = 0 AND branch = $3 AND landed_sha = ''
    AND NOT EXISTS (SELECT 1 FROM fixes o WHERE o.repository_id = fixes.repository_id AND o.fault_id = fixes.fault_id AND o.number = $2 AND o.sha = fixes.sha)`

	landChange = `-- repodb.landChange
UPDATE fixes SET landed_sha = $3 WHERE repository_id = $1 AND number = $2 AND state = '' AND landed_sha = ''`

	dropMergeCommits = `-- repodb.dropMergeCommits
DELETE FROM fixes WHERE repository_id = $1 AND number = 0 AND ` + same("sha", "CAST($3 AS text)") + `
    AND EXISTS (SELECT 1 FROM fixes o WHERE o.repository_id = fixes.repository_id AND o.fault_id = fixes.fault_id AND o.number = $2)`

	listFixed = `-- repodb.listFixed
SELECT fault_id FROM fixes WHERE repository_id = $1 AND number = $2 AND sha = '' AND NOT by_hand AND state = ''`

	dropFix = `-- repodb.dropFix
DELETE FROM fixes WHERE repository_id = $1 AND number = $2 AND sha = '' AND fault_id = $3`
)

// change records a change. Errors that its text no longer names are no longer linked.
func (rec *recording) change(ctx context.Context, c repo.Change) error {
	n, err := rec.Changed(ctx, writeChange, rec.r.ID, c.Number, c.Title, c.URL, string(c.State), c.Draft, c.Branch, c.Target, c.FromFork, c.HeadSHA,
		c.MergeSHA, c.Author, string(c.Checks), db.Micros(c.UpdatedAt), db.Micros(c.MergedAt))
	if err != nil || n == 0 {
		return db.Wrap("write change", err)
	}
	named := rec.references(c.Title + "\n" + c.Body)
	had, err := rec.s.db.ListIDs(ctx, rec, listFixed, rec.r.ID, c.Number)
	if err != nil {
		return err
	}
	for _, id := range had {
		if !slices.ContainsFunc(named, func(n repo.Reference) bool { return n.Fault == id }) {
			if _, err := rec.Exec(ctx, dropFix, rec.r.ID, c.Number, id); err != nil {
				return err
			}
		}
	}
	if err := rec.link(ctx, repo.Fix{Number: c.Number}, named); err != nil {
		return err
	}
	if !c.FromFork && c.State == repo.Open {
		if _, err := rec.Exec(ctx, adoptCommits, rec.r.ID, c.Number, c.Branch); err != nil {
			return err
		}
	}
	return rec.landed(ctx, c)
}

// landed notes which commit a deploy must contain, once the change is merged.
func (rec *recording) landed(ctx context.Context, c repo.Change) error {
	if c.State != repo.Merged || c.MergeSHA == "" {
		return nil
	}
	n, err := rec.Changed(ctx, landChange, rec.r.ID, c.Number, c.MergeSHA)
	if err != nil {
		return err
	}
	rec.land = n > 0
	if _, err := rec.Exec(ctx, dropMergeCommits, rec.r.ID, c.Number, c.MergeSHA); err != nil {
		return err
	}
	return rec.revert(ctx, c.Title+"\n"+c.Body, c.MergeSHA)
}

// touchesOwners reports whether a push may have changed who owns code.
func touchesOwners(h repo.Host, p repo.Push) bool {
	owners := repo.OwnersFiles(h)
	return !p.Complete || slices.ContainsFunc(p.Commits, func(c repo.Commit) bool {
		return slices.ContainsFunc(c.Files, func(file string) bool { return slices.Contains(owners, file) })
	})
}

var writeChecks = `-- repodb.writeChecks
UPDATE changes SET checks = $3, checked_at = $4 WHERE repository_id = $1 AND ` + same("head_sha", "CAST($2 AS text)") + ` AND checked_at <= $4`

// checks records a result of checks. What one of several says is not what all say: the host is asked.
func (rec *recording) checks(ctx context.Context, c repo.ChecksOf) error {
	if c.Name != "" {
		c.Checks = repo.ChecksUnknown
		if err := rec.askNow(ctx, rec.now, rec.r); err != nil {
			return err
		}
	}
	_, err := rec.Exec(ctx, writeChecks, rec.r.ID, c.SHA, string(c.Checks), db.Micros(c.UpdatedAt))
	return err
}

// references returns the errors that a text names, by the address of this sett or as SETT-123.
func (rec *recording) references(text string) []repo.Reference {
	return slices.DeleteFunc(repo.References(text, rec.base), func(r repo.Reference) bool {
		return r.Prefix != "" && r.Prefix != repo.Prefix || r.Project != 0 && r.Project != rec.r.ProjectID
	})
}
