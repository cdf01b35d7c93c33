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
		web.Get("/admin/system", "adminSystemPage", accounts.RunServer, p.system, "The state of the server."),
		web.Get("/admin/jobs", "adminJobsPage", accounts.RunServer, p.jobs, "The background jobs."),
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

// systemPage is the state of the server.
type systemPage struct {
	web.Shell
	Tab     string
	Version string
	Engine  string
	Schema  web.State
	Disk    string
	Mail    bool
	Figures accounts.ServerFigures

	Pooled  bool      // a pooler stands in front of PostgreSQL
	Replica web.State // no word: there is none
	Reads   int64     // of the replica

	HasSpool bool
	Spooled  int64 // reports of this server that wait for the database

	HasObjects bool // blocks are in object storage, or are moved there
	Objects    web.State

	ObjectBytes, WaitingBytes string
}

func (p *pages) system(w http.ResponseWriter, r *http.Request) error {
	page := systemPage{Shell: p.Shell(r, "Server"), Tab: "system", Version: p.Version, Engine: p.DB.Engine(), Mail: p.Mail}
	current, err := p.DB.Current(r.Context())
	if err != nil {
		return err
	}
	page.Schema = web.State{Mood: web.Fine, Word: "Current"}
	if !current {
		page.Schema = web.State{Mood: web.Critical, Word: "Does not match this version"}
	}
	bytes, err := p.DB.DiskBytes(r.Context())
	if err != nil {
		return err
	}
	page.Disk = size(bytes)
	page.Spooled, page.HasSpool = p.Spooled()
	page.Pooled = p.DB.Pooled
	page.Replica, page.Reads = p.replica(r)
	if page.Figures, err = p.Store.ServerFigures(r.Context()); err != nil {
		return err
	}
	page.ObjectBytes, page.WaitingBytes = size(page.Figures.Objects.Bytes), size(page.Figures.Objects.Waiting)
	page.Objects, page.HasObjects = p.objectState(page.Figures.Objects)
	return p.Show(w, r, http.StatusOK, "admin_system", page)
}

// replica is the state of the read replica, and how often this server has read from it.
func (p *pages) replica(r *http.Request) (is web.State, reads int64) {
	if !p.DB.HasReplica() {
		return web.State{}, 0
	}
	switch u := p.DB.Replica(r.Context()); {
	case u.Err != nil:
		return web.State{Mood: web.Critical, Word: "Cannot be used"}, u.OnReplica
	default:
		return web.State{Mood: web.Fine, Word: "Follows the primary, " + size(u.Behind) + " behind"}, u.OnReplica
	}
}

// objectState says whether object storage responds; ok is false if nothing is in it and nothing will be.
func (p *pages) objectState(f accounts.ObjectFigures) (s web.State, ok bool) {
	problem, on := p.Objects()
	switch {
	case !on && f.Blocks == 0:
		return s, false
	case !on:
		return web.State{Mood: web.Critical, Word: "--blocks is not set"}, true
	case problem != "":
		return web.State{Mood: web.Critical, Word: problem}, true
	}
	return web.State{Mood: web.Fine, Word: "Responds"}, true
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
