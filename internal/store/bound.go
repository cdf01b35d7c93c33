package store

import (
	"fmt"
	"time"

	"sett/internal/sett/accounts"
	"sett/internal/sett/insight"
	"sett/internal/sett/signin"
	"sett/internal/sett/stats"
	"sett/internal/sett/status"
	"sett/internal/store/faultdb"
	"sett/internal/store/insightdb"
	"sett/internal/store/sourcemapdb"
	"sett/internal/store/uptimedb"
)

// Bound describes the limit of a table's growth. docs/configuration.md lists all of them; a test fails for a table of the schema without
// one.
type Bound struct {
	Table string
	Holds string        // in plain words
	Until string        // when rows are deleted, or what limits their number
	Keep  time.Duration // 0: rows are not deleted by age, or settings determine it
	By    string        // the loop that deletes them; "": users do, or nothing has to
}

// The jobs that delete old rows.
const (
	byRetention  = "retention"
	byCompaction = "compaction"
	byCheckIns   = "check-in history"
	byAlarms     = "alarm history"
	byHosts      = "old changes"
	byChecks     = "history of checks"
	byAlerts     = "old alerts"
	byMail       = "mail"
	byFeedback   = "feedback"
)

const (
	ofPeople = "as many as users create"
	oneRow   = "one row"
	ofFault  = "with its error"
	ofSite   = "with its site"
	ofPage   = "with its status page"
	ofOwner  = "with its project"
	ofUsers  = "with its user"
)

const oneDay = 24 * time.Hour

// untilPurge is how long events are kept by default.
const untilPurge = accounts.DefaultPurgeDays * oneDay

var afterPurge = fmt.Sprintf("after the retention days of their project (%d)", accounts.DefaultPurgeDays)

