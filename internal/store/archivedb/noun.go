package archivedb

// Noun is what the records of one file of an export are: the rows of a table. A record has the columns of the table as its
// fields, save those that stay with the server.
type Noun struct {
	Name  string // of the file, without .jsonl
	Table string
	Holds string // in plain words

	rows    string // condition of the rows; {projects}, {parts} and {account} stand for what is exported
	account bool   // it belongs to the account: an export of one project has none

	ID   string // column whose values others refer to; "" for none
	Own  string // column with an identifier of its own that no two rows of a server have; "" for none
	File string // column that is a file of its own beside the records; "" for none
	Of   string // noun that has the ids of its rows, if it is another one: both are among the same ids

	key   string // column with the number of a record, if that is not ID
	refs  []ref
	lists []string          // columns with JSON arrays of identifiers of sites or check-ins
	stays map[string]any    // columns that are not exported, with what they are after an import
	safe  map[string]string // columns of secrets, with what stands for them in an export without secrets
}

// ref is a column that refers to a row of another noun.
type ref struct {
	column, noun string
	lost         lost
}

// lost says what becomes of a row that refers to something that does not come.
type lost int

const (
	never lost = iota // what it refers to is in the same export
	null              // the column is empty
	zero              // the column is 0
	drop              // the row does not come
)

const (
	ofProjects  = "project_id IN {projects}"
	ofParts     = "fault_id IN {parts}"
	ofFaults    = "fault_id IN (SELECT id FROM faults WHERE project_id IN {projects})"
	ofSites     = "site_id IN (SELECT id FROM sites WHERE project_id IN {projects})"
	ofCheckIns  = "check_in IN (SELECT number FROM check_ins WHERE project_id IN {projects})"
	ofAlarms    = "alarm IN (SELECT number FROM alarms WHERE project_id IN {projects})"
	ofPages     = "page IN (SELECT number FROM status_pages WHERE account_id = {account})"
	ofComponent = "component_id IN (SELECT c.id FROM status_components c JOIN status_pages p ON p.number = c.page WHERE p.account_id = {account})"
	ofIncident  = "incident_id IN (SELECT i.id FROM status_incidents i JOIN status_pages p ON p.number = i.page WHERE p.account_id = {account})"
)

