package faultdb

import (
	"sett/internal/sett/faults"
)

// timelines are the statements that read each kind of entry, from time $1 up to the position $2, $3. Each ends where a list of projects
// is inserted.
var timelines = map[faults.TimelineKind]string{
	faults.TimelineNew:       timelineNew,
	faults.TimelineReopened:  timelineComments + "k.event = 'reopened' AND k.project_id IN ",
	faults.TimelineResolved:  timelineComments + "k.event = 'resolved' AND k.project_id IN ",
	faults.TimelineDeploy:    timelineDeploys,
	faults.TimelineDown:      timelineOutages("o.down_at") + "o.created_at >= $1 AND s.project_id IN ",
	faults.TimelineUp:        timelineOutages("o.up_at") + "o.up_at > 0 AND s.project_id IN ",
	faults.TimelineSlow:      timelineSpells("p.slow_at") + "p.created_at >= $1 AND s.project_id IN ",
	faults.TimelineFast:      timelineSpells("p.fast_at") + "p.ending = 'fast' AND s.project_id IN ",
	faults.TimelineMissing:   timelineTurns + "t.state = 'missing' AND c.project_id IN ",
	faults.TimelineFailing:   timelineTurns + "t.state = 'failing' AND c.project_id IN ",
	faults.TimelineReporting: timelineTurns + "t.state = 'reporting' AND " + turnBefore + " IN ('missing', 'failing') AND c.project_id IN ",
	faults.TimelineIncident:  timelineIncidents,
}

// timelineEndings follow the list of projects.
var timelineEndings = map[faults.TimelineKind]string{
	faults.TimelineNew:      " ORDER BY k.created_at DESC, k.id DESC LIMIT $4) l JOIN faults f ON f.id = l.id",
	faults.TimelineReopened: endOfComments,
	faults.TimelineResolved: endOfComments,
	faults.TimelineIncident: ")",
}

// An index alone determines the entries of the page; only these are read.
const timelineNew = `-- faultdb.timeline of new faults
SELECT f.created_at, f.id, f.project_id, CAST(f.id AS text), f.class, f.message, f.environment, '', 0, 0
FROM (SELECT k.id FROM faults k WHERE k.created_at >= $1 AND (k.created_at, k.id) < ($2, $3) AND k.project_id IN `

const timelineComments = `-- faultdb.timeline of comments
SELECT c.created_at, c.id, c.project_id, CAST(c.fault_id AS text), f.class, f.message, f.environment, c.author, 0, 0
FROM (SELECT k.id FROM comments k
    WHERE k.event IN ('resolved', 'reopened') AND k.created_at >= $1 AND (k.created_at, k.id) < ($2, $3) AND `

const endOfComments = " ORDER BY k.created_at DESC, k.id DESC LIMIT $4) l JOIN comments c ON c.id = l.id JOIN faults f ON f.id = c.fault_id"

const timelineDeploys = `-- faultdb.timeline of deploys
SELECT d.created_at, d.id, d.project_id, CAST(d.id AS text), d.revision, d.repository, d.environment, d.local_username, 0, 0 FROM deploys d
WHERE d.created_at >= $1 AND (d.created_at, d.id) < ($2, $3) AND d.project_id IN `

// timelineOutages is the statement for entries that are dated by a column of outages.
func timelineOutages(at string) string {
	return `-- faultdb.timeline of outages
SELECT ` + at + `, o.id, s.project_id, s.uuid, s.name, o.reason, '', '', o.down_at, o.up_at FROM sites s JOIN outages o ON o.site_id = s.id
WHERE ` + at + ` >= $1 AND (` + at + `, o.id) < ($2, $3) AND `
}

// timelineSpells is the statement for entries that are dated by a column of times in which a site was slow.
func timelineSpells(at string) string {
	return `-- faultdb.timeline of slow sites
SELECT ` + at + `, p.id, s.project_id, s.uuid, s.name, CAST(p.slow_after AS text), '', '', p.slow_at, p.fast_at FROM sites s JOIN slow_spells p ON p.site_id = s.id
WHERE ` + at + ` >= $1 AND (` + at + `, p.id) < ($2, $3) AND `
}

const timelineTurns = `-- faultdb.timeline of check-ins
SELECT t.at, t.id, c.project_id, c.id, coalesce(nullif(c.name, ''), c.slug), '', '', '', 0, 0 FROM check_ins c JOIN check_in_turns t ON t.check_in = c.number
WHERE t.at >= $1 AND (t.at, t.id) < ($2, $3) AND `

// turnBefore is the previous state of the check-in.
const turnBefore = `(SELECT b.state FROM check_in_turns b WHERE b.check_in = t.check_in AND b.id < t.id ORDER BY b.id DESC LIMIT 1)`

const timelineIncidents = `-- faultdb.timeline of incidents
SELECT i.starts_at, i.id, 0, p.id, i.name, i.status, '', '', 0, 0 FROM status_incidents i JOIN status_pages p ON p.number = i.page
WHERE i.starts_at >= $1 AND (i.starts_at, i.id) < ($2, $3) AND EXISTS (SELECT 1 FROM status_incident_components ic
    JOIN status_components sc ON sc.id = ic.component_id LEFT JOIN sites s ON s.id = sc.site_id LEFT JOIN check_ins c ON c.number = sc.check_in
    WHERE ic.incident_id = i.id AND coalesce(s.project_id, c.project_id) IN `
