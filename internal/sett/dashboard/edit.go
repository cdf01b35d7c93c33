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
	Width              int
}

// Put changes the widget with an id, or adds one at the end.
func (s *Settings) Put(id string, e Edit) {
	i := s.index(id)
	if i < 0 {
		i, s.Widgets = len(s.Widgets), append(s.Widgets, Widget{Type: e.Type, Grid: Grid{H: usualGrid.H}})
	}
	w := s.Widgets[i]
	if w.Type != e.Type {
		w.Config = nil
	}
	w.Type, w.Grid.W = e.Type, e.Width
	w.Presentation = with(w.Presentation, "title", e.Title)
	switch e.Type {
	case Query:
		vis := objectOf(w.Config["vis"])
		if textOf(vis["view"]) != e.View { // what was set of another chart is not known to this one
			vis = nil
		}
		w.Config = with(with(w.Config, "query", e.Query), "vis", with(vis, "view", e.View))
	case Errors:
		w.Config = with(w.Config, "query", e.Query)
	}
	s.Widgets[i] = w
	s.arrange()
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
	s.arrange()
}

// Move moves a widget by some places in the order of the page. It stays where there is no such place.
func (s *Settings) Move(id string, by int) {
	s.Widgets = s.InOrder()
	i := s.index(id)
	if to := i + by; i >= 0 && to >= 0 && to < len(s.Widgets) {
		s.Widgets[i], s.Widgets[to] = s.Widgets[to], s.Widgets[i]
	}
	s.arrange()
}

func (s *Settings) index(id string) int {
	return slices.IndexFunc(s.Widgets, func(w Widget) bool { return id != "" && w.ID == id })
}

// InOrder returns the widgets as they are read: row by row, from the left.
func (s *Settings) InOrder() []Widget {
	widgets := slices.Clone(s.Widgets)
	slices.SortStableFunc(widgets, func(a, b Widget) int {
		if a.Grid.Y != b.Grid.Y {
			return a.Grid.Y - b.Grid.Y
		}
		return a.Grid.X - b.Grid.X
	})
	return widgets
}

// arrange gives the widgets places in their order: beside one another while there is room, and below otherwise.
func (s *Settings) arrange() {
	x, y, below := 0, 0, 0
	for i := range s.Widgets {
		g := &s.Widgets[i].Grid
		if x+g.W > Columns {
			x, y = 0, below
		}
		g.X, g.Y = x, y
		x, below = x+g.W, max(below, y+g.H)
	}
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
