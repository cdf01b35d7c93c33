package insightdb_test

import (
	"context"
	"fmt"
	"math"
	"strings"
	"sync"
	"testing"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/insight"
	"sett/internal/store"
	"sett/internal/store/insightdb"
	"sett/internal/store/storetest"
)

var noon = storetest.Noon

// request returns an event of a request.
func request(at time.Time, status int, duration float64, path string) insight.Event {
	return insight.Event{At: at.UnixMicro(), Fields: []insight.Field{
		insight.TextField("event_type", "request"), insight.NumberField("status", float64(status)), insight.NumberField("duration", duration),
		insight.TextField("path", path), insight.TextField("request_id", fmt.Sprintf("Req-%d", at.Unix())),
	}}
}

func find(t *testing.T, s *store.Store, now time.Time, project int64, search string, change ...func(*insight.Plan)) insight.Result {
	t.Helper()
	filter, err := insight.ParseSearch(search)
	if err != nil {
		t.Fatal(err)
	}
	p := insight.Plan{Filter: filter, To: now.Add(time.Hour).UnixMicro(), Rows: 10}
	for _, f := range change {
		f(&p)
	}
	r, err := s.Insights.Query(t.Context(), now, time.Now().Add(time.Minute), project, p)
	if err != nil {
		t.Fatal(err)
	}
	if r.Unread > 0 || r.Since > 0 {
		t.Errorf("%s: %d unread, since %d", search, r.Unread, r.Since)
	}
	return r
}

func purgeAt(now time.Time) store.Purge {
	return store.Purge{Now: func() time.Time { return now }, Holder: "test", Rest: func(context.Context, time.Duration) error { return nil }}
}

// Events are found in the same way while they wait and when they are packed, and only in their project.
func TestEventsAreFound(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := storetest.NewDesk(t, s)
		other := d.Project("Other").ID
		for i := range 600 {
			at := noon.Add(time.Duration(i) * 10 * time.Second)
			d.Send(at, d.ProjectID, request(at, 200+100*(i%4), float64(i), fmt.Sprint("/orders/", i)))
		}
		d.Send(noon, other, request(noon, 200, 1, "/orders/1"))
		now := noon.Add(3 * time.Hour)
		check := func(when string) {
			for search, want := range map[string]int64{
				"": 600, "status:500": 150, "status:>=400": 300, "status:500 duration:>590": 3, "-status:500": 450, "path:/orders/1*": 111,
				`"ORDERS/59"`: 11, "orders/599": 1, "nothing:": 600, "path:": 0, "path:*": 600, "status:200 status:500": 300,
				"request:req-1763640010": 0, fmt.Sprintf("request:req-%d", noon.Add(10*time.Second).Unix()): 1, "duration:<10 duration:>5": 4, "EVENT_TYPE:request": 0, "event_type:REQUEST": 600,
			} {
				if r := find(t, s, now, d.ProjectID, search); r.Total != want || int64(len(r.Events)) != min(10, want) {
					t.Errorf("%s: %q finds %d (%d), want %d", when, search, r.Total, len(r.Events), want)
				}
			}
			r := find(t, s, now, d.ProjectID, "status:500", func(p *insight.Plan) { p.From, p.Step = noon.UnixMicro(), time.Hour.Microseconds() })
			if fmt.Sprint(r.Series) != "[90 60 0 0]" {
				t.Errorf("%s: by hour %v", when, r.Series)
			}
			if e := r.Events[0]; !e.Time().Equal(noon.Add(5990*time.Second)) || e.Fields[0].Value != `"request"` || len(e.Fields) != 5 {
				t.Errorf("%s: the newest is %+v", when, e)
			}
			grouped, err := insight.ParseStatement("stats count(), sum(duration), avg(duration), percentile(95, duration), max(duration) by status")
			if err != nil {
				t.Fatal(err)
			}
			r = find(t, s, now, d.ProjectID, "", func(p *insight.Plan) {
				*p = grouped.Plan(time.UnixMicro(p.From), time.UnixMicro(p.To), time.UTC)
			})
			if len(r.Rows) != 4 {
				t.Fatalf("%s: groups %+v", when, r.Rows)
			}
			g := r.Rows[0]
			if g[0].Text != "200" || g[1].Num != 150 || g[2].Num != 44700 || g[3].Num != 298 || g[5].Num != 596 {
				t.Errorf("%s: group %+v", when, g)
			}
			if p95 := g[4].Num; math.Abs(p95-568) > 6 {
				t.Errorf("%s: p95 is %v, want 568", when, p95)
			}
			for query, want := range map[string]string{
				"filter status in top(1, status) | stats count()":                    "150",
				"stats count() as n by top(2, status) | stats sum(n)":                "300",
				"fields path as p | limit 3 | stats count()":                         "3",
				"filter @stream.name == \"Default\" | unique status | stats count()": "4",
			} {
				asked, err := insight.ParseStatement(query)
				if err != nil {
					t.Fatal(err)
				}
				if r := find(t, s, now, d.ProjectID, "", func(p *insight.Plan) { *p = asked.Plan(time.UnixMicro(p.From), time.UnixMicro(p.To), time.UTC) }); len(r.Rows) != 1 || r.Rows[0][0].Text != want || r.Dropped {
					t.Errorf("%s: %s has %+v, want %s", when, query, r.Rows, want)
				}
			}
			r = find(t, s, now, d.ProjectID, "durration:>5")
			if len(r.Missing) != 1 || !strings.Contains(r.Missing[0], `mean "duration"?`) {
				t.Errorf("%s: suggestions %v", when, r.Missing)
			}
			if r = find(t, s, now, d.ProjectID, "status:999"); len(r.Missing) != 0 {
				t.Errorf("%s: suggestions %v", when, r.Missing)
			}
		}
		check("waiting")
		if n := d.Pack(noon.Add(2 * time.Minute)); n != 0 {
			t.Errorf("few events were packed at once, in %d steps", n)
		}
		if n := d.Pack(now); n != 2 {
			t.Errorf("the events of two projects were packed in %d steps", n)
		}
		d.WantNumbers("batches and chunks", `SELECT (SELECT count(*) FROM insight_batches), (SELECT count(*) FROM insight_chunks)`, nil, 0, 3)
		check("packed")
		if r := find(t, s, now, other, ""); r.Total != 1 {
			t.Errorf("the other project has %d events", r.Total)
		}
	})
}

