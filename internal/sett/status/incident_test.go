package status

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sett/internal/sett"
	"sett/internal/sett/status/locale"
)

var noonOfStatus = time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)

func TestStatusAfterUpdates(t *testing.T) {
	t.Parallel()
	at := func(m int) time.Time { return noonOfStatus.Add(time.Duration(m) * time.Minute) }
	i := StatusIncident{Kind: Disruption, Status: Investigating, Automatic: true, StartsAt: at(0)}
	for m, step := range []struct {
		status   string
		want     IncidentStatus
		resolved int // minute; 0: not
	}{{"", Investigating, 0}, {"monitoring", Monitoring, 0}, {"resolved", Resolved, 3}, {"", Resolved, 3}, {"identified", Identified, 0}, {"resolved", Resolved, 6}} {
		change := IncidentUpdateChange{Message: sett.Some("x")}
		if step.status != "" {
			change.Status = sett.Some(step.status)
		}
		next, u, err := change.Create(i, at(m+1))
		u.ID = int64(m + 1)
		next.Updates = append([]IncidentUpdate{u}, i.Updates...)
		want := time.Time{}
		if step.resolved > 0 {
			want = at(step.resolved)
		}
		if err != nil || next.Status != step.want || !next.ResolvedAt.Equal(want) || next.Automatic || !next.UpdatedAt.Equal(at(m+1)) {
			t.Fatalf("update %d: %v %+v", m+1, err, next)
		}
		i = next
	}
	back, err := i.Without(6, at(7))
	if err != nil || back.Status != Identified || !back.ResolvedAt.IsZero() || len(back.Updates) != 5 || len(i.Updates) != 6 {
		t.Errorf("without the last: %v %+v", err, back)
	}
	if back, err = back.Without(5, at(8)); err != nil || back.Status != Resolved || !back.ResolvedAt.Equal(at(3)) {
		t.Errorf("without the last two: %v %+v", err, back)
	}
	if back, err = back.Without(3, at(9)); err != nil || back.Status != Resolved || !back.ResolvedAt.Equal(at(4)) {
		t.Errorf("without the first that resolved: %v %+v", err, back)
	}
	if _, err := back.Without(9, at(9)); sett.CodeOf(err) != sett.NotFound {
		t.Errorf("without one that there is not: %v", err)
	}
}

func TestMaintenanceMovesOn(t *testing.T) {
	t.Parallel()
	from, to := noonOfStatus, noonOfStatus.Add(time.Hour)
	fresh := StatusIncident{Kind: Maintenance, Status: Scheduled, StartsAt: from, EndsAt: to}
	for name, c := range map[string]struct {
		i    StatusIncident
		now  time.Time
		want string
	}{
		"before it begins":       {fresh, from.Add(-1), "scheduled"},
		"when it begins":         {fresh, from, "in_progress in_progress"},
		"before it ends":         {StatusIncident{Kind: Maintenance, Status: InProgress, StartsAt: from, EndsAt: to}, to.Add(-1), "in_progress"},
		"when it ends":           {StatusIncident{Kind: Maintenance, Status: InProgress, StartsAt: from, EndsAt: to}, to, "completed completed"},
		"long after":             {fresh, to.Add(time.Hour), "completed in_progress completed"},
		"when it was called off": {StatusIncident{Kind: Maintenance, Status: Completed, StartsAt: from, EndsAt: to, ResolvedAt: from}, to, "completed"},
		"an incident":            {StatusIncident{Kind: Disruption, Status: Investigating, StartsAt: from}, to, "investigating"},
	} {
		i, updates := c.i.Move(c.now)
		got := []string{string(i.Status)}
		for _, u := range updates {
			got = append(got, string(u.Status))
			if !u.Automatic || u.Message == "" || !u.At.Equal(c.now) {
				t.Errorf("%s: %+v", name, u)
			}
		}
		if text := strings.Join(got, " "); text != c.want || i.Status.Over() == i.ResolvedAt.IsZero() {
			t.Errorf("%s: %s, want %s", name, text, c.want)
		}
	}
}

// downSites are so many components that are down, since the minutes before noon that are their ids.
func downSites(names ...string) (found []ComponentWatch) {
	for n, name := range names {
		c := ComponentWatch{DownAt: noonOfStatus.Add(-time.Duration(n+1) * time.Minute)}
		c.ID, c.Name, c.State, c.SiteID = int64(n+1), name, ComponentDown, sett.UUID{1}
		found = append(found, c)
	}
	return found
}

