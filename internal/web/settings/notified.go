package settings

import (
	"cmp"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/alerts"
	"sett/internal/store/deliverydb"
	"sett/internal/web"
)

// notifiedPage is who is notified of what in a project, or about one error, site or check-in.
type notifiedPage struct {
	page
	About     string // what it is about; "" for the whole project
	AboutPath string
	Groups    []notifiedGroup
	Events    []string
	Past      time.Time // when the message was sent that the page is about; zero: it is about what would be sent now
	Rows      []notifiedRow
	Words     []notifiedCell // what the words of the table mean, each once; none if the cells say it
}

// notifiedGroup is what some columns of the table are about.
type notifiedGroup struct {
	Name string
	Span int
}

// notifiedRow is a channel or a person with a cell for each event.
type notifiedRow struct {
	Name, Path, Note string
	Self             bool
	Cells            []notifiedCell
}

// notifiedCell is whether a receiver is notified of an event, and why or why not.
type notifiedCell struct {
	Event string
	Is    web.State // no word: the event is not for this receiver
	Why   string
}

// notifiedEvents are the events in the order of the columns, with short labels and what they are about.
var notifiedEvents = []struct {
	event        alerts.AlertEvent
	about, label string
}{
	{alerts.AlertOccurred, "error", "New, reopened"},
	{alerts.AlertVolumeSpike, "error", "Spike"},
	{alerts.AlertRateExceeded, "error", "Rate"},
	{alerts.AlertResolved, "error", "Resolved"},
	{alerts.AlertUnresolved, "error", "Unresolved"},
	{alerts.AlertAssigned, "error", "Assigned"},
	{alerts.AlertCommented, "error", "Comment"},
	{alerts.AlertDeployed, "", "Recorded"},
	{alerts.AlertDown, "site", "Down"},
	{alerts.AlertUp, "site", "Up"},
	{alerts.AlertSlow, "site", "Slow"},
	{alerts.AlertFast, "site", "Fast"},
	{alerts.AlertCertWillExpire, "site", "Certificate"},
	{alerts.AlertCheckInMissing, "check_in", "Missed"},
	{alerts.AlertCheckInFailed, "check_in", "Failed"},
	{alerts.AlertCheckInReporting, "check_in", "Reports again"},
	{alerts.AlertAlarm, "alarm", "Raised"},
	{alerts.AlertAlarmOK, "alarm", "OK again"},
}

// notifiedGroups are the names of what events are about.
var notifiedGroups = map[string]string{"error": "Error", "": "Deploy", "site": "Site", "check_in": "Check-in", "alarm": "Alarm"}

// column adds a column to the table.
func (n *notifiedPage) column(about, label string) {
	group := notifiedGroups[about]
	if last := len(n.Groups) - 1; last >= 0 && n.Groups[last].Name == group {
		n.Groups[last].Span++
	} else {
		n.Groups = append(n.Groups, notifiedGroup{group, 1})
	}
	n.Events = append(n.Events, label)
}

// notifiedSubject is what the page is about.
type notifiedSubject struct {
	kind, name, path string // kind is "" for the whole project
	alert            alerts.Alert
}

// subject is what an alert about it is about. Alerts about the pace of a site have a subject of their own.
func (s notifiedSubject) subject(e alerts.AlertEvent) alerts.AlertSubject {
	if id, err := sett.ParseUUID(s.alert.Subject.ID()); err == nil && (e == alerts.AlertSlow || e == alerts.AlertFast) {
		return alerts.SlowSubject(id)
	}
	return s.alert.Subject
}

func (p *pages) notifiedPage(w http.ResponseWriter, r *http.Request) error {
	if r.URL.Query().Has("message") {
		return p.notifiedThen(w, r)
	}
	about, err := p.notifiedAbout(r)
	if err != nil {
		return err
	}
	var asked []alerts.Alert
	shown := &notifiedPage{page: p.newPage(r, "Who is notified", "notified"), About: about.name, AboutPath: about.path}
	for i, e := range notifiedEvents {
		if about.kind == "" || about.kind == e.about {
			a := about.alert
			a.ID, a.Event, a.Subject = int64(i+1), e.event, about.subject(e.event)
			asked = append(asked, a)
			shown.column(e.about, e.label)
		}
	}
	found, err := p.Deliveries.WhoReceives(r.Context(), p.Now(), p.Mail, asked)
	if err != nil {
		return err
	}
	var all []deliverydb.Received
	for _, f := range found {
		all = append(all, deliverydb.Received{Receiving: f})
	}
	if shown.Rows, err = p.notifiedRows(r, about.kind, asked, all); err != nil {
		return err
	}
	if about.kind == "" {
		shown.Words = wordsOf(shown.Rows)
	}
	return p.Show(w, r, http.StatusOK, "settings_notified", shown)
}