// Whole chunks go when all of their events are too old, and what is left of an older one is not found.
func TestOldEventsGo(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := storetest.NewDesk(t, s)
		for day := range 3 {
			at := noon.AddDate(0, 0, day)
			d.Send(at, d.ProjectID, request(at, 200, 1, "/"))
			d.Pack(at.Add(2 * time.Hour))
		}
		now := noon.Add(insight.Keep + 2*time.Hour)
		if r := find(t, s, now, d.ProjectID, ""); r.Total != 2 {
			t.Errorf("%d events are found, want 2", r.Total)
		}
		n, err := s.PurgeInsights(t.Context(), purgeAt(now))
		if err != nil || n != 1 {
			t.Errorf("%d chunks are dropped, want 1: %v", n, err)
		}
		for _, table := range []string{"insight_parts", "insight_filters"} {
			d.WantNumbers(table, `SELECT count(*) FROM `+table+` WHERE chunk_id NOT IN (SELECT id FROM insight_chunks)`, nil, 0)
		}
		if r := find(t, s, now, d.ProjectID, ""); r.Total != 2 {
			t.Errorf("%d events are left, want 2", r.Total)
		}
		if _, err := s.PurgeInsights(t.Context(), purgeAt(now.AddDate(0, 0, 40))); err != nil {
			t.Fatal(err)
		}
		d.WantNumbers("days", `SELECT count(*) FROM insight_days`, nil, 0)
	})
}

