package statusadmin

import (
	"net/http"

	"sett/internal/sett"
	"sett/internal/store/statusdb"
	"sett/internal/web"
)

// exportPages returns the status pages of an account.
func (p *pages) exportPages(r *http.Request) (web.Export, error) {
	columns := []string{"id", "name", "url", "state", "components", "domain", "password", "created_at"}
	return web.Export{Name: "status-pages", Columns: columns, Size: pagesPerPage, Read: func(page sett.Page) (rows [][]any, next string, err error) {
		found, marks, err := p.Status.ListStatusPages(r.Context(), account(r), page)
		for _, one := range found {
			row := p.rowOf(one)
			rows = append(rows, []any{one.ID, one.Name, row.URL, row.State.Word, row.Components, one.Domain.Name, one.PasswordHash != "", one.CreatedAt})
		}
		return rows, marks.Next, err
	}}, nil
}

// incidentState returns the filter of a request.
func incidentState(r *http.Request) statusdb.IncidentState {
	state := statusdb.IncidentState(r.URL.Query().Get("state"))
	if state != statusdb.OpenIncident && state != statusdb.PastIncident {
		return statusdb.AnyIncident
	}
	return state
}

// exportIncidents returns the incidents of a status page, with their last messages.
func (p *pages) exportIncidents(r *http.Request) (web.Export, error) {
	one, err := p.Status.WatchedStatusPage(r.Context(), account(r), r.PathValue("status_page_id"))
	columns := []string{"id", "kind", "title", "status", "automatic", "affects", "started_at", "scheduled_end_at", "ended_at", "updates", "last_message"}
	return web.Export{Name: "incidents", Columns: columns, Size: incidentsPerPage, Read: func(page sett.Page) (rows [][]any, next string, err error) {
		found, marks, err := p.Status.ListIncidents(r.Context(), one.AccountID, one.ID, statusdb.IncidentFilter{State: incidentState(r), Page: page})
		for _, i := range found {
			message := ""
			if len(i.Updates) > 0 {
				message = i.Updates[0].Message
			}
			rows = append(rows, []any{
				i.ID, string(i.Kind), i.Name, string(i.Status), i.Automatic, rowOfIncident(i.StatusIncident, named(one)).About, i.StartsAt, i.EndsAt, i.ResolvedAt,
				len(i.Updates), message,
			})
		}
		return rows, marks.Next, err
	}}, err
}

// exportSubscribers returns the subscribers of a status page. The queries of webhooks may hold secrets and are left out.
func (p *pages) exportSubscribers(r *http.Request) (web.Export, error) {
	one, err := p.Status.WatchedStatusPage(r.Context(), account(r), r.PathValue("status_page_id"))
	columns := []string{"address", "kind", "state", "created_at", "confirmed_at", "problem", "components"}
	return web.Export{Name: "subscribers", Columns: columns, Read: func(page sett.Page) (rows [][]any, next string, err error) {
		found, marks, err := p.Status.ListSubscribers(r.Context(), one.AccountID, one.ID, page)
		if err != nil {
			return nil, "", err
		}
		chosen, err := p.choicesOf(r.Context(), named(one), found)
		for _, s := range found {
			rows = append(rows, []any{s.Shown(), string(s.Kind), subscriberWords(s).Word, s.CreatedAt, s.ConfirmedAt, s.Problem, chosen[s.ID]})
		}
		return rows, marks.Next, err
	}}, err
}
