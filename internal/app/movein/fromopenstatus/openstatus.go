// Package fromopenstatus reads the monitors of OpenStatus from the files with which its command line applies them, such as
// openstatus.yaml. It takes the text of one or several files, and returns sites and what does not come. What it does not know
// it names. It asks no server, and reads no file itself.
package fromopenstatus

import (
	"cmp"
	"maps"
	"net"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"sett/internal/app/movein/fromfile"
	"sett/internal/sett"
	"sett/internal/sett/move"
)

// monitor is what OpenStatus checks. Times without a unit are milliseconds.
type monitor struct {
	Name      string   `yaml:"name"`
	Frequency string   `yaml:"frequency"`
	Regions   []string `yaml:"regions"`
	Active    bool     `yaml:"active"`
	Public    bool     `yaml:"public"`
	Kind      string   `yaml:"kind"`
	Timeout   int64    `yaml:"timeout"`
	Degraded  int64    `yaml:"degradedAfter"`
	Request   struct {
		URL       string            `yaml:"url"`
		Method    string            `yaml:"method"`
		Headers   map[string]string `yaml:"headers"`
		Body      string            `yaml:"body"`
		Redirects *bool             `yaml:"followRedirects"`
		Host      string            `yaml:"host"`
		Port      int64             `yaml:"port"`
	} `yaml:"request"`
	Assertions []assertion `yaml:"assertions"`
	Telemetry  struct {
		Endpoint string `yaml:"endpoint"`
	} `yaml:"openTelemetry"`
}

// What OpenStatus does where a file says nothing.
const (
	usualFrequency = 10 * time.Minute
	usualTimeout   = 45 * time.Second
)

const mostMilliseconds = int64(time.Hour / time.Millisecond)

// reader collects what files say.
type reader struct {
	move.Monitoring
	seen    map[string]bool // keys of monitors
	regions map[string]bool
	public  bool
}

// Read returns what the files say. They have no name of their own: what came of them is known by the project that they go to.
func Read(files []fromfile.File, project string) (*move.Monitoring, error) {
	r := &reader{
		Monitoring: move.Monitoring{From: move.Place{Source: "openstatus", Host: move.Line(project, move.MostName)}},
		seen:       map[string]bool{}, regions: map[string]bool{},
	}
	for _, f := range files {
		if err := r.file(f); err != nil {
			return nil, err
		}
	}
	if len(r.seen) == 0 {
		return nil, sett.Errorf(sett.Invalid, "The files have no monitors. Name the file of openstatus monitors apply, such as openstatus.yaml; openstatus monitors import writes it.")
	}
	r.rest()
	return &r.Monitoring, nil
}

func (r *reader) file(f fromfile.File) error {
	var nodes map[string]yaml.Node
	if err := f.Decode("OpenStatus", nil, &nodes); err != nil {
		return err
	}
	for _, key := range slices.Sorted(maps.Keys(nodes)) {
		node := nodes[key]
		var m monitor
		if node.Kind == yaml.AliasNode && node.Alias != nil {
			node = *node.Alias
		}
		if node.Kind != yaml.MappingNode {
			continue
		}
		if err := node.Decode(&m); err != nil {
			return sett.Errorf(sett.Invalid, "%s: %s is no monitor of OpenStatus: %v.", f.Name, move.Line(key, move.MostName), err)
		}
		if m.Kind == "" && m.Request.URL == "" && m.Request.Host == "" {
			continue
		}
		if r.seen[key] {
			r.Leave("monitors", key, "Two files have a monitor with this key: the first one comes.", move.SitesPage)
			continue
		}
		if r.seen[key] = true; len(r.seen) <= fromfile.MostThings {
			r.monitor(key, m)
		}
	}
	return nil
}

func (r *reader) monitor(key string, m monitor) {
	name := move.Line(cmp.Or(m.Name, key), move.MostName)
	left := func(why string) { r.Leave("monitors", name, why, move.SitesPage) }
	s := move.Site{
		ID: move.Line(key, move.MostName), Name: name, Every: usualFrequency, Timeout: usualTimeout, Method: "GET", Match: move.AnySuccess,
		Paused: !m.Active, // as its command line reads a monitor that does not say it
	}
	if !m.ask(&s, left) {
		return
	}
	if m.Frequency != "" {
		every, err := time.ParseDuration(m.Frequency)
		if err != nil || every <= 0 {
			left("Its frequency cannot be read: it is checked every 10 minutes or more often.")
		} else {
			s.Every = every
		}
	}
	if m.Timeout > 0 && m.Timeout <= mostMilliseconds {
		s.Timeout = time.Duration(m.Timeout) * time.Millisecond
	}
	if m.Degraded > 0 {
		left("It is degraded after " + strconv.FormatInt(m.Degraded, 10) + " ms: set the limit of slow checks of the site.")
	}
	if m.Telemetry.Endpoint != "" {
		left("sett does not send what it measures to OpenTelemetry.")
	}
	for _, region := range m.Regions {
		r.regions[move.Line(region, 60)] = true
	}
	r.public = r.public || m.Public
	r.Sites = append(r.Sites, s)
}

// ask puts into a site what is asked, and what must be answered. It reports whether sett has such a check.
func (m *monitor) ask(s *move.Site, left func(string)) bool {
	switch kind := cmp.Or(m.Kind, "http"); kind {
	case "http":
		u, err := url.Parse(m.Request.URL)
		if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
			left("Its address cannot be read.")
			return false
		}
		s.URL, s.FollowRedirects = m.Request.URL, m.Request.Redirects == nil || *m.Request.Redirects
		if why := fromfile.Request(s, m.Request.Method, m.Request.Body, m.Request.Headers); why != "" {
			left(why)
		}
		judge(s, m.Assertions, left)
	case "tcp":
		if m.Request.Host == "" || m.Request.Port < 1 || m.Request.Port > 65535 {
			left("It has no host or no port.")
			return false
		}
		s.URL = "tcp://" + net.JoinHostPort(strings.Trim(m.Request.Host, "[]"), strconv.FormatInt(m.Request.Port, 10))
	default:
		left("sett has no check of the type " + move.Line(kind, 40) + ".")
		return false
	}
	return true
}

// rest names what no monitor has in sett.
func (r *reader) rest() {
	if len(r.regions) > 0 {
		names := strings.Join(slices.Sorted(maps.Keys(r.regions)), ", ")
		r.Leave("regions", names, "sett checks from its own server, and from where an agent of it runs.", move.SitesPage)
	}
	if r.public {
		r.Leave("status pages", "", "The files do not have them: make one with the sites whose monitors are public.", move.PagesPage)
	}
	r.Leave("notifications, incidents, measurements", "", "The files do not have them.", move.ChannelsPage)
}
