//go:build walk

package walk

import (
	"testing"

	"sett/e2e/clients/walk/client"
)

func TestDashboards(t *testing.T) {
	w := newWalker(t)
	p := w.project("Watched")
	streams := must(w.ListStreamsWithResponse(w.ctx, p.Id, nil)).JSON200.Results
	same(t, "streams", 2, len(streams))
	var body client.WriteDashboardBody
	body.Dashboard.Title = "Requests"
	body.Dashboard.Widgets = []any{map[string]any{"type": "errors"}}
	made := must(w.CreateDashboardWithResponse(w.ctx, p.Id, body)).JSON201
	same(t, "the title", "Requests", made.Title)
	body.Dashboard.Title = "Traffic"
	must(w.UpdateDashboardWithResponse(w.ctx, p.Id, made.Id, body))
	got := must(w.GetDashboardWithResponse(w.ctx, p.Id, made.Id)).JSON200
	same(t, "the new title", "Traffic", got.Title)
	same(t, "dashboards", 1, len(must(w.ListDashboardsWithResponse(w.ctx, p.Id, nil)).JSON200.Results))
	must(w.DeleteDashboardWithResponse(w.ctx, p.Id, made.Id))
	_, err := w.GetDashboardWithResponse(w.ctx, p.Id, made.Id)
	w.refused(404, err)
}
