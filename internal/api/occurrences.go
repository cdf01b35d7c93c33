package api

import (
	"net/http"

	"sett/internal/serve"
	"sett/internal/sett/stats"
)

// faultOccurrencesQuery says which series of a fault is asked for.
type faultOccurrencesQuery struct {
	Period string `query:"period" default:"hour" enum:"hour,day,week,month" doc:"The period: 60 minutes, 24 hours, 7 days or 30 days. Default: hour."`
}

// listFaultOccurrences answers with a bare array (contract, General rules 3).
func (a *API) listFaultOccurrences(w http.ResponseWriter, r *http.Request) error {
	var q faultOccurrencesQuery
	if err := serve.DecodeQuery(r, &q); err != nil {
		return err
	}
	period, err := stats.ParsePeriod(q.Period)
	if err != nil {
		return err
	}
	series, err := a.Faults.FaultSeries(r.Context(), pathID(r, "project_id"), pathID(r, "fault_id"), period, a.Now())
	if err != nil {
		return err
	}
	return serve.WriteJSON(w, http.StatusOK, viewSeries(series))
}
