package archivedb_test

import (
	"strings"
	"testing"

	"sett/internal/store/archivedb"
	"sett/internal/store/db"
	"sett/internal/store/storetest"
)

// stay are the tables that exports leave out, with the reason.
var stay = map[string]string{
	"audit_log": "it says what people did on this server", "backups": "of this server", "erasures": "who was erased is to be forgotten",
	"alerts": "messages were sent by this server", "deliveries": "likewise", "attempts": "likewise", "held_alerts": "likewise", "acknowledgements": "likewise", "floods": "likewise", "alert_looks": "likewise", "mails": "likewise", "status_notices": "likewise",
	"tokens": "they sign in to this server", "connections": "likewise", "passkeys": "likewise", "oidc_identities": "likewise", "directories": "likewise", "domains": "likewise", "directory_people": "likewise", "directory_groups": "likewise", "directory_members": "likewise", "second_factors": "likewise", "recovery_codes": "likewise", "sessions": "likewise", "login_steps": "likewise", "escalations": "likewise",
	"password_resets": "likewise", "challenges": "likewise", "login_failures": "likewise", "invitations": "likewise", "invitation_teams": "likewise", "unsubscribe_links": "likewise", "fault_shares": "public links are to this server", "dashboard_shares": "likewise",
	"rate_windows": "requests to this server", "agents": "they report to this server", "agent_streams": "likewise", "certificates": "of this server's names", "secret_keys": "the key of this server", "secret_traces": "likewise", "leases": "nodes of this server", "nodes": "likewise", "digests": "likewise", "beats": "likewise", "blind_windows": "likewise",
	"notices": "events.jsonl has them", "bundles": "likewise", "bundle_facets": "likewise", "bundle_filters": "likewise", "blocks": "likewise", "block_payloads": "likewise", "block_parts": "likewise", "block_objects": "likewise", "dead_objects": "likewise", "object_keys": "likewise", "block_filters": "likewise", "block_tallies": "likewise", "old_notices": "likewise", "fault_notices": "likewise", "notice_tokens": "likewise", "backtraces": "likewise",
	"attachments": "attachments.jsonl has them", "upload_chunks": "they wait for a day", "waiting_feedback": "likewise", "fault_graves": "their errors are gone", "pending_work": "it is done here", "pending_lots": "likewise", "site_graves": "their sites are gone", "site_feed": "a position of this server", "status_feed": "likewise", "uptime_progress": "likewise",
	"configurations": "which things files of configuration made here", "imported": "what came from elsewhere came to this server", "import_runs": "likewise", "imports": "likewise", "repositories": "it has the token of another service", "changes": "the host of the repository has them", "branch_commits": "likewise", "fixes": "likewise", "suspects": "likewise", "repository_work": "it is done here", "forwards": "it has the key of another service", "forward_days": "likewise",
}

// Each table is exported, or there is a reason why not; and each column that looks like a reference is one.
func TestNounsAreAllTables(t *testing.T) {
	t.Parallel()
	d := storetest.OpenSQLite(t)
	columns, err := d.Columns(t.Context(), d.Read)
	if err != nil {
		t.Fatal(err)
	}
	exported := map[string]bool{}
	for _, n := range archivedb.Nouns() {
		exported[n.Table] = true
		for _, c := range columns[n.Table] {
			if looksLikeReference(c) && !n.Refers(c.Name) && !n.Stays(c.Name) {
				t.Errorf("%s.%s looks like a reference and is none", n.Table, c.Name)
			}
			if c.Sealed != nil && !n.Safe(c.Name) && c.Name != "url" { // of which the password is left out
				t.Errorf("%s.%s is a secret, and nothing stands for it in an export without secrets", n.Table, c.Name)
			}
		}
	}
	for table := range columns {
		if exported[table] == (stay[table] != "") {
			t.Errorf("the table %s must be exported, or have a reason in stay; not both", table)
		}
	}
}

func looksLikeReference(c db.ColumnShape) bool {
	return c.Type == "integer" && (strings.HasSuffix(c.Name, "_id") || strings.HasSuffix(c.Name, "_by") || c.Name == "page" || c.Name == "check_in" || c.Name == "alarm")
}
