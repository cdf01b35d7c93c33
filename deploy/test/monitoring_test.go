package test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/prometheus/prometheus/promql/parser"

	"sett/internal/setttest/bucket"
	"sett/internal/setttest/pgcluster"
)

// panels is what the tests read of a dashboard.
type panels struct {
	Panels []struct {
		Title   string
		GridPos struct{ X, Y, W, H int }
		Targets []struct{ Expr, LegendFormat string }
	}
	Templating struct {
		List []struct{ Name, Query string }
	}
}

// metricsOfAll are the metrics of a server that uses everything that has some: object storage, PostgreSQL with a read replica, and a heartbeat.
func metricsOfAll(t *testing.T) string {
	t.Helper()
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	defer elsewhere.Close()
	primary, err := pgcluster.Start(t.Context(), pgcluster.Options{Primary: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = primary.Stop() })
	replica, err := primary.Standby(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = replica.Stop() })
	objects := bucket.New(t)
	c := container{env: append(os.Environ(), "SETT_DATA="+t.TempDir(), "SETT_DATABASE="+primary.DSN(), "SETT_DATABASE_READ="+replica.DSN(),
		"SETT_BLOCKS="+objects.Address(), "SETT_METRICS_PROJECTS=true", "SETT_HEARTBEAT_URL="+elsewhere.URL)}
	return c.serves(t, unpackProgram(t, "amd64"), "serve")
}

// Every metric, and every label and value of a label, that an alert or the dashboard names is one of a real server.
func TestAlertsAndDashboardNameRealMetrics(t *testing.T) {
	t.Parallel()
	real := series(metricsOfAll(t))
	for where, expr := range expressions(t) {
		parsed, err := promQL.ParseExpr(expr)
		if err != nil {
			t.Errorf("%s: %v", where, err)
			continue
		}
		parser.Inspect(parsed, func(n parser.Node, _ []parser.Node) error {
			if s, ok := n.(*parser.VectorSelector); ok && !matches(real, s) {
				t.Errorf("%s: the server has no %s", where, s)
			}
			return nil
		})
	}
}

var promQL = parser.NewParser(parser.Options{})

// later are values of labels that a server has only after something has happened.
var later = map[string]string{"code": "^([1-5][0-9][0-9])$"}

// series are the names of metrics with the values of each label.
func series(metrics string) map[string]map[string][]string {
	found := map[string]map[string][]string{"up": {"job": {"sett"}}} // Prometheus adds it
	pair := regexp.MustCompile(`([a-z_]+)="([^"]*)"`)
	for line := range strings.Lines(metrics) {
		name := regexp.MustCompile(`^[a-z_:]+`).FindString(line)
		if name == "" {
			continue
		}
		if found[name] == nil {
			found[name] = map[string][]string{}
		}
		for _, p := range pair.FindAllStringSubmatch(line, -1) {
			found[name][p[1]] = append(found[name][p[1]], p[2])
		}
	}
	return found
}

// matches reports whether a server has a series for a selector, whose labels of Prometheus itself may have any value.
func matches(real map[string]map[string][]string, s *parser.VectorSelector) bool {
	values, ok := real[s.Name]
	for _, m := range s.LabelMatchers {
		if m.Name == "__name__" || m.Name == "instance" {
			continue
		}
		has := false
		for _, v := range values[m.Name] {
			has = has || m.Matches(v) || later[m.Name] != "" && regexp.MustCompile(later[m.Name]).MatchString(v)
		}
		ok = ok && has
	}
	return ok
}

// expressions returns all of them, by where they are.
func expressions(t *testing.T) map[string]string {
	t.Helper()
	found := map[string]string{}
	for _, r := range rules(t) {
		found["alert "+r.Alert] = r.Expr
		if r.Annotations["summary"] == "" || r.Annotations["description"] == "" || r.Labels["severity"] == "" {
			t.Errorf("the alert %s lacks a summary, a description or a severity", r.Alert)
		}
	}
	for _, p := range dashboard(t).Panels {
		for _, target := range p.Targets {
			found["panel "+p.Title+" "+target.LegendFormat] = strings.ReplaceAll(target.Expr, "$instance", ".*")
		}
	}
	if len(found) < 25 {
		t.Errorf("only %d expressions found", len(found))
	}
	return found
}

func dashboard(t *testing.T) (d panels) {
	t.Helper()
	if err := json.Unmarshal(read(t, "grafana/sett.json"), &d); err != nil {
		t.Fatal(err)
	}
	return d
}

// No panel of the dashboard covers another, and every legend uses a label that the expression keeps.
func TestDashboard(t *testing.T) {
	t.Parallel()
	all := dashboard(t).Panels
	for i, p := range all {
		if p.GridPos.X+p.GridPos.W > 24 || len(p.Targets) == 0 {
			t.Errorf("the panel %s is beyond the edge, or empty", p.Title)
		}
		for _, o := range all[:i] {
			a, b := p.GridPos, o.GridPos
			if a.X < b.X+b.W && b.X < a.X+a.W && a.Y < b.Y+b.H && b.Y < a.Y+a.H {
				t.Errorf("the panels %s and %s overlap", p.Title, o.Title)
			}
		}
		for _, target := range p.Targets {
			for _, label := range regexp.MustCompile(`\{\{(\w+)\}\}`).FindAllStringSubmatch(target.LegendFormat, -1) {
				if by := regexp.MustCompile(`by \((\w+)\)`).FindStringSubmatch(target.Expr); by != nil && by[1] != label[1] {
					t.Errorf("the legend of %s names %s, the expression keeps %s", p.Title, label[1], by[1])
				}
			}
		}
	}
	if len(all) < 10 {
		t.Errorf("only %d panels", len(all))
	}
}
