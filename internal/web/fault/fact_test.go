package fault_test

import (
	"net/http"
	"net/url"
	"testing"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
)

// sentryEvent is what sett stores of an event of a Sentry SDK, with the users and tags that its clients send.
const sentryEvent = `{"notifier":{"name":"sentry.python"},"error":{"class":"PaymentError","message":"card refused","level":"fatal","handled":false},
	"request":{"url":"https://shop.test/pay","context":{"user_id":"7","user_email":"k@y.test","user":{"id":"7","email":"k@y.test","ip_address":"203.0.113.9"},
		"tags":{"plan":"gold tier","region":"eu","odd key":"x"},"cart":"c-1"},
		"cgi_data":{"HTTP_USER_AGENT":"Mozilla/5.0 (Windows NT 10.0) Gecko/20100101 Firefox/144.0"}},
	"details":{"os":{"name":"Linux","version":"6.1"},"runtime":{"name":"CPython","version":"3.13"},"app":{"app_name":"Till","app_version":"2.4"},"device":{"model":"Pixel 8","arch":"arm64"},
		"event":{"logger":"billing","platform":"python"}},
	"correlation_context":{"request_id":"4bf92f3577b34da6a3ce929d0e0e4736"},"server":{"environment_name":"production"}}`

// What the SDKs of Sentry send reads like the rest: tags, level, programs and machines are values of their own, and each leads to the errors that have
// it too. The user is named once.
func TestFactsOfAnEvent(t *testing.T) {
	t.Parallel()
	o := open(t)
	f := o.report(sentryEvent)
	if len(f.Tags) > 0 {
		t.Errorf("the error has the tags %q, which users can delete", f.Tags)
	}
	page := o.member.Get(o.path(f)).CheckPage().Want(http.StatusOK, `<h3 id="tags">Tags</h3>`, ">region</dt>", ">eu</a>", ">fatal</a>", ">unhandled</span>",
		">Firefox 144 on Windows</a>", ">Linux 6.1</a>", ">Pixel 8</a>", "CPython 3.13<", "Till 2.4<", "4bf92f3577b34da6a3ce929d0e0e4736</code>", `data-copy="#trace-id"`,
		`<h3 id="user">User</h3>`, "203.0.113.9", ">event.logger</dt>", ">device.arch</dt>")
	page.Lacks(`{"plan"`, `"ip_address"`, ">user_email</dt>", ">user_id</dt>", ">os</dt>")
	for _, search := range []string{`context.tags.plan:"gold tier"`, "level:fatal", "handled:false", "browser:Firefox", "os:linux", `device:"Pixel 8"`, "trace:4bf92f3577b34da6a3ce929d0e0e4736"} {
		o.member.Get(o.list()+"?q="+url.QueryEscape(search)).Want(http.StatusOK, "card refused")
		o.member.Get(o.list() + "?q=" + url.QueryEscape("-"+search)).Want(http.StatusOK).Lacks("card refused")
	}
	links := linksTo(page.Body, "/faults?q=")
	if len(links) < 6 {
		t.Errorf("the page links to %q", links)
	}
	for _, link := range links {
		o.member.Get(link).Want(http.StatusOK, "card refused")
	}
	o.member.Get(o.path(f)+".md").Want(http.StatusOK, "Level: fatal", "Trace: 4bf92f3577b34da6a3ce929d0e0e4736", `"region":"eu"`)
}

// Earlier versions stored the level of Sentry's events as a tag.
func TestLevelOfAnEarlierVersion(t *testing.T) {
	t.Parallel()
	o := open(t)
	f := o.report(`{"notifier":{"name":"sentry.go"},"error":{"class":"Old","tags":["fatal","unhandled"]},"server":{"environment_name":"production"}}`)
	o.member.Get(o.path(f)).CheckPage().Want(http.StatusOK, "<dt>Level</dt>", ">fatal</a>", ">unhandled</span>")
	f = o.report(`{"notifier":{"name":"honeybadger-ruby"},"error":{"class":"Own","tags":["fatal"]},"server":{"environment_name":"production"}}`)
	o.member.Get(o.path(f)).Want(http.StatusOK).Lacks("<dt>Level</dt>")
}

func TestLinkOfATrace(t *testing.T) {
	t.Parallel()
	o := open(t)
	f := o.report(sentryEvent)
	change := accounts.ProjectChange{TraceURL: sett.Some("https://traces.test/t/[trace_id]?tab=logs")}
	if err := o.App.Store().Accounts.UpdateProject(t.Context(), o.Setup.ProjectID, change); err != nil {
		t.Fatal(err)
	}
	o.member.Get(o.path(f)).CheckPage().Want(http.StatusOK, `<a href="https://traces.test/t/4bf92f3577b34da6a3ce929d0e0e4736?tab=logs" rel="noreferrer">`)
	change.TraceURL = sett.Some("https://traces.test/")
	if err := o.App.Store().Accounts.UpdateProject(t.Context(), o.Setup.ProjectID, change); sett.CodeOf(err) != sett.Invalid {
		t.Errorf("a template without a place for the ID: %v", err)
	}
}
