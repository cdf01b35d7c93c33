package dashboard

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"sett/internal/base/phrase"
	"sett/internal/sett"
	"sett/internal/sett/insight"
)

// rule says what a value may be: one kind of it, and for some an enumeration or the rules of what is inside.
type rule struct {
	is       string   // what the value must be, for a sentence: one of the words below
	one      []string // the texts that are possible; none: any
	inside   rules    // of an object
	required bool
}

type rules map[string]rule

// The kinds of values.
const (
	aText   = "a text"
	aCount  = "a whole number of at least 1"
	anIndex = "a whole number of at least 0"
	aBool   = "true or false"
	aList   = "a list of texts"
	anyOf   = "any text or number" // what the page does not use
	object  = "an object"
)

// words is the rule of a text of which one of some is meant.
func words(one ...string) rule { return rule{is: aText, one: one} }

// needed is a rule whose value must be there.
func needed(r rule) rule {
	r.required = true
	return r
}

// together joins rules.
func together(all ...rules) rules {
	joined := rules{}
	for _, r := range all {
		maps.Copy(joined, r)
	}
	return joined
}

var (
	text    = rule{is: aText}
	count   = rule{is: aCount}
	yes     = rule{is: aBool}
	unit    = words("percent", "microseconds", "milliseconds")
	grouped = words("events", "fields")

	groups = rules{"groups": {is: object}} // series by name, with a color each

	xy = rules{"xField": text, "yField": text, "zField": text, "groupType": grouped}
)

// charts are the settings of a chart by its view.
var charts = map[string]rules{
	"table":     {},
	"billboard": {"titleField": text, "valueField": text, "titleURLField": text, "subtitleField": text, "statusField": text, "groupType": grouped},
	"line": together(groups, xy, rules{
		"colorField": text, "xFieldUnit": unit, "yFieldUnit": unit, "yAxisLabel": text, "yAxisMin": {is: anyOf}, "yAxisMax": {is: anyOf},
		"rightYAxisFormat": {is: anyOf}, "rightYAxisLabel": text, "rightYAxisMin": {is: anyOf}, "rightYAxisMax": {is: anyOf},
	}),
	"area":      together(groups, xy, rules{"stacked": yes}),
	"bar":       together(groups, rules{"categoryField": needed(text), "valueField": needed(text), "valueFieldUnit": unit, "labelField": text, "groupType": grouped, "groupField": text, "horizontal": yes, "stacked": yes}),
	"histogram": together(groups, rules{"xField": needed(text), "yField": needed(text), "zField": text, "xFieldUnit": unit, "yFieldUnit": unit}),
	"scatter":   together(groups, rules{"xField": needed(text), "yField": needed(text), "groupField": text, "scaleField": text}),
	"heatmap":   together(groups, rules{"xField": needed(text), "yField": needed(text), "zField": needed(text), "yFieldUnit": unit, "steps": count}),
	"pie":       together(groups, rules{"nameField": needed(text), "valueField": needed(text)}),
}

// configs are the settings of a widget by its type.
var configs = map[Type]rules{
	Query: {
		"query": text, "streams": {is: aList, one: []string{string(insight.Sent), string(insight.Recorded)}},
		"vis": {is: object, inside: rules{"view": needed(words(slices.Sorted(maps.Keys(charts))...)), "chart_config": {is: object}}},
	},
	Errors:   {"limit": count, "query": text, "sort": words("last_seen_desc", "last_seen_asc", "times_desc", "times_asc")},
	Alarms:   {"limit": count, "filter_state": words("all", "triggered", "ok")},
	Deploys:  {"limit": count, "override_time": yes, "ts": text},
	CheckIns: {"limit": count, "sort_order": words("state_name", "name", "last_reported")},
	Uptime:   {"limit": count},
}

var types = []string{string(Query), string(Errors), string(Alarms), string(Deploys), string(CheckIns), string(Uptime)}

// widget is the rules of a widget, but for its configuration.
var widget = rules{
	"id": text, "type": needed(words(types...)), "presentation": {is: object, inside: rules{"title": text, "subtitle": text}}, "config": {is: object},
	"grid": {is: object, inside: rules{"x": {is: anIndex}, "y": {is: anIndex}, "w": count, "h": count}},
}

var widgetID = regexp.MustCompile(`\A[A-Za-z0-9_-]{1,64}\z`)

// readWidgets reads widgets, and notes every field that is wrong.
func readWidgets(p *sett.Problems, all []any, newID func() string) []Widget {
	if len(all) > MostWidgets {
		p.Add("widgets", "may have at most %d entries", MostWidgets)
		return nil
	}
	widgets, ids := []Widget{}, map[string]bool{}
	for i, one := range all {
		path := fmt.Sprintf("widgets[%d]", i)
		fields, ok := one.(map[string]any)
		if !ok {
			p.Add(path, "must be an object with a type, such as {\"type\": \"errors\"}")
			continue
		}
		w := readWidget(p, path, fields)
		if w.ID == "" {
			w.ID = newID()
		}
		if ids[w.ID] {
			p.Add(path+".id", "is that of another widget: each needs an id of its own, or none")
		}
		ids[w.ID] = true
		widgets = append(widgets, w)
	}
	if encoded, err := json.Marshal(widgets); err != nil || len(encoded) > MostBytes {
		p.Add("widgets", "may have at most %d KiB in all", MostBytes>>10)
	}
	return widgets
}

