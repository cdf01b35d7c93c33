package channel

import (
	"encoding/json"
	"strings"

	"sett/internal/sett/triage"
)

// IssueAddress returns where a browser shows the issue that a fault is linked with by an integration of that type and with
// those options, or "". What the data itself says counts first, except an address that is for programs.
func IssueAddress(kind string, options map[string]any, link triage.LinkData) string {
	for _, name := range []string{"html_url", "web_url", "url", "pivotal_url", "shortUrl", "self"} {
		if address := linkText(link, name); address != "" && !strings.Contains(address, "/rest/api/") {
			return address
		}
	}
	k, ok := Find(kind)
	if !ok || k.Issue == nil {
		return ""
	}
	return k.Issue(k.Values(options), link)
}

// IssueName returns what people call the issue of a link, such as #12 or SHOP-12; "" when the data does not say.
func IssueName(link triage.LinkData) string {
	for _, name := range []string{"identifier", "key", "number", "story_id", "id"} {
		var number json.Number
		switch text := linkText(link, name); {
		case text != "":
			return text
		case json.Unmarshal(link[name], &number) == nil && number != "":
			return "#" + number.String()
		}
	}
	return ""
}