// The bytes of a day are counted by project, and what is beyond the limit is refused.
func TestBytesOfADay(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := storetest.NewDesk(t, s)
		other := d.Project("Other").ID
		batch := func(project int64) *insightdb.Batch {
			return insightdb.NewBatch(project, 2, 100, noon.UnixMicro(), noon.UnixMicro(), insight.Event{At: noon.UnixMicro()}.Append(nil))
		}
		full, err := s.Insights.Record(t.Context(), noon, 150, []*insightdb.Batch{batch(d.ProjectID), batch(d.ProjectID), batch(other), batch(d.ProjectID), batch(987654)})
		if err != nil || fmt.Sprint(full) != "[false false false true false]" {
			t.Fatalf("full = %v, %v", full, err)
		}
		full, err = s.Insights.Record(t.Context(), noon, 150, []*insightdb.Batch{batch(d.ProjectID), batch(other)})
		if err != nil || fmt.Sprint(full) != "[true false]" {
			t.Fatalf("full = %v, %v", full, err)
		}
		if full, err = s.Insights.Record(t.Context(), noon.Add(12*time.Hour), 150, []*insightdb.Batch{batch(d.ProjectID)}); err != nil || full[0] {
			t.Fatalf("on the next day: %v, %v", full, err)
		}
		days, err := s.Insights.Days(t.Context(), d.ProjectID, noon)
		if err != nil || len(days) != 2 || days[0] != (insightdb.Day{Start: noon.Truncate(24 * time.Hour), Events: 4, Bytes: 200, Refused: 4}) {
			t.Errorf("days = %+v, %v", days, err)
		}
		d.WantNumbers("batches", `SELECT count(*) FROM insight_batches`, nil, 5)
	})
}

// With a project its events go.
func TestEventsOfADeletedProject(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := storetest.NewDesk(t, s)
		for i := range 3 {
			at := noon.Add(time.Duration(i) * time.Hour)
			d.Send(at, d.ProjectID, request(at, 200, 1, "/"))
			if i == 1 {
				d.Pack(at.Add(2 * time.Hour))
			}
		}
		if err := s.DeleteProject(t.Context(), d.ProjectID, func() {}); err != nil {
			t.Fatal(err)
		}
		for _, table := range []string{"insight_batches", "insight_chunks", "insight_filters", "insight_parts", "insight_days"} {
			d.WantNumbers(table, `SELECT count(*) FROM `+table, nil, 0)
		}
		if _, err := s.Insights.Record(t.Context(), noon, 1000, []*insightdb.Batch{insightdb.NewBatch(d.ProjectID, 1, 1, 1, 1, nil)}); err != nil {
			t.Errorf("late events: %v", err)
		}
	})
}

// Damaged events are counted, and keep none of the others from being found or packed.
func TestDamagedEvents(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := storetest.NewDesk(t, s)
		for i := range 2 {
			d.Send(noon, d.ProjectID, request(noon, 200+i, 1, "/"))
		}
		d.Run(`UPDATE insight_batches SET body = $1 WHERE id = (SELECT min(id) FROM insight_batches)`, []byte{9, 9})
		query := func() insight.Result {
			r, err := s.Insights.Query(t.Context(), noon, time.Now().Add(time.Minute), d.ProjectID, insight.Plan{To: math.MaxInt64, Rows: 9})
			if err != nil {
				t.Fatal(err)
			}
			return r
		}
		if r := query(); r.Total != 1 || r.Unread != 1 {
			t.Errorf("waiting: %+v", r)
		}
		if d.Pack(noon.Add(2*time.Hour)) != 1 {
			t.Error("the events are not packed")
		}
		d.Send(noon, d.ProjectID, request(noon, 404, 1, "/"))
		d.Run(`UPDATE insight_parts SET body = $1`, []byte{9, 9})
		if r := query(); r.Unread != 1 || len(r.Events) != 1 {
			t.Errorf("packed: %+v", r)
		}
		d.Run(`UPDATE insight_chunks SET times = $1`, []byte{})
		if r := query(); r.Unread != 1 || r.Total != 1 {
			t.Errorf("times: %+v", r)
		}
	})
}

