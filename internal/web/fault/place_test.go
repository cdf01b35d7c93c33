package fault_test

import (
	"fmt"
	"html"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"
)

// opened returns the links to the errors of a list, with their places.
func (o *shop) opened(list string) (links []string) {
	o.t.Helper()
	page := o.member.Get(list).Want(200).CheckPage()
	for _, m := range regexp.MustCompile(`<p class="cut"><a href="([^"]+)"`).FindAllStringSubmatch(page.Body, -1) {
		links = append(links, html.UnescapeString(m[1]))
	}
	return links
}

// beside returns where a link of the page of an error leads to.
func (o *shop) beside(opened, where string) string {
	path, query, _ := strings.Cut(opened, "?")
	return path + "/" + where + "?" + query
}

// The next error is the next one of the list as it was, even if the errors have moved in it or are resolved.
func TestNextErrorOfTheList(t *testing.T) {
	t.Parallel()
	o := open(t)
	for _, class := range []string{"Third", "Second", "First"} {
		o.Clock.Push(time.Minute)
		o.report(plain(class))
	}
	o.report(strings.Replace(plain("Elsewhere"), "production", "staging", 1))
	o.Clock.Push(time.Minute)
	for _, order := range []string{"", "newest", "frequent"} {
		list := o.list() + "?" + url.Values{"q": {"-is:resolved"}, "environment": {"production"}, "order": {order}}.Encode()
		links := o.opened(list)
		if len(links) != 3 {
			t.Fatalf("%q: the list has %q", order, links)
		}
		o.Clock.Push(time.Second)
		o.report(plain("Third")) // moves to the front
		back := html.EscapeString(strings.Replace(links[1], "&at=", "\x00", 1))
		back, _, _ = strings.Cut(back, "\x00")
		_, search, _ := strings.Cut(back, "?")
		o.member.Get(links[1]).Want(200, `<a href="`+o.list()+"?"+search+`">Errors</a>`, `data-key="j"`, `data-key="k"`, `data-key="R"`).CheckPage()
		o.member.Get(o.beside(links[0], "next")).Leads(links[1])
		o.member.Get(o.beside(links[1], "next")).Leads(links[2])
		o.member.Get(o.beside(links[2], "previous")).Leads(links[1])
		last := o.member.Get(o.beside(links[2], "next")).Want(303).Header.Get("Location")
		o.member.Get(last).Want(200, "That was the last error of this list.", `<option value="production" selected>`)
		first := o.member.Get(o.beside(links[0], "previous")).Want(303).Header.Get("Location")
		o.member.Get(first).Want(200, "That was the first error of this list.")
	}
	o.outsider.Get(o.beside(o.opened(o.list())[0], "next")).Want(404)
	o.member.Get(o.beside(o.opened(o.list())[0], "next") + "x").Want(422)
	lacks(t, o.member.Get(o.path(o.report(plain("Alone")))).Want(200).Body, `data-key="j"`, "Resolve and next")
}

// Resolving and going on opens the next error of the list, says what was resolved, and can be undone there.
func TestResolveAndNext(t *testing.T) {
	t.Parallel()
	o := open(t)
	second := o.report(plain("Second"))
	o.Clock.Push(time.Minute)
	first := o.report(plain("First"))
	links := o.opened(o.list())
	from := []string{"Referer", o.member.Base + links[0]}
	form := url.Values{"do": {"resolve"}, "then": {"next"}}
	o.Clock.Push(time.Minute)
	led := o.member.Do("POST", o.path(first)+"/state", form, from...).Want(303).Header.Get("Location")
	if !strings.HasPrefix(led, links[1]+"&done=resolved_next&undo=") || !o.reread(first).Resolved {
		t.Fatalf("it leads to %s, want %s", led, links[1])
	}
	page := o.member.Get(led).Want(200, fmt.Sprintf("Error #%d is resolved.", first.ID), ">Undo</button>").CheckPage()
	o.member.Get(o.beside(links[1], "previous")).Want(303) // there is none: it is resolved
	undo := hidden(t, page.Body, o.list()+"/undo")
	o.member.Post(o.list()+"/undo", undo...).Leads(links[1] + "&done=undone")
	if o.reread(first).Resolved {
		t.Error("it is still resolved")
	}
	from[1] = o.member.Base + links[1]
	o.Clock.Push(time.Minute)
	led = o.member.Do("POST", o.path(second)+"/state", form, from...).Want(303).Header.Get("Location")
	o.member.Get(led).Want(200, "That was the last error of this list.", ">Undo</button>")

	o.member.Do("POST", o.path(first)+"/assign", url.Values{"assignee_id": {""}}, "Referer", o.member.Base+links[0]).Leads(links[0] + "&done=unassigned")
	o.member.Post(o.path(first)+"/state", "do", "resolve", "then", "next").Want(303) // a browser that sends no Referer
	o.member.Do("POST", o.path(first)+"/assign", url.Values{"assignee_id": {""}}, "Referer", "://").Leads(o.path(first) + "?done=unassigned")
}

