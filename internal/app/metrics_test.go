package app_test

import (
	"fmt"
	"go/ast"
	"go/types"
	"strconv"
	"strings"
	"testing"

	"sett/internal/app"
	"sett/internal/base/about"
	"sett/internal/sett/stats"
	"sett/internal/setttest"
)

// queues are all channels of the program that can hold more than a few entries, with the value of the label queue of sett_queue_waiting, or the
// reason why there is none, after a dash.
var queues = map[string]string{
	"internal/ingest: T, mostQueued":                         "notices", // and pings and events
	"internal/monitor/watch: *checks.CheckReport, mostFound": "checks",

	"internal/monitor/agent: prober.Report, mostInBatch": "- an agent has no metrics",
	"internal/ingest: bundle, mostInBatch":               "- belongs to the batch that is being stored",
	"internal/monitor/prober: *entry, 64":                "- checks that have ended, on their way to the schedule",
	"internal/serve/acme: struct{}, ordersAtOnce":        "- slots, not a queue",
	"internal/base/objects: struct{}, atOnce":            "- slots, not a queue",
	"internal/store/db: struct{}, fetchedAtOnce":         "- slots, not a queue",
	"internal/serve/auth: struct{}, hashesAtOnce":        "- slots, not a queue",
	"internal/monitor/job: os.Signal, 16":                "- signals of a command",
}

// metricsOf reads the metrics of a server.
func metricsOf(t *testing.T, s *setttest.Server) string {
	t.Helper()
	return string(s.Do("GET", "/metrics", nil, "Authorization", "Bearer figures").Want(200).Body)
}

func withMetrics(c *app.Config) { c.MetricsToken = "figures" }

// Every queue of the code, in memory or in the database, has a metric, or a reason to have none.
func TestQueuesHaveMetrics(t *testing.T) {
	t.Parallel()
	metrics, found := metricsOf(t, setttest.Start(t, "sqlite", withMetrics)), map[string]bool{}
	want := func(where, queue string) {
		if !strings.Contains(metrics, `sett_queue_waiting{queue="`+queue+`"} `) {
			t.Errorf("%s: /metrics has no sett_queue_waiting for the queue %q", where, queue)
		}
	}
	for _, s := range sources(t) {
		if s.test || strings.HasPrefix(s.path, "internal/setttest") || strings.HasPrefix(s.path, "internal/store/storetest") || !strings.HasPrefix(s.path, "internal/") {
			continue
		}
		ast.Inspect(s.File, func(n ast.Node) bool {
			switch call, table := queueIn(n); {
			case call != "":
				name := "internal/" + s.room + ": " + call
				found[name] = true
				if queue := queues[name]; queue == "" {
					t.Errorf("%s makes a channel that holds many: name its queue in /metrics, or give a reason in queues:\n%q", s.path, name)
				} else if !strings.HasPrefix(queue, "- ") {
					want(name, queue)
				}
			case table != "":
				found[table] = true
				want(s.path, table)
				if !strings.Contains(metrics, `sett_queue_lag_seconds{queue="`+table+`"} `) {
					t.Errorf("%s: /metrics has no sett_queue_lag_seconds for %s", s.path, table)
				}
			}
			return true
		})
	}
	want("events are the other queue of committers", "events")
	for name := range queues {
		if !found[name] {
			t.Errorf("%q is no queue any more; delete its line in queues", name)
		}
	}
	if !found["deliveries"] {
		t.Error("the queues of the database are not found: does the code still make a queue.Rules with its Table?")
	}
}

// queueIn returns what a channel holds and how many, if that may be more than a few, or the table of a queue in the database.
func queueIn(n ast.Node) (channel, table string) {
	switch n := n.(type) {
	case *ast.CallExpr:
		if name, ok := n.Fun.(*ast.Ident); !ok || name.Name != "make" || len(n.Args) != 2 {
			return "", ""
		}
		of, ok := n.Args[0].(*ast.ChanType)
		if size, literal := n.Args[1].(*ast.BasicLit); !ok || literal && len(size.Value) == 1 {
			return "", ""
		}
		return types.ExprString(of.Value) + ", " + types.ExprString(n.Args[1]), ""
	case *ast.CompositeLit:
		if types.ExprString(orNothing(n.Type)) != "queue.Rules" {
			return "", ""
		}
		for _, e := range n.Elts {
			if pair, ok := e.(*ast.KeyValueExpr); ok && types.ExprString(pair.Key) == "Table" {
				name, _ := strconv.Unquote(types.ExprString(pair.Value))
				return "", name
			}
		}
	}
	return "", ""
}

