package statusdb_test

import (
	"fmt"
	"strings"
	"testing"

	"sett/internal/store/statusdb"
	"sett/internal/store/storetest"
)

// A page may not take longer where there are many sites, checks and outages that it does not show.
func TestDaysAreFoundInIndexes(t *testing.T) {
	t.Parallel()
	d := newDesk(t, storetest.OpenSQLite(t))
	for _, q := range []struct {
		text string
		args []any
	}{
		{statusdb.RolledDaysOf + "($2)", []any{1, 1}},
		{statusdb.DaysWithChecks + "($4)", []any{1, 2, 3, 1}},
		{statusdb.FreshOutages + "($2)" + statusdb.OutageBefore + "($2))", []any{1, 1}},
		{statusdb.SitesOfDays + "($1)", []any{1}},
		{statusdb.RolledUpDays + "($2)", []any{1, 1}},
		{statusdb.ResponseTimesOfPage, []any{1, 1, 2}},
		{statusdb.TurnsOfCheckIns + "($1) GROUP BY check_in", []any{1}},
	} {
		plan := d.Plan(d.Text(q.text), q.args...)
		for step := range strings.Lines(plan) {
			step = strings.TrimSpace(step)
			small := step == "SCAN uptime_progress" || step == "SCAN days" || step == "SCAN d"
			if strings.HasPrefix(step, "SCAN") && !small || strings.Contains(step, "TEMP B-TREE") && q.text != statusdb.ResponseTimesOfPage {
				t.Errorf("%s\nreads or sorts a whole table:\n%s", q.text, plan)
			}
		}
	}
}

func TestAPageTakesAFewStatements(t *testing.T) {
	t.Parallel()
	s := storetest.CountStatements(t)
	d := newDesk(t, s.Store)
	if err := s.Read.Close(); err != nil {
		t.Fatal(err)
	}
	s.Read = s.Write // where statements are counted
	var shown []any
	for i := range 20 {
		shown = append(shown, d.Site(d.ProjectID), d.CheckIn(d.ProjectID, storetest.Hourly(fmt.Sprint("job-", i))))
	}
	d.PageNamed("small", shown[:2]...)
	d.PageNamed("large", shown...)
	taken := func(id string) int64 {
		before := s.N.Load()
		d.View(storetest.Noon, id)
		if _, err := d.Status.StatusHistory(t.Context(), id, 100); err != nil {
			t.Fatal(err)
		}
		if _, err := d.Status.ResponseTimes(t.Context(), storetest.Noon, d.FindStatusPage(id).Number); err != nil {
			t.Fatal(err)
		}
		return s.N.Load() - before
	}
	if small, large := taken("small"), taken("large"); small != large || small > 25 {
		t.Errorf("a page takes %d statements, one with more components %d", small, large)
	}
}
