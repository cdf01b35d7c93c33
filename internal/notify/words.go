package notify

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"sett/internal/sett"
)

// wording is what a story says.
type wording struct {
	rest   string // of the one line, after the project
	title  string // "": as rest
	detail string
}

// line is the whole story in one line, which consumers take apart (wire.md §5.3).
func (s *story) line(w wording) string {
	where := line(s.projectName())
	if environment := line(s.Environment); environment != "" {
		where += "/" + environment
	}
	text := "[" + where + "] " + line(w.rest)
	most := mostText
	if s.Event == sett.AlertCommented {
		most = mostComment
	}
	return cut(text, most)
}

// words puts the story's event into words.
func (s *story) words() wording {
	w := s.say()
	w.title = cmp.Or(w.title, w.rest)
	if s.Facts.Test {
		w.rest += " (test)"
		w.detail = strings.TrimSuffix("This is a test message with sample data.\n\n"+w.detail, "\n\n")
	}
	return w
}

func (s *story) say() wording {
	switch s.Event {
	case sett.AlertDown, sett.AlertUp, sett.AlertCertWillExpire:
		return s.saySite()
	case sett.AlertCheckInMissing, sett.AlertCheckInReporting:
		return s.sayCheckIn()
	case sett.AlertDeployed:
		return s.sayDeployed()
	case sett.AlertFlooded:
		return s.sayFlooded()
	case sett.AlertOccurred, sett.AlertRateExceeded, sett.AlertVolumeSpike:
		return s.sayOccurred()
	case sett.AlertIssueCreate, sett.AlertIssueClose, sett.AlertIssueReopen:
		return s.sayIssue()
	default:
		return s.sayChanged()
	}
}

// klass names the story's fault or faults.
func (s *story) klass() string {
	switch {
	case s.fault == nil:
		return plural(s.faultsCount(), "error")
	case line(s.fault.Class) == "":
		return fmt.Sprint("Error ", s.fault.ID)
	}
	return s.fault.Class
}

// faultsCount is how many faults an alert about many is about.
func (s *story) faultsCount() int64 {
	return cmp.Or(s.Facts.FaultsCount, int64(len(s.Facts.FaultIDs)))
}

// errorLines are the errors that were changed at once, a line each: those that are named, and how many there are beside them.
func (s *story) errorLines() string {
	var lines []string
	for _, f := range s.faults {
		one := story{Alert: s.Alert, fault: &f}
		lines = append(lines, cut(line(one.classMessage()), mostFact))
	}
	if left := s.faultsCount() - int64(len(lines)); left > 0 && len(lines) > 0 {
		lines = append(lines, fmt.Sprintf("and %d more", left))
	}
	return strings.Join(lines, "\n")
}

// classMessage is the story's error: "RuntimeError: boom".
func (s *story) classMessage() string {
	message := ""
	switch {
	case s.notice != nil && s.notice.Message != "":
		message = s.notice.Message
	case s.fault != nil:
		message = s.fault.Message
	}
	if line(message) == "" {
		return s.klass()
	}
	return s.klass() + ": " + message
}

func (s *story) sayOccurred() wording {
	facts := s.Facts
	switch {
	case s.Event == sett.AlertRateExceeded:
		rest := fmt.Sprintf("%s has occurred %d time(s) in the past %s", s.klass(), facts.Rate.Count, rateWord(facts.Rate.Rate))
		return wording{rest: rest, detail: s.classMessage()}
	case s.Event == sett.AlertVolumeSpike:
		return wording{rest: s.klass() + " " + spikeWords(*facts.Spike), detail: s.classMessage()}
	case facts.Reopened:
		return wording{rest: s.classMessage(), detail: "It was resolved and has occurred again."}
	}
	return wording{rest: s.classMessage()}
}

func rateWord(r sett.AlertRate) string {
	switch r {
	case sett.RateMinute:
		return "minute"
	case sett.RateDay:
		return "day"
	case sett.RateWeek:
		return "week"
	default:
		return "hour"
	}
}

func spikeWords(f sett.SpikeFacts) string {
	often := "much more often than usual"
	if f.Factor > 0 {
		often = fmt.Sprintf("%.1f times as often as usual", f.Factor)
	}
	return fmt.Sprintf("occurs %s: %d time(s) in the past %s", often, f.Observed, plural(f.WindowMinutes, "minute"))
}

