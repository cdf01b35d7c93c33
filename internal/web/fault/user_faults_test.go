package fault_test

import (
	"fmt"
	"html"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/setttest/visitor"
	"sett/internal/web"
)

// of is a notice of a class that names a user.
func of(class, user string) string {
	return `{"error":{"class":"` + class + `","message":"m"},"request":{"context":{"user_id":` + quoted(user) + `}},"server":{"environment_name":"production"}}`
}

// project makes another project, which only admins see, and returns its id and how to report to it.
func (o *shop) project(name string) (id int64, report func(body string)) {
	o.t.Helper()
	made, err := o.App.Store().Accounts.CreateProject(o.t.Context(), o.Clock.Now(), o.Setup.UserID, o.Setup.AccountID, accounts.ProjectChange{Name: sett.Some(name)})
	if err != nil {
		o.t.Fatal(err)
	}
	client := *o.Client
	client.Key = made.Token
	return made.ID, func(body string) { o.t.Helper(); client.Post("/v1/notices", body).Want(201) }
}

func TestPageOfAffectedUser(t *testing.T) {
	t.Parallel()
	o := open(t)
	hidden, report := o.project("Vault")
	f := o.report(of("Boom", "4711"))
	o.Clock.Push(time.Hour)
	o.report(of("Boom", "4711"))
	o.report(of("Boom", "12"))
	report(of("Secret", "4711"))
	report(of("Other", "only there"))
	o.report(of("Fixed", "4711"))
	o.member.Post(o.newest()+"/state", "do", "resolve")
	path := web.AffectedUser("4711")
	page := o.member.Get(path).Want(200, "<title>4711 · sett</title>", "3 events of 2 errors in 1 project<", "Boom", "Fixed", "Resolved</span>", "1 h ago", `href="`+o.path(f)+`"`).CheckPage()
	page.Lacks("Secret", "Vault", fmt.Sprintf("/projects/%d", hidden))
	o.admin.Get(path).Want(200, "4 events of 3 errors in 2 projects<", "Secret", "Vault").CheckPage()
	for _, got := range []*visitor.Answer{o.outsider.Get(path), o.member.Get(web.AffectedUser("only there"))} {
		got.Want(200, "No errors of this user").CheckPage().Lacks("in time", "event of", "Vault", "Boom")
	}
	o.anonymous.Get(path).Leads("/login?next=" + url.QueryEscape(path))

	// its links lead to the errors, and to the user's events
	o.member.Get(linksTo(page.Body, "/faults?q=")[0]).Want(200, "Boom", "Fixed", "Errors of this user in all projects", html.EscapeString(path))
	last := o.member.Get(linksTo(page.Body, o.path(f)+"?notice=")[0]).Want(200, "This event", html.EscapeString(path))
	last.Lacks(`<dt class="code">user_id</dt><dd class="code"><a href="` + web.AffectedUser("12") + `"`)

	o.member.Get(web.AffectedUserPath).Want(200, "Find an affected user").CheckPage()
	o.member.Get(web.AffectedUserPath+"?user=%20%09").Want(200, "Find an affected user").CheckPage()
	o.member.Get(path + "&page=x").Want(422)
}

// Every place that names a user links to their page, from which a search leads to their errors, whatever the user is called.
func TestPlacesOfAffectedUsers(t *testing.T) {
	t.Parallel()
	for _, user := range []string{"ann@example.test", `Ann "the boss" O'Neill`, `ACME\ann\`, "a&b=c#d?e/f%2F+g", "<b>Ä</b>", "-is:resolved", "a*b", strings.Repeat("long. ", 200)} {
		t.Run(user[:min(len(user), 20)], func(t *testing.T) {
			t.Parallel()
			o := open(t)
			f := o.report(of("Boom", user))
			if err := o.App.Store().Intake.Flush(t.Context()); err != nil {
				t.Fatal(err)
			}
			report := fmt.Sprintf("/projects/%d/reports/notices_by_user", o.Setup.ProjectID)
			for path, want := range map[string]int{o.path(f): 2, o.path(f) + "/users": 1, o.path(f) + "/notices": 1, report: 1} {
				links := linksTo(o.member.Get(path).Want(200).CheckPage().Body, web.AffectedUserPath)
				if len(links) != want && len(user) < 200 { // a long value of the context is not a link
					t.Errorf("%s links to %q, want %d", path, links, want)
				}
				for _, link := range links {
					o.member.Get(link).Want(200, "1 event of 1 error in 1 project").CheckPage()
				}
			}
			page := o.member.Get(web.AffectedUser(user)).Want(200)
			list := o.member.Get(linksTo(page.Body, "/faults?q=")[0]).Want(200, "Boom").CheckPage()
			want := []string{web.AffectedUser(user)}
			if strings.Contains(user, "*") {
				want = nil // it is a search for many
			}
			if diff := cmp.Diff(want, linksTo(list.Body, web.AffectedUserPath)); diff != "" {
				t.Errorf("the list links to other users (-want +got):\n%s", diff)
			}
		})
	}
}

var linked = regexp.MustCompile(`href="([^"]*)"`)

// linksTo returns the links of a page that have a text in them.
func linksTo(body, part string) (links []string) {
	for _, m := range linked.FindAllStringSubmatch(body, -1) {
		if to := html.UnescapeString(m[1]); strings.Contains(to, part) {
			links = append(links, to)
		}
	}
	return links
}
