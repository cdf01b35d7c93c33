package checks

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"sett/internal/sett"
)

// A site that was down and is not checked for some time: its outage ends with the gap, and it is pending until the next check.
func TestWhatIsPastEndsWhereAGapBegins(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		does, want string // minutes: + up, - down, ? lapse, b back-filled and down
	}{
		"up, unchecked":              {"+0 ?10", "pending"},
		"up, unchecked, up":          {"+0 ?10 +11", "up"},
		"up, unchecked, down":        {"+0 ?10 -11", "down 11; down"},
		"down":                       {"+0 -1 ?2", "down 1; down"},
		"down, unchecked":            {"+0 -1 ?10", "down 1; lapsed 3:30; pending"},
		"down, unchecked, up":        {"+0 -1 ?10 +11", "down 1; lapsed 3:30; up 11; up"},
		"down, unchecked, down":      {"+0 -1 ?10 -11", "down 1; lapsed 3:30; down 11 unchecked; down"},
		"down, a gap, up":            {"+0 -1 +11", "down 1; lapsed 3:30; up 11; up"},
		"down, a gap, down, up":      {"+0 -1 -11 +12", "down 1; lapsed 3:30; down 11 unchecked; up 12; up"},
		"down, a gap with late news": {"+0 -1 ?10 b9 +11", "down 1; lapsed 3:30; up 11; up"},
		"never checked":              {"?10", "pending"},
	} {
		r, live := record(Virginia)
		r.State = sett.SitePending
		var got []string
		for step := range strings.FieldsSeq(c.does) {
			minute, err := strconv.Atoi(step[1:])
			if err != nil {
				t.Fatal(err)
			}
			at := noonOfSites.Add(time.Duration(minute) * time.Minute)
			var events []SiteEvent
			if step[0] == '?' {
				events = r.Lapse(at)
			} else {
				report := seen(Virginia, at, step[0] == '+')
				report.Backfilled = step[0] == 'b'
				_, events = r.Note(report, live, at)
			}
			for _, e := range events {
				since := e.At.Sub(noonOfSites)
				line := fmt.Sprint(e.Kind, " ", int(since.Minutes()))
				if seconds := int(since.Seconds()) % 60; seconds > 0 {
					line += fmt.Sprint(":", seconds)
				}
				got = append(got, strings.TrimSpace(line+" "+string(e.Gap)))
			}
		}
		if got := strings.Join(append(got, string(r.State)), "; "); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

// After a gap, receivers are not notified again of what is as it was; after a pause they are.
func TestAlertsAfterAGap(t *testing.T) {
	t.Parallel()
	for gap, want := range map[SiteGap]string{NoGap: "true false", GapPaused: "true true", GapUnchecked: "false"} {
		a, ok := Site{}.Alert(SiteEvent{Kind: SiteWentDown, Gap: gap}, Outage{})
		got := fmt.Sprint(ok)
		if ok {
			got += fmt.Sprint(" ", a.Facts.Site.Again)
		}
		if got != want {
			t.Errorf("%q: %s, want %s", gap, got, want)
		}
	}
}
