package fault_test

import (
	"net/http"
	"strings"
	"testing"
)

func TestPagesForAgents(t *testing.T) {
	t.Parallel()
	o := open(t)
	f := o.report(rich)
	const agents = "text/markdown, text/html;q=0.9, */*;q=0.1"
	page := o.member.Do(http.MethodGet, o.path(f), nil, "Accept", agents).Want(200, "reporter> `Boom`", "app/cart.rb:2 in total", o.App.BaseURL()+o.path(f))
	if kind := page.Header.Get("Content-Type"); kind != "text/markdown; charset=utf-8" || page.Header.Get("Vary") != "Accept" {
		t.Errorf("the page for agents is %s, Vary %s", kind, page.Header.Get("Vary"))
	}
	people := o.member.Do(http.MethodGet, o.path(f), nil, "Accept", "text/html, text/markdown").Want(200, "<html")
	if vary := strings.Join(people.Header.Values("Vary"), ","); !strings.Contains(vary, "Accept,") && vary != "Accept" {
		t.Errorf("the page for people has Vary %s", vary)
	}
	o.outsider.Do(http.MethodGet, o.path(f), nil, "Accept", agents).Want(404)

	shared := o.anonymous.Do(http.MethodGet, o.shared(t), nil, "Accept", agents).Want(200, "reporter> `Boom`", "app/cart.rb:2 in total")
	lacks(t, shared.Body, "acme-eu", "Host", "Params", "Affected users", o.path(f), "## History") // what the page does not show either
	if robots := shared.Header.Get("X-Robots-Tag"); !strings.Contains(robots, "noindex") || shared.Header.Get("Vary") != "Accept" {
		t.Errorf("the shared page for agents has %v", shared.Header)
	}
}
