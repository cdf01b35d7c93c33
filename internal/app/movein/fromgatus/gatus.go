// Package fromgatus reads the configuration of Gatus. It takes the text of one or several YAML files, which Gatus would merge,
// and the environment whose variables they name; it returns sites, check-ins, channels and the page that Gatus shows. It asks
// no server, and never returns the value of a variable in a message.
package fromgatus

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"sett/internal/app/movein/fromfile"
	"sett/internal/sett"
	"sett/internal/sett/move"
)

// config is a configuration, as far as it matters here.
type config struct {
	Endpoints []endpoint `yaml:"endpoints"`
	External  []external `yaml:"external-endpoints"`
	Suites    []struct {
		Name string `yaml:"name"`
	} `yaml:"suites"`
	Alerting      map[string]map[string]any `yaml:"alerting"`
	Maintenance   *maintenance              `yaml:"maintenance"`
	Announcements []announcement            `yaml:"announcements"`
	UI            struct {
		Title  string `yaml:"title"`
		Header string `yaml:"header"`
	} `yaml:"ui"`
}

type external struct {
	Name      string `yaml:"name"`
	Group     string `yaml:"group"`
	Enabled   *bool  `yaml:"enabled"`
	Heartbeat struct {
		Interval time.Duration `yaml:"interval"`
	} `yaml:"heartbeat"`
}

type maintenance struct {
	Enabled *bool  `yaml:"enabled"`
	Start   string `yaml:"start"`
}

type announcement struct {
	At       time.Time `yaml:"timestamp"`
	Type     string    `yaml:"type"`
	Message  string    `yaml:"message"`
	Archived bool      `yaml:"archived"`
}

// reader collects what files say.
type reader struct {
	move.Monitoring
	order []move.Component // of the page
}

// Read returns what the files say. They have no name of their own: what came of them is known by the project that they go
// to, so that two Gatus do not mix. env returns the value of a variable, and whether it is set; nil if the files come without it.
func Read(files []fromfile.File, project string, env func(string) (string, bool)) (*move.Monitoring, error) {
	var all config
	missing := map[string]bool{}
	unset := "It is not set in this environment: what names it has its name instead. Set it as for Gatus, and run the command again."
	if env == nil {
		env = func(string) (string, bool) { return "", false }
		unset = "The files come without the environment of Gatus: what names it has its name instead. Write its value into the file, and look again."
	}
	for _, f := range files {
		var c config
		if err := f.Decode("Gatus", func(text string) string { return expand(text, env, missing) }, &c); err != nil {
			return nil, err
		}
		all.merge(c)
	}
	if len(all.Endpoints)+len(all.External) == 0 {
		return nil, sett.Errorf(sett.Invalid, "The configuration has no endpoints. Name the files that Gatus reads, such as config.yaml.")
	}
	r := &reader{Monitoring: move.Monitoring{From: move.Place{Source: "gatus", Host: move.Line(project, move.MostName)}}}
	for _, name := range slices.Sorted(maps.Keys(missing)) {
		r.Leave("variables", name, unset, "")
	}
	usual := usualAlerts(all.Alerting)
	for _, e := range all.Endpoints[:min(len(all.Endpoints), fromfile.MostThings)] {
		r.endpoint(e, usual)
	}
	for _, e := range all.External[:min(len(all.External), fromfile.MostThings)] {
		r.external(e)
	}
	r.channels(all.Alerting)
	r.page(all)
	r.rest(all)
	return &r.Monitoring, nil
}

func (c *config) merge(o config) {
	c.Endpoints, c.External, c.Suites = append(c.Endpoints, o.Endpoints...), append(c.External, o.External...), append(c.Suites, o.Suites...)
	c.Announcements = append(c.Announcements, o.Announcements...)
	if c.Alerting == nil {
		c.Alerting = map[string]map[string]any{}
	}
	maps.Copy(c.Alerting, o.Alerting)
	if o.Maintenance != nil {
		c.Maintenance = o.Maintenance
	}
	if o.UI.Title != "" || o.UI.Header != "" {
		c.UI = o.UI
	}
}