// Nouns returns what exports have, in the order in which it is read back: what others refer to comes before them.
func Nouns() []Noun {
	project := ref{"project_id", "projects", never}
	fault := ref{"fault_id", "errors", never}
	site := ref{"site_id", "sites", never}
	checkIn := ref{"check_in", "check_ins", never}
	page := ref{"page", "status_pages", never}
	chunk := ref{"chunk_id", "structured_chunks", never}
	component := ref{"component_id", "status_components", never}
	return []Noun{
		{Name: "accounts", Table: "accounts", Holds: "the account", rows: "id = {account}", account: true},
		{
			Name: "users", Table: "users", Holds: "members of the account; they have no passwords", rows: "id IN (SELECT user_id FROM memberships WHERE account_id = {account})", ID: "id",
			stays: map[string]any{"password": "", "proven": false, "operator": false, "browser_zone": "", "active_at": int64(0), "away_at": int64(0)},
		},
		{Name: "memberships", Table: "memberships", Holds: "roles of users", rows: "account_id = {account}", account: true, refs: []ref{{"user_id", "users", drop}}},
		{Name: "teams", Table: "teams", Holds: "teams", rows: "account_id = {account}", account: true, ID: "id", refs: []ref{{"owner_id", "users", null}}},
		{
			Name: "team_members", Table: "team_members", Holds: "who is in which team", rows: "team_id IN (SELECT id FROM teams WHERE account_id = {account})", account: true, ID: "id",
			refs: []ref{{"team_id", "teams", never}, {"user_id", "users", drop}},
		},

		{Name: "projects", Table: "projects", Holds: "projects with their settings", rows: "id IN {projects}", ID: "id", refs: []ref{{"owner_id", "users", null}}, stays: map[string]any{"deleting": false}},
		{Name: "team_projects", Table: "team_projects", Holds: "which team sees which project", rows: "project_id IN {projects}", account: true, refs: []ref{{"team_id", "teams", never}, project}},
		{Name: "keys", Table: "project_keys", Holds: "API keys of projects", rows: ofProjects, Own: "key", refs: []ref{project}},
		{Name: "environments", Table: "environments", Holds: "environments", rows: ofProjects, ID: "id", refs: []ref{project}},
		{
			Name: "sites", Table: "sites", Holds: "sites", rows: ofProjects, ID: "id", Own: "uuid", refs: []ref{project},
			stays: map[string]any{"asked_at": int64(0), "asked_by": "", "revision": int64(0)},
			safe:  map[string]string{"request_headers": "null", "request_body": ""},
		},
		{Name: "site_states", Table: "site_states", Holds: "how sites are", rows: ofSites, refs: []ref{site}},
		{Name: "verdicts", Table: "verdicts", Holds: "the last result of a site from each location", rows: ofSites, refs: []ref{site}},
		{Name: "uptime_checks", Table: "uptime_checks", Holds: "single checks of sites", rows: ofSites, refs: []ref{site}},
		{Name: "uptime_days", Table: "uptime_days", Holds: "checks of sites by day", rows: ofSites, refs: []ref{site}},
		{Name: "checked_days", Table: "checked_days", Holds: "days on which sites were checked", rows: ofSites, refs: []ref{site}},
		{Name: "outages", Table: "outages", Holds: "outages", rows: ofSites, ID: "id", refs: []ref{site}},
		{Name: "slow_spells", Table: "slow_spells", Holds: "times in which a site was slow", rows: ofSites, ID: "id", refs: []ref{site}},
		{Name: "site_gaps", Table: "site_gaps", Holds: "times in which a site was not checked", rows: ofSites, refs: []ref{site}},
		{Name: "certificate_warnings", Table: "cert_warnings", Holds: "certificate warnings that were sent", rows: ofSites, refs: []ref{site}},
		{Name: "check_ins", Table: "check_ins", Holds: "check-ins", rows: ofProjects, ID: "number", Own: "id", refs: []ref{project}},
		{Name: "check_in_addresses", Table: "check_in_aliases", Holds: "addresses of another monitor at which jobs go on to report, as hashes", rows: ofCheckIns, Own: "hash", refs: []ref{checkIn}},
		{Name: "check_in_events", Table: "check_in_events", Holds: "reports about check-ins", rows: ofCheckIns, ID: "id", refs: []ref{checkIn}},
		{Name: "check_in_turns", Table: "check_in_turns", Holds: "changes of the state of check-ins", rows: ofCheckIns, ID: "id", refs: []ref{checkIn}},
		{Name: "check_in_days", Table: "check_in_days", Holds: "results of check-ins by day", rows: ofCheckIns, refs: []ref{checkIn}},
		{Name: "refused_check_ins", Table: "refused_check_ins", Holds: "reports that were refused", rows: ofProjects, refs: []ref{project}},
		{
			Name: "channels", Table: "integrations", Holds: "channels; without secrets, they are off", rows: ofProjects, ID: "id", refs: []ref{project}, lists: []string{"site_ids", "check_in_ids"},
			safe: map[string]string{"options": "{}"},
		},
		{Name: "escalations", Table: "escalation_rules", Holds: "where alerts of a channel are sent on to", rows: "integration_id IN (SELECT id FROM integrations WHERE project_id IN {projects})", refs: []ref{{"integration_id", "channels", never}, {"to_id", "channels", never}}},
		{Name: "maintenance_windows", Table: "maintenance_windows", Holds: "maintenance windows", rows: ofProjects, ID: "id", refs: []ref{project, {"made_by", "users", null}}, lists: []string{"site_ids", "check_in_ids"}},

		{Name: "errors", Table: "faults", Holds: "errors", rows: ofProjects, ID: "id", refs: []ref{project, {"assignee_id", "assignees", null}}},
		{Name: "merged_errors", Table: "merged_faults", Holds: "errors that were merged into others", rows: ofProjects, Of: "errors", key: "id", refs: []ref{project, {"id", "errors", never}, {"into_id", "errors", never}, {"assignee_id", "assignees", null}, {"merged_by", "users", zero}, {"pause_by", "users", zero}}},
		{Name: "error_counts", Table: "fault_counts", Holds: "how often errors occurred", rows: ofProjects, refs: []ref{project, fault}},
		{Name: "error_keys", Table: "fault_keys", Holds: "what events of an error have in common", rows: ofProjects, refs: []ref{project, fault, {"part_id", "errors", never}}},
		{Name: "error_links", Table: "fault_links", Holds: "issues of errors", rows: ofFaults, refs: []ref{fault, {"integration_id", "channels", never}}},
		{Name: "merged_error_links", Table: "merged_links", Holds: "issues of merged errors", rows: "fault_id IN (SELECT id FROM merged_faults WHERE project_id IN {projects})", refs: []ref{fault, {"integration_id", "channels", never}}},
		{Name: "comments", Table: "comments", Holds: "comments and the history of errors", rows: ofFaults, ID: "id", refs: []ref{project, fault, {"part_id", "errors", never}, {"author_id", "users", null}}},
		{Name: "pauses", Table: "pause_conditions", Holds: "what ends the pause of an error", rows: ofFaults, refs: []ref{fault, {"created_by", "users", zero}}},
		{Name: "followers", Table: "fault_followers", Holds: "who follows an error", rows: ofProjects, refs: []ref{project, fault, {"user_id", "users", drop}}},
		{Name: "error_messages", Table: "fault_messages", Holds: "messages of errors", rows: ofProjects, refs: []ref{project, {"part_id", "errors", never}, {"first_id", "events", never}, {"last_id", "events", never}}},
		{Name: "error_users", Table: "fault_users", Holds: "users affected by errors", rows: ofParts, refs: []ref{fault}},
		{Name: "error_times", Table: "fault_buckets", Holds: "how often errors occurred by the minute, hour and day", rows: ofParts, refs: []ref{fault}},
		{Name: "project_times", Table: "project_buckets", Holds: "how often errors occurred in an environment by the minute, hour and day", rows: ofProjects, refs: []ref{project}},
		{Name: "named_times", Table: "named_buckets", Holds: "events by the hour and class, location or user", rows: ofProjects, refs: []ref{project}},
		{Name: "rate_alerts", Table: "rate_alerts", Holds: "when an error last exceeded a rate", rows: ofFaults, refs: []ref{fault, {"integration_id", "channels", never}}},
		{Name: "volume_spikes", Table: "volume_spikes", Holds: "when an error last spiked", rows: ofFaults, refs: []ref{fault}},

		{Name: "deploys", Table: "deploys", Holds: "deploys", rows: ofProjects, ID: "id", refs: []ref{project}},
		{Name: "releases", Table: "releases", Holds: "releases", rows: ofProjects, ID: "id", refs: []ref{project}},
		{Name: "release_commits", Table: "release_commits", Holds: "commits of releases", rows: ofProjects, refs: []ref{project}},
		{Name: "release_errors", Table: "release_faults", Holds: "errors that were new, reopened or resolved in a release", rows: ofProjects, refs: []ref{project, fault}},
		{Name: "release_hours", Table: "release_hours", Holds: "sessions of releases by the hour", rows: ofProjects, refs: []ref{project}},
		{Name: "source_files", Table: "source_files", Holds: "files of source maps, compressed with zstd", rows: ofProjects, ID: "id", File: "body", refs: []ref{project}},
		{Name: "source_maps", Table: "source_maps", Holds: "source maps", rows: ofProjects, ID: "id", refs: []ref{project, {"file_id", "source_files", never}}},
		{Name: "source_map_files", Table: "source_map_files", Holds: "original files of source maps", rows: "map_id IN (SELECT id FROM source_maps WHERE project_id IN {projects})", refs: []ref{{"map_id", "source_maps", never}, {"file_id", "source_files", never}}},
		{Name: "source_map_totals", Table: "source_map_totals", Holds: "how much the source maps of a project take", rows: ofProjects, refs: []ref{project}},

		{Name: "structured_batches", Table: "insight_batches", Holds: "structured events that came last, in the form of the store", rows: ofProjects, ID: "id", refs: []ref{project}},
		{Name: "structured_chunks", Table: "insight_chunks", Holds: "structured events of the last days by column, in the form of the store", rows: ofProjects, ID: "id", refs: []ref{project}},
		{Name: "structured_parts", Table: "insight_parts", Holds: "fields of these events", rows: "chunk_id IN (SELECT id FROM insight_chunks WHERE project_id IN {projects})", refs: []ref{chunk}},
		{Name: "structured_filters", Table: "insight_filters", Holds: "which values a chunk may have", rows: ofProjects, refs: []ref{project, chunk}},
		{Name: "structured_days", Table: "insight_days", Holds: "structured events by day", rows: ofProjects, refs: []ref{project}},

		{Name: "dashboards", Table: "dashboards", Holds: "dashboards", rows: ofProjects, ID: "number", Own: "id", refs: []ref{project}},
		{Name: "alarms", Table: "alarms", Holds: "alarms", rows: ofProjects, ID: "number", Own: "id", refs: []ref{project}, stays: map[string]any{"claimed_until": int64(0)}},
		{Name: "alarm_changes", Table: "alarm_changes", Holds: "history of alarms", rows: ofAlarms, ID: "id", refs: []ref{{"alarm", "alarms", never}}},
		{Name: "alarm_results", Table: "alarm_results", Holds: "what alarms counted on the last day", rows: ofAlarms, refs: []ref{{"alarm", "alarms", never}}},
		{Name: "saved_searches", Table: "saved_searches", Holds: "saved searches and queries", rows: ofProjects, ID: "id", refs: []ref{project, {"user_id", "users", drop}, {"made_by", "users", null}}},
		{Name: "personal_alerts", Table: "personal_alerts", Holds: "personal notification settings", rows: ofProjects, refs: []ref{project, {"user_id", "users", drop}}},
		{Name: "grouping_changes", Table: "grouping_changes", Holds: "versions of grouping rules", rows: ofProjects, ID: "id", refs: []ref{project, {"made_by", "users", zero}}},
		{Name: "usage", Table: "ledger", Holds: "events stored by day", rows: "account_id = {account} AND project_id IN {projects}", refs: []ref{project}},
		{Name: "refusals", Table: "refusals", Holds: "events not stored by day", rows: "account_id = {account} AND project_id IN {projects}", refs: []ref{project}},
		{Name: "discards", Table: "discards", Holds: "what was not stored, by day, category and reason", rows: ofProjects, refs: []ref{project}},
		{Name: "scrubbed", Table: "scrubbed", Holds: "values removed from events by day", rows: ofProjects, refs: []ref{project}},

		{
			Name: "status_pages", Table: "status_pages", Holds: "status pages", rows: "account_id = {account}", account: true, ID: "number", Own: "id",
			stays: map[string]any{"revision": int64(0)}, safe: map[string]string{"password_key": ""},
		},
		{Name: "status_logos", Table: "status_logos", Holds: "logos of status pages, as PNG", rows: ofPages, account: true, File: "body", key: "page", refs: []ref{page}},
		{Name: "status_components", Table: "status_components", Holds: "what a page shows", rows: ofPages, account: true, ID: "id", refs: []ref{page, {"site_id", "sites", null}, {"check_in", "check_ins", null}}},
		{Name: "status_states", Table: "status_states", Holds: "states of components that people set", rows: ofComponent, account: true, ID: "id", refs: []ref{component}},
		{Name: "status_templates", Table: "status_templates", Holds: "templates of incidents", rows: ofPages, account: true, ID: "id", refs: []ref{page}},
		{Name: "status_incidents", Table: "status_incidents", Holds: "incidents", rows: ofPages, account: true, ID: "id", refs: []ref{page}},
		{Name: "status_updates", Table: "status_updates", Holds: "messages of incidents", rows: ofIncident, account: true, ID: "id", refs: []ref{{"incident_id", "status_incidents", never}}, stays: map[string]any{"told_to": int64(-1)}},
		{Name: "status_incident_components", Table: "status_incident_components", Holds: "components of incidents", rows: ofIncident, account: true, refs: []ref{{"incident_id", "status_incidents", never}, component}},
		{Name: "status_incident_audience", Table: "status_incident_audience", Holds: "components that incidents were ever about", rows: ofIncident, account: true, refs: []ref{{"incident_id", "status_incidents", never}, component}},
		{Name: "status_subscribers", Table: "status_subscribers", Holds: "subscribers", rows: ofPages, account: true, ID: "id", refs: []ref{page}, safe: map[string]string{"token": "", "secret": ""}},
		{Name: "status_subscriber_components", Table: "status_subscriber_components", Holds: "components that subscribers chose", rows: "subscriber_id IN (SELECT s.id FROM status_subscribers s JOIN status_pages p ON p.number = s.page WHERE p.account_id = {account})", account: true, refs: []ref{{"subscriber_id", "status_subscribers", never}, component}},
	}
}

// IDs returns the noun among whose ids those of its rows are; "" if its rows have none.
func (n Noun) IDs() string {
	if n.ID != "" {
		return n.Name
	}
	return n.Of
}