// sayChanged tells what somebody did to a fault, or to many.
func (s *story) sayChanged() wording {
	facts := s.Facts
	switch s.Event {
	case sett.AlertResolved:
		return wording{rest: s.klass() + " resolved" + by(facts.Actor), detail: s.errorLine()}
	case sett.AlertUnresolved:
		return wording{rest: s.klass() + " marked as unresolved" + by(facts.Actor), detail: s.errorLine()}
	case sett.AlertAssigned:
		to := cmp.Or(nameOf(facts.Assignee), "nobody")
		return wording{rest: s.klass() + " assigned to " + to + by(facts.Actor), detail: s.errorLine()}
	case sett.AlertCommented:
		return s.sayCommented()
	}
	return wording{rest: s.classMessage()}
}

// errorLine is the error of the one fault that was changed, "" when there is no more to say of it than its class; or those
// that were changed at once.
func (s *story) errorLine() string {
	if s.fault == nil {
		return s.errorLines()
	}
	if s.classMessage() == s.klass() {
		return ""
	}
	return s.classMessage()
}

func (s *story) sayCommented() wording {
	who, body := cmp.Or(nameOf(s.Facts.Actor), "Someone"), s.Facts.Comment.Body
	title := who + " commented on " + s.klass()
	return wording{rest: title + ": " + body, title: title, detail: body}
}

// nameOf is what people call a person.
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

// sayIssue is for trackers: they make an issue of it, or know the issue by its link.
func (s *story) sayIssue() wording {
	title := s.classMessage()
	switch s.Event {
	case sett.AlertIssueClose:
		return wording{s.klass() + " was resolved" + by(s.Facts.Actor) + "; close its issue", title, "The error was resolved" + by(s.Facts.Actor) + "."}
	case sett.AlertIssueReopen:
		return wording{s.klass() + " is open again; reopen its issue", title, "The error is no longer resolved."}
	default:
		return wording{rest: "Issue requested" + by(s.Facts.Actor) + " for " + title, title: title}
	}
}

func (s *story) saySite() wording {
	name, facts := cmp.Or(line(s.site.Name), "Site"), *s.Facts.Site
	switch s.Event {
	case sett.AlertDown:
		return wording{rest: name + " is down.", detail: facts.Reason}
	case sett.AlertUp:
		return sayUp(name, facts)
	default:
		const layout = "1/2/2006 15:04:05 UTC"
		return wording{
			rest:   "SSL certificate for " + name + " will expire on " + facts.CertWillExpireAt.UTC().Format(layout),
			detail: "It expires in " + roughSpan(facts.CertWillExpireAt.Sub(s.At)) + ".",
		}
	}
}

func sayUp(name string, facts sett.SiteFacts) wording {
	w := wording{rest: name + " is back up."}
	if facts.Reason != "" {
		w.detail = "It was down: " + facts.Reason
	}
	if !facts.DownAt.IsZero() && !facts.UpAt.Before(facts.DownAt) {
		w.rest = name + " is back up after " + clockSpan(facts.UpAt.Sub(facts.DownAt)) + "."
	}
	return w
}

func (s *story) sayCheckIn() wording {
	name, facts := s.checkIn.Name, *s.Facts.CheckIn
	if s.Event == sett.AlertCheckInReporting {
		return wording{rest: "REPORTING: " + name + " is reporting again"}
	}
	rest := "MISSING: " + name + " hasn't checked in"
	if silent := s.silent(facts); silent > 0 {
		rest += " for " + roughSpan(silent)
	}
	detail := ""
	if !facts.DueAt.IsZero() {
		detail = "It was expected on " + facts.DueAt.UTC().Format("2 January 2006, 15:04:05 UTC") + "."
	}
	return wording{rest: rest, detail: detail}
}

// silent is how long a check-in has not reported; 0 when it is not known.
func (s *story) silent(facts sett.CheckInFacts) time.Duration {
	since := facts.ReportedAt
	if since.IsZero() {
		since = facts.DueAt
	}
	if since.IsZero() {
		return 0
	}
	return max(s.At.Sub(since), 0)
}

func (s *story) sayDeployed() wording {
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
		return wording{rest: s.projectName() + " was deployed" + to, detail: detail}
	}
	return wording{rest: d.LocalUsername + " deployed " + s.projectName() + to, detail: detail}
}

func (s *story) sayFlooded() wording {
	held := *s.Facts.Held
	when := "the last " + plural(held.Minutes, "minute")
	if held.Quiet {
		when = "the quiet hours"
	}
	return wording{
		rest: fmt.Sprintf("and %d more in %s", held.Count, when),
		detail: fmt.Sprintf("At most %s are sent in %s. The project's pages show everything that was held back.",
			plural(held.Limit, "message"), plural(held.Minutes, "minute")),
	}
}
