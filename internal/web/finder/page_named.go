package finder

import (
	"fmt"
	"strings"

	"sett/internal/sett/accounts"
)

// namedPage is a page that is found by its name or by other words for it.
type namedPage struct {
	name, words string
	path        string // with the ID of the project or account
	needs       accounts.Permission
}

// The pages of a project, of an account, of a user, of the server and of the manual.
var (
	ofProject = []namedPage{
		{"Overview", "", "/projects/%d", ""},
		{"Errors", "faults exceptions", "/projects/%d/faults", ""},
		{"Uptime", "sites monitoring", "/projects/%d/sites", ""},
		{"Check-ins", "cron heartbeat jobs", "/projects/%d/check_ins", ""},
		{"Maintenance windows", "mute silence downtime", "/projects/%d/maintenance", ""},
		{"Deploys", "", "/projects/%d/deploys", ""},
		{"Releases", "versions revisions crash-free sessions", "/projects/%d/releases", ""},
		{"Timeline", "activity", "/projects/%d/timeline", ""},
		{"Insights", "logs structured events", "/projects/%d/insights", ""},
		{"Reports", "", "/projects/%d/reports", ""},
		{"Live tail", "events", "/projects/%d/live", ""},
		{"Connect an app", "setup install client dsn key", "/projects/%d/setup", ""},
		{"General settings", "name language retention", "/projects/%d/settings/general", ""},
		{"Environments", "settings", "/projects/%d/settings/environments", ""},
		{"API keys", "settings dsn token", "/projects/%d/settings/keys", ""},
		{"Members", "settings access team", "/projects/%d/settings/members", ""},
		{"Channels", "settings alerts notifications integrations slack webhook email", "/projects/%d/settings/channels", ""},
		{"Source maps", "settings javascript minified", "/projects/%d/settings/source-maps", ""},
		{"Personal data", "settings scrubbing filter secrets", "/projects/%d/settings/scrubbing", accounts.ManageProject},
		{"Grouping", "settings rules fingerprint merge split", "/projects/%d/settings/grouping", accounts.ManageProject},
		{"Ownership", "settings codeowners assign", "/projects/%d/settings/ownership", accounts.ManageProject},
		{"Erase a user", "settings erasures gdpr", "/projects/%d/settings/erasures", accounts.ManageProject},
		{"Delete the project", "settings danger", "/projects/%d/settings/danger", accounts.ManageProject},
	}
	ofAccount = []namedPage{
		{"Activity", "timeline", "/accounts/%s/timeline", accounts.ReadAccount},
		{"Status pages", "incidents maintenance", "/accounts/%s/status_pages", accounts.ReadAccount},
		{"People & teams", "users invite members", "/accounts/%s/people", accounts.ReadAccount},
		{"Account", "settings", "/accounts/%s/settings", accounts.ReadAccount},
		{"Usage", "quota events stats", "/accounts/%s/stats", accounts.ReadAccount},
		{"Audit log", "history changes", "/accounts/%s/audit", accounts.ReadAudit},
	}
	ofUser = []namedPage{
		{"Home", "", "/", ""},
		{"All projects", "", "/projects", ""},
		{"All errors", "faults every project assigned to me", "/faults", ""},
		{"New project", "create", "/projects/new", accounts.CreateProject},
		{"Profile", "name", "/me/profile", ""},
		{"Appearance", "theme dark light time zone", "/me/appearance", ""},
		{"Emails to you", "alerts notifications", "/me/alerts", ""},
		{"Security", "password passkey second factor 2fa totp", "/me/security", ""},
		{"Sessions", "browsers sign out", "/me/sessions", ""},
		{"Personal tokens", "api", "/me/tokens", ""},
		{"Manual", "docs help documentation", "/docs", ""},
		{"Search syntax", "docs help query", "/docs/search", ""},
		{"API reference", "docs openapi rest", "/docs/api", ""},
	}
	ofServer = []namedPage{
		{"This server", "system health version", "/admin/system", ""},
		{"Users of this server", "admin accounts", "/admin/users", ""},
		{"Background jobs", "admin", "/admin/jobs", ""},
		{"Email of this server", "admin smtp mail", "/admin/mail", ""},
		{"Backups", "admin", "/admin/backup", ""},
		{"Agents", "admin locations", "/admin/agents", ""},
	}
)

// pagesNamed returns the pages whose name or other words contain a text, of the place where the user is; all of them without a text.
func pagesNamed(n accounts.Navigation, text string) (links []link) {
	text = strings.ToLower(text)
	add := func(all []namedPage, in string, path func(namedPage) string) {
		for _, p := range all {
			if (p.needs == "" || n.May(p.needs)) && strings.Contains(strings.ToLower(p.name+" "+p.words), text) {
				links = append(links, link{Kind: "Page", Name: p.name, Path: path(p), Project: in})
			}
		}
	}
	if n.Project.ID != 0 {
		add(ofProject, n.Project.Name, func(p namedPage) string { return fmt.Sprintf(p.path, n.Project.ID) })
	}
	if n.Account.ID != "" {
		add(ofAccount, "", func(p namedPage) string { return fmt.Sprintf(p.path, n.Account.ID) })
	}
	fixed := func(p namedPage) string { return p.path }
	add(ofUser, "", fixed)
	if n.Operator {
		add(ofServer, "", fixed)
	}
	return links
}
