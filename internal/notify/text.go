package notify

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"sett/internal/ingest/group"
	"sett/internal/sett"
	"sett/internal/sett/alerts"
	"sett/internal/sett/checks"
)

// alertText is the text of an alert.
type alertText struct {
	rest   string // of the one line, after the project
	title  string // "": as rest
	lead   string // what is new about the title's error; "" where the title says it
	detail string
}

// line is the alert in one line, which consumers parse (wire.md §5.3).
func (s *alertContext) line(w alertText) string {
	where := line(s.projectName())
	if environment := line(s.Environment); environment != "" {
		where += "/" + environment
	}
	text := "[" + where + "] " + line(w.rest)
	most := mostText
	if s.Event == alerts.AlertCommented {
		most = mostComment
	}
	return cut(text, most)
}

// text returns the text of the alert.
func (s *alertContext) text() alertText {
	w := s.eventText()
	w.title = cmp.Or(w.title, w.rest)
	if e := s.Facts.Escalation; e != nil {
		w.rest = strings.TrimSuffix(w.rest, ".") + " (" + e.Why() + ")"
		w.lead = strings.ToUpper(e.Why()[:1]) + e.Why()[1:]
		w.detail = strings.TrimSuffix("Sent on from "+e.From+", where no person acknowledged it.\n\n"+w.detail, "\n\n")
	}
	if s.Facts.Test {
		w.rest += " (test)"
		w.detail = strings.TrimSuffix("This is a test message with sample data.\n\n"+w.detail, "\n\n")
	}
	return w
}

func (s *alertContext) eventText() alertText {
	switch s.Event {
	case alerts.AlertDown, alerts.AlertUp, alerts.AlertSlow, alerts.AlertFast, alerts.AlertCertWillExpire:
		return s.siteText()
	case alerts.AlertCheckInMissing, alerts.AlertCheckInFailed, alerts.AlertCheckInReporting:
		return s.checkInText()
	case alerts.AlertAlarm, alerts.AlertAlarmOK:
		return alarmText(s.Event, *s.Facts.Alarm)
	case alerts.AlertDeployed:
		return s.deployedText()
	case alerts.AlertFlooded:
		return s.floodedText()
	case alerts.AlertOccurred, alerts.AlertRateExceeded, alerts.AlertVolumeSpike:
		return s.occurredText()
	case alerts.AlertIssueCreate, alerts.AlertIssueClose, alerts.AlertIssueReopen:
		return s.issueText()
	default:
		return s.changedText()
	}
}

// klass names the fault or faults of the alert.
func (s *alertContext) klass() string {
	switch {
	case s.fault == nil:
		return plural(s.faultsCount(), "error")
	case line(s.fault.Class) == "":
		return fmt.Sprint("Error ", s.fault.ID)
	}
	return s.fault.Class
}

// faultsCount is the number of faults of an alert about several faults.
func (s *alertContext) faultsCount() int64 {
	return cmp.Or(s.Facts.FaultsCount, int64(len(s.Facts.FaultIDs)))
}

// errorLines lists the errors that were changed at once, one per line, and the number of those not listed.
func (s *alertContext) errorLines() string {
	var lines []string
	for _, f := range s.faults {
		one := alertContext{Alert: s.Alert, fault: &f}
		lines = append(lines, cut(line(one.classMessage()), mostFact))
	}
	if left := s.faultsCount() - int64(len(lines)); left > 0 && len(lines) > 0 {
		lines = append(lines, fmt.Sprintf("and %d more", left))
	}
	return strings.Join(lines, "\n")
}

// classMessage is the error of the alert: "RuntimeError: boom".
func (s *alertContext) classMessage() string {
	message := s.said()
	if line(message) == "" {
		return s.klass()
	}
	return s.klass() + ": " + message
}

// said is what the event of the alert says under the class of its error, which may be that of a cause.
func (s *alertContext) said() string {
	if s.notice != nil {
		if class, message := group.Title(group.NamedOf(s.notice.Payload)); s.fault == nil || class == s.fault.Class {
			return message
		}
		if s.notice.Class == s.fault.Class && s.notice.Message != "" {
			return s.notice.Message
		}
	}
	if s.fault == nil {
		return ""
	}
	return s.fault.Message
}

func (s *alertContext) occurredText() alertText {
	facts := s.Facts
	switch {
	case s.Event == alerts.AlertRateExceeded:
		rest := fmt.Sprintf("%s has occurred %d time(s) in the past %s", s.klass(), facts.Rate.Count, rateWord(facts.Rate.Rate))
		title := fmt.Sprintf("%s happened %s in the last %s", s.klass(), plural(facts.Rate.Count, "time"), rateWord(facts.Rate.Rate))
		return alertText{rest: rest, title: title, detail: s.classMessage()}
	case s.Event == alerts.AlertVolumeSpike:
		return alertText{rest: s.klass() + " " + spikeWords(*facts.Spike), detail: s.classMessage()}
	case facts.Reopened:
		return alertText{rest: s.classMessage(), lead: "Reopened", detail: "It was resolved and happened again."}
	}
	return alertText{rest: s.classMessage(), lead: "New error"}
}

