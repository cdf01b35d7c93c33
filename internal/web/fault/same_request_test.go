package fault_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"
)

// The page of an error lists the other errors of its request, of all projects that the viewer can see, the first event of each.
func TestErrorsOfTheSameRequest(t *testing.T) {
	t.Parallel()
	o := open(t)
	in := func(class, trace string) string {
		return fmt.Sprintf(`{"error":{"class":%q,"message":"m of %s"},"correlation_context":{"request_id":%q},"server":{"environment_name":"production"}}`, class, class, trace)
	}
	_, hidden := o.project("Vault")
	o.report(in("First", "T-1"))
	o.Clock.Push(time.Second)
	hidden(in("Hidden", "T-1"))
	o.Clock.Push(time.Second)
	f := o.report(in("Shown", "t-1"))
	o.report(in("Elsewhere", "T-2"))
	if err := o.App.Store().Intake.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	page := o.member.Get(o.path(f)).CheckPage().Want(http.StatusOK, ">In the same request</h2>", ">First</a>", "m of First")
	page.Lacks("Elsewhere", "Hidden", "Vault")
	for _, link := range linksTo(page.Body, "?notice=") {
		o.member.Get(link).Want(http.StatusOK)
	}
	o.admin.Get(o.path(f)).CheckPage().Want(http.StatusOK, ">First</a>", ">Hidden</a>", "Vault · ")
	o.Clock.Push(time.Hour)
	later := o.report(in("Later", "T-1"))
	o.member.Get(o.path(later)).Want(http.StatusOK).Lacks("In the same request")
}
