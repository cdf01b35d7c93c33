package triage

import (
	"encoding/json"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"sett/internal/sett"
)

// FaultLink connects a fault with an issue in a tracker outside.
type FaultLink struct {
	IntegrationID int64
	Type          string // of the integration
	Data          LinkData
	CreatedAt     time.Time
	UpdatedAt     time.Time
}

// LinkData says which issue a fault is linked with; what it holds depends on the type of the integration (contract,
// Link rules).
type LinkData map[string]json.RawMessage

// NewLinkData returns the data of a link with fields that are numbers or texts.
func NewLinkData(fields map[string]any) LinkData {
	data := LinkData{}
	for name, value := range fields {
		data[name], _ = json.Marshal(value) // which never fails for these
	}
	return data
}

// maxLinkData is how large the data of a link may be, in bytes of its keys and values.
const maxLinkData = 10_000

// Validate names every field that a link with an integration of that type lacks or has wrong. Fields that the type does
// not ask for are kept. A type that is not an issue tracker, such as a webhook that leads to one, takes the fields of any.
func (d LinkData) Validate(integrationType string) error {
	var p sett.Problems
	fields := linkFields(integrationType)
	switch {
	case d == nil:
		p.Add("data", "must be an object")
	case fields == nil && !d.namesIssue():
		p.Add("data", "must name an issue: number; or id, key and self; or story_id, project_id and pivotal_url; or id and shortUrl")
	}
	for _, field := range fields {
		if !field.takes(d[field.name]) {
			p.Add("data."+field.name, "must be %s", field.form)
		}
	}
	size := 0
	for key, value := range d {
		size += len(key) + len(value)
	}
	if size > maxLinkData {
		p.Add("data", "must not hold more than %d bytes", maxLinkData)
	}
	return p.Refusal()
}

// namesIssue reports whether the data has the fields of some issue tracker.
func (d LinkData) namesIssue() bool {
	for _, tracker := range []string{"github", "jira", "pivotal", "trello", "linear"} {
		if !slices.ContainsFunc(linkFields(tracker), func(f linkField) bool { return !f.takes(d[f.name]) }) {
			return true
		}
	}
	return false
}

// linkField is a field that the data of a link must have.
type linkField struct {
	name, form string
	takes      func(json.RawMessage) bool
}

// linkFields lists what a type of integration asks for; nil for one that is not an issue tracker.
func linkFields(integrationType string) []linkField {
	number := func(name string) linkField { return linkField{name, "a positive integer", isPositive} }
	text := func(name string) linkField { return linkField{name, "a string that is not blank", isText} }
	address := func(name string) linkField {
		return linkField{name, "a URL that starts with http:// or https://", isAddress}
	}
	switch kind := strings.ToLower(integrationType); {
	case kind == "github", kind == "gitlab", kind == "bitbucket":
		return []linkField{number("number")}
	case kind == "jira":
		return []linkField{number("id"), text("key"), address("self")}
	case strings.HasPrefix(kind, "pivotal"):
		return []linkField{number("story_id"), number("project_id"), address("pivotal_url")}
	case kind == "trello":
		return []linkField{text("id"), address("shortUrl")}
	case kind == "linear":
		return []linkField{text("id"), text("identifier"), address("url")}
	default:
		return nil
	}
}

func isPositive(data json.RawMessage) bool {
	var n int64
	return json.Unmarshal(data, &n) == nil && n > 0
}

func isText(data json.RawMessage) bool {
	var s string
	return json.Unmarshal(data, &s) == nil && strings.TrimSpace(s) != ""
}

func isAddress(data json.RawMessage) bool {
	var s string
	if json.Unmarshal(data, &s) != nil {
		return false
	}
	u, err := url.Parse(s)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != ""
}

var issueKey = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_]*-[0-9]+$`)

// IssueAt reads the data of a link out of the address at which a browser shows an issue. Trackers show the id that they
// work with in few addresses: Jira takes the key in its place, Linear the identifier, and Trello the short name of a card.
// An address that is none of an issue is refused as the field url.
func IssueAt(integrationType, address string) (LinkData, error) {
	u, err := url.Parse(strings.TrimSpace(address))
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" {
		return nil, sett.Refuse("url", "must be a URL that starts with http:// or https://")
	}
	segments := strings.Split(strings.Trim(u.Path, "/"), "/")
	last := segments[len(segments)-1]
	said := map[string]any{"html_url": u.String()}
	switch strings.ToLower(integrationType) {
	case "github", "gitlab", "bitbucket":
		n, err := strconv.ParseInt(last, 10, 64)
		if err != nil || n < 1 {
			return nil, sett.Refuse("url", "must be that of an issue: it ends with the issue's number, as https://github.com/acme/shop/issues/12 does")
		}
		said["number"] = n
	case "jira":
		if !issueKey.MatchString(last) {
			return nil, sett.Refuse("url", "must be that of an issue: it ends with the issue's key, as https://acme.atlassian.net/browse/SHOP-12 does")
		}
		said["key"] = last
	case "linear":
		key := segmentAfter(segments, "issue")
		if !issueKey.MatchString(key) {
			return nil, sett.Refuse("url", "must be that of an issue, such as https://linear.app/acme/issue/SHOP-12")
		}
		said["id"], said["identifier"], said["url"] = key, key, u.String()
	case "trello":
		card := segmentAfter(segments, "c")
		if card == "" {
			return nil, sett.Refuse("url", "must be that of a card, such as https://trello.com/c/aB3dE5gH")
		}
		said["id"], said["shortUrl"] = card, u.String()
	case "pivotaltracker":
		story, project := numberAfter(segments, "show", "story", "stories"), numberAfter(segments, "projects")
		if story == 0 {
			return nil, sett.Refuse("url", "must be that of a story, such as https://www.pivotaltracker.com/n/projects/99/stories/12345")
		}
		said["story_id"], said["pivotal_url"] = story, u.String()
		if project != 0 {
			said["project_id"] = project
		}
	default:
		return nil, sett.Refuse("channel_id", "must be the id of an issue tracker, such as Github or Jira; %s has no issues", integrationType)
	}
	return NewLinkData(said), nil
}

// Identifies reports whether the data is enough to find the issue: a link that came with an address may hold less than
// Validate asks of clients.
func (d LinkData) Identifies(integrationType string) bool {
	return d.Validate(integrationType) == nil || strings.EqualFold(integrationType, "jira") && isText(d["key"])
}

// numberAfter returns the positive number that follows one of these segments of a path, or 0.
func numberAfter(segments []string, names ...string) int64 {
	for _, name := range names {
		if n, err := strconv.ParseInt(segmentAfter(segments, name), 10, 64); err == nil && n > 0 {
			return n
		}
	}
	return 0
}

// segmentAfter returns what follows a segment of a path, or "".
func segmentAfter(segments []string, name string) string {
	for i, segment := range segments[:len(segments)-1] {
		if segment == name {
			return segments[i+1]
		}
	}
	return ""
}