// notifiedAbout reads what the address asks about: error, site, check_in or alarm with an ID, or the whole project.
func (p *pages) notifiedAbout(r *http.Request) (s notifiedSubject, err error) {
	project, query := web.Project(r), r.URL.Query()
	s.alert = alerts.Alert{ProjectID: project, At: p.Now(), CreatedAt: p.Now()}
	switch {
	case query.Has("error"):
		id, _ := strconv.ParseInt(query.Get("error"), 10, 64)
		f, err := p.Faults.FaultByID(r.Context(), project, id)
		if err != nil {
			return s, err
		}
		newest, err := p.Faults.NewestNotice(r.Context(), project, f.ID)
		if err == nil && newest != nil {
			s.alert.Facts.NoticeID = newest.Key
		}
		s.kind, s.name, s.path = "error", f.Class+": "+f.Message, fmt.Sprintf("/projects/%d/faults/%d", project, f.ID)
		s.alert.FaultID, s.alert.Environment, s.alert.Subject = f.ID, f.Environment, alerts.FaultSubject(f.ID)
		return s, err
	case query.Has("site"):
		id, _ := sett.ParseUUID(query.Get("site"))
		site, err := p.Uptime.SiteByID(r.Context(), project, id)
		s.kind, s.name, s.path, s.alert.Subject = "site", cmp.Or(site.Name, site.URL), fmt.Sprintf("/projects/%d/sites/%s", project, id), alerts.SiteSubject(id)
		return s, err
	case query.Has("check_in"):
		c, err := p.Uptime.CheckInByID(r.Context(), project, query.Get("check_in"))
		s.kind, s.name, s.path, s.alert.Subject = "check_in", cmp.Or(c.Name, c.Slug), fmt.Sprintf("/projects/%d/check_ins/%s", project, c.ID), alerts.CheckInSubject(c.ID)
		return s, err
	case query.Has("alarm"):
		a, err := p.Alarms.ByID(r.Context(), project, query.Get("alarm"))
		s.kind, s.name, s.path, s.alert.Subject = "alarm", a.Name, fmt.Sprintf("/projects/%d/insights/alarms/%s", project, a.ID), alerts.AlarmSubject(a.ID)
		return s, err
	}
	return s, nil
}

// notifiedRows returns the user first, then the channels, then the other people.
func (p *pages) notifiedRows(r *http.Request, kind string, asked []alerts.Alert, found []deliverydb.Received) (rows []notifiedRow, err error) {
	channels, err := p.Deliveries.ListIntegrations(r.Context(), web.Project(r))
	if err != nil {
		return nil, err
	}
	project, err := p.Accounts.ProjectWithoutCounts(r.Context(), web.Project(r))
	if err != nil {
		return nil, err
	}
	add := func(row notifiedRow, of func(deliverydb.Received) bool, i alerts.Integration) {
		mine := slices.DeleteFunc(slices.Clone(found), func(f deliverydb.Received) bool { return !of(f) })
		for _, a := range asked {
			cell := notifiedCell{Event: eventLabel(a.Event)}
			if at := slices.IndexFunc(mine, func(f deliverydb.Received) bool { return f.Event == a.Event }); at >= 0 {
				cell.Is, cell.Why = receivedWords(kind, mine[at], i, clockOf(i.QuietHours, p.Now()))
			}
			row.Cells = append(row.Cells, cell)
		}
		switch {
		case row.Self && len(mine) > 0:
			rows = slices.Insert(rows, 0, row)
		case len(mine) > 0:
			rows = append(rows, row)
		}
	}
	for _, i := range channels {
		card := newChannelCard(i)
		row := notifiedRow{Name: card.Name, Path: to(r, "/channels/%d/deliveries", i.ID), Note: strings.Join(append([]string{card.Kind + "."}, limitsOf(i.IntegrationSettings)...), " ")}
		if !card.Tracker {
			add(row, func(f deliverydb.Received) bool { return f.IntegrationID == i.ID }, i)
		}
	}
	for _, u := range project.Users {
		row := notifiedRow{Name: cmp.Or(u.Name, u.Email), Note: "Email.", Self: u.ID == web.Who(r).User.ID}
		if row.Self {
			row.Path = fmt.Sprintf("/me/alerts/%d", web.Project(r))
		}
		add(row, func(f deliverydb.Received) bool { return f.UserID == u.ID }, alerts.Integration{})
	}
	return rows, nil
}

