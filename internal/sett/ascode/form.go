package ascode

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"sett/internal/sett/alarm"
	"sett/internal/sett/checks"
	"sett/internal/sett/insight"
)

// value returns a field of a thing as files have it, from what the API shows; nil for nothing.
func (f Field) value(t *Thing, n *Names) any {
	var v any
	switch {
	case f.read != nil:
		v = f.read(t, n)
	case f.Type == keys:
		v = f.keysOf(t, n)
	default:
		v = t.raw[f.inAPI()]
	}
	if f.isDefault(v) {
		return nil
	}
	return v
}

func (f Field) inAPI() string {
	if f.api != "" {
		return f.api
	}
	return f.Name
}

// isDefault reports whether a thing that is created without the field has this value.
func (f Field) isDefault(v any) bool {
	if _, says := f.Default.(always); says || v == nil {
		return v == nil
	}
	if f.Default != nil {
		return v == f.Default
	}
	switch v := v.(type) {
	case string:
		return v == ""
	case []any:
		return len(v) == 0
	case map[string]any:
		return len(v) == 0
	}
	return false
}

// reset is the value that a body has for the default.
func (f Field) reset() any {
	switch {
	case f.Default != nil && f.Default != (always{}):
		return f.Default
	case f.Type == texts, f.Type == list, f.Type == keys:
		return []any{}
	case f.Type == text:
		return ""
	}
	return nil
}

// body returns a value of a file as bodies of the API have it.
func (f Field) body(v any, t *Thing, n *Names) any {
	switch {
	case v == nil:
		return nil
	case f.write != nil:
		return f.write(plain(v), t, n)
	case f.Type == keys:
		return f.idsOf(v, t, n)
	}
	return plain(v)
}

// keysOf turns ids into keys. Things that are not known keep their ids.
func (f Field) keysOf(t *Thing, n *Names) any {
	ids, _ := t.raw[f.inAPI()].([]any)
	found := []any{}
	for _, id := range ids {
		found = append(found, n.key(f.of, fmt.Sprint(id)))
	}
	return inOrder(found)
}

// inOrder sorts keys: the server keeps which there are, and not their order.
func inOrder(keys []any) []any {
	return slices.SortedFunc(slices.Values(keys), func(a, b any) int { return strings.Compare(a.(string), b.(string)) })
}

// key returns the key of a thing.
func (n *Names) key(kind, id string) string {
	path, ok := n.paths[kind+":"+id]
	if !ok {
		return id
	}
	return path[strings.LastIndexByte(path, '/')+1:]
}

// target returns the path of the thing that an item of the field names.
func (f Field) target(t *Thing, key string) string {
	if f.of == "teams" {
		return "teams/" + key
	}
	return t.Parent.Path() + "/" + f.of + "/" + key
}

func (f Field) idsOf(v any, t *Thing, n *Names) any {
	ids := []any{}
	for _, key := range v.([]any) {
		ids = append(ids, n.ID(f.target(t, key.(string))))
	}
	return ids
}

func readTeams(t *Thing, n *Names) any {
	all := []any{}
	in, _ := t.raw["teams"].([]any)
	for _, team := range in {
		all = append(all, n.key("teams", idOf(team.(map[string]any)["id"])))
	}
	return inOrder(all)
}

func writeTeams(v any, _ *Thing, n *Names) any {
	ids := []any{}
	for _, key := range v.([]any) {
		if id, err := strconv.ParseInt(n.ID("teams/"+key.(string)), 10, 64); err == nil {
			ids = append(ids, id)
		}
	}
	return ids
}

// idOf writes an id of the API, a number or a text.
func idOf(v any) string {
	if number, ok := v.(float64); ok {
		return strconv.FormatInt(int64(number), 10)
	}
	text, _ := v.(string)
	return text
}

// readBody hides the body of a site's request, which may have credentials: not everyone who sees the project sees it.
func readBody(t *Thing, _ *Names) any {
	if t.raw["request_body"] == "" {
		return nil
	}
	return checks.SecretMask
}

func readHeaders(t *Thing, _ *Names) any {
	var all []any
	headers, _ := t.raw["request_headers"].([]any)
	for _, h := range headers {
		shown := maps.Clone(h.(map[string]any))
		if key, _ := shown["key"].(string); checks.IsSecretHeader(key) {
			shown["value"] = checks.SecretMask
		}
		all = append(all, shown)
	}
	return orNil(all)
}

// orNil keeps an empty list from being a value that is there.
func orNil(all []any) any {
	if len(all) == 0 {
		return nil
	}
	return all
}

// readCheckInName returns no name for a check-in that has none: the API then shows its id.
func readCheckInName(t *Thing, _ *Names) any {
	if t.raw["name"] == t.raw["id"] {
		return nil
	}
	return t.raw["name"]
}

func readPassword(t *Thing, _ *Names) any {
	if t.raw["password_protected"] == true {
		return checks.SecretMask
	}
	return nil
}

// readFeatures leaves out what is not set.
func readFeatures(t *Thing, _ *Names) any {
	set := map[string]any{}
	features, _ := t.raw["features"].(map[string]any)
	for name, v := range features {
		if v != "" && v != nil {
			set[name] = v
		}
	}
	return set
}

func streamNames() (names []string) {
	for _, s := range insight.Streams() {
		names = append(names, string(s))
	}
	return names
}

// readStreams returns nothing for all streams.
func readStreams(t *Thing, _ *Names) any {
	project, _ := t.raw["project_id"].(float64)
	ids, _ := t.raw["stream_ids"].([]any)
	var named []any
	for _, s := range insight.Streams() {
		if slices.Contains(ids, any(s.ID(int64(project)))) {
			named = append(named, string(s))
		}
	}
	if len(named) == len(insight.Streams()) {
		return nil
	}
	return orNil(named)
}

