package store

import (
	"fmt"
	"strings"
	"testing"
)

// A page may not take longer where there are many sites, checks and outages that it does not show.
func TestDaysAreFoundInIndexes(t *testing.T) {
	t.Parallel()
	d := newDesk(t, openSQLite(t))
	for _, q := range []struct {
		text string
		args []any
	}{
		{rolledDaysOf + "($2)", []any{1, 1}},
		{daysWithChecks + "($4)", []any{1, 2, 3, 1}},
		{freshOutages + "($2)" + outageBefore + "($2))", []any{1, 1}},
		{sitesOfDays + "($1)", []any{1}},
		{foldedDays + "($2)", []any{1, 1}},
		{turnsOfCheckIns + "($1) GROUP BY check_in", []any{1}},
		{turnsToFold, []any{1}},
		{dropFoldedTurns, []any{1, 1}},
	} {
		plan := d.plan(d.Text(q.text), q.args...)
		for step := range strings.Lines(plan) {
			step = strings.TrimSpace(step)
			small := step == "SCAN uptime_progress" || step == "SCAN days" || step == "SCAN d"
			if strings.HasPrefix(step, "SCAN") && !small || strings.Contains(step, "TEMP B-TREE") {
				t.Errorf("%s\nreads or sorts a whole table:\n%s", q.text, plan)
			}
		}
	}
	plan := d.plan(d.Text(foldableCheckIns), 1, 1)
	if strings.Contains(plan, "SCAN t") {
		t.Errorf("check-ins with many turns are found by reading all turns:\n%s", plan)
	}
}

func TestAPageTakesAFewStatements(t *testing.T) {
	t.Parallel()
	s := countStatements(t)
	d := newDesk(t, s.Store)
	if err := s.Read.Close(); err != nil {
		t.Fatal(err)
	}
	s.Read = s.Write // where statements are counted
	var shown []any
	for i := range 20 {
		shown = append(shown, d.site(d.ProjectID), d.checkIn(d.ProjectID, hourly(fmt.Sprint("job-", i))))
	}
	d.pageNamed("small", shown[:2]...)
	d.pageNamed("large", shown...)
	taken := func(id string) int64 {
		before := s.n.Load()
		d.view(noon, id)
		return s.n.Load() - before
	}
	if small, large := taken("small"), taken("large"); small != large || small > 15 {
		t.Errorf("a page takes %d statements, one with more components %d", small, large)
	}
}
