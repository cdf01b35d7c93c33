package fromgatus

import (
	"cmp"
	"encoding/json"
	"net/url"
	"strconv"
	"strings"
	"time"

	"sett/internal/app/movein/fromfile"
	"sett/internal/sett/move"
)

// endpoint is what Gatus checks.
type endpoint struct {
	Name       string            `yaml:"name"`
	Group      string            `yaml:"group"`
	Enabled    *bool             `yaml:"enabled"`
	URL        string            `yaml:"url"`
	Method     string            `yaml:"method"`
	Headers    map[string]string `yaml:"headers"`
	Body       string            `yaml:"body"`
	GraphQL    bool              `yaml:"graphql"`
	Interval   time.Duration     `yaml:"interval"`
	Conditions []string          `yaml:"conditions"`
	DNS        map[string]any    `yaml:"dns"`
	SSH        map[string]any    `yaml:"ssh"`
	Client     struct {
		Timeout        time.Duration `yaml:"timeout"`
		Insecure       bool          `yaml:"insecure"`
		IgnoreRedirect bool          `yaml:"ignore-redirect"`
	} `yaml:"client"`
	Alerts  []alert `yaml:"alerts"`
	Windows []any   `yaml:"maintenance-windows"`
}

// asGraphQL returns the body that Gatus sends for a query.
func asGraphQL(query string) string {
	body, _ := json.Marshal(map[string]string{"query": query}) // a map of texts always has a form
	return string(body)
}

// alert is after how many failures a channel is to be used.
type alert struct {
	Type      string `yaml:"type"`
	Enabled   *bool  `yaml:"enabled"`
	Threshold int64  `yaml:"failure-threshold"`
}

// What Gatus does where a file says nothing.
const (
	usualInterval  = 60 * time.Second
	usualTimeout   = 10 * time.Second
	usualThreshold = 3
)

func (r *reader) endpoint(e endpoint, usual map[string]alert) {
	name := nameOf(e.Group, e.Name)
	left := func(why string) { r.Leave("endpoints", name, why, move.SitesPage) }
	u, err := url.Parse(e.URL)
	switch {
	case err != nil || u.Host == "" || len(e.DNS) > 0 || len(e.SSH) > 0 || u.Scheme != "http" && u.Scheme != "https" && u.Scheme != "tcp":
		scheme, _, _ := strings.Cut(e.URL, ":")
		if len(e.DNS) > 0 {
			scheme = "dns"
		}
		left("sett has no check of the type " + move.Line(scheme, 40) + ".")
		return
	case len(e.Windows) > 0:
		left("Its maintenance windows do not come: a window of sett has one beginning and end.")
	}
	s := move.Site{
		ID: keyOf(e.Group, e.Name), Name: name, URL: e.URL, Every: cmp.Or(e.Interval, usualInterval), Timeout: cmp.Or(e.Client.Timeout, usualTimeout), Method: "GET", Match: move.AnySuccess,
		Paused: isOff(e.Enabled), Failures: threshold(e.Alerts, usual),
	}
	if u.Scheme != "tcp" {
		s.AnyCertificate, s.FollowRedirects = e.Client.Insecure, !e.Client.IgnoreRedirect
		if e.GraphQL {
			e.Body = asGraphQL(e.Body)
		}
		if why := fromfile.Request(&s, e.Method, e.Body, e.Headers); why != "" {
			left(why)
		}
		judge(&s, e.Conditions, left)
	}
	r.Sites = append(r.Sites, s)
	r.order = append(r.order, move.Component{Kind: move.SiteKind, ID: s.ID, Name: move.Line(e.Name, move.MostName), Group: move.Line(e.Group, move.MostName)})
}

