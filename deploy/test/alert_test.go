package test

import (
	"log/slog"
	"slices"
	"testing"
	"time"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/model/rulefmt"
	"github.com/prometheus/prometheus/promql"
	"github.com/prometheus/prometheus/storage"
	"github.com/prometheus/prometheus/template"
	"github.com/prometheus/prometheus/tsdb/chunkenc"
	"github.com/prometheus/prometheus/tsdb/chunks"
	"github.com/prometheus/prometheus/util/annotations"
)

// situation is series of one sample a minute, as promtool writes them, and the summary of the alert at their end.
type situation struct {
	series  []string
	summary string // "": the alert is quiet
}

const one = `{instance="a",job="sett"`

// situations are those in which each alert fires, and similar ones in which it must not.
var situations = map[string][]situation{
	"SettDown":     {{[]string{`up` + one + `} 0x3`}, "a does not respond"}, {[]string{`up` + one + `} 0 0 1 0`}, ""}},
	"SettNotReady": {{[]string{`sett_ready` + one + `} 0x3`}, "a cannot store what is reported"}, {[]string{`sett_ready` + one + `} 1x3`}, ""}},
	"SettRefusesReports": {
		{[]string{`sett_http_responses_total` + one + `,chapter="Reporting",code="503"} 0+60x20`}, "a refuses 1 reports a second"},
		{[]string{`sett_http_responses_total` + one + `,chapter="Errors",code="503"} 0+60x20`}, ""},
	},
	"SettInternalErrors": {
		{[]string{`sett_http_responses_total` + one + `,chapter="Errors",code="500"} 0+1x30`}, "a answers requests with internal errors"},
		{[]string{`sett_http_responses_total` + one + `,chapter="Errors",code="500"} 7x30`}, ""},
	},
	"SettDropsChecks": {
		{[]string{`sett_dropped_total` + one + `,reason="checks"} 0x20 4`}, "a lost results of uptime checks"},
		{[]string{`sett_dropped_total` + one + `,reason="full"} 0x20 4`}, ""},
	},
	"SettDropsForLackOfRoom": {
		{[]string{`sett_dropped_total` + one + `,reason="full"} 0x20 4`}, "a dropped data beyond its limits"},
		{[]string{`sett_dropped_total` + one + `,reason="full"} 4x20`}, ""},
	},
	"SettNotificationsLate": {
		{[]string{`sett_queue_lag_seconds` + one + `,queue="mails"} 400+60x6`}, "mails are 12m 40s late"},
		{[]string{`sett_queue_lag_seconds` + one + `,queue="spool"} 400+60x6`}, ""},
	},
	"SettNotificationsFail": {
		{[]string{`sett_delivery_attempts_total` + one + `,outcome="failed"} 0x60 60`}, "a gave up 60 notifications"},
		{[]string{`sett_delivery_attempts_total` + one + `,outcome="again"} 0x60 60`}, ""},
	},
	"SettQueueFills": {
		{[]string{`sett_queue_waiting` + one + `,queue="notices"} 5000x2`}, "5000 notices of a wait to be stored"},
		{[]string{`sett_queue_waiting` + one + `,queue="spool"} 5000x2`}, ""},
	},
	"SettJobFails": {
		{[]string{`sett_loop_failures` + one + `,loop="retention"} 4x6`}, "The job retention of a fails"},
		{[]string{`sett_loop_failures` + one + `,loop="retention"} 3x6`}, ""},
	},
	"SettChecksLate": {
		{[]string{`sett_checks_running` + one + `} 501x11`}, "a runs 501 checks at a time"},
		{[]string{`sett_checks_running` + one + `} 500x11`}, ""},
	},
	"SettHeartbeatFails": {
		{[]string{`sett_heartbeat_up` + one + `} 0x6`}, "The heartbeat of a is not delivered"},
		{[]string{`sett_heartbeat_up` + one + `} 1x6`}, ""},
	},
	"SettMemoryOfBodies": {
		{[]string{`sett_request_body_bytes` + one + `} 134217728x11`}, "a holds 128MiB of request bodies"},
		{[]string{`sett_request_body_bytes` + one + `} 90000000x11`}, ""},
	},
	"SettSpoolDoesNotDrain": {
		{[]string{`sett_queue_lag_seconds` + one + `,queue="spool"} 0+60x20`}, "a has kept reports in its spool for 20m 0s"},
		{[]string{`sett_queue_lag_seconds` + one + `,queue="spool"} 0+60x12 0x3`}, ""}, // PostgreSQL came back
	},
	"SettSpoolFills": {
		{[]string{`sett_spool_bytes` + one + `} 0+100x7`, `sett_spool_limit_bytes` + one + `} 1000x7`}, "70% of the spool of a is used"},
		{[]string{`sett_spool_bytes` + one + `} 500x7`, `sett_spool_limit_bytes` + one + `} 1000x7`}, ""},
	},
	"SettSpoolLosesReports": {
		{[]string{`sett_dropped_total` + one + `,reason="spool"} 0x60 60`}, "a lost 60 reports from its spool"},
		{[]string{`sett_dropped_total` + one + `,reason="spool"} 60x60`}, ""},
	},
	"SettObjectStorageDown": {
		{[]string{`sett_object_storage_up` + one + `} 1 0x11`}, "Object storage does not respond to a"},
		{[]string{`sett_object_storage_up` + one + `} 0x6 1 0x6`}, ""},
	},
	"SettObjectStorageFails": {
		{[]string{`sett_object_errors_total` + one + `} 0+1x45`, `sett_object_storage_up` + one + `} 1x45`}, "30 requests of a to object storage failed in 30 minutes"},
		{[]string{`sett_object_errors_total` + one + `} 0x20 3x25`}, ""},
	},
	"SettBlocksWait": { // both servers see the same database
		{[]string{
			`sett_block_oldest_waiting_seconds` + one + `} 0+60x120`, `sett_block_bytes` + one + `,place="database"} 0+1000x120`,
			`sett_block_oldest_waiting_seconds{instance="b",job="sett"} 0+60x120`, `sett_block_bytes{instance="b",job="sett",place="database"} 0+1000x120`,
		}, "Events have waited for object storage for 2h 0m 0s, and do not become fewer"},
		// --blocks is new: old blocks move
		{[]string{`sett_block_oldest_waiting_seconds` + one + `} 900000x120`, `sett_block_bytes` + one + `,place="database"} 900000-1000x120`}, ""},
		{[]string{`sett_block_oldest_waiting_seconds` + one + `} 5x120`, `sett_block_bytes` + one + `,place="object_storage"} 0+1000x120`, `sett_block_bytes` + one + `,place="database"} 10x120`}, ""},
	},
	"SettObjectsNotDeleted": {
		{[]string{`sett_objects_to_delete` + one + `} 12+1x380`}, "33 objects have not been deleted from object storage for six hours"},
		{[]string{`sett_objects_to_delete` + one + `} 12x200 0 12x180`}, ""},
	},
	"SettReplicaDown": {
		{[]string{`sett_replica_up` + one + `} 1 0x11`}, "a cannot use its read replica"},
		{[]string{`sett_replica_up` + one + `} 1x11`}, ""},
	},
	"SettReplicaBehind": {
		{[]string{`sett_replica_lag_seconds` + one + `} 31+1x14`}, "The read replica of a is 45s behind"},
		{[]string{`sett_replica_lag_seconds` + one + `} 29x14`}, ""},
	},
	"SettReplicaUnused": {
		{[]string{`sett_replica_reads_total` + one + `,from="primary",cause="behind"} 0+30x65`, `sett_replica_reads_total` + one + `,from="primary",cause="canceled"} 0+30x65`, `sett_replica_reads_total` + one + `,from="replica",cause=""} 0+40x65`}, "60% of the reads of a use the primary instead of the replica"},
		{[]string{`sett_replica_reads_total` + one + `,from="primary",cause="behind"} 0+30x65`, `sett_replica_reads_total` + one + `,from="replica",cause=""} 0+40x65`}, ""},
		{[]string{`sett_replica_reads_total` + one + `,from="primary",cause="behind"} 0x65`, `sett_replica_reads_total` + one + `,from="replica",cause=""} 0x65`}, ""}, // nothing is read
	},
}

