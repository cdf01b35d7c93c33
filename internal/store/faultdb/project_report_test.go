package faultdb_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/faults"
	"sett/internal/sett/stats"
	"sett/internal/store"
	"sett/internal/store/accountdb"
	"sett/internal/store/faultdb"
	"sett/internal/store/storetest"
)

// tally reads a report as a text, such as "A 2, B 1".
func (d *desk) tally(kind stats.ReportKind, environment string, span stats.ReportSpan) (text string) {
	d.T.Helper()
	rows, err := d.Faults.ProjectReport(d.T.Context(), storetest.Noon, d.ProjectID, kind, environment, span)
	if err != nil {
		d.T.Fatal(err)
	}
	for i, row := range rows {
		if i > 0 {
			text += ", "
		}
		text += fmt.Sprint(row.Label, " ", row.Count)
	}
	return text
}

func TestProjectReports(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		other := d.Project("Other").ID
		staging := func(r *faults.Report) { r.Environment = "staging" }
		elsewhere := func(r *faults.Report) { r.ProjectID = other }
		bob := func(r *faults.Report) { r.User = "bob" }
		bare := func(r *faults.Report) { r.User, r.Component, r.Action = "", "", "" }
		action := func(r *faults.Report) { r.Component = "" }
		d.Record(storetest.Noon.Add(-36*time.Hour), accounts.Limits{}, d.Report("A"), d.Report("C", elsewhere)) // at midnight
		d.Record(storetest.Noon.Add(-61*time.Minute), accounts.Limits{}, d.Report("B", bob), d.Report("B", staging), d.Report("C", bare))
		d.Record(storetest.Noon, accounts.Limits{}, d.Report("A"), d.Report("", action), d.Report("D", elsewhere))

		hours := func(from, to int) stats.ReportSpan {
			return stats.ReportSpan{From: storetest.Noon.Add(time.Duration(from) * time.Hour), To: storetest.Noon.Add(time.Duration(to) * time.Hour)}
		}
		check := func(when string) {
			for _, c := range []struct {
				kind        stats.ReportKind
				environment string
				span        stats.ReportSpan
				want        string
			}{
				{stats.NoticesByClass, "", hours(-36, 1), "A 2, B 2,  1, C 1"},
				{stats.NoticesByClass, "staging", hours(-36, 1), "B 1"},
				{stats.NoticesByClass, "nowhere", hours(-36, 1), ""},
				{stats.NoticesByClass, "", hours(-35, 1), "B 2,  1, A 1, C 1"},
				{stats.NoticesByClass, "", hours(-36, 0), "B 2, A 1, C 1"},
				{stats.NoticesByClass, "", hours(-2, -1), "B 2, C 1"},
				{stats.NoticesByClass, "", hours(-1, -1), ""},
				{stats.NoticesByClass, "", stats.ReportSpan{From: time.Unix(0, 0), To: storetest.Noon.AddDate(7000, 0, 0)}, "A 2, B 2,  1, C 1"},
				{stats.NoticesByLocation, "", hours(-36, 1), "Orders#create 4,  1, create 1"},
				{stats.NoticesByLocation, "production", hours(-2, 0), " 1, Orders#create 1"},
				{stats.NoticesByUser, "", hours(-36, 1), "ann@example.test 4, bob 1"},
				{stats.NoticesByUser, "production", hours(-2, 0), "bob 1"},
				{stats.NoticesPerDay, "", hours(-48, 13), "2026-11-16T00:00:00.000000+00:00 0, 2026-11-17T00:00:00.000000+00:00 1, 2026-11-18T00:00:00.000000+00:00 5, 2026-11-19T00:00:00.000000+00:00 0"},
				{stats.NoticesPerDay, "staging", hours(-12, 12), "2026-11-18T00:00:00.000000+00:00 1"},
				{stats.NoticesPerDay, "", hours(-35, 0), "2026-11-17T00:00:00.000000+00:00 0, 2026-11-18T00:00:00.000000+00:00 3"},
			} {
				if got := d.tally(c.kind, c.environment, c.span); got != c.want {
					t.Errorf("%s: %s in %q of %v:\ngot  %s\nwant %s", when, c.kind, c.environment, c.span, got, c.want)
				}
			}
		}
		check("as recorded")
		if err := s.Faults.DeleteFault(t.Context(), d.ProjectID, d.Numbers(storetest.ReplaceID(`SELECT min(id) FROM faults WHERE class = 'A' AND project_id = $`, d.ProjectID), 1)[0]); err != nil {
			t.Fatal(err)
		}
		check("without fault A")
		d.Run(`DELETE FROM notices`)
		d.Run(`DELETE FROM fault_notices`)
		check("without any notice")

		_, err := s.Faults.ProjectReport(t.Context(), storetest.Noon, 999999, stats.NoticesByClass, "", hours(-1, 0))
		if sett.CodeOf(err) != sett.NotFound {
			t.Errorf("of no project: %v", err)
		}
		quiet := &desk{storetest.DeskOf(s, accountdb.SetupResult{ProjectID: d.Project("Quiet").ID}, t)}
		if got := quiet.tally(stats.NoticesByClass, "", hours(-36, 1)) + quiet.tally(stats.NoticesPerDay, "", hours(-12, 1)); got != "2026-11-18T00:00:00.000000+00:00 0" {
			t.Errorf("of a project without notices: %s", got)
		}
	})
}

func TestAReportHasAtMostSoManyRows(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		var reports []*faultdb.Packed
		for i := range stats.MaxReportRows + 5 {
			reports = append(reports, d.Report("A", func(r *faults.Report) { r.User = fmt.Sprintf("user%04d", i) }))
		}
		d.Record(storetest.Noon, accounts.Limits{}, append(reports, d.Report("A", func(r *faults.Report) { r.User = "zoe" }), d.Report("A", func(r *faults.Report) { r.User = "zoe" }))...)
		rows, err := s.Faults.ProjectReport(t.Context(), storetest.Noon, d.ProjectID, stats.NoticesByUser, "", stats.ReportSpan{From: storetest.Noon, To: storetest.Noon.Add(time.Hour)})
		if err != nil || len(rows) != stats.MaxReportRows {
			t.Fatalf("%d rows, %v", len(rows), err)
		}
		if diff := cmp.Diff([]stats.ReportRow{{Label: "zoe", Count: 2}, {Label: "user0000", Count: 1}}, rows[:2]); diff != "" {
			t.Errorf("the first rows (-want +got):\n%s", diff)
		}
	})
}