func readWidget(p *sett.Problems, path string, fields map[string]any) (w Widget) {
	problems := len(*p)
	widget.check(p, path, fields)
	if len(*p) > problems {
		return w
	}
	w.Type, w.ID = Type(textOf(fields["type"])), textOf(fields["id"])
	if w.ID != "" && !widgetID.MatchString(w.ID) {
		p.Add(path+".id", "must have letters, digits, - and _, and at most 64 of them")
	}
	w.Presentation = filled(objectOf(fields["presentation"]))
	for key := range w.Presentation {
		sett.CheckText(p, path+".presentation."+key, textOf(w.Presentation[key]), sett.LongestName)
	}
	w.Grid = readGrid(p, path+".grid", objectOf(fields["grid"]))
	w.Config = filled(objectOf(fields["config"]))
	configs[w.Type].check(p, path+".config", w.Config)
	if vis := objectOf(w.Config["vis"]); w.Type == Query && len(objectOf(vis["chart_config"])) > 0 {
		charts[textOf(vis["view"])].check(p, path+".config.vis.chart_config", objectOf(vis["chart_config"]))
	}
	if w.Type == Query && w.Config["streams"] == nil {
		w.Config["streams"] = []any{string(insight.Sent), string(insight.Recorded)}
	}
	return w
}

func readGrid(p *sett.Problems, path string, fields map[string]any) Grid {
	g := usualGrid
	for key, to := range map[string]*int{"x": &g.X, "y": &g.Y, "w": &g.W, "h": &g.H} {
		if n, ok := fields[key].(float64); ok {
			*to = int(min(n, mostRow))
		}
	}
	if g.X+g.W > Columns {
		if fields["w"] == nil && g.X < Columns {
			g.W = Columns - g.X
		} else {
			p.Add(path, "must end within %d columns: x and w are at most %d together", Columns, Columns)
		}
	}
	if g.Y >= mostRow || g.H >= mostRow {
		p.Add(path, "must end within %d rows", mostRow)
	}
	return g
}

// mostRow is how many rows a dashboard has at most.
const mostRow = 1_000

// check notes each field of an object that the rules do not allow, and those that are missing.
func (r rules) check(p *sett.Problems, path string, fields map[string]any) {
	for _, key := range slices.Sorted(maps.Keys(fields)) {
		of, known := r[key]
		if !known {
			p.Add(fmt.Sprintf("%s.%.60s", path, printable(key)), "is unknown%s", r.meant(key))
			continue
		}
		of.check(p, path+"."+key, fields[key])
	}
	for _, key := range slices.Sorted(maps.Keys(r)) {
		if r[key].required && fields[key] == nil {
			p.Add(path+"."+key, "is required%s", r[key].possible())
		}
	}
}

func printable(key string) string {
	return strings.Map(func(c rune) rune {
		if c < ' ' || c == utf8.RuneError {
			return '?'
		}
		return c
	}, key)
}

// meant says which of the known keys was meant, or which there are.
func (r rules) meant(key string) string {
	known := slices.Sorted(maps.Keys(r))
	if near, ok := phrase.Misspelt(key, known); ok {
		return ": did you mean " + near + "?"
	}
	if len(known) == 0 {
		return ": nothing can be set here"
	}
	return ": known are " + phrase.And(known)
}

// possible lists the texts of which a value is one.
func (r rule) possible() string {
	if len(r.one) == 0 {
		return ""
	}
	return ": " + strings.Join(r.one, ", ")
}

// check notes a value that the rule does not allow; null and "" count as absent.
func (r rule) check(p *sett.Problems, path string, v any) {
	if v == nil || v == "" {
		return
	}
	switch t := v.(type) {
	case string:
		r.checkText(p, path, t)
	case bool:
		r.want(p, path, r.is == aBool)
	case float64:
		whole := t == math.Trunc(t) && math.Abs(t) < 1e9
		r.want(p, path, r.is == anyOf || whole && (r.is == aCount && t >= 1 || r.is == anIndex && t >= 0))
	case []any:
		r.checkList(p, path, t)
	case map[string]any:
		r.want(p, path, r.is == object)
		if r.is == object && r.inside != nil {
			r.inside.check(p, path, t)
		}
	}
}

// want notes what the value must be if it is not so.
func (r rule) want(p *sett.Problems, path string, ok bool) {
	if !ok {
		p.Add(path, "must be %s", r.is)
	}
}

func (r rule) checkText(p *sett.Problems, path, text string) {
	switch {
	case r.is != aText && r.is != anyOf:
		p.Add(path, "must be %s", r.is)
	case len(r.one) > 0 && !slices.Contains(r.one, text):
		p.Add(path, "must be one of %s", strings.Join(r.one, ", "))
	case len(text) > longest:
		p.Add(path, "may have at most %d bytes", longest)
	}
}

// longest is how many bytes a text may have: as many as a query.
const longest = 8_000

func (r rule) checkList(p *sett.Problems, path string, list []any) {
	if r.is != aList {
		p.Add(path, "must be %s", r.is)
		return
	}
	for i, v := range list {
		if text, ok := v.(string); !ok || !slices.Contains(r.one, text) {
			p.Add(fmt.Sprintf("%s[%d]", path, i), "must be one of %s", strings.Join(r.one, ", "))
		}
	}
}

// filled returns an object without what is null or empty, in all its depth.
func filled(from map[string]any) map[string]any {
	to := map[string]any{}
	for key, v := range from {
		empty := v == nil || v == ""
		switch inside := v.(type) {
		case map[string]any:
			inside = filled(inside)
			v, empty = inside, len(inside) == 0
		case []any:
			empty = len(inside) == 0
		}
		if !empty {
			to[key] = v
		}
	}
	return to
}

func textOf(v any) string {
	text, _ := v.(string)
	return text
}

func objectOf(v any) map[string]any {
	fields, _ := v.(map[string]any)
	return fields
}
