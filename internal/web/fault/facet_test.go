package fault_test

import (
	"fmt"
	"html"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"sett/internal/setttest/visitor"
)

// event is a notice with what the panel counts.
func event(class, environment, host, agent, plan string) string {
	return fmt.Sprintf(`{"error":{"class":%q,"message":"m"},"request":{"component":"Cart","context":{"plan":%q,"user_id":"u-%s"},"cgi_data":{"HTTP_USER_AGENT":%q}},
	"server":{"environment_name":%q,"hostname":%q,"revision":"r-%s"}}`, class, plan, host, agent, environment, host, environment)
}

const (
	chrome = "Mozilla/5.0 (X) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36"
	edge   = chrome + " Edg/126.0.0.0"
)

var facetOfPage = regexp.MustCompile(`<li><a id="facet-[0-9a-f]+" href="([^"]*)" data-swap="#list"( aria-current="true")?><span>([^<]*)</span>(?: <span class="quiet">([0-9,]+)</span>)?`)

// facetsOf returns the links of the panel by their labels, and what they show: label, count, and a star for a term that the search has.
func facetsOf(page *visitor.Answer) (links map[string]string, shown []string) {
	links = map[string]string{}
	for _, m := range facetOfPage.FindAllStringSubmatch(page.Body, -1) {
		label := html.UnescapeString(m[3])
		links[label] = html.UnescapeString(m[1])
		if m[2] != "" {
			label += "*"
		}
		shown = append(shown, strings.TrimSpace(label+" "+m[4]))
	}
	return links, shown
}

func TestFacetsOfList(t *testing.T) {
	t.Parallel()
	o := open(t)
	lacks(t, o.member.Get(o.list()).Want(200).CheckPage().Body, `id="facets"`)
	for _, body := range []string{
		event("Boom", "production", "web-1", chrome, "gold"), event("Boom", "production", "web-1", chrome, "gold"), event("Boom", "production", "web-2", edge, "free"),
		event("<b>Bang</b>", "staging area", "web-1", "curl/8.5", "free"),
	} {
		o.report(body)
	}
	page := o.member.Get(o.list()).Want(200).CheckPage()
	links, shown := facetsOf(page)
	if got, want := strings.Join(shown, ", "), "Last hour, 24 hours, 7 days, 30 days, production 1, staging area 1, r-production 3, r-staging area 1, <b>Bang</b> 1, Boom 1, Cart 2, "+
		"web-1 3, web-2 1, Chrome 2, curl 1, Edge 1, u-web-1 3, u-web-2 1"; got != want {
		t.Errorf("the panel shows\n%s\nwant\n%s", got, want)
	}
	rows := func(page *visitor.Answer) int { return strings.Count(page.Body, "<tr data-row>") }
	for label, q := range map[string]string{
		"production": "-is:resolved -is:ignored environment:production", "staging area": `-is:resolved -is:ignored environment:"staging area"`,
		"Edge": "-is:resolved -is:ignored request.user_agent:*edg*/*", "web-2": "-is:resolved -is:ignored hostname:web-2", "<b>Bang</b>": "-is:resolved -is:ignored class:<b>Bang</b>",
		"Last hour": `-is:resolved -is:ignored occurred.after:"1 hour ago"`,
	} {
		narrow := o.member.Get(links[label]).Want(200, `name="q" aria-label="Search the errors of `, `value="`+html.EscapeString(q)+`"`).CheckPage()
		want := 1
		if label == "Last hour" {
			want = 2
		}
		if got := rows(narrow); got != want {
			t.Errorf("%s: %d rows, want %d", label, got, want)
		}
		again, shown := facetsOf(narrow)
		if !strings.Contains(strings.Join(shown, ","), label+"*") {
			t.Errorf("%s is not marked: %v", label, shown)
		}
		if back := o.member.Get(again[label]).Want(200); !strings.Contains(back.Body, `value="-is:resolved -is:ignored"`) || rows(back) != 2 {
			t.Errorf("a second click on %s leads to %s", label, again[label])
		}
	}
	hours, _ := facetsOf(o.member.Get(links["Last hour"]).Want(200))
	if got := hours["7 days"]; !strings.Contains(got, url.QueryEscape(`occurred.after:"7 days ago"`)) || strings.Contains(got, "hour") {
		t.Errorf("from the last hour to 7 days leads to %s", got)
	}
	kept, _ := facetsOf(o.member.Get(o.list() + "?q=boom&environment=production&order=newest&view=compact").Want(200))
	if got := kept["web-1"]; !strings.Contains(got, "environment=production") || !strings.Contains(got, "order=newest") || !strings.Contains(got, "view=compact") || !strings.Contains(got, "q=boom+hostname%3Aweb-1") {
		t.Errorf("the rest of the list is lost: %s", got)
	}
	if _, shown := facetsOf(o.member.Get(o.list() + "?q=hostname:elsewhere").Want(200)); !strings.Contains(strings.Join(shown, ","), "elsewhere*") {
		t.Errorf("a value that is rare cannot be removed: %v", shown)
	}
	o.member.Get(o.list()+"?q=hosname:x").Want(422, `id="facets"`).CheckPage()
}