// Each alert fires when it should, with a summary that has its values, and is quiet in a similar situation.
func TestAlertsFire(t *testing.T) {
	t.Parallel()
	engine := promql.NewEngine(promql.EngineOpts{MaxSamples: 1e6, Timeout: time.Minute, Parser: promQL})
	all := rules(t)
	for _, r := range all {
		fires, quiet := false, false
		for _, s := range situations[r.Alert] {
			fires, quiet = fires || s.summary != "", quiet || s.summary == ""
			want := []string{s.summary}
			if s.summary == "" {
				want = nil
			}
			if got := firing(t, engine, r, s.series); !slices.Equal(got, want) {
				t.Errorf("%s with %q: %q fire, want %q", r.Alert, s.series, got, want)
			}
		}
		if !fires || !quiet {
			t.Errorf("%s needs a situation in which it fires, and one in which it does not", r.Alert)
		}
	}
	if len(all) != len(situations) {
		t.Errorf("%d alerts, and situations of %d", len(all), len(situations))
	}
}

// firing returns the summaries of the alerts that fire at the end of series: those that were pending for as long as the rule demands.
func firing(t *testing.T, engine *promql.Engine, r rulefmt.Rule, series []string) (summaries []string) {
	t.Helper()
	held, minutes := parseSeries(t, series)
	pending, last := map[string]int{}, promql.Vector{}
	for at := range minutes {
		query, err := engine.NewInstantQuery(t.Context(), held, nil, r.Expr, minute(at))
		if err != nil {
			t.Fatal(err)
		}
		if last, err = query.Exec(t.Context()).Vector(); err != nil {
			t.Fatal(err)
		}
		now := map[string]int{}
		for _, s := range last {
			now[s.Metric.String()] = pending[s.Metric.String()] + 1
		}
		pending = now
	}
	for _, s := range last {
		if time.Duration(pending[s.Metric.String()]-1)*time.Minute >= time.Duration(r.For) {
			summaries = append(summaries, summary(t, r, s))
		}
	}
	return summaries
}

