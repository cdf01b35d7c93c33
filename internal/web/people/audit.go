package people

import (
	"cmp"
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/store/accountdb"
	"sett/internal/web"
)

// Limits of lists.
const (
	mostEntries = 50
	mostPersons = 500
)

// auditList is the audit log.
type auditList struct {
	page
	Entries []entryRow
	Pager   web.Pager
	Filter  web.Fields
}

// entryRow is one change.
type entryRow struct {
	accounts.AuditEntry
	By      string
	What    string  // what they did, in words
	Path    string  // of the object, "" if it has no page
	Places  []place // the objects of the path
	Details string  // the sent values
}

func newEntryRow(e accounts.AuditEntry, people map[int64]string) entryRow {
	row := entryRow{AuditEntry: e, By: e.User.Called(), What: sentence(e, people), Places: placesOf(e)}
	switch {
	case e.User.ID == 0 && e.User.Name == accounts.DirectoryName:
		row.By = "The directory"
	case e.User.ID == 0:
		row.By = "The server's operator"
	}
	for _, p := range row.Places {
		if row.Path = cmp.Or(row.Path, p.Path); p.inner {
			row.Path = p.Path
		}
	}
	for _, sent := range []json.RawMessage{e.Query, e.Changes} {
		if text := string(sent); text != "" && text != "{}" {
			row.Details += text + "\n"
		}
	}
	return row
}

// auditFilter parses the filter of a request. Invalid dates and unknown areas are ignored.
func auditFilter(query url.Values) accountdb.AuditFilter {
	user, _ := strconv.ParseInt(query.Get("user_id"), 10, 64)
	f := accountdb.AuditFilter{UserID: user}
	for _, area := range actionAreas {
		if area.Name == query.Get("about") {
			f.Actions = area.actions()
		}
	}
	if day, err := time.Parse(time.DateOnly, query.Get("from")); err == nil {
		f.From = day
	}
	if day, err := time.Parse(time.DateOnly, query.Get("to")); err == nil {
		f.To = day.AddDate(0, 0, 1)
	}
	return f
}

func (p *pages) auditPage(w http.ResponseWriter, r *http.Request) error {
	list := auditList{page: p.newPage(r, "Audit log", "audit")}
	query := r.URL.Query()
	filter := auditFilter(query)
	filter.Page = web.PageOf(r, mostEntries)
	entries, marks, err := p.Accounts.ListAudit(r.Context(), list.AccountID, filter)
	if err != nil {
		return err
	}
	list.Pager = p.NewPager(r, marks)
	people, names, err := p.persons(r)
	if err != nil {
		return err
	}
	for _, e := range entries {
		list.Entries = append(list.Entries, newEntryRow(e, names))
	}
	areas := web.Choices("", "Everything")
	for _, area := range actionAreas {
		areas = append(areas, web.Choice{Value: area.Name, Label: area.Name})
	}
	list.Filter = web.Fields{
		{Name: "user_id", Label: "Person", Value: query.Get("user_id"), Choices: people},
		{Name: "about", Label: "About", Value: query.Get("about"), Choices: areas},
		{Name: "from", Label: "From", Kind: "date", Value: query.Get("from")},
		{Name: "to", Label: "To", Kind: "date", Value: query.Get("to")},
	}
	return p.Show(w, r, http.StatusOK, "audit", list)
}

// persons returns the members of the account as choices of a filter, and their names by id. Those of teams are by their ids as assignees,
// which are negative; see sett.Person.IsTeam.
func (p *pages) persons(r *http.Request) (choices []web.Choice, names map[int64]string, err error) {
	account := r.PathValue("account_id")
	users, _, err := p.Accounts.ListAccountUsers(r.Context(), account, accountdb.AccountUserFilter{Page: sett.Page{Size: mostPersons}})
	if err != nil {
		return nil, nil, err
	}
	choices, names = web.Choices("", "Everyone"), map[int64]string{}
	for _, u := range users {
		choices, names[u.ID] = append(choices, web.Choice{Value: strconv.FormatInt(u.ID, 10), Label: u.Called()}), u.Called()
	}
	teams, _, err := p.Accounts.ListTeams(r.Context(), web.Who(r).User.ID, accountdb.TeamFilter{AccountID: account, Bare: true, Page: sett.Page{Size: mostPersons}})
	for _, t := range teams {
		names[-t.ID] = t.Name
	}
	return choices, names, err
}
