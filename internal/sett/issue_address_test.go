package sett

import (
	"maps"
	"strings"
	"testing"
)

func TestIssueAt(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		tracker, address string
		want             map[string]string // besides html_url; nil: it is refused
	}{
		{"Github", "https://github.com/acme/shop/issues/12", map[string]string{"number": `12`}},
		{"Github", "https://github.com/acme/shop/issues/12/", map[string]string{"number": `12`}},
		{"Github", "https://github.com/acme/shop", nil},
		{"Github", "https://github.com/acme/shop/issues/0", nil},
		{"Github", "javascript:alert(12)//github.com/12", nil},
		{"Github", "", nil},
		{"Gitlab", "https://gitlab.com/acme/shop/-/issues/7?tab=x#note_1", map[string]string{"number": `7`}},
		{"Jira", "https://acme.atlassian.net/browse/SHOP-12", map[string]string{"key": `"SHOP-12"`}},
		{"Jira", "https://acme.atlassian.net/browse/", nil},
		{"Linear", "https://linear.app/acme/issue/ENG-3/pay-it", map[string]string{"id": `"ENG-3"`, "identifier": `"ENG-3"`, "url": `"https://linear.app/acme/issue/ENG-3/pay-it"`}},
		{"Linear", "https://linear.app/acme/project/ENG-3", nil},
		{"Linear", "https://linear.app/acme/issue", nil},
		{"Trello", "https://trello.com/c/aB3dE5gH/12-pay", map[string]string{"id": `"aB3dE5gH"`, "shortUrl": `"https://trello.com/c/aB3dE5gH/12-pay"`}},
		{"Trello", "https://trello.com/b/aB3dE5gH", nil},
		{"PivotalTracker", "https://www.pivotaltracker.com/n/projects/99/stories/12345", map[string]string{"story_id": `12345`, "project_id": `99`, "pivotal_url": `"https://www.pivotaltracker.com/n/projects/99/stories/12345"`}},
		{"PivotalTracker", "https://www.pivotaltracker.com/story/show/12345", map[string]string{"story_id": `12345`, "pivotal_url": `"https://www.pivotaltracker.com/story/show/12345"`}},
		{"PivotalTracker", "https://www.pivotaltracker.com/n/projects/99", nil},
		{"WebHook", "https://example.org/1", nil},
	} {
		data, err := IssueAt(c.tracker, c.address)
		if c.want == nil {
			if CodeOf(err) != Invalid {
				t.Errorf("%s at %q: %s, %v", c.tracker, c.address, data, err)
			}
			continue
		}
		have := map[string]string{}
		for name, value := range data {
			have[name] = string(value)
		}
		if delete(have, "html_url"); err != nil || !maps.Equal(have, c.want) {
			t.Errorf("%s at %q: %v, %v", c.tracker, c.address, have, err)
		}
		if c.tracker != "Jira" && !strings.Contains(c.address, "/story/show/") && data.Validate(c.tracker) != nil {
			t.Errorf("%s at %q: %s would be refused", c.tracker, c.address, data)
		}
	}
}
