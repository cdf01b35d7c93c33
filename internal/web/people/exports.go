package people

import (
	"net/http"
	"strings"

	"sett/internal/sett"
	"sett/internal/store/accountdb"
	"sett/internal/web"
)

// exportPeople returns the users of an account.
func (p *pages) exportPeople(r *http.Request) (web.Export, error) {
	return web.Export{Name: "people", Columns: []string{"id", "name", "email", "role"}, Read: func(page sett.Page) (rows [][]any, next string, err error) {
		users, marks, err := p.Accounts.ListAccountUsers(r.Context(), r.PathValue("account_id"), accountdb.AccountUserFilter{Page: page})
		for _, u := range users {
			rows = append(rows, []any{u.ID, u.Name, u.Email, string(u.Role)})
		}
		return rows, marks.Next, err
	}}, nil
}

// exportMembers returns the members of a team.
func (p *pages) exportMembers(r *http.Request) (web.Export, error) {
	return web.Export{Name: "members", Columns: []string{"id", "name", "email", "admin", "since"}, Read: func(sett.Page) (rows [][]any, next string, err error) {
		found, err := p.Accounts.BareTeam(r.Context(), web.Who(r).User.ID, web.PathID(r, "team_id"))
		for _, m := range found.Members {
			rows = append(rows, []any{m.ID, m.Name, m.Email, m.Admin, m.CreatedAt})
		}
		return rows, "", err
	}}, nil
}

// exportAudit returns the matching entries of the audit log, the newest first.
func (p *pages) exportAudit(r *http.Request) (web.Export, error) {
	columns := []string{"at", "person", "email", "token", "action", "change", "subject", "target", "query", "changes", "address", "user_agent"}
	filter := auditFilter(r.URL.Query())
	_, names, err := p.persons(r)
	return web.Export{Name: "audit", Columns: columns, Read: func(page sett.Page) (rows [][]any, next string, err error) {
		filter.Page = page
		entries, marks, err := p.Accounts.ListAudit(r.Context(), r.PathValue("account_id"), filter)
		for _, e := range entries {
			row := newEntryRow(e, names)
			var where []string
			for _, p := range row.Places {
				where = append(where, p.Text)
			}
			rows = append(rows, []any{
				e.At, row.By, e.User.Email, e.Token, e.Action, row.What, e.Subject, strings.Join(where, ", "), string(e.Query), string(e.Changes), e.Address, e.UserAgent,
			})
		}
		return rows, marks.Next, err
	}}, err
}
