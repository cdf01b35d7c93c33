package fault

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"time"

	"sett/internal/store/searchdb"
)

// sameRequest is another error with an event of the request or trace of the shown event: the first of these.
type sameRequest struct {
	Path, Class, Message string
	Project              string // its name; "" for the project of the page
	At                   time.Time
}

const (
	mostSameRequest = 5
	longestRequest  = 300 * time.Millisecond // that the errors of a request are looked for
)

// readSameRequest reads the other errors of the request, of all projects that the viewer can see. They are kept for a moment, as long as nothing
// happens to this error.
func (p *pages) readSameRequest(r *http.Request, v *faultView) error {
	trace := v.Event.TraceID()
	if trace == "" {
		return nil
	}
	key := fmt.Sprint(v.User.ID, " ", v.Event.ID, " ", v.asOf)
	found, err := p.traces.ReadWhole(r.Context(), v.Now, key, func(ctx context.Context) ([]searchdb.UserFault, error) {
		projects, err := p.Accounts.VisibleProjectIDs(ctx, v.User.ID)
		if err != nil {
			return nil, err
		}
		projects = slices.DeleteFunc(projects, func(id int64) bool { return id == v.Fault.ProjectID })
		projects = slices.Insert(projects, 0, v.Fault.ProjectID)
		return p.Search.FaultsOfTrace(ctx, searchdb.TraceSearch{Trace: trace, At: v.Event.When(), Projects: projects, Within: longestRequest})
	})
	v.SameRequest = sameRequestOf(v.Fault.ID, v.Fault.ProjectID, found)
	return err
}

func sameRequestOf(fault, project int64, found []searchdb.UserFault) (rows []sameRequest) {
	for _, f := range found {
		if f.ID == fault || len(rows) == mostSameRequest {
			continue
		}
		one := sameRequest{Path: eventAddress(f.ProjectID, f.ID, f.First.UUID()), Class: cut(orWord(f.Class, "Error"), 120), Message: cut(f.Message, 160), At: f.First.Time()}
		if f.ProjectID != project {
			one.Project = f.Project
		}
		rows = append(rows, one)
	}
	return rows
}