// expand puts the values of variables into a text, as Gatus does. Those that are not set stay as they are named.
func expand(text string, env func(string) (string, bool), missing map[string]bool) string {
	return os.Expand(text, func(name string) string {
		if name == "$" { // two are one
			return "$"
		}
		if value, ok := env(name); ok {
			return value
		}
		missing[move.Line(name, move.MostName)] = true
		return "${" + name + "}"
	})
}

// keyOf is the key by which Gatus knows an endpoint.
func keyOf(group, name string) string {
	odd := strings.NewReplacer("/", "-", "_", "-", ",", "-", ".", "-", "#", "-", "+", "-", "&", "-", " ", "-")
	return strings.ToLower(odd.Replace(strings.TrimSpace(group)) + "_" + odd.Replace(strings.TrimSpace(name)))
}

// nameOf is the name of an endpoint in a project, which has no groups.
func nameOf(group, name string) string {
	if group == "" {
		return move.Line(name, move.MostName)
	}
	return move.Line(group+" / "+name, move.MostName)
}

func (r *reader) external(e external) {
	name := nameOf(e.Group, e.Name)
	if e.Heartbeat.Interval <= 0 {
		r.Leave("external endpoints", name, "It has no heartbeat, so sett does not know when a report is late.", move.CheckInsPage)
		return
	}
	id := keyOf(e.Group, e.Name)
	every := min(max(e.Heartbeat.Interval, time.Minute), 365*24*time.Hour)
	r.CheckIns = append(r.CheckIns, move.CheckIn{ID: id, Name: name, Slug: strings.ReplaceAll(strings.Trim(id, "_"), "_", "-"), Every: every, Grace: max(every/10, time.Minute), Paused: isOff(e.Enabled)})
	r.Leave("external endpoints", name, "Its address is another one: send the report to the address of the check-in.", move.CheckInsPage)
	r.order = append(r.order, move.Component{Kind: move.CheckInKind, ID: id, Name: move.Line(e.Name, move.MostName), Group: move.Line(e.Group, move.MostName)})
}

func isOff(enabled *bool) bool { return enabled != nil && !*enabled }

// page makes a page of the one that Gatus shows. It is unlisted: Gatus may have been inside a network.
func (r *reader) page(c config) {
	if len(r.order) == 0 {
		return
	}
	name := move.Line(c.UI.Header, move.MostName)
	if name == "" {
		if name = move.Line(c.UI.Title, move.MostName); name == "" {
			name = "Gatus"
		}
	}
	p := move.StatusPage{ID: "page", Name: name, Slug: "gatus", Unlisted: true, Components: r.order}
	for n, a := range c.Announcements[:min(len(c.Announcements), fromfile.MostThings)] {
		i := move.Incident{ID: fmt.Sprintf("%d-%d", a.At.Unix(), n), Name: move.Line(a.Message, 80), Message: move.Text(a.Message, move.MostMessage), Start: a.At.UTC()}
		if a.Archived || a.Type != "outage" && a.Type != "warning" {
			i.End = i.Start
		}
		if i.Name == "" || a.At.IsZero() {
			r.Leave("announcements", i.Name, "It has no message or no time.", move.PagesPage)
			continue
		}
		p.Incidents = append(p.Incidents, i)
	}
	r.Pages = append(r.Pages, p)
}

// rest names what does not come.
func (r *reader) rest(c config) {
	for _, s := range c.Suites {
		r.Leave("suites", s.Name, "sett has no chains of checks: create a site for each address.", move.SitesPage)
	}
	if c.Maintenance != nil && !isOff(c.Maintenance.Enabled) && c.Maintenance.Start != "" {
		r.Leave("maintenance", "each day at "+c.Maintenance.Start, "A window of sett has one beginning and end: create one when you need it.", move.MaintenancePage)
	}
}
