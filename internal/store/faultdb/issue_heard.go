package faultdb

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"sett/internal/sett/alerts"
	"sett/internal/sett/faults"
	"sett/internal/sett/triage"
	"sett/internal/store/db"
)

// The text of a link is only searched for one of the names here: triage.LinkData decides. A fault that was merged into another counts for it,
// unless that has an issue of its own.
const linksOfIssue = `-- faultdb.linksOfIssue
SELECT l.fault_id, l.fault_id, l.data, false FROM fault_links l JOIN faults f ON f.id = l.fault_id
WHERE l.integration_id = $1 AND f.project_id = $2 AND (lower(l.data) LIKE $3 OR lower(l.data) LIKE $4)
UNION ALL
SELECT l.fault_id, m.into_id, l.data, true FROM merged_links l JOIN merged_faults m ON m.id = l.fault_id
WHERE l.integration_id = $1 AND m.project_id = $2 AND (lower(l.data) LIKE $3 OR lower(l.data) LIKE $4)
    AND NOT EXISTS (SELECT 1 FROM fault_links o WHERE o.fault_id = m.into_id AND o.integration_id = l.integration_id)
ORDER BY 2, 1`

// issueLink is a link with an issue: of a fault, or of one that was merged into it.
type issueLink struct {
	of, fault int64 // who has the link, and for whom it counts
	merged    bool
}

// HearIssue records what the tracker of an integration says about an issue, for each fault that is linked with it. A state that is news resolves or
// reopens the fault, as sett itself; the alerts about it go to all integrations but this one. News that is older than what is known, or that sett
// itself has caused, changes nothing.
func (s *Store) HearIssue(ctx context.Context, now time.Time, i alerts.Integration, n triage.IssueNews) error {
	return s.inTx(ctx, "record webhook of issue tracker", func(t Tx) error {
		t.KeepsCaches = true
		links, err := t.linksOf(ctx, i, n)
		if err != nil || len(links) == 0 {
			return err
		}
		if n.Comment != nil && i.Wants(alerts.AlertCommented) {
			return t.hearComment(ctx, now, i, n, links)
		}
		var changed []int64
		for _, l := range links {
			news, err := t.noteState(ctx, i.ID, l, n)
			if err != nil {
				return err
			}
			if news {
				changed = append(changed, l.fault)
			}
		}
		if changed = slices.Compact(changed); len(changed) == 0 {
			return nil
		}
		t.KeepsCaches = false
		return t.follow(ctx, now, i, n, changed)
	})
}

// linksOf returns the links with an issue, and locks their faults.
func (t Tx) linksOf(ctx context.Context, i alerts.Integration, n triage.IssueNews) (links []issueLink, err error) {
	names := n.Names()
	if len(names) == 0 {
		return nil, nil
	}
	like := func(name string) string { return "%" + strings.ToLower(name) + "%" }
	rows, err := t.QueryContext(ctx, t.s.db.Text(linksOfIssue), i.ID, i.ProjectID, like(names[0]), like(names[len(names)-1]))
	err = db.ScanAll(rows, err, func(rows *sql.Rows) error {
		var l issueLink
		var text string
		var data triage.LinkData
		if err := rows.Scan(&l.of, &l.fault, &text, &l.merged); err != nil {
			return err
		}
		if err := json.Unmarshal([]byte(text), &data); err != nil {
			return fmt.Errorf("read link of fault %d: %w", l.of, err)
		}
		if data.LinksTo(n) {
			links = append(links, l)
		}
		return nil
	})
	if err != nil {
		return nil, db.Wrap("find links of issue", err)
	}
	for _, l := range links { // in the order of their ids
		if _, err := t.s.db.ListIDs(ctx, t, lockSurvivor, l.fault); err != nil {
			return nil, err
		}
	}
	return links, nil
}

const (
	noteState = `
SET issue_state = $3, issue_at = $4 WHERE fault_id = $1 AND integration_id = $2 AND issue_at <= $4 AND issue_state <> $3`
	noteStateOfFault  = "-- faultdb.noteStateOfFault\nUPDATE fault_links" + noteState
	noteStateOfMerged = "-- faultdb.noteStateOfMerged\nUPDATE merged_links" + noteState
	noteTime          = `
SET issue_at = $3 WHERE fault_id = $1 AND integration_id = $2 AND issue_at < $3`
	noteTimeOfFault  = "-- faultdb.noteTimeOfFault\nUPDATE fault_links" + noteTime
	noteTimeOfMerged = "-- faultdb.noteTimeOfMerged\nUPDATE merged_links" + noteTime
)

