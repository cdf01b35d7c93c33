package storetest

import (
	"fmt"
	"slices"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/faults"
	"sett/internal/store/searchdb"
)

// Find returns the classes of the faults that a search finds, sorted.
func (d *Desk) Find(q string) []string {
	d.T.Helper()
	search, err := sett.ParseSearch(q, Noon)
	if err != nil {
		d.T.Fatalf("%s: %v", q, err)
	}
	faults, _, err := d.Search.ListFaults(d.T.Context(), Noon, d.ProjectID, searchdb.Filter{Search: search, AskedBy: d.UserID}, searchdb.Page{Page: sett.Page{Size: 25}})
	if err != nil {
		d.T.Fatalf("%s: %v", q, err)
	}
	classes := []string{}
	for _, f := range faults {
		classes = append(classes, f.Class)
	}
	slices.Sort(classes)
	return classes
}

// FaultsOfTabs makes faults in every state, of two environments and two projects, with a deploy in their midst.
func (d *Desk) FaultsOfTabs() (other accounts.Project) {
	other = d.Project("Other")
	d.Run(`UPDATE projects SET resolve_errors_on_deploy = false`)
	staging := func(r *faults.Report) { r.Environment = "staging" }
	theirs := func(r *faults.Report) { r.ProjectID = other.ID }
	for n, at := range []time.Time{Noon.Add(-48 * time.Hour), Noon.Add(-time.Hour), Noon} {
		for i := range 4 {
			class := fmt.Sprint("F", n, i)
			d.Record(at, accounts.Limits{}, d.Report(class), d.Report(class+"s", staging), d.Report(class+"t", theirs))
		}
	}
	for n := range 3 {
		d.Update(fmt.Sprint("F", n, 1), faults.FaultChange{Resolved: sett.Some(true)})
		d.Update(fmt.Sprint("F", n, 2), faults.FaultChange{Ignored: sett.Some(true)})
		d.Update(fmt.Sprint("F", n, 2, "s"), faults.FaultChange{Ignored: sett.Some(true), Resolved: sett.Some(true)})
		d.Update(fmt.Sprint("F", n, 3), faults.FaultChange{AssigneeID: sett.Some(d.UserID)})
		d.Update(fmt.Sprint("F", n, 1), faults.FaultChange{AssigneeID: sett.Some(d.UserID)})
	}
	return other
}

// HistoryLines lists the history of the newest fault of a class as source, event, author and text.
func (d *Desk) HistoryLines(class string) (lines []string) {
	d.T.Helper()
	for _, c := range d.History(class) {
		lines = append(lines, fmt.Sprintf("%s %s %s: %s", c.Source, c.Event, c.Author, c.Body))
	}
	return lines
}

// History returns the history of the newest fault of a class.
func (d *Desk) History(class string) []faults.Comment {
	d.T.Helper()
	comments, marks, err := d.Faults.ListComments(d.T.Context(), d.ProjectID, d.FaultID(class), sett.Page{Size: 100})
	if err != nil || marks.Next != "" {
		d.T.Fatalf("list comments: %v, marks %+v", err, marks)
	}
	return comments
}
