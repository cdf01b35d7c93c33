package settings

import (
	"net/http"

	"sett/internal/store"
	"sett/internal/web"
)

// keyPage shows what clients report with.
type keyPage struct {
	page
	Key       string
	ReportURL string
}

func (p *pages) keysPage(w http.ResponseWriter, r *http.Request) error {
	project, err := p.Store.ProjectByID(store.Uncounted(r.Context()), web.Project(r))
	if err != nil {
		return err
	}
	shown := keyPage{p.newPage(r, "API key", "keys"), project.Token, p.ReportURL}
	shown.Secret = true
	return p.Show(w, r, http.StatusOK, "settings_keys", shown)
}
