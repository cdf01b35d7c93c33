package api

import (
	"net/http"

	"sett/internal/serve"
	"sett/internal/sett/stats"
)

// projectOccurrencesQuery says which series of projects is asked for.
type projectOccurrencesQuery struct {
	Period      string `query:"period" default:"hour" enum:"hour,day,week,month" doc:"The period: 60 minutes, 24 hours, 7 days or 30 days. Default: hour."`
	Environment string `query:"environment" doc:"Only notices of this environment."`
}

// listAllOccurrences answers with one series, summed over the projects that the user can see.
func (a *API) listAllOccurrences(w http.ResponseWriter, r *http.Request) error {
	visible, err := a.Accounts.VisibleProjectIDs(r.Context(), userID(r))
	if err != nil {
		return err
	}
	return a.writeOccurrences(w, r, visible)
}

func (a *API) listProjectOccurrences(w http.ResponseWriter, r *http.Request) error {
	return a.writeOccurrences(w, r, []int64{pathID(r, "project_id")})
}

func (a *API) writeOccurrences(w http.ResponseWriter, r *http.Request, projects []int64) error {
	var q projectOccurrencesQuery
	if err := serve.DecodeQuery(r, &q); err != nil {
		return err
	}
	period, err := stats.ParsePeriod(q.Period)
	if err != nil {
		return err
	}
	series, err := a.Faults.ProjectSeries(r.Context(), projects, q.Environment, period, a.Now())
	if err != nil {
		return err
	}
	return serve.WriteJSON(w, http.StatusOK, viewSeries(series))
}

// viewSeries writes an occurrence series as the contract has it: rows of a Unix time and a count.
func viewSeries(points []stats.Point) [][2]int64 {
	rows := make([][2]int64, len(points))
	for i, p := range points {
		rows[i] = [2]int64{p.At.Unix(), p.Count}
	}
	return rows
}
