package people

import (
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
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
	What    string  // the action in words
	Places  []place // the objects of the path
	Where   string  // the IDs of the path
	Details string  // the sent values
}

func newEntryRow(e accounts.AuditEntry) entryRow {
	row := entryRow{AuditEntry: e, By: e.User.Called()}
	if e.User.ID == 0 {
		row.By = "the server's operator"
	}
	row.What, row.Places = actionWords(e.Action), placesOf(e)
	var where []string
	for name, id := range e.Target {
		where = append(where, strings.TrimSuffix(name, "_id")+" "+id)
	}
	slices.Sort(where)
	row.Where = strings.Join(where, ", ")
	for _, sent := range []json.RawMessage{e.Query, e.Changes} {
		if text := string(sent); text != "" && text != "{}" {
			row.Details += text + "\n"
		}
	}
	return row
}

// auditFilter parses the filter of a request. Invalid dates are ignored.
func auditFilter(query url.Values) accountdb.AuditFilter {
	user, _ := strconv.ParseInt(query.Get("user_id"), 10, 64)
	f := accountdb.AuditFilter{UserID: user, Action: strings.TrimSpace(query.Get("action"))}
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
	for _, e := range entries {
		list.Entries = append(list.Entries, newEntryRow(e))
	}
	list.Pager = p.NewPager(r, marks)
	users, _, err := p.Accounts.ListAccountUsers(r.Context(), list.AccountID, accountdb.AccountUserFilter{Page: sett.Page{Size: mostPersons}})
	if err != nil {
		return err
	}
	people := web.Choices("", "Everyone")
	for _, u := range users {
		people = append(people, web.Choice{Value: strconv.FormatInt(u.ID, 10), Label: u.Called()})
	}
	list.Filter = web.Fields{
		{Name: "user_id", Label: "Person", Value: query.Get("user_id"), Choices: people},
		{Name: "action", Label: "Action", Kind: "text", Value: query.Get("action")},
		{Name: "from", Label: "From", Kind: "date", Value: query.Get("from")},
		{Name: "to", Label: "To", Kind: "date", Value: query.Get("to")},
	}
	return p.Show(w, r, http.StatusOK, "audit", list)
}
