package fault

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"sett/internal/sett"
	"sett/internal/store"
	"sett/internal/web"
)

// mostLinesOfCSV is how many faults one file holds.
const mostLinesOfCSV = 5000

// listCSV answers with the faults that a search finds, as a table for programs.
func (p *pages) listCSV(w http.ResponseWriter, r *http.Request) error {
	var problems sett.Problems
	a := askedOf(r)
	filter := a.filter(&problems, web.Who(r).User.ID, p.Now())
	if err := problems.Refusal(); err != nil {
		return err
	}
	found, _, err := p.Store.ListFaults(r.Context(), p.Now(), web.Project(r), filter, store.FaultPage{Order: a.order(), Page: sett.Page{Size: mostLinesOfCSV}})
	if err != nil {
		return err
	}
	var b bytes.Buffer
	table := csv.NewWriter(&b)
	_ = table.Write([]string{"id", "url", "class", "message", "environment", "component", "action", "state", "tags", "assignee", "events", "created_at", "last_seen_at"})
	for _, f := range found {
		_ = table.Write(p.line(f)) // a buffer takes everything
	}
	table.Flush()
	return sendFile(w, "text/csv; charset=utf-8", "errors.csv", b.Bytes())
}

func (p *pages) line(f sett.Fault) []string {
	last := ""
	if !f.LastNoticeAt.IsZero() {
		last = f.LastNoticeAt.UTC().Format(time.RFC3339)
	}
	state := strings.ToLower(stateOf(f.FaultState, pausedUntil(f, p.Now()) != "").Word)
	line := []string{
		fmt.Sprint(f.ID), p.BaseURL + faultAddress(f.ProjectID, f.ID), f.Class, cut(f.Message, 2000), f.Environment, f.Component, f.Action, state,
		strings.Join(f.Tags, " "), f.Assignee.Called(), strconv.FormatInt(f.NoticesCount, 10), f.CreatedAt.UTC().Format(time.RFC3339), last,
	}
	for i := range line {
		line[i] = harmless(line[i])
	}
	return line
}

// harmless keeps spreadsheets from taking a text that a client sent for a formula (OWASP, CSV injection).
func harmless(cell string) string {
	if cell != "" && strings.ContainsRune("=+-@\t\r", rune(cell[0])) {
		return "'" + cell
	}
	return cell
}
