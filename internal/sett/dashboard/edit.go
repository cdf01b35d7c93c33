package dashboard

import (
	"regexp"
	"slices"
	"strings"

	"sett/internal/sett"
)

// ChangeOf returns the body that writes settings.
func ChangeOf(s Settings) Change {
	widgets := []any{}
	for _, w := range s.Widgets {
		fields := map[string]any{
			"type": string(w.Type), "presentation": w.Presentation, "config": w.Config,
			"grid": map[string]any{"x": float64(w.Grid.X), "y": float64(w.Grid.Y), "w": float64(w.Grid.W), "h": float64(w.Grid.H)},
		}
		if w.ID != "" {
			fields["id"] = w.ID
		}
		widgets = append(widgets, fields)
	}
	return Change{Title: sett.Some(s.Title), DefaultTS: sett.Some(s.DefaultTS), Widgets: sett.Some(widgets)}
}

// Edit is what a form of the page says of a widget. Settings that it does not have stay as they are.
type Edit struct {
	Type               Type
	Title, Query, View string
	Streams            sett.Optional[string]    // the stream that a query reads; "" for all
	Axes               sett.Optional[[3]string] // see Axes
	Place              Grid                     // its first column and its size: a form says no row, and no column of a new widget
}

// Put changes the widget with an id, or adds one at the end.
func (s *Settings) Put(id string, e Edit) {
	s.Settle("")
	i := s.index(id)
	if i < 0 {
		at := e.Place.within()
		i, s.Widgets = len(s.Widgets), append(s.Widgets, Widget{Type: e.Type, Grid: s.free(at.W, at.H)})
	}
	w := s.Widgets[i]
	if w.Type != e.Type {
		w.Config = nil
	}
	w.Type = e.Type
	w.Presentation = with(w.Presentation, "title", e.Title)
	switch e.Type {
	case Query:
		vis := objectOf(w.Config["vis"])
		was := w.Axes()
		other := textOf(vis["view"]) != e.View
		if other { // what was set of another chart is not known to this one
			vis = nil
		}
		if e.Axes.Sent && !(other && e.Axes.Value == was) {
			vis = with(vis, "chart_config", axes(objectOf(vis["chart_config"]), e.View, e.Axes.Value))
		}
		w.Config = with(with(w.Config, "query", e.Query), "vis", with(vis, "view", e.View))
		if e.Streams.Sent {
			w.Config = with(w.Config, "streams", []any{})
			if e.Streams.Value != "" {
				w.Config["streams"] = []any{e.Streams.Value}
			}
		}
	case Errors:
		w.Config = with(w.Config, "query", e.Query)
	}
	g := e.Place
	if id == "" {
		g.X = w.Grid.X
	}
	g.X, g.Y = min(g.X, Columns-min(g.W, Columns)), w.Grid.Y
	w.Grid = g
	s.Widgets[i] = w
	if g == g.within() { // else the check refuses it
		s.Settle(w.ID)
	}
}

// axisKeys are the settings of each view that name columns: across or names, numbers, and series or colors.
var axisKeys = map[string][3]string{
	"billboard": {"titleField", "valueField", ""},
	"line":      {"xField", "yField", "zField"},
	"area":      {"xField", "yField", "zField"},
	"bar":       {"categoryField", "valueField", "groupField"},
	"histogram": {"xField", "yField", ""},
	"scatter":   {"xField", "yField", "groupField"},
	"heatmap":   {"xField", "yField", "zField"},
	"pie":       {"nameField", "valueField", ""},
}

// Axes returns the columns that a query's drawing names: across or names, numbers, and series or colors; "" where it names none.
func (w Widget) Axes() (columns [3]string) {
	for i, key := range axisKeys[w.Text("vis", "view")] {
		if key != "" {
			columns[i] = w.Text("vis", "chart_config", key)
		}
	}
	return columns
}

// axes returns the settings of a chart with other columns.
func axes(config map[string]any, view string, columns [3]string) map[string]any {
	for i, key := range axisKeys[view] {
		if key != "" {
			config = with(config, key, columns[i])
		}
	}
	return config
}

// with returns a copy of an object with a field.
func with(object map[string]any, key string, value any) map[string]any {
	made := map[string]any{}
	for k, v := range object {
		made[k] = v
	}
	made[key] = value
	return made
}

// Remove removes a widget.
func (s *Settings) Remove(id string) {
	s.Widgets = slices.DeleteFunc(s.Widgets, func(w Widget) bool { return w.ID == id })
	s.Settle("")
}

// PlaceOf returns the place of a widget; of one that is not there yet, the usual one.
func (s *Settings) PlaceOf(id string) Grid {
	if i := s.index(id); i >= 0 {
		return s.Widgets[i].Grid
	}
	return usualGrid
}

func (s *Settings) index(id string) int {
	return slices.IndexFunc(s.Widgets, func(w Widget) bool { return id != "" && w.ID == id })
}

// InOrder returns the widgets as they are read: row by row, from the left, with no two at one place.
func (s *Settings) InOrder() []Widget {
	settled := Settings{Widgets: slices.Clone(s.Widgets)}
	settled.Settle("")
	slices.SortStableFunc(settled.Widgets, func(a, b Widget) int { return before(&a, &b, "") })
	return settled.Widgets
}

var parameter = regexp.MustCompile(`\$\{([A-Za-z_][A-Za-z0-9_]{0,63})(?::-([^}]*))?\}`)

// mostParameters is how many parameters of a query are filled in.
const mostParameters = 20

// Fill replaces the parameters of a query, such as ${path} or ${path:-/}: by the value of that name, or else by what stands behind the colon.
func Fill(query string, value func(name string) string) string {
	n := 0
	return parameter.ReplaceAllStringFunc(query, func(text string) string {
		if n++; n > mostParameters {
			return text
		}
		parts := parameter.FindStringSubmatch(text)
		if v := value(parts[1]); v != "" {
			return strings.NewReplacer("\r", " ", "\n", " ").Replace(v)
		}
		return parts[2]
	})
}