// Bounds returns the limits of all tables.
func Bounds() []Bound {
	return []Bound{
		{"accounts", "accounts", ofPeople, 0, ""},
		{"users", "users", ofPeople, 0, ""},
		{"memberships", "who is in which account", ofUsers, 0, ""},
		{"teams", "teams", ofPeople, 0, ""},
		{"team_members", "who is in which team", ofUsers, 0, ""},
		{"team_projects", "which team sees which project", ofOwner, 0, ""},
		{"projects", "projects", ofPeople, 0, ""},
		{"project_keys", "API keys", "a revoked key after its grace period", 0, "API keys"},
		{"environments", "names of environments", ofOwner, 0, ""},
		{"integrations", "channels", ofPeople, 0, ""},
		{"acknowledgements", "who looks at which problem", "400 days", accounts.KeepHistory, byAlerts},
		{"personal_alerts", "personal notification settings for a project", "one per user and project", 0, ""},
		{"unsubscribe_links", "unsubscribe links in emails", "one per user and project", 0, ""},
		{"saved_searches", "saved searches and queries", ofPeople, 0, ""},
		{"imported", "what came from another error tracker or monitor", ofOwner, 0, ""},
		{"import_runs", "how far the lists of another error tracker were read", "one per list", 0, ""},
		{"imports", "imports that were started on a page", "the last 20 of each account", 0, ""},
		{"dashboards", "dashboards", "100 of each project", 0, ""},
		{"dashboard_shares", "public links to dashboards", "one per dashboard", 0, ""},
		{"configurations", "which things the files of configuration as code made", "5,000 things, one row per account", 0, ""},
		{"forwards", "where reports are forwarded to", "one per project", 0, ""},
		{"grouping_changes", "versions of grouping rules", "the last 50 of each project", 0, ""},
		{"tokens", "personal tokens", ofPeople, 0, ""},
		{"connections", "how a connected program renews its token", "with the token", 0, ""},
		{"passkeys", "passkeys", ofPeople, 0, ""},
		{"oidc_identities", "identities at an issuer", ofPeople, 0, ""},
		{"directories", "settings for SCIM and SAML", "one per account", 0, ""},
		{"domains", "verified email domains", "50 of each account", 0, ""},
		{"directory_people", "people of a directory (SCIM, SAML)", "20,000 of each account", 0, ""},
		{"directory_groups", "groups of a directory", "2,000 of each account", 0, ""},
		{"directory_members", "who is in which of these groups", ofUsers, 0, ""},
		{"second_factors", "authenticator apps", "one per user", 0, ""},
		{"recovery_codes", "recovery codes", ofUsers, 0, ""},
		{"rate_windows", "requests of a user in the current hour", "one per user", 0, ""},
		{"invitation_teams", "teams of an invitation", "with the invitation", 0, ""},
		{"agents", "agents", ofPeople, 0, ""},
		{"status_logos", "logos of status pages", "one per status page", 0, ""},
		{"certificates", "certificates for HTTPS", "one set per domain", 0, ""},

		{"notices", "events", afterPurge, untilPurge, byRetention},
		{"bundles", "payloads of events", "until these events are in a block", untilPurge, byCompaction},
		{"bundle_facets", "values of these events, for searches", "with the bundle", untilPurge, byCompaction},
		{"bundle_filters", "which values a bundle may contain", "with the bundle", untilPurge, byCompaction},
		{"blocks", "about 2,000 events of a project each", "with the last event in the block", untilPurge, byRetention},
		{"block_payloads", "payloads of these events", "with the block", untilPurge, byRetention},
		{"block_parts", "values of these events, for searches", "with the block", untilPurge, byRetention},
		{"block_objects", "where the object of a block is, with `--blocks`", "with the block", untilPurge, byRetention},
		{"dead_objects", "objects that are to be deleted from object storage", "when they are deleted", 0, "object storage"},
		{"object_keys", "the first part of the keys of objects", oneRow, 0, ""},
		{"block_filters", "which values a block may contain", "with the block", untilPurge, byRetention},
		{"block_tallies", "how many events of a block have a frequent value", "with the block", untilPurge, byRetention},
		{"old_notices", "how many events of an earlier version were moved", oneRow, 0, ""},
		{"fault_notices", "the events of each error", "with the event", untilPurge, byRetention},
		{"notice_tokens", "event ids from clients", "with the event", untilPurge, byRetention},
		{"fault_users", "users affected by an error", "with their last event", untilPurge, byRetention},
		{"fault_messages", "messages of the events of an error and of their causes, up to 252 of each error", afterPurge, untilPurge, byRetention},
		{"named_buckets", "events per hour by class, location and user, for reports", afterPurge, untilPurge, byRetention},
		{"attachments", "files that were sent with events", "with the event, or not stored beyond `--attachment-bytes`", untilPurge, byRetention},
		{"backtraces", "backtraces", "with the last event that uses the backtrace", untilPurge, byRetention},

		{"insight_batches", "structured events (Insights) as they were received", "until these events are in a chunk, after about an hour", 0, byCompaction},
		{"insight_chunks", "up to 4,096 structured events of a project each", "7 days, by the hour", insight.Keep, byRetention},
		{"insight_parts", "fields of these events", "with the chunk", insight.Keep, byRetention},
		{"insight_filters", "which values a chunk may contain", "with the chunk", insight.Keep, byRetention},
		{"insight_days", "how many structured events a project sent on a day", "31 days", insightdb.KeepDays * oneDay, byRetention},

		{"alarms", "alarms", "100 per project", 0, ""},
		{"alarm_changes", "history of alarms", "400 days", accounts.KeepHistory, byAlarms},
		{"alarm_results", "what the evaluations of an alarm found", "25 hours, with its next evaluation", 0, ""},

		{"discards", "how much was not stored, as clients report or because sett dropped it, by day, category and reason", "400 days", accounts.KeepHistory, byRetention},
		{"refused_check_ins", "reports about jobs that were refused, by slug, with the reason", "30 days, or when the next report is accepted", stats.KeepRefusedCheckIns, byCheckIns},
		{"forward_days", "how many reports were forwarded, by day", "400 days", accounts.KeepHistory, byRetention},
		{"scrubbed", "how many values were removed from events, by day and reason", "400 days", accounts.KeepHistory, byRetention},
		{"source_files", "compressed files of source maps", "with the last source map that uses the file", untilPurge, byRetention},
		{"source_maps", "source maps", fmt.Sprintf("unused for the retention days of their project (%d), or beyond `--source-map-bytes`", accounts.DefaultPurgeDays), untilPurge, byRetention},
		{"source_map_files", "original files that were uploaded with source maps", "with the source map", untilPurge, byRetention},
		{"upload_chunks", "parts of archives with source maps, until all parts are there", "one day, or when the archive is stored", sourcemapdb.KeepChunks, byRetention},
		{"source_map_totals", "how much the source maps of a project take", "one per project", 0, ""},

		{"faults", "errors", "they stay, with their counts, until users delete them", 0, ""},
		{"fault_counts", "how often an error occurred", ofFault, 0, ""},
		{"fault_keys", "what events of an error have in common, to find it by", ofFault, 0, ""},
		{"fault_links", "issues of an error", ofFault, 0, ""},
		{"pause_conditions", "what ends the pause of an error before its time", "with the pause, after 30 days at most", 0, ""},
		{"fault_followers", "who follows an error, or unfollowed it", "with its error; one per user and error", 0, ""},
		{"fault_shares", "public links", ofFault, 0, ""},
		{"merged_faults", "errors that were merged into others", ofFault, 0, ""},
		{"merged_links", "issues of merged errors", ofFault, 0, ""},
		{"comments", "comments and history of an error", ofFault, 0, ""},
		{"waiting_feedback", "feedback of users whose event is not stored", "when the event comes, or after 7 days", faultdb.KeepFeedback, byFeedback},
		{"rate_alerts", "when an error last exceeded a rate", "one per error and channel", 0, ""},
		{"volume_spikes", "when an error last spiked", "one per error", 0, ""},
		{"fault_graves", "errors whose data is being deleted", "when all their data is deleted", 0, "deleted errors"},
		{"pending_work", "changes of many rows that are not finished, such as the deletion of a project", "when they are finished", 0, "pending changes"},
		{"pending_lots", "which rows such a change is about", "when these rows are changed", 0, "pending changes"},
		{"erasures", "what was erased of affected users, without their names", ofPeople, 0, ""},
		{"fault_buckets", "how often an error occurred by the minute, hour and day", "minutes 7 days, hours 90 days, days with the error", accounts.KeepHours, byRetention},
		{"project_buckets", "how many events a project had by the minute, hour and day", "minutes 400 days, hours and days with the project", accounts.KeepHistory, byRetention},
		{"ledger", "events stored per project and day", "400 days", accounts.KeepHistory, byRetention},
		{"refusals", "events not stored, per project and day", "400 days", accounts.KeepHistory, byRetention},
		{"deploys", "deploys", "400 days, or as long as older events exist; the last deploy of an environment stays", accounts.KeepHistory, byRetention},
		{"releases", "releases", "400 days after anything named them; those of deploys stay with them", accounts.KeepHistory, byRetention},
		{"release_commits", "commits of a release", "with the release", accounts.KeepHistory, byRetention},
		{"release_faults", "errors that were new, reopened or resolved in a release", "400 days", accounts.KeepHistory, byRetention},
		{"repositories", "repositories of a project", "20 per project", 0, ""},
		{"changes", "pull and merge requests of repositories", "400 days after their last change, unless they are open", accounts.KeepHistory, byHosts},
		{"branch_commits", "commits of default branches", "400 days", accounts.KeepHistory, byHosts},
		{"fixes", "which changes and commits are about which error", "with the change; those of commits 400 days", accounts.KeepHistory, byHosts},
		{"suspects", "the commit that an error most likely came from", ofFault, 0, byHosts},
		{"repository_work", "deploys and errors that are yet to be compared with repositories", "when they are, or after about a day", 0, "repositories"},
		{"release_hours", "how many sessions a release had by the hour", afterPurge, untilPurge, byRetention},

		{"alerts", "what was notified", "30 days", 30 * oneDay, byAlerts},
		{"deliveries", "recipient and result of each notification", "30 days, with the alert", 30 * oneDay, byAlerts},
		{"attempts", "each delivery attempt", "30 days, with the alert", 30 * oneDay, byAlerts},
		{"maintenance_windows", "maintenance windows", "400 days after their end, and the newest 1,000 of a project", accounts.KeepHistory, "maintenance history"},
		{"held_alerts", "alerts that a maintenance window holds", "until the window has ended", 0, "maintenance windows"},
		{"escalation_rules", "where alerts of a channel are sent on to", "one per channel", 0, ""},
		{"escalations", "alerts that are sent on, or wait for an acknowledgement", "until their problem ends, and no longer than their alert", 0, ""},
		{"floods", "messages to a channel in ten minutes", "after the ten minutes", 0, "deliveries"},
		{"alert_looks", "progress of the search for alerts", "two rows", 0, ""},
		{"mails", "queued emails", "when they are sent; failed emails after 7 days", 7 * oneDay, byMail},

		{"check_ins", "check-ins", ofPeople, 0, ""},
		{"check_in_events", "history of check-ins", "90 days, and the newest 1,000 of each", uptimedb.KeepCheckInEvents, byCheckIns},
		{"check_in_turns", "changes of a check-in's state", "91 days; the newest stays", uptimedb.KeepCheckInTurns, byCheckIns},
		{"check_in_days", "daily results of a check-in", "91 days", uptimedb.KeepCheckInTurns, byCheckIns},
		{"check_in_aliases", "addresses of another monitor at which a check-in answers", "10 per check-in", 0, ""},
		{"blind_windows", "monitoring gaps: times when no server was running", "90 days", uptimedb.KeepCheckInEvents, byCheckIns},
		{"beats", "last heartbeat of a server", oneRow, 0, ""},

		{"sites", "sites", ofPeople, 0, ""},
		{"site_states", "current state of a site", "one per site", 0, ""},
		{"verdicts", "last result from each location", "one per site and location", 0, ""},
		{"uptime_checks", "single checks", "the days of `--check-days` (30)", 30 * oneDay, byChecks},
		{"uptime_days", "daily check totals", ofSite + ": one per day and location", 0, ""},
		{"checked_days", "which days have checks", ofSite + ": one per 60 days", 0, ""},
		{"uptime_progress", "progress of the daily totals", oneRow, 0, ""},
		{"outages", "outages", "400 days after their end", accounts.KeepHistory, byRetention},
		{"slow_spells", "times in which a site was slow", "400 days after their end", accounts.KeepHistory, byRetention},
		{"site_gaps", "times in which no location checked a site", "91 days after their end", uptimedb.KeepSiteGaps, byRetention},
		{"cert_warnings", "certificate warnings that were sent", "400 days", accounts.KeepHistory, byRetention},
		{"site_graves", "deleted sites", "when every location has received the deletion", uptimedb.TombstoneAge, byChecks},
		{"site_feed", "revision number of sites", oneRow, 0, ""},
		{"agent_streams", "position of each agent's reports", "7 days after the last report", uptimedb.StreamsKept, byChecks},

		{"status_pages", "status pages", ofPeople, 0, ""},
		{"status_components", "what a page shows", ofPage, 0, ""},
		{"status_templates", "templates of incidents", "50 per status page", 0, ""},
		{"status_states", "states of components that people set", "the newest 200 of a component within 90 days", 0, ""},
		{"status_incidents", "incidents", "automatic incidents 400 days after their end; others stay", accounts.KeepHistory, byRetention},
		{"status_updates", "incident messages", "with the incident", 0, ""},
		{"status_incident_components", "components affected by incidents", "with the incident", 0, ""},
		{"status_subscribers", "subscribers", "unconfirmed 2 days, stopped 90 days", status.KeepStopped, "status updates"},
		{"status_subscriber_components", "components that subscribers chose", "with the subscriber", 0, ""},
		{"status_incident_audience", "components that incidents were ever about", "with the incident", 0, ""},
		{"status_notices", "updates not yet sent to subscribers", "when they are sent or stopped", 0, "status notices"},
		{"status_feed", "revision number of status pages", oneRow, 0, ""},

		{"audit_log", "who changed what", "365 days", accounts.KeepAudit, byRetention},
		{"invitations", "invitations", "unanswered 90 days after they expire; accepted until users delete them", accounts.InvitationLife + accounts.KeepUnanswered, byRetention},
		{"sessions", "browsers that are signed in", "30 days after the last request", signin.SessionIdleLife, byRetention},
		{"login_steps", "sign-ins that wait for the second factor", "10 minutes", signin.LoginStepLife, byRetention},
		{"password_resets", "password reset links", "one hour", signin.PasswordResetLife, byRetention},
		{"challenges", "challenges that a browser must answer", "a few minutes", time.Hour, byRetention},
		{"login_failures", "failed sign-ins, and networks from which users signed in", "15 minutes after the last wait; networks 90 days", signin.FailureMemory, byRetention},

		{"secret_keys", "ids of the keys that secrets are encrypted with", "one row, two during a key rotation", 0, ""},
		{"secret_traces", "whether files may still hold readable secrets", oneRow, 0, ""},
		{"backups", "backups that were made", "the last 50", 0, ""},
		{"leases", "which node runs which job", "one per location and job", 0, ""},
		{"nodes", "nodes that record events", "one per node", 0, ""},
		{"digests", "progress of counting", "eight per node number used, of 2,048", 0, ""},
	}
}
