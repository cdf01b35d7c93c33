package sentryapi

import (
	"cmp"
	"net/http"

	"sett/internal/serve"
	"sett/internal/sett"
)

// mostMonitors is how many check-ins of a project are listed.
const mostMonitors = 1000

// monitorAnswer is a check-in.
type monitorAnswer struct {
	ID     string `json:"id"`
	Slug   string `json:"slug"`
	Name   string `json:"name"`
	Status string `json:"status"` // its state in the words of sett
}

// listMonitors lists the check-ins of all projects of an account that the caller sees.
func (a *API) listMonitors(w http.ResponseWriter, r *http.Request, c caller) error {
	projects, err := a.readable(r, c)
	if err != nil {
		return err
	}
	answer := []monitorAnswer{}
	for _, p := range projects {
		found, _, err := a.Uptime.ListCheckIns(r.Context(), p.ID, sett.Page{Size: mostMonitors})
		if err != nil {
			return err
		}
		for _, m := range found {
			answer = append(answer, monitorAnswer{m.ID, slugOf(m.Slug, m.ID), cmp.Or(m.Name, m.Slug, m.ID), string(m.State)})
		}
	}
	return serve.WriteJSON(w, http.StatusOK, answer)
}