func writeStreams(v any, t *Thing, n *Names) any {
	project, _ := strconv.ParseInt(n.ID(t.Parent.Path()), 10, 64)
	ids := []any{}
	for _, name := range v.([]any) {
		if s, ok := name.(string); ok {
			ids = append(ids, insight.Stream(s).ID(project))
		}
	}
	return ids
}

// signs are the operators of alarms as files have them, in their order.
func signs() []string { return []string{">", ">=", "<", "<=", "=", "!="} }

func readWhen(t *Thing, _ *Names) any {
	trigger, _ := t.raw["trigger_config"].(map[string]any)
	config, _ := trigger["config"].(map[string]any)
	operator, _ := config["operator"].(string)
	value, _ := config["value"].(float64)
	if i := slices.Index(alarm.Operators(), alarm.Operator(operator)); i >= 0 {
		return fmt.Sprintf("%s %d", signs()[i], int64(value))
	}
	return nil
}

// ParseWhen reads a comparison such as "> 10" or "gt 10". It is the way in which commands and files write the condition of an alarm.
func ParseWhen(text string) (alarm.Trigger, bool) {
	at := strings.IndexFunc(text, func(r rune) bool { return r >= '0' && r <= '9' })
	if at < 0 {
		return alarm.Trigger{}, false
	}
	operator := strings.TrimSpace(text[:at])
	if sign := slices.Index(signs(), operator); sign >= 0 {
		operator = string(alarm.Operators()[sign])
	}
	value, err := strconv.ParseInt(text[at:], 10, 64)
	if err != nil || !slices.Contains(alarm.Operators(), alarm.Operator(operator)) {
		return alarm.Trigger{}, false
	}
	return alarm.Settings{Operator: alarm.Operator(operator), Value: value}.Trigger(), true
}

func writeWhen(v any, _ *Thing, _ *Names) any {
	text, _ := v.(string)
	trigger, ok := ParseWhen(text)
	if !ok {
		return text // which the API refuses with what to write
	}
	return trigger
}

// readWidgets leaves out the ids of widgets, which are the server's.
func readWidgets(t *Thing, _ *Names) any {
	all := []any{}
	widgets, _ := t.raw["widgets"].([]any)
	for _, w := range widgets {
		shown := maps.Clone(w.(map[string]any))
		delete(shown, "id")
		all = append(all, shown)
	}
	return all
}

// writeWidgets lets a widget at the same place keep its id.
func writeWidgets(v any, t *Thing, _ *Names) any {
	have, _ := t.raw["widgets"].([]any)
	all := []any{}
	for i, w := range v.([]any) {
		widget, ok := w.(map[string]any)
		if ok && i < len(have) {
			widget = maps.Clone(widget)
			widget["id"] = have[i].(map[string]any)["id"]
		}
		all = append(all, widget)
	}
	return all
}

func readTime(field string) func(*Thing, *Names) any {
	return func(t *Thing, _ *Names) any { return utc(t.raw[field]) }
}

// utc writes a time in one way; what is none stays.
func utc(v any) any {
	text, _ := v.(string)
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return v
	}
	return at.UTC().Format(time.RFC3339Nano)
}

// shownKinds are the kinds of what status pages show.
var shownKinds = map[string]string{"site": "sites", "check_in": "check_ins"}

// readShown returns a list of a status page, with keys such as shop/front.
func readShown(of string) func(*Thing, *Names) any {
	return func(t *Thing, n *Names) any {
		all := []any{}
		entries, _ := t.raw[shownKinds[of]].([]any)
		for _, e := range entries {
			have, shown := e.(map[string]any), map[string]any{}
			id := idOf(have[of+"_id"])
			shown[of] = id
			if parts := strings.Split(n.paths[shownKinds[of]+":"+id], "/"); len(parts) == 4 {
				shown[of] = parts[1] + "/" + parts[3]
			}
			for _, field := range shownFields() {
				if have[field] != "" && have[field] != nil {
					shown[field] = have[field]
				}
			}
			all = append(all, shown)
		}
		return all
	}
}

func shownFields() []string { return []string{"display_name", "description", "group"} }

func writeShown(of string) func(any, *Thing, *Names) any {
	return func(v any, _ *Thing, n *Names) any {
		all := []any{}
		for _, e := range v.([]any) {
			entry := maps.Clone(e.(map[string]any))
			key, _ := entry[of].(string)
			delete(entry, of)
			entry[of+"_id"] = n.ID(shownPath(of, key))
			all = append(all, entry)
		}
		return all
	}
}

// shownPath returns the path of what an entry of a status page shows; "" if its key has another form.
func shownPath(of, key string) string {
	project, inside, ok := strings.Cut(key, "/")
	if !ok {
		return ""
	}
	return "projects/" + project + "/" + shownKinds[of] + "/" + inside
}

// checkShown says what is wrong with an entry of a status page.
func checkShown(of string) func(any) string {
	return func(v any) string {
		entry, ok := v.(map[string]any)
		key, _ := entry[of].(string)
		if !ok || shownPath(of, key) == "" {
			return fmt.Sprintf("must be a mapping with %s: the key of the project, a slash and that of the %s, such as {%s: shop/front}", of, strings.ReplaceAll(of, "_", "-"), of)
		}
		for _, name := range slices.Sorted(maps.Keys(entry)) {
			if name != of && !slices.Contains(shownFields(), name) {
				return "has a wrong entry: " + unknown(name, "it", append(shownFields(), of))
			}
		}
		return ""
	}
}
