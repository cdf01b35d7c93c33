package fault

import (
	"fmt"
	"net/http"

	"sett/internal/sett/triage"
	"sett/internal/web"
)

// columnChoice is a column that users can show or hide.
type columnChoice struct {
	Name, Label string
	Shown       bool
}

// columnLabels name the columns.
var columnLabels = map[triage.Column]string{
	triage.TrendColumn: "24 hours", triage.EventsColumn: "Events", triage.UsersColumn: "Users", triage.AssigneeColumn: "Assignee",
	triage.ComponentColumn: "Component", triage.EnvironmentColumn: "Environment", triage.FirstSeenColumn: "Age", triage.LastSeenColumn: "Last seen",
}

// readColumns reads the columns that the viewer has chosen.
func (p *pages) readColumns(r *http.Request, v *list) error {
	stored, err := p.Accounts.FaultColumns(r.Context(), v.User.ID)
	v.Shown = triage.ReadColumns(stored)
	for _, c := range triage.Columns() {
		v.Columns = append(v.Columns, columnChoice{string(c), columnLabels[c], v.Shown.Has(string(c))})
	}
	return err
}

// chooseColumns keeps the columns of a form for the user, and leads back to the list.
func (p *pages) chooseColumns(w http.ResponseWriter, r *http.Request) error {
	form, err := web.ReadForm(w, r)
	if err != nil {
		return err
	}
	chosen := triage.ChosenColumns(form["column"])
	if form.Get("do") == "reset" {
		chosen = triage.ReadColumns("")
	}
	if err := p.Accounts.SetFaultColumns(r.Context(), web.Who(r).User.ID, chosen.Text()); err != nil {
		return err
	}
	return p.Redirect(w, fmt.Sprintf("/projects/%d/faults", web.Project(r))+askedIn(form).Query())
}
