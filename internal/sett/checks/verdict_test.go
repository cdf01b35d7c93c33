package checks

import (
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"sett/internal/sett"
)

var noonOfSites = time.Date(2026, 11, 18, 12, 0, 0, 0, time.UTC)

// found writes a verdict that ended so long ago, from a check that took no time.
func found(l Location, up bool, ago time.Duration) Verdict {
	v := Verdict{Location: l, Up: up, At: noonOfSites.Add(-ago)}
	if !up {
		v.Failures, v.FailingSince = 1, v.At
	}
	return v
}

// livingLong are locations that are live and not waited for.
func livingLong(locations ...Location) (live []LiveLocation) {
	for _, l := range locations {
		live = append(live, LiveLocation{l, noonOfSites.Add(-time.Hour)})
	}
	return live
}

func TestJudge(t *testing.T) {
	t.Parallel()
	all := livingLong(Locations()...)
	minute := Site{SiteSettings: SiteSettings{Frequency: 1, ProbeRequest: ProbeRequest{Timeout: 30 * time.Second}, Active: true}}
	with := func(f func(*Site)) Site { s := minute; f(&s); return s }
	down := with(func(s *Site) { s.State = sett.SiteDown })
	up := with(func(s *Site) { s.State = sett.SiteUp })
	pending := with(func(s *Site) { s.State = sett.SitePending })
	thrice := func(state sett.SiteState) Site { return with(func(s *Site) { s.State, s.OutageThreshold = state, 3 }) }
	vs := func(v ...Verdict) []Verdict { return v }
	newcomer := append(livingLong(Virginia), LiveLocation{London, noonOfSites.Add(-time.Minute)})
	for name, c := range map[string]struct {
		site     Site
		verdicts []Verdict
		streak   int64
		live     []LiveLocation
		want     sett.SiteState
	}{
		"no location has checked":             {pending, nil, 0, all, sett.SitePending},
		"no location is live, and it is up":   {up, vs(found(Virginia, false, 0)), 1, nil, sett.SiteUp},
		"no location is live, and it is down": {down, vs(found(Virginia, true, 0)), 0, nil, sett.SiteDown},
		"all is stale, and it is up":          {up, vs(found(Virginia, false, 151*time.Second)), 1, all, sett.SiteUp},
		"all is stale, and it is down":        {down, vs(found(Virginia, true, 151*time.Second)), 0, all, sett.SiteDown},
		"just fresh":                          {up, vs(found(Virginia, false, 150*time.Second)), 1, all, sett.SiteDown},
		"one of one, up":                      {pending, vs(found(Virginia, true, 0)), 0, livingLong(Virginia), sett.SiteUp},
		"one of one, down":                    {pending, vs(found(Virginia, false, 0)), 1, livingLong(Virginia), sett.SiteDown},
		"one of two is half":                  {up, vs(found(Virginia, false, 0), found(London, true, 0)), 0, all, sett.SiteDown},
		"one of two keeps it down":            {down, vs(found(Virginia, false, 0), found(London, true, 0)), 0, all, sett.SiteDown},
		"one of three":                        {up, vs(found(Virginia, false, 0), found(London, true, 0), found(Oregon, true, 0)), 0, all, sett.SiteUp},
		"one of three brings it up":           {down, vs(found(Virginia, false, 0), found(London, true, 0), found(Oregon, true, 0)), 0, all, sett.SiteUp},
		"two of three":                        {up, vs(found(Virginia, false, 0), found(London, false, 0), found(Oregon, true, 0)), 1, all, sett.SiteDown},
		"two of four":                         {up, vs(found(Virginia, false, 0), found(London, false, 0), found(Oregon, true, 0), found(Frankfurt, true, 0)), 0, all, sett.SiteDown},
		"two of five":                         {up, vs(found(Virginia, false, 0), found(London, false, 0), found(Oregon, true, 0), found(Frankfurt, true, 0), found(Singapore, true, 0)), 0, all, sett.SiteUp},
		"the dead do not vote":                {up, vs(found(Virginia, false, 0), found(London, true, 0), found(Oregon, true, 0)), 0, livingLong(London, Oregon), sett.SiteUp},
		"the dead do not save":                {up, vs(found(Virginia, false, 0), found(London, true, 0), found(Oregon, true, 0)), 0, livingLong(Virginia), sett.SiteDown},
		"the stale do not vote":               {down, vs(found(Virginia, false, 151*time.Second), found(London, true, 0)), 0, all, sett.SiteUp},
		"a newcomer is waited for, up":        {pending, vs(found(Virginia, true, 0)), 0, newcomer, sett.SitePending},
		"a newcomer cannot save it":           {up, vs(found(Virginia, false, 0)), 1, newcomer, sett.SiteDown},
		"a newcomer keeps it down":            {down, vs(found(Virginia, true, 0)), 0, newcomer, sett.SiteDown},
		"the unselected do not vote":          {with(func(s *Site) { s.State, s.Locations = sett.SiteUp, []Location{London} }), vs(found(Virginia, false, 0), found(London, true, 0)), 0, all, sett.SiteUp},
		"below the threshold":                 {thrice(sett.SiteUp), vs(found(Virginia, false, 0)), 2, all, sett.SiteUp},
		"the threshold":                       {thrice(sett.SiteUp), vs(found(Virginia, false, 0)), 3, all, sett.SiteDown},
		"a threshold of the dead":             {thrice(sett.SiteUp), vs(found(Virginia, false, 0)), 3, nil, sett.SiteUp},
		"over, but one still fails":           {thrice(sett.SiteDown), vs(found(Virginia, false, 0), found(London, true, 0), found(Oregon, true, 0)), 0, all, sett.SiteDown},
		"over, and none fails":                {thrice(sett.SiteDown), vs(found(Virginia, true, 0), found(London, true, 0)), 0, all, sett.SiteUp},
		"over, and the one that fails died":   {thrice(sett.SiteDown), vs(found(Virginia, false, 0), found(London, true, 0)), 0, livingLong(London), sett.SiteUp},
		"over, and one is waited for":         {thrice(sett.SiteDown), vs(found(Virginia, true, 0)), 0, newcomer, sett.SiteDown},
		"pending, most see it":                {thrice(sett.SitePending), vs(found(Virginia, false, 0), found(London, true, 0), found(Oregon, true, 0)), 1, all, sett.SiteUp},
		"pending, below the threshold":        {thrice(sett.SitePending), vs(found(Virginia, false, 0)), 1, livingLong(Virginia), sett.SitePending},
	} {
		if got := c.site.Judge(c.verdicts, Streak{Failures: c.streak}, c.live, noonOfSites); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

func TestNewTargetsAreWaitedFor(t *testing.T) {
	t.Parallel()
	site := Site{SiteSettings: SiteSettings{Frequency: 1, ProbeRequest: ProbeRequest{Timeout: 30 * time.Second}}, State: sett.SiteUp, UpdatedAt: noonOfSites.Add(-150 * time.Second)}
	verdicts := []Verdict{found(Virginia, false, 0)}
	live := livingLong(Virginia, London, Oregon)
	if got := site.Judge(verdicts, Streak{}, live, noonOfSites); got != sett.SiteUp {
		t.Errorf("one of three, two of which have not spoken yet: %s", got)
	}
	if got := site.Judge(verdicts, Streak{}, live, noonOfSites.Add(time.Second)); got != sett.SiteDown {
		t.Errorf("two have kept silent for too long: %s", got)
	}
}

// walk is a site whose locations report at random, and go and come as they like.
type walk struct {
	*rapid.T
	r    SiteRecord
	live []LiveLocation
	now  time.Time
}

func (w *walk) step() (events []SiteEvent) {
	switch l := rapid.SampledFrom(Locations()).Draw(w.T, "location"); rapid.IntRange(0, 9).Draw(w.T, "what") {
	case 0:
		w.now = w.now.Add(time.Duration(rapid.IntRange(0, 200).Draw(w.T, "pause")) * time.Second)
	case 1:
		w.live = slices.DeleteFunc(w.live, func(have LiveLocation) bool { return have.Location == l })
	case 2:
		if !isLive(w.live, l) {
			w.live = append(w.live, LiveLocation{l, w.now})
		}
	default:
		w.now = w.now.Add(time.Duration(rapid.IntRange(1, 20).Draw(w.T, "seconds")) * time.Second)
		report := CheckReport{Location: l, Result: ProbeResult{At: w.now, Up: rapid.Bool().Draw(w.T, "up")}, Backfilled: rapid.IntRange(0, 9).Draw(w.T, "kept") == 0}
		_, events = w.r.Note(report, w.live, w.now)
	}
	return events
}

// votes returns what each live location says, as fresh verdicts.
func (w *walk) votes() map[Location]bool {
	votes := map[Location]bool{}
	for _, l := range w.live {
		if v, ok := w.r.Verdicts[l.Location]; ok && w.now.Sub(v.At) <= w.r.Patience() {
			votes[l.Location] = v.Up
		}
	}
	return votes
}

// majority says what half of the voters make of the site, without a thought of those who have not spoken.
func majority(votes map[Location]bool) sett.SiteState {
	failing := 0
	for _, up := range votes {
		if !up {
			failing++
		}
	}
	if 2*failing >= len(votes) {
		return sett.SiteDown
	}
	return sett.SiteUp
}

// The state changes only to what the majority says then, so two opposite changes have a change of the majority between
// them; a location that is dead, stale or late has no part in it.
func TestNoChangeWithoutAMajority(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		w := &walk{T: t, now: noonOfSites, live: livingLong(Virginia)}
		w.r.SiteSettings = SiteSettings{Frequency: 1, ProbeRequest: ProbeRequest{Timeout: 30 * time.Second}, Active: true}
		w.r.State = sett.SitePending
		last := sett.SitePending
		for range 80 {
			events := w.step()
			votes := w.votes()
			if w.r.State == last {
				continue
			}
			if w.r.State != sett.SitePending && (len(votes) == 0 || majority(votes) != w.r.State) {
				t.Fatalf("%s although the votes are %v", w.r.State, votes)
			}
			if (last == sett.SiteDown || w.r.State == sett.SiteDown) && len(events) == 0 {
				t.Fatalf("from %s to %s without an event", last, w.r.State)
			}
			last = w.r.State
		}
	})
}

