package fault_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"sett/internal/setttest"
)

// tracker makes an integration of a type.
func (o *shop) tracker(kind string, options map[string]any) (id int64) {
	o.t.Helper()
	var made struct{ ID int64 }
	body := map[string]any{"integration": map[string]any{"type": kind, "options": options}}
	o.Post(fmt.Sprintf("/v2/projects/%d/integrations", o.Setup.ProjectID), body).Want(201).Into(&made)
	return made.ID
}

// What the contract's link rules take becomes a link on the page of the fault; what they do not take is refused by name.
func TestLinksOfEveryTracker(t *testing.T) {
	t.Parallel()
	setttest.Each(t, func(t *testing.T, s *setttest.Server) {
		o := openOn(t, s)
		f := o.report(plain("Boom"))
		github := map[string]any{"repo": "acme/shop", "token": "t"}
		gitlab := map[string]any{"server": "https://gitlab.com", "project": "acme/shop", "token": "t"}
		jira := map[string]any{"server": "https://acme.atlassian.net", "token": "t", "project_key": "OPS"}
		trello := map[string]any{"key": "k3y", "token": "t", "list_id": "5abbe4b7"}
		for _, c := range []struct {
			kind       string
			options    map[string]any
			bad, good  string
			refusal    string
			name, page string
		}{
			{"Github", github, `{"number":"12"}`, `{"number":12}`, "data.number must be a positive integer", "#12", "https://github.com/acme/shop/issues/12"},
			{"Gitlab", gitlab, `{}`, `{"number":7}`, "data.number must be a positive integer", "#7", "https://gitlab.com/acme/shop/-/issues/7"},
			{"Jira", jira, `{"id":1,"key":"OPS-1"}`, `{"id":1,"key":"OPS-1","self":"https://acme.atlassian.net/rest/api/2/issue/1"}`, "data.self must be a URL", "OPS-1", "https://acme.atlassian.net/browse/OPS-1"},
			{"Trello", trello, `{"id":"c1"}`, `{"id":"c1","shortUrl":"https://trello.com/c/c1"}`, "data.shortUrl must be a URL", "c1", "https://trello.com/c/c1"},
			{"PivotalTracker", map[string]any{}, `{"story_id":5,"pivotal_url":"https://www.pivotaltracker.com/story/show/5"}`, `{"story_id":5,"project_id":9,"pivotal_url":"https://www.pivotaltracker.com/story/show/5"}`, "data.project_id must be a positive integer", "#5", "https://www.pivotaltracker.com/story/show/5"},
			{"WebHook", map[string]any{"url": "https://example.org/hook"}, `{"anything":12}`, "", "data must name an issue", "", ""},
		} {
			id := o.tracker(c.kind, c.options)
			link := func(data string) *setttest.Response {
				return o.Post("/v2"+o.path(f)+"/link", map[string]any{"channel_id": id, "data": json.RawMessage(data)})
			}
			if text := link(c.bad).Want(422).Errors(); !strings.Contains(text, c.refusal) {
				t.Errorf("%s with %s is refused with %q", c.kind, c.bad, text)
			}
			if c.good != "" {
				link(c.good).Want(200)
				o.member.Get(o.path(f)).Want(200, `href="`+c.page+`"`, c.name).CheckPage()
			}
		}
	})
}

// A tracker that faults are only linked with is asked for no issue and wants no events.
func TestLinkOnlyTracker(t *testing.T) {
	t.Parallel()
	o := open(t)
	f := o.report(plain("Boom"))
	id := o.tracker("PivotalTracker", nil)
	if text := o.Post("/v2"+o.path(f)+"/issue", map[string]any{"channel_id": id}).Want(422).Errors(); !strings.Contains(text, "with PivotalTracker, faults can only be linked") {
		t.Errorf("asking for an issue: %q", text)
	}
	body := map[string]any{"integration": map[string]any{"events": []string{"occurred"}}}
	if text := o.Put(fmt.Sprintf("/v2/projects/%d/integrations/%d", o.Setup.ProjectID, id), body).Want(422).Errors(); !strings.Contains(text, "events must be empty: nothing is sent to PivotalTracker") {
		t.Errorf("wanting events: %q", text)
	}
	o.member.Get(o.path(f)).Want(200, "Link issue").Lacks("Create issue")
	channels := fmt.Sprintf("/projects/%d/settings/channels", o.Setup.ProjectID)
	o.admin.Get(channels+"/new?kind=PivotalTracker").Want(200, "Pivotal Tracker").Lacks(`id="what-title"`).CheckPage()
	o.admin.Post(channels, "type", "PivotalTracker", "option.label", "Stories").Want(303)
	o.member.Post(o.path(f)+"/link", "channel_id", fmt.Sprint(id), "url", "https://www.pivotaltracker.com/n/projects/9/stories/5").Leads(o.path(f) + "?done=linked")
	o.member.Get(o.path(f)).Want(200, `href="https://www.pivotaltracker.com/n/projects/9/stories/5"`)
}
