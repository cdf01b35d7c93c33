package fault

import (
	"cmp"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	"sett/internal/event/payload"
	"sett/internal/event/query"
	"sett/internal/event/useragent"
	"sett/internal/sett/faults"
)

// searchPath returns the path of the list of a project's errors that a search finds.
func searchPath(project int64, search string) string {
	return fmt.Sprintf("/projects/%d/faults?", project) + url.Values{"q": {search}}.Encode()
}

// listWith returns the path of the list of a project's errors with a value of a key of searches, or "" if a search cannot name the key.
func listWith(project int64, key, value string) string {
	if strings.ContainsAny(key, " :\"=") {
		return ""
	}
	return searchPath(project, query.Write(query.Key(key), value))
}

// shownFact is a program or a machine that an event names.
type shownFact struct {
	Icon, Label, Text string
	Whole             string // what Text is short for; ""
	List              string // path of the list of errors that have it too; "" if that cannot be searched for
}

const longestFact = 120

// factsOf returns the programs and machines that an event names.
func factsOf(n faults.Notice, known payload.Facts) (rows []shownFact) {
	agent := n.WebEnvironment["HTTP_USER_AGENT"]
	add := func(icon, label, text, whole string, key query.Key, name string) {
		if text == "" {
			return
		}
		row := shownFact{Icon: icon, Label: label, Text: cut(text, longestFact), Whole: whole}
		if key != "" && name != "" {
			row.List = searchPath(n.ProjectID, query.Write(key, name))
		}
		rows = append(rows, row)
	}
	add("browser", "Browser", browserOf(known, agent), cut(agent, useragent.Longest), query.Browser, known.Browser.Name)
	add("os", "System", known.OS.String(), "", query.OS, known.OS.Name)
	add("device", "Device", known.Device.String(), "", query.Device, known.Device.Name)
	add("runtime", "Runtime", known.Runtime.String(), "", "", "")
	add("app", "App", known.App.String(), "", "", "")
	return rows
}

// browserOf returns the browser of an event, with its system if that is not the one that the program runs on: a server reports its own.
func browserOf(known payload.Facts, agent string) string {
	if browser, system, _ := useragent.Names(agent); known.Browser.Name == browser && system != "" && system != known.OS.Name {
		return useragent.Parse(agent).String()
	}
	return known.Browser.String()
}

// traceLink returns the URL of a trace by the template of the project, or "".
func traceLink(template, trace string) string {
	if template == "" || trace == "" {
		return ""
	}
	return webLink(strings.ReplaceAll(template, "[trace_id]", url.QueryEscape(trace)))
}

// tagValues returns the tags of an event, each with the errors that have it too.
func tagValues(n faults.Notice, tags []payload.Tag) (values []value) {
	for _, tag := range tags {
		v := newValue(tag.Key, tag.Value)
		if tag.Value != "" && !v.Filtered {
			v.Path = listWith(n.ProjectID, strings.ToLower(payload.TagPath+tag.Key), tag.Value)
		}
		values = append(values, v)
	}
	return values
}

// userKeys are the members of a context that clients name the user by.
var userKeys = []string{"user_id", "user_email", "user_name"}

// userValues returns what an event says of its user besides the label that the page shows, each value once; rest is the context without that.
func userValues(context map[string]any, label string) (values []value, rest map[string]any) {
	said := map[string]any{}
	rest = maps.Clone(context)
	if user, ok := context["user"].(map[string]any); ok {
		maps.Copy(said, user)
		delete(rest, "user")
	}
	for _, key := range userKeys {
		v := context[key]
		if text := payload.TextOf(v); text != "" && !slices.ContainsFunc(slices.Collect(maps.Values(said)), func(other any) bool { return payload.TextOf(other) == text }) {
			said[strings.TrimPrefix(key, "user_")] = v
		}
		delete(rest, key)
	}
	maps.DeleteFunc(said, func(_ string, v any) bool { return label != "" && payload.TextOf(v) == label })
	return linkUsersIn("context.user.", said, valuesOf(said)), rest
}

// detailValues returns the details of an event without what is shown as facts. What a small section contains is shown as values of its own.
func detailValues(details map[string]any) (values []value) {
	const small = 12 // members
	for _, name := range slices.Sorted(maps.Keys(details)) {
		section, ok := details[name].(map[string]any)
		switch {
		case ok && isShown(name, section):
		case ok && len(section) <= small && !slices.ContainsFunc(slices.Collect(maps.Values(section)), isNested):
			for _, key := range slices.Sorted(maps.Keys(section)) {
				values = append(values, newValue(name+"."+key, section[key]))
			}
		default:
			values = append(values, newValue(name, details[name]))
		}
	}
	return values
}

// isShown reports whether the facts of an event have all that a section of its details says.
func isShown(name string, section map[string]any) bool {
	if !slices.Contains([]string{"browser", "os", "runtime"}, name) {
		return false
	}
	for key := range section {
		if key != "name" && key != "version" {
			return false
		}
	}
	return payload.TextOf(cmp.Or(section["name"], any(""))) != ""
}

func isNested(v any) bool {
	switch v.(type) {
	case map[string]any, []any:
		return true
	}
	return false
}