// noteState keeps the state of an issue with its link, and reports whether it is news.
func (t Tx) noteState(ctx context.Context, integration int64, l issueLink, n triage.IssueNews) (news bool, err error) {
	if n.State == "" {
		return false, nil
	}
	state, at := noteStateOfFault, noteTimeOfFault
	if l.merged {
		state, at = noteStateOfMerged, noteTimeOfMerged
	}
	changed, err := t.Changed(ctx, state, l.of, integration, string(n.State), db.Micros(n.At))
	if err == nil && changed == 0 {
		_, err = t.Changed(ctx, at, l.of, integration, db.Micros(n.At))
	}
	return changed > 0, db.Wrap("keep state of issue", err)
}

const reopenFaults = `-- faultdb.reopenFaults
UPDATE faults SET resolved = false, resolved_in = ''
FROM {{rows k(id bigint, project_id bigint)}} WHERE faults.resolved AND faults.id = k.id AND faults.project_id = k.project_id
RETURNING faults.id, faults.environment`

// follow resolves or reopens faults whose issue was closed or reopened. Those that are so already stay as they are.
func (t Tx) follow(ctx context.Context, now time.Time, i alerts.Integration, n triage.IssueNews, ids []int64) (err error) {
	event, changed := alerts.AlertResolved, []faults.Fault(nil)
	if n.State == triage.IssueClosed {
		changed, _, err = t.resolve(ctx, i.ProjectID, "", ids)
	} else {
		event = alerts.AlertUnresolved
		err = t.EachRow(ctx, reopenFaults, func(rows *sql.Rows) error {
			f := faults.Fault{ProjectID: i.ProjectID}
			err := rows.Scan(&f.ID, &f.Environment)
			changed = append(changed, f)
			return err
		}, ids, db.Repeated(i.ProjectID, len(ids)))
	}
	if err != nil {
		return db.Wrap("follow issue", err)
	}
	slices.SortFunc(changed, func(a, b faults.Fault) int { return int(a.ID - b.ID) })
	for _, f := range changed {
		if err := t.addEntry(ctx, now, 0, n.Entry(), f.ID); err != nil {
			return err
		}
		if err := t.outbox().Raise(ctx, now, f.Alert(event, now, i.Heard(n.By))); err != nil {
			return err
		}
	}
	return nil
}

// mostHeard is how many comments of a tracker a fault may have.
const mostHeard = 500

const heardOfFault = `-- faultdb.heardOfFault
SELECT count(*), coalesce(sum(CASE WHEN feedback = $2 THEN 1 ELSE 0 END), 0) FROM comments WHERE fault_id = $1 AND source = 'tracker'`

const insertHeard = `-- faultdb.insertHeard
INSERT INTO comments (fault_id, project_id, event, source, author_id, author, body, notices_count, created_at, feedback)
SELECT c.fault_id, c.project_id, '', 'tracker', NULL, $2, $3, c.notices_count, $4, $5 FROM fault_counts c WHERE c.fault_id = $1 RETURNING id`

// hearComment adds a comment on an issue to the histories of its faults, once. It mentions no one.
func (t Tx) hearComment(ctx context.Context, now time.Time, i alerts.Integration, n triage.IssueNews, links []issueLink) error {
	id := sha256.Sum256([]byte(fmt.Sprintf("%d %s", i.ID, n.Comment.ID)))
	for _, l := range links {
		var all, same int64
		if err := t.QueryRowContext(ctx, t.s.db.Text(heardOfFault), l.fault, id[:16]).Scan(&all, &same); err != nil {
			return db.Wrap("count comments of tracker", err)
		}
		if same > 0 || all >= mostHeard {
			continue
		}
		if err := t.countComments(ctx, i.ProjectID, l.fault, 1); err != nil {
			return err
		}
		var made int64
		row := t.QueryRowContext(ctx, t.s.db.Text(insertHeard), l.fault, n.Author(), n.Comment.Body, db.Micros(now), id[:16])
		if err := row.Scan(&made); err != nil {
			return db.Wrap("insert comment of tracker", err)
		}
		c, err := t.s.comment(ctx, t, i.ProjectID, l.fault, made)
		if err != nil {
			return err
		}
		open, err := t.faultsNotified(ctx, faultsByIDs, []int64{l.fault})
		if err != nil {
			return err
		}
		facts := i.Heard(n.By)
		facts.Comment = c.Facts()
		if err := t.outbox().Raise(ctx, now, faults.BulkAlerts(alerts.AlertCommented, now, open, facts)...); err != nil {
			return err
		}
	}
	return nil
}
