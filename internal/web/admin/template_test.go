package admin

import (
	"testing"
	"time"

	"sett/internal/base/loop"
	"sett/internal/sett/accounts"
	"sett/internal/sett/checks"
	"sett/internal/setttest/markup"
	"sett/internal/web"
)

func TestEveryTemplateIsDrawn(t *testing.T) {
	t.Parallel()
	shell := web.Shell{Title: "Title", Now: time.Date(2026, 11, 18, 10, 30, 0, 0, time.UTC)}
	agent := checks.Agent{Name: "a", AgentReport: checks.AgentReport{HeardAt: shell.Now}}
	markup.RenderAll(t, Area, map[string][]web.Page{
		"admin_users": {usersPage{}, usersPage{shell, "users", []accounts.AccountSummary{{Owners: []string{"a", "b"}}}, []accounts.UserSummary{{Accounts: []accounts.UserAccount{{}, {}}}}}},
		"admin_system": {systemPage{}, systemPage{
			Shell: shell, Tab: "system", Version: "1", Engine: "postgres", Disk: size(3400), Mail: true, Figures: accounts.ServerFigures{MailsGivenUp: 1, Objects: accounts.ObjectFigures{Blocks: 1, OldestWaiting: shell.Now}},
			Pooled: true, Replica: web.State{Mood: web.Fine, Word: "Follows"}, Reads: 7, HasSpool: true, Spooled: 3, HasObjects: true, Objects: web.State{Mood: web.Fine, Word: "Responds"}, ObjectBytes: size(1), WaitingBytes: size(2),
			Tiles: []tile{{"Version", "1", "", false}, {"Queue", "2", "1 failed email", true}},
			Jobs: []jobRow{
				newJobRow(shell.Now, loop.Record{Name: "sweep", Does: "Sweeps.", Every: time.Second, Began: shell.Now, Next: shell.Now, Failures: 1, FailedAt: shell.Now, Problem: "why"}),
				newJobRow(shell.Now, loop.Record{Name: "mail", Running: true, Began: shell.Now}),
				{},
			},
		}},
		"admin_mail": {
			mailPage{},
			mailPage{Shell: shell, Tab: "mail", Mail: true, To: "a@b.c", Tried: true, Answer: "250 ok", Figures: accounts.ServerFigures{MailsGivenUp: 1}},
			mailPage{Tried: true, Failed: "why"},
		},
		"admin_backup": {&backupPage{}, &backupPage{
			Shell: shell, Tab: "backup", Own: true, Backups: []backupRow{{accounts.Backup{At: shell.Now, By: "sett backup"}, "1 MB"}},
			Fields: web.Fields{{Name: "password", Label: "Your password", Kind: "password"}},
		}},
		"admin_agents": {agentsPage{}, agentsPage{shell, "agents", []agentRow{{agent, agentWords(checks.AgentAlive)}, {}}, web.Empty{}}},
	})
}