// After a change of many errors, the list shows the same page of it, or the one before if nothing is left, and how many were changed.
func TestBulkChangesKeepTheirPlace(t *testing.T) {
	t.Parallel()
	o := open(t)
	for i := range 53 {
		o.report(plain(fmt.Sprintf("E%02d", i)))
	}
	o.Clock.Push(time.Minute)
	second := o.next(o.list())
	page := o.member.Get(second).Want(200, `data-page="25" data-all="53"`).CheckPage()
	ids := regexp.MustCompile(`name="id" value="([\d,]+)" data-picks`).FindStringSubmatch(page.Body)
	if len(ids) == 0 || strings.Count(ids[1], ",") != 24 {
		t.Fatalf("the box of the page has %q", ids)
	}
	form := append(hidden(t, page.Body, o.list()+"/bulk"), "action", "resolve", "id", ids[1], "id", strings.Split(ids[1], ",")[0])
	led := o.member.Post(o.list()+"/bulk", form...).Want(303).Header.Get("Location")
	if !strings.Contains(led, "&page=") || !strings.Contains(led, "&n=25&") {
		t.Fatalf("it leads to %s", led)
	}
	page = o.member.Get(led).Want(200, "25 errors resolved.", ">E00<", ">E02<").CheckPage()
	_, rows, _ := strings.Cut(page.Body, "<table")
	lacks(t, rows, ">E03<", ">E28<")
	ids = regexp.MustCompile(`name="id" value="([\d,]+)" data-picks`).FindStringSubmatch(page.Body)
	o.Clock.Push(time.Minute)
	led = o.member.Post(o.list()+"/bulk", append(hidden(t, page.Body, o.list()+"/bulk"), "action", "ignore", "id", ids[1])...).Want(303).Header.Get("Location")
	o.member.Get(led).Want(200, "3 errors ignored.", ">E52<", ">E28<").CheckPage()
	lacks(t, o.member.Get(o.list()+"?done=bulk_resolved&n=x").Want(200, "Errors resolved.").Body, "x errors")
}

// next returns the address of the next page of a list.
func (o *shop) next(list string) string {
	o.t.Helper()
	_, rest, _ := strings.Cut(o.member.Get(list).Want(200).Body, `<nav class="pager" aria-label="Pages"><a class="button" href="`)
	address, _, _ := strings.Cut(rest, `"`)
	return html.UnescapeString(address)
}

// A search without results says which term is no key, as it was searched as text.
func TestEmptySearchNamesWhatIsNoKey(t *testing.T) {
	t.Parallel()
	o := open(t)
	o.report(plain("Boom"))
	o.member.Get(o.list()+"?q=is%3Aunresolved+foo%3A%3Cb%3E").Want(200, "“foo:&lt;b&gt;” is not a filter, so it was searched as text").CheckPage()
	lacks(t, o.member.Get(o.list()+"?q=class%3ANone+http%3A%2F%2Fa+Foo%3A%3ABar+12%3A30").Want(200, "No matching errors").Body, "was searched as text")
}

// A browser that loads the address of a form again sees the page that the form is on.
func TestFormsLoadedAgain(t *testing.T) {
	t.Parallel()
	o := open(t)
	f := o.report(rich)
	o.member.Get(o.list() + "/bulk").Leads(o.list())
	o.member.Get(o.path(f) + "/state").Leads(o.path(f))
	o.member.Get(o.path(f) + "/comments/1/edit").Leads(o.path(f))
	o.member.Do("GET", o.list()+"/bulk", nil, "Accept", "application/json").Want(405)
	o.member.Do("PUT", o.list()+"/bulk", nil).Want(405)
}
