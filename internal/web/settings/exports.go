package settings

import (
	"net/http"

	"sett/internal/sett"
	"sett/internal/web"
)

// exportDeliveries returns the message log of a channel.
func (p *pages) exportDeliveries(r *http.Request) (web.Export, error) {
	i, _, err := p.found(r)
	columns := []string{"id", "event", "message", "state", "created_at", "done_at", "attempts", "problem"}
	return web.Export{Name: "messages", Columns: columns, Read: func(page sett.Page) (rows [][]any, next string, err error) {
		found, marks, err := p.Deliveries.ListDeliveries(r.Context(), i.ProjectID, i.ID, page)
		for _, d := range found {
			rows = append(rows, []any{d.ID, string(d.Event), newDeliveryRow(d, clock{}).What, string(d.State), d.CreatedAt, d.DoneAt, d.Tries, d.Problem})
		}
		return rows, marks.Next, err
	}}, err
}

// exportEnvironments returns the environments of a project.
func (p *pages) exportEnvironments(r *http.Request) (web.Export, error) {
	columns := []string{"id", "name", "notifications", "created_at"}
	return web.Export{Name: "environments", Columns: columns, Read: func(page sett.Page) (rows [][]any, next string, err error) {
		found, marks, err := p.Accounts.ListEnvironments(r.Context(), web.Project(r), page)
		for _, e := range found {
			rows = append(rows, []any{e.ID, e.Name, e.Notifications, e.CreatedAt})
		}
		return rows, marks.Next, err
	}}, nil
}

// exportErasures returns the erasures of a project; the users in them are masked.
func (p *pages) exportErasures(r *http.Request) (web.Export, error) {
	columns := []string{"id", "user", "by", "state", "events", "errors", "structured_events", "created_at", "finished_at"}
	return web.Export{Name: "erasures", Columns: columns, Read: func(page sett.Page) (rows [][]any, next string, err error) {
		found, marks, err := p.Store.ListErasures(r.Context(), web.Project(r), page)
		for _, e := range found {
			row := newErasureRow(e)
			rows = append(rows, []any{e.ID, e.User, row.By, string(e.State()), e.Notices, e.Faults, e.Events, e.CreatedAt, e.FinishedAt})
		}
		return rows, marks.Next, err
	}}, nil
}

// exportSourceMaps returns the source maps of a revision.
func (p *pages) exportSourceMaps(r *http.Request) (web.Export, error) {
	columns := []string{"id", "url", "revision", "bytes", "uploaded_at"}
	return web.Export{Name: "source-maps", Columns: columns, Read: func(page sett.Page) (rows [][]any, next string, err error) {
		found, marks, err := p.SourceMaps.List(r.Context(), web.Project(r), sett.Some(r.URL.Query().Get("revision")), page)
		for _, m := range found {
			rows = append(rows, []any{m.ID, m.URL, m.Revision, m.Bytes, m.UploadedAt})
		}
		return rows, marks.Next, err
	}}, nil
}