// With a threshold it goes down only at a streak, and up only if no location fails: without a verdict nothing changes.
func TestNoChangeWithoutAVerdict(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		w := &walk{T: t, now: noonOfSites, live: livingLong(Virginia, London)}
		threshold := rapid.Int64Range(1, 4).Draw(t, "threshold")
		w.r.SiteSettings = SiteSettings{Frequency: 1, ProbeRequest: ProbeRequest{Timeout: 30 * time.Second}, Active: true, OutageThreshold: threshold}
		w.r.State = sett.SiteUp
		for range 80 {
			before := w.votes()
			last := w.r.State
			lapsed := slices.ContainsFunc(w.step(), func(e SiteEvent) bool { return e.Kind == SiteLapsed })
			switch votes := w.votes(); {
			case last == w.r.State:
			case w.r.State == sett.SiteDown && w.r.Streak.Failures < threshold:
				t.Fatalf("down after %d of %d", w.r.Streak.Failures, threshold)
			case w.r.State == sett.SiteUp && last == sett.SiteDown && !lapsed && (len(votes) == 0 || slices.Contains(slices.Collect(values(votes)), false)):
				t.Fatalf("up although the votes are %v (were %v)", votes, before)
			}
		}
	})
}

func values(votes map[Location]bool) func(func(bool) bool) {
	return func(yield func(bool) bool) {
		for _, up := range votes {
			if !yield(up) {
				return
			}
		}
	}
}