// A query that has no time left says how far it came.
func TestAQueryOutOfTime(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := storetest.NewDesk(t, s)
		d.Send(noon, d.ProjectID, request(noon, 200, 1, "/"))
		d.Pack(noon.Add(2 * time.Hour))
		r, err := s.Insights.Query(t.Context(), noon, time.Now().Add(-time.Second), d.ProjectID, insight.Plan{To: math.MaxInt64})
		if err != nil || r.Since != noon.UnixMicro() || r.Total != 0 {
			t.Errorf("result = %+v, %v", r, err)
		}
	})
}

// TestOneQueryOfAProjectAtATime has a project with a query that runs: its next one waits, those of others do not.
func TestOneQueryOfAProjectAtATime(t *testing.T) {
	t.Parallel()
	d := storetest.NewDesk(t, storetest.OpenSQLite(t))
	store := d.Store.Insights
	query := func(project int64) error {
		_, err := store.Query(t.Context(), noon, time.Now().Add(time.Millisecond), project, insight.Plan{To: math.MaxInt64})
		return err
	}
	leave, err := store.Hold(t.Context(), d.ProjectID)
	if err != nil {
		t.Fatal(err)
	}
	if err := query(d.ProjectID); sett.CodeOf(err) != sett.Unavailable {
		t.Errorf("a second query: %v", err)
	}
	if err := query(d.ProjectID + 1); err != nil {
		t.Errorf("a query of another project: %v", err)
	}
	leave()
	if err := query(d.ProjectID); err != nil {
		t.Errorf("a query after the first: %v", err)
	}
}

// A tail shows what was received since.
func TestTail(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := storetest.NewDesk(t, s)
		d.Send(noon, d.ProjectID, request(noon, 200, 1, "/"))
		last, err := s.Insights.LastBatch(t.Context(), d.ProjectID)
		if err != nil {
			t.Fatal(err)
		}
		d.Send(noon, d.ProjectID, request(noon, 500, 1, "/"), request(noon, 404, 1, "/"))
		filter, err := insight.ParseSearch("status:>=500")
		if err != nil {
			t.Fatal(err)
		}
		events, next, err := s.Insights.Tail(t.Context(), d.ProjectID, last, filter, 10)
		if err != nil || len(events) != 1 || next <= last {
			t.Errorf("tail = %+v, %d, %v", events, next, err)
		}
		if events, again, err := s.Insights.Tail(t.Context(), d.ProjectID, next, filter, 10); err != nil || len(events) != 0 || again != next {
			t.Errorf("again = %+v, %v", events, err)
		}
		if sent, err := s.Insights.Sent(t.Context(), d.ProjectID); err != nil || !sent {
			t.Errorf("sent = %v, %v", sent, err)
		}
		if _, err := insight.ParseSearch(strings.Repeat("a ", 3000)); sett.CodeOf(err) != sett.Invalid {
			t.Errorf("a long search: %v", err)
		}
	})
}

// Several nodes pack at the same time, and each event stays there once.
func TestNodesPackOnce(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		if s.SQLite() {
			t.Skip("one process writes an SQLite file")
		}
		d := storetest.NewDesk(t, s)
		s.Insights.Sizes = insightdb.Sizes{Enough: 10, Most: 50}
		for i := range 100 {
			at := noon.Add(time.Duration(i) * time.Second)
			d.Send(at, d.ProjectID, request(at, 200, 1, "/"), request(at, 500, 1, "/"), request(at, 404, 1, "/"))
		}
		var nodes sync.WaitGroup
		for _, holder := range []string{"a", "b", "c"} {
			nodes.Go(func() {
				p := purgeAt(noon.Add(2 * time.Hour))
				p.Holder = holder
				if _, err := s.PackInsights(t.Context(), p); err != nil {
					t.Errorf("node %s: %v", holder, err)
				}
			})
		}
		nodes.Wait()
		d.Pack(noon.Add(2 * time.Hour)) // what a node left that had the lease
		d.WantNumbers("batches, and events in chunks", `SELECT (SELECT count(*) FROM insight_batches), (SELECT CAST(sum(count) AS bigint) FROM insight_chunks)`, nil, 0, 300)
		if r := find(t, s, noon.Add(2*time.Hour), d.ProjectID, "status:500"); r.Total != 100 {
			t.Errorf("%d events are found, want 100", r.Total)
		}
	})
}