func rateWord(r alerts.AlertRate) string {
	switch r {
	case alerts.RateMinute:
		return "minute"
	case alerts.RateDay:
		return "day"
	case alerts.RateWeek:
		return "week"
	default:
		return "hour"
	}
}

func spikeWords(f alerts.SpikeFacts) string {
	often := "much more often than usual"
	if f.Factor > 0 {
		often = fmt.Sprintf("%.1f times as often as usual", f.Factor)
	}
	return fmt.Sprintf("happens %s: %s in the last %s", often, plural(f.Observed, "time"), plural(f.WindowMinutes, "minute"))
}

// changedText is the text of a change of one or more faults.
func (s *alertContext) changedText() alertText {
	facts := s.Facts
	switch s.Event {
	case alerts.AlertResolved:
		return alertText{rest: s.klass() + " resolved" + by(facts.Actor), detail: s.errorLine()}
	case alerts.AlertUnresolved:
		return alertText{rest: s.klass() + " marked as unresolved" + by(facts.Actor), detail: s.errorLine()}
	case alerts.AlertAssigned:
		what := " unassigned"
		if to := nameOf(facts.Assignee); to != "" {
			what = " assigned to " + to
		}
		return alertText{rest: s.klass() + what + by(facts.Actor), detail: s.errorLine()}
	case alerts.AlertCommented:
		return s.commentedText()
	}
	return alertText{rest: s.classMessage()}
}

// errorLine is the error of the fault, "" if only its class is known; or those of several faults.
func (s *alertContext) errorLine() string {
	if s.fault == nil {
		return s.errorLines()
	}
	if s.classMessage() == s.klass() {
		return ""
	}
	return s.classMessage()
}

func (s *alertContext) commentedText() alertText {
	who, body := cmp.Or(nameOf(s.Facts.Actor), "Someone"), s.Facts.Comment.Body
	title := who + " commented on " + s.klass()
	return alertText{rest: title + ": " + body, title: title, detail: body}
}

// nameOf is the display name of a person.
func nameOf(p *sett.Person) string {
	if p == nil {
		return ""
	}
	return cmp.Or(line(p.Name), line(p.Email))
}

func by(p *sett.Person) string {
	if name := nameOf(p); name != "" {
		return " by " + name
	}
	return ""
}

// issueText is for issue trackers, which create an issue from it, or find the issue by its link.
func (s *alertContext) issueText() alertText {
	title := s.classMessage()
	switch s.Event {
	case alerts.AlertIssueClose:
		return alertText{
			rest: s.klass() + " was resolved" + by(s.Facts.Actor) + "; close its issue", title: title,
			detail: "The error was resolved" + by(s.Facts.Actor) + ".",
		}
	case alerts.AlertIssueReopen:
		return alertText{rest: s.klass() + " is open again; reopen its issue", title: title, detail: "The error is no longer resolved."}
	default:
		return alertText{rest: "Issue requested" + by(s.Facts.Actor) + " for " + title, title: title}
	}
}

func (s *alertContext) siteText() alertText {
	name, facts := cmp.Or(line(s.site.Name), "Site"), *s.Facts.Site
	switch s.Event {
	case alerts.AlertDown:
		return alertText{rest: name + " is down.", title: name + " is down", detail: checks.PlainReason(facts.Reason)}
	case alerts.AlertUp:
		return upText(name, facts)
	case alerts.AlertSlow, alerts.AlertFast:
		return paceText(s.Event, name, *facts.Slow)
	default:
		return certificateText(name, facts, s.At)
	}
}

func certificateText(name string, facts alerts.SiteFacts, now time.Time) alertText {
	const layout = "1/2/2006 15:04:05 UTC" // wire.md §5.3
	which, detail := "SSL certificate for ", "It expires in "+roughSpan(facts.CertWillExpireAt.Sub(now))+"."
	if authority := line(facts.CertAuthority); authority != "" {
		which = "An authority's certificate for "
		detail += " It is not the site's own certificate, but the one of its authority “" + authority + "”: the site's own is not valid without it. " +
			"Renew the site's certificate, and install it together with the current certificates of its authority."
	}
	return alertText{
		rest:  which + name + " will expire on " + facts.CertWillExpireAt.UTC().Format(layout),
		title: which + name + " expires on " + when(facts.CertWillExpireAt, time.UTC), detail: detail,
	}
}

func upText(name string, facts alerts.SiteFacts) alertText {
	w := alertText{rest: name + " is back up."}
	if facts.Reason != "" {
		w.detail = "It was down: " + checks.PlainReason(facts.Reason)
	}
	if !facts.DownAt.IsZero() && !facts.UpAt.Before(facts.DownAt) {
		w.rest = name + " is back up after " + clockSpan(facts.UpAt.Sub(facts.DownAt)) + "."
	}
	w.title = strings.TrimSuffix(w.rest, ".")
	return w
}