func orNothing(e ast.Expr) ast.Expr {
	if e == nil {
		return ast.NewIdent("")
	}
	return e
}

// Everything that the server may drop, and every background job, has a metric.
func TestDropsAndJobsHaveMetrics(t *testing.T) {
	t.Parallel()
	s := setttest.Start(t, "sqlite", withMetrics)
	metrics, reasons := metricsOf(t, s), []string{"checks"}
	for _, source := range sources(t) {
		if source.path != "internal/sett/stats/discard.go" {
			continue
		}
		ast.Inspect(source.File, func(n ast.Node) bool {
			if spec, ok := n.(*ast.ValueSpec); ok && strings.HasPrefix(spec.Names[0].Name, "Dropped") && len(spec.Values) == 1 {
				if text, err := strconv.Unquote(types.ExprString(spec.Values[0])); err == nil {
					reasons = append(reasons, text)
				}
			}
			return true
		})
	}
	if len(reasons) != len(stats.DroppedReasons)+1 {
		t.Errorf("the code names the reasons %q, DroppedReasons has %q", reasons, stats.DroppedReasons)
	}
	for _, reason := range reasons {
		if !strings.Contains(metrics, `sett_dropped_total{reason="`+reason+`"} 0`) {
			t.Errorf("/metrics does not count what is dropped because of %q", reason)
		}
	}
	for _, job := range s.App.Jobs() {
		if !strings.Contains(metrics, `sett_loop_failures{loop="`+job.Name+`"} `) {
			t.Errorf("/metrics does not have the job %q", job.Name)
		}
	}
}

func TestMetricsCountRefusalsAndDrops(t *testing.T) {
	t.Parallel()
	s := setttest.Start(t, "sqlite", withMetrics)
	if status, _ := noticeBy(t, s, "sett_p_wrong"); status != 403 {
		t.Errorf("a wrong key is answered %d", status)
	}
	if status, _ := notice(t, s); status != 201 {
		t.Errorf("a notice is answered %d", status)
	}
	ofPage(t, s, "POST", fmt.Sprintf("/api/%d/envelope/?sentry_key=%s", s.Setup.ProjectID, s.Setup.APIKey), "{}\n{\"type\":\"transaction\",\"length\":2}\n{}\n")
	metrics := metricsOf(t, s)
	for _, want := range []string{
		`sett_http_responses_total{chapter="Reporting",code="403"} 1`, `sett_http_responses_total{chapter="Reporting",code="201"} 1`,
		`sett_dropped_total{reason="unsupported"} 1`, `sett_notices_total{outcome="stored"} 1`, "sett_ready 1", `sett_build_info{version="` + about.Current().Version + `"} 1`,
	} {
		if !strings.Contains(metrics, want+"\n") {
			t.Errorf("/metrics lacks %s", want)
		}
	}
	if strings.Contains(metrics, "sett_project_notices_total") || strings.Contains(metrics, "sett_heartbeat") {
		t.Error("/metrics counts projects, or a heartbeat, without the setting")
	}
}

func TestMetricsOfProjects(t *testing.T) {
	t.Parallel()
	s := setttest.Start(t, "sqlite", withMetrics, func(c *app.Config) { c.MetricsProjects = true })
	for range 3 {
		if status, _ := notice(t, s); status != 201 {
			t.Errorf("a notice is answered %d", status)
		}
	}
	want := `sett_project_notices_total{outcome="stored",project="` + strconv.FormatInt(s.Setup.ProjectID, 10) + `"} 3`
	if metrics := metricsOf(t, s); !strings.Contains(metrics, want+"\n") {
		t.Errorf("/metrics lacks %s", want)
	}
}
