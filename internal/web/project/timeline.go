package project

import (
	"net/http"
	"time"

	"sett/internal/sett/faults"
	"sett/internal/store/faultdb"
	"sett/internal/web"
)

// timelinePage is the activity of a project or an account, the newest entries first.
type timelinePage struct {
	web.Shell
	Kinds []kindTab
	Days  []day
	Pager web.Pager
	All   bool // every kind is shown
}

// kindTab links to the entries of some kinds.
type kindTab struct {
	Label, Path string
	On          bool
}

// day is the entries of one day.
type day struct {
	Label    string
	Happened []happening
}

// timelined is the number of entries per page.
const timelined = 50

// kindGroups are the filters with their kinds; word is the value in URLs.
var kindGroups = []struct {
	word, label string
	kinds       []faults.TimelineKind
}{
	{"", "All", nil},
	{"errors", "Errors", []faults.TimelineKind{faults.TimelineNew, faults.TimelineReopened, faults.TimelineResolved}},
	{"deploys", "Deploys", []faults.TimelineKind{faults.TimelineDeploy}},
	{"uptime", "Uptime", []faults.TimelineKind{faults.TimelineDown, faults.TimelineUp, faults.TimelineSlow, faults.TimelineFast}},
	{"check_ins", "Check-ins", []faults.TimelineKind{faults.TimelineMissing, faults.TimelineFailing, faults.TimelineReporting}},
	{"incidents", "Incidents", []faults.TimelineKind{faults.TimelineIncident}},
}

func (p *pages) projectTimeline(w http.ResponseWriter, r *http.Request) error {
	f := faultdb.TimelineFilter{ProjectIDs: []int64{web.Project(r)}}
	s := p.Shell(r, "Activity").In("overview")
	s.Heading = "-"
	return p.timeline(w, r, s, f)
}

func (p *pages) accountTimeline(w http.ResponseWriter, r *http.Request) error {
	f := faultdb.TimelineFilter{UserID: web.Who(r).User.ID, AccountID: r.PathValue("account_id")}
	return p.timeline(w, r, p.Shell(r, "Activity").In("activity"), f)
}

func (p *pages) timeline(w http.ResponseWriter, r *http.Request, s web.Shell, f faultdb.TimelineFilter) error {
	word := r.URL.Query().Get("kind")
	f.Before, f.Limit = r.URL.Query().Get("page"), timelined
	f.Kinds = kindsOf(word)
	page := timelinePage{Shell: s, All: word == ""}
	for _, g := range kindGroups {
		path := s.Here
		if g.word != "" {
			path += "?kind=" + g.word
		}
		page.Kinds = append(page.Kinds, kindTab{g.label, path, g.word == word})
	}
	entries, marks, err := p.Faults.Timeline(r.Context(), p.Now(), f)
	if err != nil {
		return err
	}
	marks.Prev = "" // a timeline is only read backwards
	page.Pager = p.NewPager(r, marks)
	page.Days = days(happenings(s, entries, f.UserID != 0), s.Now)
	return p.Show(w, r, http.StatusOK, "timeline", page)
}

// days groups entries by day, in the time zone of now.
func days(all []happening, now time.Time) (found []day) {
	for _, h := range all {
		label := dayLabel(h.At, now)
		if len(found) == 0 || found[len(found)-1].Label != label {
			found = append(found, day{Label: label})
		}
		last := &found[len(found)-1]
		last.Happened = append(last.Happened, h)
	}
	return found
}

func dayLabel(at, now time.Time) string {
	at = at.In(now.Location())
	switch at.Format(time.DateOnly) {
	case now.Format(time.DateOnly):
		return "Today, " + at.Format("2 January")
	case now.AddDate(0, 0, -1).Format(time.DateOnly):
		return "Yesterday, " + at.Format("2 January")
	default:
		return at.Format("Monday, 2 January 2006")
	}
}
