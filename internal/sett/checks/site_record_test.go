package checks

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sett/internal/sett"
)

// record is an up site of which some locations are live.
func record(live ...Location) (*SiteRecord, []LiveLocation) {
	r := &SiteRecord{Site: Site{SiteSettings: SiteSettings{Frequency: 1, ProbeRequest: ProbeRequest{Timeout: 30 * time.Second}, Active: true}, State: sett.SiteUp, TargetRevision: 5, Revision: 7}}
	return r, livingLong(live...)
}

func seen(l Location, at time.Time, up bool) CheckReport {
	return CheckReport{Location: l, Revision: 7, Result: ProbeResult{At: at, Up: up}}
}

func TestUseOfReports(t *testing.T) {
	t.Parallel()
	r, _ := record(Virginia)
	r.Locations = []Location{Virginia, Oregon}
	r.Verdicts = map[Location]Verdict{Virginia: {Location: Virginia, Up: true, At: noonOfSites}}
	now := noonOfSites.Add(time.Minute)
	with := func(f func(*CheckReport)) CheckReport { c := seen(Virginia, now, true); f(&c); return c }
	for name, c := range map[string]struct {
		report CheckReport
		want   CheckUse
	}{
		"the newest":                    {seen(Virginia, now, false), Current},
		"of another location":           {seen(Oregon, noonOfSites.Add(-time.Minute), false), Current},
		"of a location that is not his": {seen(London, now, false), Useless},
		"since an ask":                  {with(func(c *CheckReport) { c.Revision = 5 }), Current},
		"of an older target":            {with(func(c *CheckReport) { c.Revision = 4 }), Useless},
		"kept for later":                {with(func(c *CheckReport) { c.Backfilled = true }), History},
		"seen already":                  {seen(Virginia, noonOfSites, false), History},
		"older than the verdict":        {seen(Virginia, noonOfSites.Add(-time.Second), false), History},
		"stale":                         {seen(Oregon, now.Add(-151*time.Second), false), History},
		"just fresh":                    {seen(Oregon, now.Add(-150*time.Second), false), Current},
		"a long check that has ended": {with(func(c *CheckReport) {
			c.Location, c.Result.At, c.Result.Duration = Oregon, now.Add(-170*time.Second), 30*time.Second
		}), Current},
		"ancient":    {seen(Oregon, now.Add(-OldestCheck-time.Second), false), Useless},
		"a week old": {seen(Oregon, now.Add(-OldestCheck), false), History},
	} {
		if got := r.Use(c.report, now); got != c.want {
			t.Errorf("%s: %d, want %d", name, got, c.want)
		}
	}
	r.Active = false
	if got := r.Use(seen(Virginia, now, true), now); got != Useless {
		t.Errorf("of a site that is not active: %d", got)
	}
}

func TestAClockThatIsSetBackStopsNoSite(t *testing.T) {
	t.Parallel()
	r, live := record(Virginia, London, Oregon)
	year := noonOfSites.AddDate(1, 0, 0)
	for _, l := range []Location{Virginia, London, Oregon} {
		r.Note(seen(l, year, true), live, year)
	}
	r.ChangedAt = year
	now := noonOfSites.Add(time.Second)
	if use, _ := r.Note(seen(Virginia, noonOfSites, false), live, now); use != Current || r.State != sett.SiteDown {
		t.Errorf("the first report after that is of use %d, and the site %s", use, r.State)
	}
	if !r.LastCheckedAt.Equal(noonOfSites) || !r.ChangedAt.Equal(noonOfSites) {
		t.Errorf("it was checked at %v and went down at %v", r.LastCheckedAt, r.ChangedAt)
	}
}

// asked says at which of the reports the others were asked.
func asked(r *SiteRecord, live []LiveLocation, reports ...CheckReport) (asked []int) {
	for i, report := range reports {
		_, events := r.Note(report, live, report.Result.At.Add(time.Second))
		if slices.ContainsFunc(events, func(e SiteEvent) bool { return e.Kind == SiteAsked }) {
			asked = append(asked, i)
		}
	}
	return asked
}

