package fault_test

import (
	"net/http"
	"strings"
	"testing"
	"time"
)

// Columns are chosen by a user for all their lists, and never for others.
func TestColumnsAreChosen(t *testing.T) {
	t.Parallel()
	o := open(t)
	o.report(plain("Boom"))
	list := o.member.Get(o.list()+"?q=").CheckPage().Want(http.StatusOK, `>24 hours</th>`, `>Age</th>`, `>Last seen</th>`)
	list.Lacks(`>Assignee</th>`)
	o.Clock.Push(time.Minute)
	o.member.Post(o.list()+"/columns", "q", "is:unresolved", "view", "compact", "column", "assignee", "column", "events", "column", "nonsense").
		Leads(o.list() + "?q=is%3Aunresolved&view=compact")
	o.wantEntry("chooseColumns")
	for _, path := range []string{"?q=", "?q=is%3Aunresolved&view=compact"} {
		chosen := o.member.Get(o.list()+path).CheckPage().Want(http.StatusOK, `>Assignee</th>`, `>Events</th>`, `value="assignee" checked`, `data-label="Assignee"`)
		chosen.Lacks(`>24 hours</th>`, `>Last seen</th>`, `data-label="Last seen"`, "nonsense")
	}
	if another := o.admin.Get(o.list() + "?q=").Body; strings.Contains(another, `>Assignee</th>`) {
		t.Error("another user sees the columns")
	}
	o.member.Post(o.list()+"/columns", "q", "").Leads(o.list() + "?q=")
	o.member.Get(o.list()+"?q=").CheckPage().Want(http.StatusOK, `>Error</th>`).Lacks(`>Events</th>`)
	o.member.Post(o.list()+"/columns", "q", "", "do", "reset").Leads(o.list() + "?q=")
	o.member.Get(o.list()+"?q=").Want(http.StatusOK, `>24 hours</th>`, `>Last seen</th>`)
}