func TestFacetsByDay(t *testing.T) {
	t.Parallel()
	o := open(t)
	o.report(plain("Boom"))
	today := o.Clock.Now().Format(time.DateOnly)
	query := html.EscapeString(`boom occurred.after:"` + today + ` 00:00" occurred.before:"` + o.Clock.Now().AddDate(0, 0, 1).Format(time.DateOnly) + ` 00:00"`)
	o.member.Get(o.list()+"?q=boom+occurred.after%3Ayesterday&from="+today+"&to="+today).Want(200, `id="facet-from" name="from" value="`+today+`"`, `id="facet-to" name="to" value="`+today+`"`, "<tr data-row>", `value="`+query+`"`).CheckPage()
	lacks(t, o.member.Get(o.list()+"?q=&from=2026-01-01&to=2026-01-02").Want(200).Body, "<tr data-row>")
	o.member.Get(o.list()+"?q=&from=%3Cb%3E").Want(422, "Unknown date in “occurred.after:&lt;b&gt;”. Use today, ").CheckPage()
}

func TestFacetsOfFields(t *testing.T) {
	t.Parallel()
	o := open(t)
	o.report(event("Boom", "production", "web-1", chrome, "Gold"))
	lacks(t, o.member.Get(o.list()).Want(200).Body, "context.plan</h2>", ">gold<")
	page := o.member.Get(o.list()+"?q=&field=Context.Plan").Want(200, "context.plan", `<span>gold</span> <span class="quiet">1</span>`).CheckPage()
	links, _ := facetsOf(o.member.Get(o.list()).Want(200, `<span>gold</span>`)) // it is remembered
	o.member.Get(links["gold"]).Want(200, "<tr data-row>", `context.plan:gold`)
	if got := page.Header.Get("Set-Cookie"); !strings.Contains(got, "HttpOnly") || !strings.Contains(got, "Path="+o.list()) {
		t.Errorf("the cookie is %s", got)
	}
	for _, bad := range []string{"plan", "environment", "context.", "context.a b", "context." + strings.Repeat("x", 200), "<b>"} {
		lacks(t, o.member.Get(o.list()+"?q=&field="+url.QueryEscape(bad)).Want(200, `id="field-problem"`, "A field begins with context.").CheckPage().Body, "<b>")
	}
	for i := range 4 {
		o.member.Get(fmt.Sprintf("%s?q=&field=params.%d", o.list(), i)).Want(200, "No recent values")
	}
	o.member.Get(o.list()+"?q=&field=params.one.more").Want(200, "There can be 5 fields.")
	lacks(t, o.member.Get(o.list()+"?q=&without=context.plan").Want(200).Body, `<span>gold</span>`)
	lacks(t, o.member.Get(o.list()).Want(200).Body, `<span>gold</span>`)
	lacks(t, o.admin.Get(o.list()).Want(200).Body, "params.0")
}