func TestWhenOthersAreAsked(t *testing.T) {
	t.Parallel()
	at := func(seconds int) time.Time { return noonOfSites.Add(time.Duration(seconds) * time.Second) }
	all := Locations()
	answers := []CheckReport{seen(Oregon, at(61), true), seen(Frankfurt, at(61), true), seen(Singapore, at(61), true), seen(London, at(61), true)}
	for name, c := range map[string]struct {
		live    []Location
		reports []CheckReport
		want    []int
	}{
		"the first failure":               {all, []CheckReport{seen(Virginia, at(60), false)}, []int{0}},
		"no second time while it fails":   {all, []CheckReport{seen(Virginia, at(60), false), seen(Virginia, at(120), false)}, []int{0}},
		"nor when the others have looked": {all, append(append([]CheckReport{seen(Virginia, at(60), false)}, answers...), seen(Virginia, at(120), false)), []int{0}},
		"another, while they still look":  {all, []CheckReport{seen(Virginia, at(60), false), seen(Oregon, at(62), false)}, []int{0}},
		"another, once they have looked":  {all, append(append([]CheckReport{seen(Virginia, at(60), false)}, answers...), seen(London, at(121), false)), []int{0, 5}},
		"another, when they never do":     {all, []CheckReport{seen(Virginia, at(60), false), seen(Virginia, at(120), true), seen(London, at(120), true), seen(Oregon, at(211), false)}, []int{0, 3}},
		"no other location is live":       {[]Location{Virginia}, []CheckReport{seen(Virginia, at(60), false)}, nil},
		"of one that is dead":             {[]Location{Oregon, London}, []CheckReport{seen(Virginia, at(60), false)}, nil},
		"it is up":                        {all, []CheckReport{seen(Virginia, at(60), true)}, nil},
		"it went down at once":            {[]Location{Virginia, Oregon}, []CheckReport{seen(Oregon, at(59), true), seen(Virginia, at(60), false)}, nil},
	} {
		r, live := record(c.live...)
		r.Verdicts = map[Location]Verdict{}
		for _, l := range c.live {
			r.Verdicts[l] = Verdict{Location: l, Up: true, At: noonOfSites}
		}
		if diff := cmp.Diff(c.want, asked(r, live, c.reports...)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	r, live := record(Virginia, Oregon)
	r.Locations = []Location{Virginia}
	r.OutageThreshold = 3
	if got := asked(r, live, seen(Virginia, at(60), false)); got != nil {
		t.Error("a location was asked that the site has not selected")
	}
}

func TestStreaks(t *testing.T) {
	t.Parallel()
	r, live := record(Virginia, Oregon)
	r.OutageThreshold = 3
	at := func(seconds int) time.Time { return noonOfSites.Add(time.Duration(seconds) * time.Second) }
	for i, c := range []struct {
		report CheckReport
		want   sett.SiteState
	}{
		{seen(Virginia, at(0), false), sett.SiteUp},
		{seen(London, at(1), false), sett.SiteUp}, // dead: it does not count
		{seen(Oregon, at(2), false), sett.SiteUp},
		{seen(Oregon, at(3), true), sett.SiteUp},
		{seen(Virginia, at(60), false), sett.SiteUp},
		{seen(Virginia, at(61), false), sett.SiteUp},
		{seen(Oregon, at(62), false), sett.SiteDown},
		{seen(Oregon, at(63), true), sett.SiteDown},
		{seen(Virginia, at(64), true), sett.SiteUp},
	} {
		_, events := r.Note(c.report, live, c.report.Result.At)
		if r.State != c.want {
			t.Errorf("%d: %s, want %s", i, r.State, c.want)
		}
		if v := r.Verdicts[Virginia]; i == 5 && (v.Failures != 3 || !v.FailingSince.Equal(at(0))) {
			t.Errorf("Virginia has failed %d times since %s", v.Failures, v.FailingSince)
		}
		for _, e := range events {
			if e.Kind == SiteWentDown && !e.At.Equal(at(60)) {
				t.Errorf("down at %s", e.At)
			}
		}
	}
}

// While no server is running the state of the site is unknown: earlier failures do not belong to a later streak.
func TestAStreakEndsWithoutChecks(t *testing.T) {
	t.Parallel()
	r, live := record(Virginia)
	r.OutageThreshold = 3
	note := func(at time.Duration) []SiteEvent {
		report := seen(Virginia, noonOfSites.Add(at), false)
		_, events := r.Note(report, live, report.Result.At)
		return events
	}
	note(0)
	note(time.Minute)
	back := 10 * time.Minute
	note(back)
	if note(back + time.Minute); r.State != sett.SitePending || r.Streak.Failures != 2 {
		t.Fatalf("after the gap it is %s, with %d failures in a row", r.State, r.Streak.Failures)
	}
	if events := note(back + 2*time.Minute); r.State != sett.SiteDown || !events[0].At.Equal(noonOfSites.Add(back)) {
		t.Errorf("it is %s, and down since %+v", r.State, events)
	}
}

func TestLastCheckNeverGoesBack(t *testing.T) {
	t.Parallel()
	r, live := record(Virginia)
	for _, seconds := range []int{60, 0, 30} {
		r.Note(seen(Virginia, noonOfSites.Add(time.Duration(seconds)*time.Second), true), live, noonOfSites.Add(time.Minute))
	}
	if want := noonOfSites.Add(time.Minute); !r.LastCheckedAt.Equal(want) {
		t.Errorf("%s, want %s", r.LastCheckedAt, want)
	}
}

func TestAnOutageIsNeverOverBeforeItBegan(t *testing.T) {
	t.Parallel()
	r, live := record(Virginia)
	now := noonOfSites.Add(time.Minute)
	r.Note(seen(Virginia, now, false), live, now)
	long := seen(Virginia, now.Add(-time.Second), true)
	long.Result.Duration = 5 * time.Second
	_, events := r.Note(long, live, now.Add(10*time.Second))
	if len(events) != 1 || events[0].Kind != SiteCameUp || !events[0].At.Equal(now) {
		t.Errorf("%+v", events)
	}
}

// An address that settings forbid says nothing of a site that was never checked. A name that leads to one later is an outage.
func TestBlockedAddresses(t *testing.T) {
	t.Parallel()
	blocked := func(l Location, at time.Time) CheckReport {
		c := seen(l, at, false)
		c.Result.Blocked, c.Result.Reason = true, "forbidden"
		return c
	}
	r, live := record(Virginia, London)
	r.State, r.OutageThreshold = sett.SitePending, 1
	now := noonOfSites
	for _, l := range []Location{Virginia, London} {
		if use, events := r.Note(blocked(l, now), live, now); use != Blocked || len(events) != 0 || r.State != sett.SitePending || !r.LastCheckedAt.IsZero() || r.Streak.Failures != 0 {
			t.Fatalf("from %s: %d, %+v, %s", l, use, events, r.State)
		}
	}
	if v := r.Verdicts[London]; !v.Blocked() || v.Reason != "forbidden" {
		t.Errorf("a verdict of %+v", v)
	}
	late := blocked(Virginia, now)
	late.Backfilled = true
	if use, _ := r.Note(late, live, now); use != Useless {
		t.Errorf("what an agent kept is used as %d", use)
	}
	now = now.Add(time.Minute)
	if use, _ := r.Note(seen(Virginia, now, true), live, now); use != Current || r.State != sett.SiteUp { // London may not, so one of one says up
		t.Fatalf("%d, %s", use, r.State)
	}
	for range 2 {
		now = now.Add(time.Minute)
		for _, l := range []Location{Virginia, London} {
			if use, _ := r.Note(blocked(l, now), live, now); use != Current {
				t.Errorf("of a site that was up: %d", use)
			}
		}
	}
	if r.State != sett.SiteDown {
		t.Errorf("a site whose name leads to a forbidden address is %s", r.State)
	}
}
