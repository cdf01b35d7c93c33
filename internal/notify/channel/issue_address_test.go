package channel

import (
	"encoding/json"
	"testing"

	"sett/internal/sett/triage"
)

// An issue that is known by its number alone, as the contract links it, has an address that a browser can open.
func TestIssueAddress(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		kind          string
		options       map[string]any
		data          string
		name, address string
	}{
		{"Github", map[string]any{"repo": "acme/shop"}, `{"number":12}`, "#12", "https://github.com/acme/shop/issues/12"},
		{"Github", map[string]any{"repo": "acme/shop", "server": "https://api.github.com"}, `{"number":12}`, "#12", "https://github.com/acme/shop/issues/12"},
		{"Github", map[string]any{"repo": "acme/shop", "server": "https://git.example.org/api/v3/"}, `{"number":12}`, "#12", "https://git.example.org/acme/shop/issues/12"},
		{"Github", map[string]any{"repo": "acme/shop"}, `{"number":12,"html_url":"https://github.com/acme/web/issues/12"}`, "#12", "https://github.com/acme/web/issues/12"},
		{"Gitlab", map[string]any{"server": "https://gitlab.com", "project": "acme/web/shop"}, `{"number":7}`, "#7", "https://gitlab.com/acme/web/shop/-/issues/7"},
		{"Gitlab", map[string]any{"server": "https://git.example.org/lab/", "project": "acme/shop"}, `{"number":7}`, "#7", "https://git.example.org/lab/acme/shop/-/issues/7"},
		{"Gitlab", map[string]any{"server": "https://gitlab.com", "project": "42"}, `{"number":7}`, "#7", ""},
		{"Gitlab", map[string]any{"server": "https://gitlab.com", "project": "42"}, `{"number":7,"web_url":"https://gitlab.com/acme/shop/-/issues/7"}`, "#7", "https://gitlab.com/acme/shop/-/issues/7"},
		{"Jira", map[string]any{"server": "https://acme.atlassian.net"}, `{"id":10007,"key":"OPS-7","self":"https://acme.atlassian.net/rest/api/2/issue/10007"}`, "OPS-7", "https://acme.atlassian.net/browse/OPS-7"},
		{"Jira", map[string]any{"server": "https://acme.atlassian.net"}, `{"id":10007,"key":"OPS-7","self":"https://jira.example.org/browse/OPS-7"}`, "OPS-7", "https://jira.example.org/browse/OPS-7"},
		{"Trello", nil, `{"id":"c1","shortUrl":"https://trello.com/c/c1"}`, "c1", "https://trello.com/c/c1"},
		{"Linear", nil, `{"id":"u7","identifier":"ENG-7","url":"https://linear.app/acme/issue/ENG-7"}`, "ENG-7", "https://linear.app/acme/issue/ENG-7"},
		{"PivotalTracker", nil, `{"story_id":5,"project_id":9,"pivotal_url":"https://www.pivotaltracker.com/story/show/5"}`, "#5", "https://www.pivotaltracker.com/story/show/5"},
		{"WebHook", nil, `{"number":12}`, "#12", ""},
		{"Pigeon", nil, `{}`, "", ""},
	} {
		var link triage.LinkData
		if err := json.Unmarshal([]byte(c.data), &link); err != nil {
			t.Fatal(err)
		}
		if got := IssueAddress(c.kind, c.options, link); got != c.address {
			t.Errorf("%s %s leads to %q, want %q", c.kind, c.data, got, c.address)
		}
		if got := IssueName(link); got != c.name {
			t.Errorf("%s %s is called %q, want %q", c.kind, c.data, got, c.name)
		}
	}
}