// paceText is for sites that become slow or fast again.
func paceText(e alerts.AlertEvent, name string, slow alerts.SlowFacts) alertText {
	w := alertText{rest: name + " is slow.", detail: fmt.Sprintf("A response over %d ms is slow.", slow.Limit)}
	if slow.Took > 0 {
		w.detail = fmt.Sprintf("The last check took %d ms. ", slow.Took) + w.detail
	}
	if e == alerts.AlertFast {
		w.rest = name + " is fast again."
	}
	if e == alerts.AlertFast && !slow.SlowAt.IsZero() {
		w.rest = name + " is fast again after " + clockSpan(slow.FastAt.Sub(slow.SlowAt)) + "."
	}
	w.title = strings.TrimSuffix(w.rest, ".")
	return w
}

func (s *alertContext) checkInText() alertText {
	name, facts := s.checkIn.Name, *s.Facts.CheckIn
	switch s.Event {
	case alerts.AlertCheckInReporting:
		title := name + " is reporting again"
		return alertText{rest: "REPORTING: " + title, title: title}
	case alerts.AlertCheckInFailed:
		title := name + " reported a failure"
		return alertText{rest: "FAILED: " + title, title: title, detail: facts.Reason}
	}
	since := ""
	if silent := s.silent(facts); silent > 0 {
		since = " for " + roughSpan(silent)
	}
	detail := facts.Reason
	if !facts.DueAt.IsZero() {
		detail = "It was expected on " + when(facts.DueAt, time.UTC) + "."
	}
	return alertText{rest: "MISSING: " + name + " hasn't checked in" + since, title: name + " hasn't reported" + since, detail: detail}
}

// alarmText is for alarms that are raised, or no longer are.
func alarmText(e alerts.AlertEvent, f alerts.AlarmFacts) alertText {
	name := cmp.Or(line(f.Name), "Alarm")
	detail := fmt.Sprintf("The query has %s. The alarm is raised by %s.", plural(f.Count, "row"), f.Condition)
	if f.Description != "" {
		detail += "\n\n" + f.Description
	}
	if e == alerts.AlertAlarmOK {
		return alertText{rest: "OK: " + name + " is no longer in alert status", title: name + " is OK again", detail: detail}
	}
	return alertText{rest: "ALERT: " + name + " is in alert status", title: name + " is in alarm", detail: detail}
}

// silent is the time since the last report of a check-in; 0 if unknown.
func (s *alertContext) silent(facts alerts.CheckInFacts) time.Duration {
	since := facts.ReportedAt
	if since.IsZero() {
		since = facts.DueAt
	}
	if since.IsZero() {
		return 0
	}
	return max(s.At.Sub(since), 0)
}

func (s *alertContext) deployedText() alertText {
	d := s.deploy
	to := ""
	if s.Environment != "" {
		to = " to " + s.Environment
	}
	detail := ""
	if d.Revision != "" {
		detail = "Revision " + line(d.Revision)
	}
	if line(d.LocalUsername) == "" {
		return alertText{rest: s.projectName() + " was deployed" + to, detail: detail}
	}
	return alertText{rest: d.LocalUsername + " deployed " + s.projectName() + to, detail: detail}
}

func (s *alertContext) floodedText() alertText {
	held := *s.Facts.Held
	during := "the last " + plural(held.Minutes, "minute")
	if held.Quiet {
		during = "the quiet hours"
	}
	if held.DownCount+held.WellCount > 0 {
		return listedText(held, during)
	}
	return alertText{
		rest:  fmt.Sprintf("and %d more in %s", held.Count, during),
		title: fmt.Sprintf("%s in %s", plural(held.Count, "more notification"), during),
		detail: fmt.Sprintf("At most %s are sent in %s. The project's pages show everything that was held back.",
			plural(held.Limit, "message"), plural(held.Minutes, "minute")),
	}
}

// listedText names what held messages are about.
func listedText(held alerts.HeldFacts, during string) alertText {
	var rest, detail []string
	for _, list := range []struct {
		what, verb string
		names      []string
		count      int64
	}{{"DOWN", "more down, missing or failing", held.Down, held.DownCount}, {"UP", "up or reporting again", held.Well, held.WellCount}} {
		if list.count == 0 {
			continue
		}
		names := slices.Clone(list.names)
		if more := list.count - int64(len(names)); more > 0 {
			names = append(names, fmt.Sprintf("and %d more", more))
		}
		rest = append(rest, fmt.Sprintf("%d %s: %s", list.count, list.verb, line(strings.Join(names, ", "))))
		detail = append(detail, list.what+"\n"+strings.Join(names, "\n"))
	}
	if others := held.Count - held.Listed; others > 0 {
		rest = append(rest, fmt.Sprintf("and %d more in %s", others, during))
	}
	return alertText{rest: strings.Join(rest, "; "), detail: strings.Join(detail, "\n\n")}
}
