package airbrake

import (
	"slices"
	"strings"
	"time"

	"sett/internal/base/moment"
	"sett/internal/ingest/notice"
)

// context is what a client says of the circumstances of an error.
type context struct {
	url, component, action, route                       string
	environment, hostname, revision, version, root      string
	language, pattern, severity, agent, method, address string

	notifier notice.Notifier
	history  []notice.Breadcrumb
	os       []notice.Member // that the program runs on
	runtime  []notice.Member // and its machine
	versions notice.JSON     // of its libraries
	others   []notice.Member // all else, among it user and what the program has added
}

// maxHistory is how many breadcrumbs are read; clients keep 20 to 100.
const maxHistory = 1_000

func (r *reader) readContext() (c context) {
	texts := c.texts()
	for key := range r.Members {
		if text := texts[key]; text != nil {
			*text = r.Text()
			continue
		}
		switch key {
		case "notifier":
			c.notifier = r.notifier()
		case "history":
			c.history = r.history()
		case "versions":
			c.versions = r.value()
		case "os":
			c.os = systemOf(r.Text())
		case "architecture", "platform":
			c.runtime = append(c.runtime, notice.Member{Key: key, Value: r.value()})
		default:
			c.others = append(c.others, notice.Member{Key: key, Value: r.value()})
		}
	}
	return c
}

// texts returns where the members go that are texts.
func (c *context) texts() map[string]*string {
	return map[string]*string{
		"url": &c.url, "component": &c.component, "action": &c.action, "route": &c.route,
		"environment": &c.environment, "hostname": &c.hostname, "revision": &c.revision, "version": &c.version, "rootDirectory": &c.root,
		"language": &c.language, "messagePattern": &c.pattern, "severity": &c.severity,
		"userAgent": &c.agent, "httpMethod": &c.method, "userAddr": &c.address, "remoteAddr": &c.address,
	}
}

func (r *reader) notifier() (n notice.Notifier) {
	for key := range r.Members {
		switch key {
		case "name":
			n.Name = r.Text()
		case "version":
			n.Version = r.Text()
		default:
			r.Value()
		}
	}
	return n
}

func (r *reader) history() (trail []notice.Breadcrumb) {
	for range r.Elements {
		if r.Peek() != '{' || len(trail) == maxHistory {
			r.Value()
			continue
		}
		trail = append(trail, r.breadcrumb())
	}
	return trail
}

// breadcrumb reads one entry of the history. What it has beside a type and a date depends on the type.
func (r *reader) breadcrumb() (b notice.Breadcrumb) {
	for key := range r.Members {
		switch key {
		case "type":
			b.Category = r.Text()
		case "date":
			b.Time = r.Text()
			if at, ok := moment.Read(b.Time); ok {
				b.Time = at.Format(time.RFC3339Nano)
			}
		case "message":
			b.Message = r.Text()
		default:
			b.Metadata = append(b.Metadata, notice.Member{Key: key, Value: r.value()})
		}
	}
	return b
}

// systemOf takes apart what clients call a system, such as "Linux-6.12" or "Windows 11".
func systemOf(text string) []notice.Member {
	at := strings.IndexAny(text+" ", "/- ")
	return slices.Concat(notice.TextMember("name", text[:at]), notice.TextMember("version", strings.TrimLeft(text[at:], "/- ")))
}

// cgi returns what is known of the request under the names of CGI.
func (c *context) cgi() []notice.Member {
	return slices.Concat(
		notice.TextMember("REQUEST_METHOD", c.method),
		notice.TextMember("HTTP_USER_AGENT", c.agent),
		notice.TextMember("REMOTE_ADDR", c.address),
	)
}

func (c *context) details() (sections []notice.Member) {
	if os := notice.Object(c.os); os != "" {
		sections = append(sections, notice.Member{Key: "os", Value: os})
	}
	if runtime := notice.Object(c.runtime); runtime != "" {
		sections = append(sections, notice.Member{Key: "runtime", Value: runtime})
	}
	if strings.HasPrefix(string(c.versions), "{") {
		sections = append(sections, notice.Member{Key: "versions", Value: c.versions})
	}
	return sections
}