func TestWhenAnOutageBegan(t *testing.T) {
	t.Parallel()
	at := func(seconds int) time.Time { return noonOfSites.Add(time.Duration(seconds) * time.Second) }
	failing := func(l Location, since int) Verdict {
		return Verdict{Location: l, At: noonOfSites, FailingSince: at(since), Failures: 1}
	}
	ok := found(Oregon, true, 0)
	site := Site{SiteSettings: SiteSettings{Frequency: 1, ProbeRequest: ProbeRequest{Timeout: 30 * time.Second}}, State: sett.SiteUp}
	all := livingLong(Locations()...)
	for name, c := range map[string]struct {
		site     Site
		verdicts []Verdict
		want     time.Time
	}{
		"the first of those that confirm it":       {site, []Verdict{failing(London, -5), failing(Virginia, -9), failing(Frankfurt, -2), ok}, at(-9)},
		"not one that has failed for days":         {site, []Verdict{failing(London, -5), failing(Virginia, -90_000), failing(Frankfurt, -2)}, at(-5)},
		"not before the last outage was over":      {Site{SiteSettings: site.SiteSettings, State: sett.SiteUp, ChangedAt: at(-7)}, []Verdict{failing(London, -5), failing(Virginia, -9)}, at(-7)},
		"the first of the streak, for a threshold": {Site{SiteSettings: SiteSettings{Frequency: 1, ProbeRequest: ProbeRequest{Timeout: 30 * time.Second}, OutageThreshold: 1}}, []Verdict{failing(London, -5)}, at(-77)},
	} {
		if got := c.site.downAt(c.verdicts, Streak{Failures: 1, Since: at(-77)}, all, noonOfSites); !got.Equal(c.want) {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

// TestAPlaceWhereASiteHangsKeepsItsVote follows a minutely site that hangs for one of two locations. A check there takes
// two looks of 30 s with 5 s between them, so it misses every other slot: its word must hold until the next.
func TestAPlaceWhereASiteHangsKeepsItsVote(t *testing.T) {
	t.Parallel()
	r, live := record(Virginia, London)
	var events []SiteEventKind
	note := func(report CheckReport, now time.Time) {
		use, found := r.Note(report.Cleaned(now), live, now)
		if use != Current {
			t.Errorf("a report that came at %s is of use %d", now.Format(time.TimeOnly), use)
		}
		for _, e := range found {
			events = append(events, e.Kind)
		}
	}
	note(seen(Virginia, noonOfSites.Add(-time.Minute), true), noonOfSites)
	for second := range 20 * 60 {
		now := noonOfSites.Add(time.Duration(second) * time.Second)
		if second%120 == 66 { // the check of second 0 has ended, and its report has come
			hung := seen(London, now.Add(-66*time.Second), false)
			hung.Result.Before, hung.Result.Duration = 35*time.Second, 30*time.Second
			note(hung.FromAgent(0, now), now)
		}
		if second%60 == 55 {
			note(seen(Virginia, now.Add(-time.Second), true), now)
		}
	}
	if want := []SiteEventKind{SiteWentDown}; !slices.Equal(events, want) {
		t.Errorf("got %v, want %v", events, want)
	}
}

func TestALongFailureFromAnAgentSpeaksOfNow(t *testing.T) {
	t.Parallel()
	hung := seen(London, noonOfSites, false)
	hung.Result.Before, hung.Result.Duration = 125*time.Second, 2*time.Minute
	end := noonOfSites.Add(245 * time.Second)
	if hung.FromAgent(0, end.Add(backfillAfter)).Backfilled {
		t.Error("a check of two looks came in time and is history")
	}
	if !hung.FromAgent(0, end.Add(backfillAfter+1)).Backfilled {
		t.Error("a check that came late speaks of now")
	}
}
