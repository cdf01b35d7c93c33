package fault_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"
)

// The head of the page says what happened, where in the code, how often, and in which releases.
func TestHeadOfTheErrorPage(t *testing.T) {
	t.Parallel()
	o := open(t)
	first, last := strings.Repeat("a1", 20), strings.Repeat("b2", 20)
	at := func(revision string) string { return strings.Replace(rich, "4e1f9a2", revision, 1) }
	f := o.report(at(first))
	o.Clock.Push(30 * time.Hour)
	o.report(at(first))
	o.Clock.Push(30 * time.Hour)
	for range 2 {
		o.report(at(last))
	}
	release := func(revision string) string {
		return fmt.Sprintf(`title="%s">in <a class="mono" href="/projects/%d/releases/%[1]s">%[3]s</a>`, revision, o.Setup.ProjectID, revision[:7])
	}
	page := o.member.Get(o.path(f)).Want(200, `<h1>Boom</h1>`, `data-copy="app/cart.rb:2 in total"`, `<b>4</b> <span title="2 events in 24 hours, 1 in the 24 hours before"><span aria-hidden="true">▲</span> 2 in 24 h</span>`).CheckPage().Body
	seen := regexp.MustCompile(`(?s)First seen</dt>(.*)Last seen</dt>(.*)</dl>`).FindStringSubmatch(page)
	if seen == nil || !strings.Contains(seen[1], release(first)) || !strings.Contains(seen[2], release(last)) {
		t.Errorf("it was first and last seen: %q", seen)
	}
	lacks(t, page, "View source")
	o.Put(fmt.Sprintf("/v2/projects/%d", o.Setup.ProjectID), `{"project":{"name":"Shop","source_url":"https://code.test/[sha]/[file]#L[line]"}}`).Want(204)
	o.member.Get(o.path(f)).Want(200, `<a class="small" href="https://code.test/`+last+`/app/cart.rb#L2" rel="noreferrer">View source</a>`)
	o.member.Get(o.path(f)+"?trace=raw").Want(200, `data-copy="app/cart.rb:2 in total"`) // whatever of the backtrace is shown
	o.Clock.Push(3 * 24 * time.Hour)
	o.member.Get(o.path(f)).Want(200, `none in 24 h`)
}

// The first of those whom an error can be assigned to is the user, and the last choice unassigns it.
func TestWhomAnErrorIsAssignedTo(t *testing.T) {
	t.Parallel()
	o := open(t)
	f := o.report(rich)
	choices := func() string {
		_, form, _ := strings.Cut(o.member.Get(o.path(f)).Want(200).Body, o.path(f)+`/assign"`)
		form, _, _ = strings.Cut(form, "</form>")
		var all []string
		for _, m := range regexp.MustCompile(`name="assignee_id" value="\d*">([^<]*)<`).FindAllStringSubmatch(form, -1) {
			all = append(all, m[1])
		}
		return strings.Join(all, ", ")
	}
	if got := choices(); !strings.HasPrefix(got, "Assign to me, ") || strings.Contains(got, "Ann Other") || strings.Contains(got, "Unassign") {
		t.Errorf("without an assignee: %s", got)
	}
	o.member.Post(o.path(f)+"/assign", "assignee_id", fmt.Sprint(o.ann)).Want(303)
	if got := choices(); strings.Contains(got, "me") || !strings.HasSuffix(got, ", Unassign") {
		t.Errorf("of Ann's: %s", got)
	}
}

// A period of the chart that is asked for is shown large; without one, the chart is small and opens the large one.
func TestChartOfTheErrorPage(t *testing.T) {
	t.Parallel()
	o := open(t)
	f := o.report(rich)
	o.member.Get(o.path(f)).Want(200, `<details id="chart"><summary`, `<svg class="chart" height="48"`, `<svg class="chart" height="180"`, "Last 24 hours")
	o.member.Get(o.path(f)+"?period=week").Want(200, `<details id="chart" open><summary`, "Last 7 days")
}
