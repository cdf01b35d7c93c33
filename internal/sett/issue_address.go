package sett

import (
	"net/url"
	"regexp"
	"strconv"
	"strings"
)

var issueKey = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_]*-[0-9]+$`)

// IssueAt reads the data of a link out of the address at which a browser shows an issue. Trackers show the id that they
// work with in few addresses: Jira takes the key in its place, Linear the identifier, and Trello the short name of a card.
// An address that is none of an issue is refused as the field url.
func IssueAt(integrationType, address string) (LinkData, error) {
	u, err := url.Parse(strings.TrimSpace(address))
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" {
		return nil, Refuse("url", "must be a URL that starts with http:// or https://")
	}
	segments := strings.Split(strings.Trim(u.Path, "/"), "/")
	last := segments[len(segments)-1]
	said := map[string]any{"html_url": u.String()}
	switch strings.ToLower(integrationType) {
	case "github", "gitlab", "bitbucket":
		n, err := strconv.ParseInt(last, 10, 64)
		if err != nil || n < 1 {
			return nil, Refuse("url", "must be that of an issue: it ends with the issue's number, as https://github.com/acme/shop/issues/12 does")
		}
		said["number"] = n
	case "jira":
		if !issueKey.MatchString(last) {
			return nil, Refuse("url", "must be that of an issue: it ends with the issue's key, as https://acme.atlassian.net/browse/SHOP-12 does")
		}
		said["key"] = last
	case "linear":
		key := segmentAfter(segments, "issue")
		if !issueKey.MatchString(key) {
			return nil, Refuse("url", "must be that of an issue, such as https://linear.app/acme/issue/SHOP-12")
		}
		said["id"], said["identifier"], said["url"] = key, key, u.String()
	case "trello":
		card := segmentAfter(segments, "c")
		if card == "" {
			return nil, Refuse("url", "must be that of a card, such as https://trello.com/c/aB3dE5gH")
		}
		said["id"], said["shortUrl"] = card, u.String()
	case "pivotaltracker":
		story, project := numberAfter(segments, "show", "story", "stories"), numberAfter(segments, "projects")
		if story == 0 {
			return nil, Refuse("url", "must be that of a story, such as https://www.pivotaltracker.com/n/projects/99/stories/12345")
		}
		said["story_id"], said["pivotal_url"] = story, u.String()
		if project != 0 {
			said["project_id"] = project
		}
	default:
		return nil, Refuse("channel_id", "must be the id of an issue tracker, such as Github or Jira; %s has no issues", integrationType)
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
