package fault_test

import (
	"net/http"
	"strings"
	"testing"
)

// inPlace is a report of an error of an environment.
func inPlace(class, environment string) string {
	return `{"error":{"class":"` + class + `","message":"m"},"server":{"environment_name":"` + environment + `"}}`
}

// The same error of several environments is one row, and a filter shows what is in one environment and not in another.
func TestEnvironmentsSideBySide(t *testing.T) {
	t.Parallel()
	o := open(t)
	here := o.list() + "/environments"
	o.member.Get(here).CheckPage().Want(http.StatusOK, "No errors")
	o.report(inPlace("Boom", "production"))
	staging := o.report(inPlace("Boom", "staging"))
	o.report(inPlace("Crash", "staging"))
	o.report(inPlace("Slow", "production"))
	page := o.member.Get(here).CheckPage().Want(http.StatusOK, ">production</th>", ">staging</th>", `data-label="staging"><a href="`+o.path(staging)+`">`, "new</span>")
	if rows := strings.Count(page.Body, "<tr data-row>"); rows != 3 {
		t.Errorf("4 errors of which 2 are the same have %d rows", rows)
	}
	o.member.Get(here+"?in=staging&not=production").CheckPage().Want(http.StatusOK, "Crash").Lacks("<strong>Boom", "<strong>Slow")
	o.member.Get(here+"?in=nowhere&period=century").CheckPage().Want(http.StatusOK, "No errors in nowhere")
	o.member.Get(here+".csv?in=staging&not=production").Want(http.StatusOK, "Crash,m,,staging,").Lacks("Slow", "Boom")
	o.member.Get(o.list()).Want(http.StatusOK, `href="`+here+`"`)
	if got := o.outsider.Get(here); got.Status != http.StatusNotFound {
		t.Errorf("a user without the project gets %d", got.Status)
	}
}
