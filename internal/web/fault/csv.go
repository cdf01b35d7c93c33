package fault

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"sett/internal/sett"
	"sett/internal/store/fault"
	"sett/internal/web"
)

// mostLinesOfCSV is how many faults one file contains at most.
const mostLinesOfCSV = 5000

// listCSV answers with the faults that match a search, as CSV.
func (p *pages) listCSV(w http.ResponseWriter, r *http.Request) error {
	var problems sett.Problems
	a := askedOf(r)
	filter := a.filter(&problems, web.Who(r).User.ID, p.Now())
	if err := problems.Refusal(); err != nil {
		return err
	}
	found, _, err := p.Faults.ListFaults(r.Context(), p.Now(), web.Project(r), filter, fault.FaultPage{Order: a.order(), Page: sett.Page{Size: mostLinesOfCSV}})
	if err != nil {
		return err
	}
	rows := [][]string{{"id", "url", "class", "message", "environment", "component", "action", "state", "tags", "assignee", "events", "created_at", "last_seen_at"}}
	for _, f := range found {
		rows = append(rows, p.line(f))
	}
	return web.WriteCSV(w, "errors.csv", rows)
}

func (p *pages) line(f sett.Fault) []string {
	last := ""
	if !f.LastNoticeAt.IsZero() {
		last = f.LastNoticeAt.UTC().Format(time.RFC3339)
	}
	state := strings.ToLower(stateOf(f.FaultState, pausedUntil(f, p.Now()) != "").Word)
	return []string{
		fmt.Sprint(f.ID), p.BaseURL + faultAddress(f.ProjectID, f.ID), f.Class, cut(f.Message, 2000), f.Environment, f.Component, f.Action, state,
		strings.Join(f.Tags, " "), f.Assignee.Called(), strconv.FormatInt(f.NoticesCount, 10), f.CreatedAt.UTC().Format(time.RFC3339), last,
	}
}
