package payload

import (
	"maps"
	"slices"
	"strings"

	"sett/internal/event/useragent"
)

// Facts are what an event says of how severe it is and where it happened, in the same terms whatever its client.
type Facts struct {
	Level   string // "" if it is unknown
	Handled string // "true" or "false"; "" if it is unknown
	Trace   string // id of the request or trace; ""

	Browser, OS, Device, Runtime, App Named

	Tags []Tag // by key
}

// Named is a program or a machine; both are "" for none.
type Named struct{ Name, Version string }

// String returns the name with the version.
func (n Named) String() string { return strings.TrimSpace(n.Name + " " + n.Version) }

// Tag is a value that the application gave an event to find it by. Searches call it TagPath and its key.
type Tag struct{ Key, Value string }

// TagPath is what searches call a tag, before its key.
const TagPath = "context.tags."

// ModelKeys are where a device says what it is, the best first. Its name is not among them: people name their phones after themselves.
var ModelKeys = []string{"model", "family"}

// Facts returns the facts of an event.
func (p *Payload) Facts() Facts {
	agent := p.WebEnvironment["HTTP_USER_AGENT"]
	versions := useragent.Parse(agent)
	browser, system, device := useragent.Names(agent)
	f := Facts{
		Level: p.level(), Handled: p.handled(), Trace: strings.TrimSpace(TextOf(p.CorrelationContext["request_id"])),
		Browser: p.named("browser", "name", "version"), OS: p.named("os", "name", "version"), Runtime: p.named("runtime", "name", "version"),
		App: p.named("app", "app_name", "app_version"), Device: Named{Name: nameIn(p.Details["device"], ModelKeys...)}, Tags: tagsOf(p.Request.Context["tags"]),
	}
	if f.Browser.Name == "" {
		f.Browser = Named{browser, versions.BrowserVersion}
	}
	if f.OS.Name == "" {
		f.OS = Named{system, versions.SystemVersion}
	}
	if f.Device.Name == "" {
		f.Device.Name = device
	}
	return f
}

// named returns what a section of the details names.
func (p *Payload) named(section, name, version string) Named {
	n := Named{Name: nameIn(p.Details[section], name), Version: nameIn(p.Details[section], version)}
	if n.Name == "" {
		return Named{}
	}
	return n
}

// nameIn returns the first text that a section of the details has under some keys, or "".
func nameIn(section any, keys ...string) string {
	object, _ := section.(map[string]any)
	for _, key := range keys {
		if text, ok := object[key].(string); ok && strings.TrimSpace(text) != "" {
			return strings.TrimSpace(text)
		}
	}
	return ""
}

// formerLevels are the levels that earlier versions stored as tags of events of Sentry's clients.
var formerLevels = []string{"debug", "info", "warning", "fatal"}

func (p *Payload) level() string {
	if p.Level != "" || !p.fromSentry() {
		return p.Level
	}
	for _, tag := range p.Tags {
		if slices.Contains(formerLevels, tag) {
			return tag
		}
	}
	return ""
}

func (p *Payload) handled() string {
	if p.Handled == "" && p.fromSentry() && slices.Contains(p.Tags, "unhandled") { // as earlier versions stored it
		return "false"
	}
	return p.Handled
}

func (p *Payload) fromSentry() bool { return strings.HasPrefix(p.Notifier.Name, "sentry") }

// tagsOf returns the tags in an object; an array of tags has no keys.
func tagsOf(v any) (tags []Tag) {
	object, _ := v.(map[string]any)
	for _, key := range slices.Sorted(maps.Keys(object)) {
		tags = append(tags, Tag{key, TextOf(object[key])})
	}
	return tags
}