// notNotified says why a receiver does not get an alert. What is not in it was not selected.
var notNotified = map[alerts.SkipReason]notifiedCell{
	alerts.OwnDoing:        {Is: web.State{Mood: web.Muted, Word: "No"}, Why: "They did it themselves."},
	alerts.NotActive:       {Is: web.State{Mood: web.Muted, Word: "Off"}, Why: "The channel or the project is turned off."},
	alerts.EnvironmentMute: {Is: web.State{Mood: web.Paused, Word: "Muted"}, Why: "The environment is muted, or the channel excludes it."},
	alerts.NoFilterMatches: {Is: web.State{Mood: web.Muted, Word: "No match"}, Why: "No filter of the channel matches this error."},
	alerts.NotSelected:     {Is: web.State{Mood: web.Muted, Word: "No"}, Why: "The channel selects other sites or check-ins."},
	alerts.NotTheirs:       {Is: web.State{Mood: web.Muted, Word: "Owners"}, Why: "Only the owners of this error are notified."},
	alerts.Unfollowed:      {Is: web.State{Mood: web.Muted, Word: "Unfollowed"}, Why: "Unfollowed this error."},
	alerts.FaultSilent:     {Is: web.State{Mood: web.Paused, Word: "Silent"}, Why: "The error is paused or ignored."},
}

// notifiedWords says whether a receiver is notified, and why or why not. Of a whole project, a channel may select some sites and errors.
func notifiedWords(kind string, f deliverydb.Receiving, i alerts.Integration, c clock) (web.State, string) {
	of := func(mood web.Mood, word, why string) (web.State, string) {
		return web.State{Mood: mood, Word: word}, why
	}
	switch no, known := notNotified[f.Why]; {
	case f.Why == alerts.NotSelected && kind == "":
		return of(web.Fine, "Some", "Only the sites and check-ins that the channel selects.")
	case known:
		return no.Is, no.Why
	case f.Why != alerts.Routed:
		return of(web.Muted, "No", "Not selected.")
	case f.Held:
		return of(web.Paused, "Held", "A maintenance window holds it until the window ends.")
	case !f.Quiet.IsZero():
		return of(web.Paused, "Quiet", "Quiet hours: sent at "+c.says(f.Quiet)+".")
	case f.Followed && kind != "":
		return of(web.Fine, "Yes", "Follows this error.")
	case f.Followed:
		return of(web.Fine, "Followed", "Only errors that they follow.")
	case f.Mentioned:
		return of(web.Fine, "Mentions", "Only comments that mention them.")
	case kind == "" && f.IntegrationID != 0 && len(i.Queries(f.Event)) > 0:
		return of(web.Fine, "Filtered", "Only errors that a filter of the channel matches.")
	}
	return of(web.Fine, "Yes", "Selected.")
}

// wordsOf returns each word of the cells once, with its meaning.
func wordsOf(rows []notifiedRow) (words []notifiedCell) {
	for _, row := range rows {
		for _, c := range row.Cells {
			if c.Is.Word != "" && !slices.ContainsFunc(words, func(have notifiedCell) bool { return have.Is == c.Is && have.Why == c.Why }) {
				words = append(words, c)
			}
		}
	}
	return words
}

// notifiedPath is the page of who is notified of what an alert was about.
func notifiedPath(project int64, subject alerts.AlertSubject) string {
	path := fmt.Sprintf("/projects/%d/settings/notified", project)
	kind, id, _ := strings.Cut(string(subject), " ")
	if name := map[string]string{"fault": "error", "site": "site", "slow_site": "site", "check_in": "check_in", "alarm": "alarm"}[kind]; name != "" {
		return path + "?" + url.Values{name: {id}}.Encode()
	}
	return path
}
