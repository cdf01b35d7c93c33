package triage

import (
	"encoding/json"
	"maps"
	"strings"
	"testing"

	"sett/internal/sett"
)

func TestLinkDataValidate(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ kind, data, want string }{
		{"Github", `{"number": 12}`, ""},
		{"Gitlab", `{"number": 12, "title": "kept"}`, ""},
		{"Bitbucket", `{"number": "12"}`, "data.number must be a positive integer"},
		{"Github", `{}`, "data.number must be a positive integer"},
		{"Github", `{"number": 0}`, "data.number must be a positive integer"},
		{"Github", `{"number": null}`, "data.number must be a positive integer"},
		{"Jira", `{"id": 1, "key": "OPS-1", "self": "https://jira.example.test/1"}`, ""},
		{
			"Jira", `{"id": 1.5, "key": " ", "self": "javascript:alert(1)"}`,
			"data.id must be a positive integer; data.key must be a string that is not blank; data.self must be a URL that starts with http:// or https://",
		},
		{"PivotalTracker", `{"story_id": 1, "project_id": 2, "pivotal_url": "http://pivotal.example.test/1"}`, ""},
		{"Pivotal", `{"story_id": 1, "project_id": 2}`, "data.pivotal_url must be a URL that starts with http:// or https://"},
		{"Trello", `{"id": "c1", "shortUrl": "https://trello.example.test/c1"}`, ""},
		{
			"Trello", `{"id": 7, "shortUrl": "https://"}`,
			"data.id must be a string that is not blank; data.shortUrl must be a URL that starts with http:// or https://",
		},
		{"Linear", `{"id": "9cfb482a", "identifier": "OPS-1", "url": "https://linear.example.test/OPS-1"}`, ""},
		{
			"Linear", `{"id": "", "url": "linear.example.test"}`,
			"data.id must be a string that is not blank; data.identifier must be a string that is not blank; data.url must be a URL that starts with http:// or https://",
		},
		{"WebHook", `{"anything": {"at": ["all"]}}`, "data must name an issue: number; or id, key and self; or story_id, project_id and pivotal_url; or id and shortUrl"},
		{"Slack", `{}`, "data must name an issue: number; or id, key and self; or story_id, project_id and pivotal_url; or id and shortUrl"},
		{"WebHook", `{"number": 7}`, ""},
		{"Github", `null`, "data must be an object; data.number must be a positive integer"},
		{"Github", `{"number": 1, "much": "` + strings.Repeat("x", 10_000) + `"}`, "data must not hold more than 10000 bytes"},
	} {
		var data LinkData
		if err := json.Unmarshal([]byte(c.data), &data); err != nil {
			t.Fatal(err)
		}
		got := ""
		if err := data.Validate(c.kind); err != nil {
			got = err.Error()
			if sett.CodeOf(err) != sett.Invalid {
				t.Errorf("%s with %.60s: the error has code %q", c.kind, c.data, sett.CodeOf(err))
			}
		}
		if c.want != "" {
			c.want = "Please correct: " + c.want + "."
		}
		if got != c.want {
			t.Errorf("%s with %.60s:\n got %q\nwant %q", c.kind, c.data, got, c.want)
		}
	}
}

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
			if sett.CodeOf(err) != sett.Invalid {
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
