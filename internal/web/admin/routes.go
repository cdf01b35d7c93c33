// Package admin contains the pages about the server for its operators: users, and the state of the database, jobs, email,
// backups and agents. It receives requests of operators (accounts.RunServer) and returns pages, test emails and backups. It changes
// nothing: the server is managed on its command line.
package admin

import (
	"embed"
	"net/http"
	"strconv"

	"sett/internal/serve"
	"sett/internal/sett/accounts"
	"sett/internal/sett/checks"
	"sett/internal/web"
)

//go:embed page/*.html part/*.html
var templates embed.FS

// pages are the pages of this package.
type pages struct{ *web.Pages }

// Area returns the pages of this package.
func Area(frame *web.Pages) web.Area {
	p := &pages{frame}
	taken := web.Post("/admin/backup", "downloadBackup", accounts.RunServer, p.download, "Create and download a backup.")
	taken.Media = "application/zstd"
	return web.Area{Templates: templates, Routes: []serve.Route{
		web.Get("/admin/users", "adminUsersPage", accounts.RunServer, p.users, "All users and accounts."),
		web.Get("/admin/system", "adminSystemPage", accounts.RunServer, p.system, "The state of the server, with its background jobs."),
		web.Get("/admin/jobs", "adminJobsPage", accounts.RunServer, p.oldJobs, "The old address of the background jobs."),
		web.Get("/admin/mail", "adminMailPage", accounts.RunServer, p.mailPage, "The state of email."),
		web.Post("/admin/mail", "sendTestMail", accounts.RunServer, p.tryMail, "Send a test email to the current user."),
		web.Get("/admin/backup", "adminBackupPage", accounts.RunServer, p.backupPage, "The recent backups."),
		taken,
		web.Get("/admin/agents", "adminAgentsPage", accounts.RunServer, p.agents, "The agents."),
	}}
}

// usersPage lists all accounts and users.
type usersPage struct {
	web.Shell
	Tab      string
	Accounts []accounts.AccountSummary
	Users    []accounts.UserSummary
}

func (p *pages) users(w http.ResponseWriter, r *http.Request) error {
	accounts, err := p.Accounts.AllAccounts(r.Context())
	if err != nil {
		return err
	}
	users, err := p.Accounts.AllUsers(r.Context(), "")
	if err != nil {
		return err
	}
	return p.Show(w, r, http.StatusOK, "admin_users", usersPage{p.Shell(r, "Users"), "users", accounts, users})
}

// size formats a number of bytes in its largest unit: "3.4 MB".
func size(n int64) string {
	value, unit := float64(n), "bytes"
	for _, larger := range []string{"kB", "MB", "GB", "TB"} {
		if value < 1000 {
			break
		}
		value, unit = value/1000, larger
	}
	if unit == "bytes" {
		return strconv.FormatInt(n, 10) + " bytes"
	}
	return strconv.FormatFloat(value, 'f', 1, 64) + " " + unit
}

// agentsPage lists the agents.
type agentsPage struct {
	web.Shell
	Tab    string
	Agents []agentRow
	Empty  web.Empty
}

// agentRow is one agent.
type agentRow struct {
	checks.Agent
	Is web.State
}

func (p *pages) agents(w http.ResponseWriter, r *http.Request) error {
	found, err := p.Uptime.ListAgents(r.Context())
	if err != nil {
		return err
	}
	page := agentsPage{Shell: p.Shell(r, "Agents"), Tab: "agents", Empty: web.Empty{
		Title: "No agents", Text: "An agent checks sites from another machine and reports the results here. To create one, run sett agents add NAME on the server.",
	}}
	for _, a := range found {
		page.Agents = append(page.Agents, agentRow{a, agentWords(a.State(p.Now()))})
	}
	return p.Show(w, r, http.StatusOK, "admin_agents", page)
}

func agentWords(s checks.AgentState) web.State {
	switch s {
	case checks.AgentAlive:
		return web.State{Mood: web.Fine, Word: "Online"}
	case checks.AgentDegraded:
		return web.State{Mood: web.Warning, Word: "Reaches only this server"}
	}
	return web.State{Mood: web.Critical, Word: "Offline"}
}
