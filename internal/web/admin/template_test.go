package admin

import (
	"testing"
	"time"

	"sett/internal/sett"
	"sett/internal/setttest/markup"
	"sett/internal/web"
)

func TestEveryTemplateIsDrawn(t *testing.T) {
	t.Parallel()
	shell := web.Shell{Title: "Title", Now: time.Date(2026, 11, 18, 10, 30, 0, 0, time.UTC)}
	agent := sett.Agent{Name: "a", AgentReport: sett.AgentReport{HeardAt: shell.Now}}
	markup.DrawAll(t, Room, map[string][]web.Page{
		"admin_users":  {usersPage{}, usersPage{shell, "users", []sett.AccountSummary{{Owners: []string{"a", "b"}}}, []sett.UserSummary{{Accounts: []sett.UserAccount{{}, {}}}}}},
		"admin_system": {systemPage{}, systemPage{shell, "system", "1", "sqlite", web.State{}, size(3400), true, sett.ServerFigures{MailsGivenUp: 1}}},
		"admin_agents": {agentsPage{}, agentsPage{shell, "agents", []agentRow{{agent, agentWords(sett.AgentAlive)}, {}}, web.Empty{}}},
	})
}