func TestWhatAutomaticIncidentsSay(t *testing.T) {
	t.Parallel()
	page := StatusPage{StatusPageSettings: StatusPageSettings{AutoIncidents: true}}
	many := downSites(strings.Split(strings.Repeat(strings.Repeat("ö", 255)+",", 59)+"last", ",")...)
	i, u, changed := page.Watch(many, nil, noonOfStatus)
	if !changed || len(i.ComponentIDs) != 60 || len([]rune(u.Message)) > longestIncidentMessage || len([]rune(i.Name)) > 255 ||
		!strings.Contains(u.Message, "\nThere are 39 more.\nlast is down") {
		t.Errorf("%d components, %s\n%s", len(i.ComponentIDs), i.Name, u.Message)
	}
	old := downSites("Shop")
	old[0].DownAt = noonOfStatus.Add(-50 * time.Hour)
	i, u, _ = page.Watch(old, nil, noonOfStatus)
	if u.Message != "Our checks have failed since 20 November 2026, 10:00 UTC." || !i.StartsAt.Equal(old[0].DownAt) {
		t.Errorf("after a while: %s, %v", u.Message, i.StartsAt)
	}
	old[0].DownAt = noonOfStatus.Add(time.Hour)
	if i, u, _ = page.Watch(old, nil, noonOfStatus); u.Message != "Our checks have failed since 12:00 UTC." || !i.StartsAt.Equal(noonOfStatus) {
		t.Errorf("by a clock that is ahead: %s, %v", u.Message, i.StartsAt)
	}
	for d, want := range map[time.Duration]string{
		0: "less than a minute", 90 * time.Second: "1 minute", 59 * time.Minute: "59 minutes", time.Hour: "1 hour",
		125 * time.Minute: "2 hours and 5 minutes", 24 * time.Hour: "1 day", 73 * time.Hour: "3 days and 1 hour",
	} {
		if got := lasted(locale.English, d); got != want {
			t.Errorf("%v: %s, want %s", d, got, want)
		}
	}
}

