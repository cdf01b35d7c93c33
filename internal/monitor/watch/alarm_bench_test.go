package watch

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"sett/internal/sett"
	"sett/internal/sett/alarm"
	"sett/internal/sett/insight"
	"sett/internal/store"
	"sett/internal/store/db"
	"sett/internal/store/storetest"
)

// The alarms of the benchmark: a thousand, in as many projects as that takes. Each project gets ten events a second, as clients send them: every five seconds.
const (
	benchProjects  = 1000 / alarm.MostAlarms
	benchEvents    = 50 // that one request has
	benchEvery     = 5 * time.Second
	benchMinutes   = 30 // that have passed before
	ticksPerSecond = 100
)

// benchQueries are what people ask, by turns; the last two read what sett records too, or alone.
var benchQueries = []string{
	`filter event_type::str == "request" and status::int >= 500`,
	`filter event_type::str == "request" and duration::float > 900 and path::str like "/orders/1%"`,
	`filter event_type::str == "request" | stats percentile(95, duration::float) as p95 by path::str | filter p95 > 950`,
	`filter event_type::str == "payment"`,
	`filter event_type::str == "notice"`,
}

// sentToPostgres counts the statements that PostgreSQL gets, and the rows that it answers with.
type sentToPostgres struct{ statements, rows atomic.Int64 }

func (c *sentToPostgres) TraceQueryStart(ctx context.Context, _ *pgx.Conn, _ pgx.TraceQueryStartData) context.Context {
	c.statements.Add(1)
	return ctx
}

func (c *sentToPostgres) TraceQueryEnd(_ context.Context, _ *pgx.Conn, data pgx.TraceQueryEndData) {
	c.rows.Add(data.CommandTag.RowsAffected())
}

// BenchmarkAlarms evaluates a thousand alarms with a period of a minute. An operation is a minute. It reports the CPU time of this process and of PostgreSQL,
// what PostgreSQL was asked, and how long after the minute the last alarm is evaluated.
func BenchmarkAlarms(bench *testing.B) {
	for _, engine := range []string{"sqlite", "postgres"} {
		bench.Run(engine, func(bench *testing.B) {
			var sent sentToPostgres
			o := db.Options{Tracer: &sent, ReadTracer: &sent}
			if engine == "sqlite" {
				o.Dir = storetest.MigratedDir(bench)
			} else {
				o.Database = storetest.FreshPostgres(bench)
			}
			s := storetest.OpenTest(bench, o)
			m := newMinutes(bench, s)
			for range benchMinutes {
				m.pass()
			}
			m.pack()
			m.round() // the first one
			postmaster := 0
			if engine == "postgres" {
				postmaster = postmasterOf(int(m.d.Numbers("SELECT pg_backend_pid()", 1)[0]))
			}
			var own, server, late time.Duration
			var statements, rows int64
			for bench.Loop() {
				bench.StopTimer()
				m.pass()
				m.pack()
				ownBefore, serverBefore, statementsBefore, rowsBefore := ownCPU(bench), cpuOf(postmaster), sent.statements.Load(), sent.rows.Load()
				began := time.Now()
				bench.StartTimer()
				m.round()
				late += time.Since(began)
				own, server = own+ownCPU(bench)-ownBefore, server+cpuOf(postmaster)-serverBefore
				statements, rows = statements+sent.statements.Load()-statementsBefore, rows+sent.rows.Load()-rowsBefore
			}
			n := float64(bench.N)
			bench.ReportMetric(own.Seconds()/n*1000, "cpu-ms/min")
			bench.ReportMetric(late.Seconds()/n*1000, "late-ms")
			if engine == "postgres" {
				bench.ReportMetric(server.Seconds()/n*1000, "postgres-cpu-ms/min")
				bench.ReportMetric(float64(statements)/n, "statements/min")
				bench.ReportMetric(float64(rows)/n, "rows/min")
			}
			if left := m.d.Numbers(fmt.Sprint(`SELECT count(*) FROM alarms WHERE next_check <= `, m.now.UnixMicro()), 1)[0]; left > 0 {
				bench.Errorf("%d alarms are late", left)
			}
		})
	}
}

// minutes is a server whose minutes pass when they are asked to.
type minutes struct {
	bench    *testing.B
	d        *storetest.Desk
	a        *Alarms
	projects []int64
	now      time.Time
	sent     int
}

func newMinutes(bench *testing.B, s *store.Store) *minutes {
	d := storetest.NewDesk(bench, s)
	m := &minutes{bench: bench, d: d, projects: []int64{d.ProjectID}, now: storetest.Clock(0)}
	for i := range benchProjects - 1 {
		m.projects = append(m.projects, d.Project(fmt.Sprint("P", i)).ID)
	}
	for _, project := range m.projects {
		for i := range alarm.MostAlarms {
			d.Alarm(project, func(c *alarm.AlarmChange) { c.Query = sett.Some(benchQueries[i%len(benchQueries)]) })
		}
	}
	m.a = NewAlarms(AlarmOptions{
		Alarms: s.Alarms, Insights: s.Insights, Sees: func(time.Time) bool { return true }, Now: func() time.Time { return m.now }, Log: slog.New(slog.DiscardHandler),
	})
	return m
}

// pass sends the events of a minute.
func (m *minutes) pass() {
	for until := m.now.Add(time.Minute); m.now.Before(until); m.now = m.now.Add(benchEvery) {
		for _, project := range m.projects {
			events := make([]insight.Event, benchEvents)
			for i := range events {
				n := m.sent + i
				events[i] = insight.Event{At: m.now.UnixMicro() + int64(i)*benchEvery.Microseconds()/benchEvents, Fields: []insight.Field{
					insight.TextField("event_type", "request"), insight.TextField("path", fmt.Sprintf("/orders/%d", n%97)), insight.NumberField("status", float64(200+100*(n%4))),
					insight.NumberField("duration", float64(n*7919%10007)/10), insight.TextField("request_id", fmt.Sprintf("%x", n*2654435761)), insight.TextField("host", fmt.Sprintf("web-%d", n%5)),
				}}
			}
			m.sent += benchEvents
			m.d.Send(m.now, project, events...)
		}
	}
}

func (m *minutes) pack() { m.d.Pack(m.now) }

// round evaluates what is due.
func (m *minutes) round() {
	for more := true; more; {
		var err error
		if more, err = m.a.Evaluate(m.bench.Context()); err != nil {
			m.bench.Fatal(err)
		}
	}
}

func ownCPU(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// postmasterOf returns the process that has started a session of PostgreSQL; 0 where /proc does not tell.
func postmasterOf(session int) (pid int) {
	pid, _, _ = statOf(session)
	return pid
}

// cpuOf returns the CPU time of a process and its children, as long as they live.
func cpuOf(postmaster int) (all time.Duration) {
	entries, err := os.ReadDir("/proc")
	if err != nil || postmaster == 0 {
		return 0
	}
	for _, e := range entries {
		var pid int
		if _, err := fmt.Sscan(e.Name(), &pid); err != nil {
			continue
		}
		if parent, used, ok := statOf(pid); ok && (parent == postmaster || pid == postmaster) {
			all += used
		}
	}
	return all
}

// statOf reads the parent and the CPU time of a process.
func statOf(pid int) (parent int, used time.Duration, ok bool) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, 0, false
	}
	fields := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:]))
	var user, system int64
	if _, err := fmt.Sscan(fields[1]+" "+fields[11]+" "+fields[12], &parent, &user, &system); err != nil {
		return 0, 0, false
	}
	return parent, time.Duration(user+system) * time.Second / ticksPerSecond, true
}
