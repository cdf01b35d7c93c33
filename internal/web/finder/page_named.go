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
		{"Activity", "timeline history", "/projects/%d/timeline", ""},
		{"Errors", "faults exceptions", "/projects/%d/faults", ""},
		{"Errors by class", "report", "/projects/%d/reports/notices_by_class", ""},
		{"Errors by place", "report location component", "/projects/%d/reports/notices_by_location", ""},
		{"Errors by user", "report affected", "/projects/%d/reports/notices_by_user", ""},
		{"Errors by day", "report chart", "/projects/%d/reports/notices_per_day", ""},
		{"Uptime", "sites monitoring", "/projects/%d/sites", ""},
		{"Check-ins", "cron heartbeat jobs", "/projects/%d/check_ins", ""},
		{"Maintenance windows", "mute silence downtime", "/projects/%d/maintenance", ""},
		{"Releases", "versions revisions crash-free sessions", "/projects/%d/releases", ""},
		{"All deploys", "releases", "/projects/%d/deploys", ""},
		{"Insights", "logs structured events", "/projects/%d/insights", ""},
		{"Live tail", "events", "/projects/%d/live", ""},
		{"Connect an app", "setup install client dsn key", "/projects/%d/setup", ""},
		{"General settings", "name language links", "/projects/%d/settings/general", ""},
		{"API keys", "settings dsn token", "/projects/%d/settings/keys", ""},
		{"Channels", "settings alerts notifications integrations slack webhook email", "/projects/%d/settings/channels", ""},
		{"Who is notified", "settings alerts notifications channels people why", "/projects/%d/settings/notified", ""},
		{"Access and ownership", "settings members people team codeowners assign", "/projects/%d/settings/access", ""},
		{"Environments", "settings", "/projects/%d/settings/environments", ""},
		{"Repositories", "settings source code git github gitlab gitea forgejo bitbucket commits pull merge requests webhook", "/projects/%d/settings/repositories", ""},
		{"Data retention", "settings days user field", "/projects/%d/settings/data", ""},
		{"Data scrubbing", "settings personal filter secrets", "/projects/%d/settings/scrubbing", accounts.ManageProject},
		{"Grouping", "settings data rules fingerprint merge split", "/projects/%d/settings/grouping", accounts.ManageProject},
		{"Source maps", "settings data javascript minified", "/projects/%d/settings/source-maps", ""},
		{"Forwarding", "settings data import move sentry honeybadger relay", "/projects/%d/settings/forwarding", ""},
		{"Erase a user", "settings data erasures gdpr", "/projects/%d/settings/erasures", accounts.ManageProject},
		{"Delete the project", "settings danger", "/projects/%d/settings/danger", accounts.ManageProject},
	}
	ofAccount = []namedPage{
		{"Activity", "timeline history", "/accounts/%s/timeline", accounts.ReadAccount},
		{"Status pages", "incidents maintenance", "/accounts/%s/status_pages", accounts.ReadAccount},
		{"People", "settings users invite members", "/accounts/%s/people", accounts.ReadAccount},
		{"Tokens of the account", "settings api scopes robots", "/accounts/%s/tokens", accounts.ManagePeople},
		{"Directory", "settings scim saml single sign-on sso okta entra google provisioning domains groups", "/accounts/%s/directory", accounts.ManageDirectory},
		{"Import", "settings move in migrate sentry glitchtip honeybadger healthchecks uptime kuma gatus", "/accounts/%s/imports", accounts.ManagePeople},
		{"Teams", "settings members", "/accounts/%s/teams", accounts.ReadAccount},
		{"Usage", "settings quota events stats", "/accounts/%s/stats", accounts.ReadAccount},
		{"Audit log", "settings history changes", "/accounts/%s/audit", accounts.ReadAudit},
		{"Account settings", "general name leave", "/accounts/%s/settings", accounts.ReadAccount},
	}
	ofUser = []namedPage{
		{"Home", "", "/", ""},
		{"All projects", "", "/projects", ""},
		{"All errors", "faults every project assigned to me", "/faults", ""},
		{"New project", "create", "/projects/new", accounts.CreateProject},
		{"Profile", "name", "/me/profile", ""},
		{"Appearance", "theme dark light time zone", "/me/appearance", ""},
		{"Notifications", "emails alerts", "/me/alerts", ""},
		{"Security", "password passkey second factor 2fa totp", "/me/security", ""},
		{"Sessions", "browsers sign out", "/me/sessions", ""},
		{"Personal tokens", "api", "/me/tokens", ""},
		{"Documentation", "docs help manual", "/docs", ""},
		{"Search syntax", "docs help query", "/docs/search", ""},
		{"API reference", "docs openapi rest", "/docs/api", ""},
	}
	ofServer = []namedPage{
		{"Server", "admin system health version memory disk queue background jobs nodes", "/admin/system", ""},
		{"Users of the server", "admin accounts", "/admin/users", ""},
		{"Email of the server", "admin smtp mail", "/admin/mail", ""},
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
				links = append(links, link{Kind: placesGroup, Name: p.name, Path: path(p), Project: in})
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
