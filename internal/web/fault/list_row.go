package fault

import (
	"encoding/json"
	"fmt"
	"path"
	"strings"
	"time"

	"sett/internal/event/query"
	"sett/internal/sett/faults"
	"sett/internal/sett/stats"
	"sett/internal/sett/triage"
	"sett/internal/store/faultdb"
	"sett/internal/store/searchdb"
	"sett/internal/web"
	"sett/internal/web/draw"
)

// row is a line of the list.
type row struct {
	faults.Fault
	Path   string
	Where  string // component and action, or file and line
	File   string // the whole path, if Where is a file
	Badges []web.State
	Spark  draw.Spark
	Events int64 // that match
	Total  string
	Users  string // number of affected users
	Seen   web.Moment
	First  web.Moment
	Tagged []string
	Struck bool
	Others string // how many other messages it has; "" if there are none
	Found  *found
}

// mostTags is how many tags a row shows.
const mostTags = 3

// showRows sets the rows of the faults that were found.
func (v *list) showRows(found searchdb.List, search query.Search) {
	var ids []int64
	for i, f := range found.Faults {
		one := newRow(f, found.At[i], v, found.Reasons[f.ID])
		one.showMessage(f, found, search)
		one.Spark = draw.NewSpark(found.Sparks[f.ID], deployMark(found.Chart.Deploys, f.Environment, v.Now), "events in 24 hours")
		one.Users = web.UpTo(faultdb.MostCountedUsers, found.Users[f.ID])
		v.Rows, ids = append(v.Rows, one), append(ids, f.ID)
	}
	v.IDs = strings.Trim(strings.ReplaceAll(fmt.Sprint(ids), " ", ","), "[]")
}

// showMessage shows the newest message of a fault whose messages differ, and which one the search has found.
func (one *row) showMessage(f faults.Fault, list searchdb.List, s query.Search) {
	shown := faults.Said{Class: f.Class, Message: f.Message}
	if newest, differ := list.Newest[f.ID]; differ {
		shown, one.Others = newest.Said, othersOf(newest)
		one.Message = cut(textOf(shown, f.Class), 240)
	}
	one.Found = foundOf(list.Matches[f.ID], shown, f.Class, s)
}

func newRow(f faults.Fault, at string, v *list, reasons []triage.FaultReason) row {
	one := row{
		Fault: f, Path: faultAddress(f.ProjectID, f.ID) + place{v.Asked, at}.Query(), Events: f.NoticesCount,
		Seen: v.Moment(f.LastNoticeAt), First: v.Moment(f.CreatedAt), Tagged: f.Tags[:min(len(f.Tags), mostTags)], Struck: f.Resolved,
	}
	if one.LastNoticeAt.IsZero() {
		one.Seen = v.Moment(f.CreatedAt)
	}
	one.Class, one.Message = cut(orWord(f.Class, "Error"), 120), cut(f.Message, 240)
	one.Where, one.File = placeIn(f)
	if f.InRange != nil {
		if one.Events = *f.InRange; one.Events != f.NoticesCount {
			one.Total = web.Number(f.NoticesCount)
		}
	}
	one.Badges = badgesOf(f, v, reasons)
	return one
}

// placeIn returns where a fault happens in the code: its component and action or, without them, the file and line of its first notice, and
// the path of that file.
func placeIn(f faults.Fault) (where, file string) {
	const longest = 100
	if where = strings.Trim(f.Component+"#"+f.Action, "#"); where != "" {
		return cut(where, longest), ""
	}
	var g faults.Grouping
	if json.Unmarshal([]byte(f.Grouping), &g) != nil || g.File == "" { // an unreadable one has no inputs
		return "", ""
	}
	file = g.File
	if g.Line != "" {
		file += ":" + g.Line
	}
	return cut(path.Base(file), longest), cut(file, 2*longest)
}

// badgesOf returns the states of a fault that do not follow from the search.
func badgesOf(f faults.Fault, v *list, reasons []triage.FaultReason) (badges []web.State) {
	state := stateOf(f.FaultState, pausedUntil(f, v.Now) != "")
	if open := state.Mood == web.Critical; !open && !asksFor(v.Asked.Q, "is:"+strings.ToLower(state.Word)) {
		badges = append(badges, state)
	}
	return append(badges, reasonBadges(reasons, v.Asked.Q)...)
}

// reasonBadges returns why a fault needs attention, as far as it does not follow from a search.
func reasonBadges(reasons []triage.FaultReason, q string) (badges []web.State) {
	for _, reason := range reasons {
		switch {
		case reason == triage.NewFault && !asksFor(q, "is:new"):
			badges = append(badges, web.State{Mood: web.Info, Word: reason.Word()})
		case reason == triage.ReopenedFault:
			badges = append(badges, web.State{Mood: web.Warning, Word: reason.Word()})
		case reason == triage.RisingFault:
			badges = append(badges, web.State{Mood: web.Critical, Word: reason.Word()})
		}
	}
	return badges
}

// asksFor reports whether a search has a term.
func asksFor(q, term string) bool { return strings.Contains(" "+q+" ", " "+term+" ") }

// deployMark returns the position of the last deploy to an environment among the bars of 24 hours; negative if there is none.
func deployMark(deploys []faults.Deploy, environment string, now time.Time) float64 {
	from := time.Unix(stats.PastDay.Starts(now)[0], 0)
	for _, d := range deploys {
		if (d.Environment == "" || d.Environment == environment) && !d.CreatedAt.Before(from) {
			return float64(d.CreatedAt.Sub(from)) / float64(time.Hour)
		}
	}
	return -1
}