// threshold is how many failures in a row make an outage: those after which the first alert goes out. What an alert does not say is in the usual one of
// its channel.
func threshold(alerts []alert, usual map[string]alert) (n int64) {
	for _, a := range alerts {
		of := usual[a.Type]
		if a.Enabled == nil {
			a.Enabled = of.Enabled
		}
		if isOff(a.Enabled) {
			continue
		}
		if a.Threshold <= 0 {
			a.Threshold = of.Threshold
		}
		if a.Threshold <= 0 {
			a.Threshold = usualThreshold
		}
		if a.Threshold = min(a.Threshold, 99); n == 0 || a.Threshold < n {
			n = a.Threshold
		}
	}
	return n
}

// usualAlerts returns what providers say of alerts that say nothing themselves.
func usualAlerts(providers map[string]map[string]any) map[string]alert {
	usual := map[string]alert{}
	for name, provider := range providers {
		says, _ := provider["default-alert"].(map[string]any)
		a := alert{}
		if on, ok := says["enabled"].(bool); ok {
			a.Enabled = &on
		}
		if n, ok := says["failure-threshold"].(int); ok {
			a.Threshold = int64(n)
		}
		usual[name] = a
	}
	return usual
}

// judge says what a check wants to see. sett has one status, those from 200 to 299, or a text of the page; the rest is named.
func judge(s *move.Site, conditions []string, left func(string)) {
	judged := false
	for _, c := range conditions {
		switch what, operator, value := parts(c); what {
		case "[CONNECTED]", "[CERTIFICATE_EXPIRATION]": // sett sees to both
		case "[RESPONSE_TIME]":
			left("It must answer within " + move.Line(value, 20) + " ms: set the limit of slow checks of the site.")
		case "[STATUS]":
			if judged = judgeStatus(s, operator, value) || judged; !judged {
				left("sett has no condition like " + move.Line(c, 100) + ".")
			}
		case "[BODY]":
			if !judgeBody(s, operator, value, left) {
				left("sett has no condition like " + move.Line(c, 100) + ".")
				continue
			}
			judged = true
		default:
			left("sett has no condition like " + move.Line(c, 100) + ".")
		}
	}
	if !judged {
		left("It accepts any status; in sett those from 200 to 299.")
	}
}

// judgeStatus takes over a condition about the status, if sett has such a one. A text that is wanted comes with a status from 200 to 299.
func judgeStatus(s *move.Site, operator, value string) bool {
	status, err := strconv.Atoi(value)
	switch {
	case err != nil:
		return false
	case operator == "==" && s.Match == move.AnySuccess:
		s.Match, s.Text = move.OneStatus, value
		return true
	case operator == "==":
		return status == 200 && s.Match != move.OneStatus
	}
	return operator == "<" && status == 300 || operator == "<=" && status == 299
}

// judgeBody takes over a condition about a text of the page, if sett has such a one.
func judgeBody(s *move.Site, operator, value string, left func(string)) bool {
	text := textOf(value)
	if text == "" || operator != "==" && operator != "!=" || s.Match == move.WithText || s.Match == move.WithoutIt {
		return false
	}
	if s.Match == move.OneStatus && s.Text != "200" {
		left("It wants the status " + s.Text + " too; in sett one from 200 to 299.")
	}
	if s.Match, s.Text = move.WithText, text; operator == "!=" {
		s.Match = move.WithoutIt
	}
	return true
}

// parts splits a condition, such as [STATUS] == 200.
func parts(condition string) (what, operator, value string) {
	fields := strings.Fields(condition)
	if len(fields) < 3 {
		return condition, "", ""
	}
	return fields[0], fields[1], strings.Join(fields[2:], " ")
}

// textOf returns the text of a pattern that has a star at each end and nowhere else, as pat(*ready*); "" of others.
func textOf(pattern string) string {
	inner, ok := strings.CutPrefix(pattern, "pat(")
	if inner, ok = cutSuffix(inner, ")", ok); !ok {
		return ""
	}
	inner, before := strings.CutPrefix(inner, "*")
	inner, after := strings.CutSuffix(inner, "*")
	if !before || !after || strings.ContainsAny(inner, "*?[") {
		return ""
	}
	return inner
}

func cutSuffix(text, end string, ok bool) (string, bool) {
	if !ok {
		return "", false
	}
	return strings.CutSuffix(text, end)
}