// summary is what users read of an alert that fires.
func summary(t *testing.T, r rulefmt.Rule, s promql.Sample) string {
	t.Helper()
	const begin = "{{$labels := .Labels}}{{$value := .Value}}" // Prometheus puts it before each annotation
	data := template.AlertTemplateData(s.Metric.Map(), nil, "", s)
	text, err := template.NewTemplateExpander(t.Context(), begin+r.Annotations["summary"], r.Alert, data, 0, nil, nil, []string{"missingkey=error"}).Expand()
	if err != nil {
		t.Errorf("the summary of %s: %v", r.Alert, err)
	}
	return text
}

func minute(n int) time.Time { return time.Unix(0, 0).Add(time.Duration(n) * time.Minute) }

// rules are the alerts that people install.
func rules(t *testing.T) (all []rulefmt.Rule) {
	t.Helper()
	groups, problems := rulefmt.Parse(read(t, "prometheus/alerts.yaml"), false, model.UTF8Validation, promQL, slog.New(slog.DiscardHandler))
	for _, err := range problems {
		t.Error(err)
	}
	for _, g := range groups.Groups {
		all = append(all, g.Rules...)
	}
	return all
}

// parseSeries reads series as promtool writes them, and says for how many minutes they last.
func parseSeries(t *testing.T, texts []string) (held storage.Queryable, minutes int) {
	t.Helper()
	var all []storage.Series
	for _, text := range texts {
		of, values, err := promQL.ParseSeriesDesc(text)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		var samples []chunks.Sample
		for n, v := range values {
			samples = append(samples, sample{at: minute(n), value: v.Value})
		}
		all, minutes = append(all, storage.NewListSeries(of, samples)), max(minutes, len(values))
	}
	return &storage.MockQueryable{MockQuerier: &storage.MockQuerier{SelectMockFunction: func(_ bool, _ *storage.SelectHints, by ...*labels.Matcher) storage.SeriesSet {
		return &chosen{all: slices.DeleteFunc(slices.Clone(all), func(s storage.Series) bool { return !has(s.Labels(), by) })}
	}}}, minutes
}

func has(of labels.Labels, by []*labels.Matcher) bool {
	return !slices.ContainsFunc(by, func(m *labels.Matcher) bool { return !m.Matches(of.Get(m.Name)) })
}

// chosen are the series of a selector, in turn.
type chosen struct {
	all []storage.Series
	n   int
}

func (c *chosen) Next() bool                        { c.n++; return c.n <= len(c.all) }
func (c *chosen) At() storage.Series                { return c.all[c.n-1] }
func (c *chosen) Err() error                        { return nil }
func (c *chosen) Warnings() annotations.Annotations { return nil }

// sample is a number at a time.
type sample struct {
	chunks.Sample // a histogram is none
	at            time.Time
	value         float64
}

func (s sample) T() int64                 { return s.at.UnixMilli() }
func (s sample) ST() int64                { return 0 }
func (s sample) F() float64               { return s.value }
func (s sample) Type() chunkenc.ValueType { return chunkenc.ValFloat }