func TestWhoReportsAnOutage(t *testing.T) {
	t.Parallel()
	page := StatusPage{StatusPageSettings: StatusPageSettings{AutoIncidents: true}}
	people := func(change ...func(*StatusIncident)) []StatusIncident {
		i := StatusIncident{ID: 7, Kind: Disruption, Status: Investigating, ComponentIDs: []int64{1}}
		for _, f := range change {
			f(&i)
		}
		return []StatusIncident{i}
	}
	work := func(status IncidentStatus, about ...int64) []StatusIncident {
		return people(func(i *StatusIncident) { i.Kind, i.Status, i.ComponentIDs = Maintenance, status, about })
	}
	for name, c := range map[string]struct {
		incidents []StatusIncident
		want      []int64 // components of the incident that is opened
	}{
		"no users":                   {nil, []int64{1, 2}},
		"people, of one":             {people(), []int64{2}},
		"people, of another":         {people(func(i *StatusIncident) { i.ComponentIDs = []int64{3} }), []int64{1, 2}},
		"people, of all of the page": {people(func(i *StatusIncident) { i.ComponentIDs = nil }), []int64{1, 2}},
		"people, who have ended it":  {people(func(i *StatusIncident) { i.ResolvedAt = noonOfStatus }), []int64{2}},
		"people, of an earlier one":  {people(func(i *StatusIncident) { i.ResolvedAt = noonOfStatus.Add(-time.Minute) }), []int64{1, 2}},
		"work that is planned":       {work(Scheduled, 1), []int64{1, 2}},
		"work on one":                {work(InProgress, 1), []int64{2}},
		"work on all of the page":    {work(InProgress), nil},
		"work on both":               {work(InProgress, 1, 2), nil},
	} {
		i, _, _ := page.Watch(downSites("Shop", "Blog"), c.incidents, noonOfStatus)
		if diff := cmp.Diff(c.want, i.ComponentIDs); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestWhyAnAutomaticIncidentEnds(t *testing.T) {
	t.Parallel()
	page := StatusPage{StatusPageSettings: StatusPageSettings{AutoIncidents: true}}
	open := StatusIncident{ID: 7, Kind: Disruption, Status: Investigating, Automatic: true, ComponentIDs: []int64{1}, StartsAt: noonOfStatus.Add(-38 * time.Minute)}
	shop := downSites("Shop")[0]
	as := func(s ComponentState) ComponentWatch {
		c := shop
		c.State = s
		return c
	}
	job := as(ComponentUp)
	job.SiteID, job.CheckInID = sett.UUID{}, "backup"
	waiting := job
	waiting.State = ComponentUnknown
	work := StatusIncident{ID: 8, Kind: Maintenance, Status: InProgress}
	theirs := StatusIncident{ID: 9, Kind: Disruption, Status: Identified, ComponentIDs: []int64{1}}
	for _, c := range []struct {
		component ComponentWatch
		others    []StatusIncident
		want      string
	}{
		{as(ComponentUp), nil, "Shop works again."},
		{job, nil, "Shop has reported again."},
		{as(ComponentPaused), nil, "Shop is no longer watched."},
		{waiting, nil, "Shop is no longer watched."},
		{shop, []StatusIncident{work}, "Shop is being worked on, as announced."},
		{shop, []StatusIncident{theirs}, "Another incident covers Shop."},
	} {
		i, u, changed := page.Watch([]ComponentWatch{c.component}, append(c.others, open), noonOfStatus)
		if want := c.want + "\nThis lasted 38 minutes."; !changed || u.Message != want || u.Status != Resolved || !i.ResolvedAt.Equal(noonOfStatus) || !i.Automatic {
			t.Errorf("%s\n%+v %+v", c.want, i, u)
		}
	}
	for _, state := range []ComponentState{ComponentDown, ComponentUnknown} { // it is not known whether it works again
		if _, _, changed := page.Watch([]ComponentWatch{as(state)}, []StatusIncident{open}, noonOfStatus); changed {
			t.Errorf("nothing has happened, and it has changed: %s", state)
		}
	}
	if _, _, changed := page.Watch([]ComponentWatch{as(ComponentUnknown)}, nil, noonOfStatus); changed {
		t.Error("an incident for a site that was not checked yet")
	}
	i, u, changed := StatusPage{}.Watch([]ComponentWatch{shop}, []StatusIncident{open}, noonOfStatus)
	if !changed || i.Automatic || u.Status != "" || !i.ResolvedAt.IsZero() {
		t.Errorf("a page that wants no automatic incidents: %+v %+v", i, u)
	}
}

// planned is a change that makes maintenance that begins and ends so many minutes from noon.
func planned(from, to int) IncidentChange {
	at := func(m int) sett.Optional[string] {
		return sett.Some(noonOfStatus.Add(time.Duration(m) * time.Minute).Format(time.RFC3339))
	}
	return IncidentChange{Kind: sett.Some("maintenance"), Name: sett.Some("Disks"), Message: sett.Some("Planned."), StartsAt: at(from), EndsAt: at(to)}
}

func TestHowFarNewMaintenanceIs(t *testing.T) {
	t.Parallel()
	const began, ended = "Please correct: status cannot be scheduled: starts_at has passed. Change starts_at and ends_at of the incident first.", "Please correct: status cannot be in_progress: ends_at has passed. Change ends_at of the incident first."
	for _, c := range []struct {
		from, to             int
		status, want, errors string
		resolved             int // minutes from noon
		recorded             bool
	}{
		{10, 20, "", "scheduled", "", 0, false},
		{-10, 20, "", "in_progress", "", 0, false},
		{0, 20, "", "in_progress", "", 0, false},
		{-20, -10, "", "completed", "", -10, true},
		{-20, 0, "", "completed", "", 0, true},
		{-20, -10, "completed", "completed", "", -10, true},
		{-20, 10, "completed", "completed", "", 0, false},
		{10, 20, "in_progress", "in_progress", "", 0, false},
		{10, 20, "completed", "completed", "", 0, false},
		{-10, 20, "scheduled", "", began, 0, false},
		{-20, -10, "in_progress", "", ended, 0, false},
	} {
		change := planned(c.from, c.to)
		if c.status != "" {
			change.Status = sett.Some(c.status)
		}
		i, u, err := change.Create(StatusPage{}, noonOfStatus)
		if err != nil || c.errors != "" {
			if err == nil || err.Error() != c.errors {
				t.Errorf("%+v: %v", c, err)
			}
			continue
		}
		over := c.want == "completed"
		resolved := noonOfStatus.Add(time.Duration(c.resolved) * time.Minute)
		if string(i.Status) != c.want || u.Status != i.Status || i.Recorded() != c.recorded || i.ResolvedAt.IsZero() == over || over && (!i.ResolvedAt.Equal(resolved) || !u.At.Equal(resolved)) || !over && !u.At.Equal(noonOfStatus) {
			t.Errorf("%+v: %+v %+v", c, i, u)
		}
	}
}

func TestMaintenanceThatIsCalledOff(t *testing.T) {
	t.Parallel()
	i, u, err := planned(600, 700).Create(StatusPage{}, noonOfStatus)
	if err != nil {
		t.Fatal(err)
	}
	i.Updates = []IncidentUpdate{u}
	off := noonOfStatus.Add(time.Hour)
	i, u, err = IncidentUpdateChange{Status: sett.Some("completed"), Message: sett.Some("Off.")}.Create(i, off)
	if err != nil || !i.ResolvedAt.Equal(off) || !i.ListedAt().Equal(off) || i.Recorded() {
		t.Errorf("%+v, %v", i, err)
	}
	i.Updates = append([]IncidentUpdate{u}, i.Updates...)
	if _, err := (IncidentChange{StartsAt: planned(650, 0).StartsAt}).Update(i, StatusPage{}, off); err != nil {
		t.Errorf("another time for what was called off: %v", err)
	}
}

func TestIncidentsBeginBeforeTheyEnd(t *testing.T) {
	t.Parallel()
	const wrong = "Please correct: starts_at must not be after resolved_at, which is 2026-11-22T12:00:00Z."
	for name, i := range map[string]StatusIncident{
		"incident":    {Kind: Disruption, Status: Resolved, Name: "x", StartsAt: noonOfStatus.Add(-time.Hour), ResolvedAt: noonOfStatus},
		"maintenance": {Kind: Maintenance, Status: Completed, Name: "x", StartsAt: noonOfStatus.Add(-time.Hour), EndsAt: noonOfStatus.Add(time.Hour), ResolvedAt: noonOfStatus, Updates: []IncidentUpdate{{Status: Completed}, {Status: InProgress}}},
	} {
		if i.ListedAt() != i.StartsAt {
			t.Errorf("%s: %v", name, i.ListedAt())
		}
		for minutes, want := range map[int]string{-30: "<nil>", 0: "<nil>", 1: wrong} {
			_, err := IncidentChange{StartsAt: planned(minutes, 0).StartsAt}.Update(i, StatusPage{}, noonOfStatus.Add(time.Hour))
			if fmt.Sprint(err) != want {
				t.Errorf("%s, %d minutes: %v", name, minutes, err)
			}
		}
	}
}

func TestNamesOfAutomaticIncidents(t *testing.T) {
	t.Parallel()
	page := StatusPage{StatusPageSettings: StatusPageSettings{AutoIncidents: true}}
	all := downSites("Search", "nightly", "Blog")
	all[1].SiteID, all[1].CheckInID = sett.UUID{}, "nightly"
	now := func(down ...int) (found []ComponentWatch) {
		for n, c := range all {
			if c.State = ComponentUp; slices.Contains(down, n) {
				c.State = ComponentDown
			}
			found = append(found, c)
		}
		return found
	}
	i, _, _ := page.Watch(now(0), nil, noonOfStatus)
	i.ID = 7
	for _, c := range []struct {
		down       []int
		name, says string
	}{
		{[]int{0, 1}, "Search and nightly are down", "nightly was to report by 11:58 UTC and has not."},
		{[]int{0, 1, 2}, "Search and 2 more are down", "Blog is down: our checks have failed since 11:57 UTC."},
		{[]int{1, 2}, "nightly and Blog are down", "Search works again.\nnightly and Blog are still down."},
		{[]int{1}, "nightly has not reported", "Blog works again.\nnightly has still not reported."},
		{[]int{2}, "Blog is down", "nightly has reported again.\nBlog is down: our checks have failed since 11:57 UTC."},
		{[]int{0, 2}, "Search and Blog are down", "Search is down: our checks have failed since 11:59 UTC."},
		{[]int{0}, "Search is down", "Blog works again.\nSearch is still down."},
		{nil, "Search is down", "Search works again.\nThis lasted 1 minute."},
	} {
		var u IncidentUpdate
		if i, u, _ = page.Watch(now(c.down...), []StatusIncident{i}, noonOfStatus); i.Name != c.name || u.Message != c.says {
			t.Errorf("%v: %s\n%s", c.down, i.Name, u.Message)
		}
	}
}
