package notify

import (
	"cmp"
	"encoding/json"
	"fmt"
	"time"

	"sett/internal/base/phrase"
	"sett/internal/sett/alerts"
	"sett/internal/sett/checks"
)

// digest is a personal digest for the templates of its email.
type digest struct {
	Title    string // such as "Daily digest"
	Span     string
	Sections []digestSection
}

// digestSection is a part of a digest: what it is about, the first rows, and how many more there are.
type digestSection struct {
	Title string
	Rows  []digestRow
	More  string // "": those are all
}

// digestRow is a line of a digest and where it leads.
type digestRow struct{ Text, Detail, Link string }

// unsubscribeAt is the address of the page that ends mails to a user about a project.
func unsubscribeAt(baseURL, token string) string { return baseURL + "/unsubscribe/" + token }

// newDigest renders the digest of an email, with times in a zone; link is the URL of its project.
func newDigest(fields map[string]string, link string, zone *time.Location) (digest, error) {
	var d alerts.PersonalDigest
	if err := json.Unmarshal([]byte(fields["digest"]), &d); err != nil {
		return digest{}, fmt.Errorf("read digest: %w", err)
	}
	title := "Daily digest"
	if alerts.DigestInterval(fields["interval"]) == alerts.DigestWeekly {
		title = "Weekly digest"
	}
	return digest{Title: title, Span: spanOf(d, zone), Sections: digestSections(d, link, zone)}, nil
}

func spanOf(d alerts.PersonalDigest, zone *time.Location) string {
	const layout = "2 January 2006, 15:04"
	return d.From.In(zone).Format(layout) + " to " + phrase.Time(d.To.In(zone), layout)
}

func digestSections(d alerts.PersonalDigest, link string, zone *time.Location) (sections []digestSection) {
	faults := func(verb string) func(alerts.DigestFault) digestRow {
		return func(f alerts.DigestFault) digestRow { return faultRow(f, link, verb) }
	}
	for _, s := range []digestSection{
		sectionOf(plural(d.New.Count, "new error"), d.New, faults("")),
		sectionOf("Most frequent errors", d.Frequent, faults(" in this period")),
		sectionOf(plural(d.Resolved.Count, "error")+" resolved", d.Resolved, faults("")),
		sectionOf(plural(d.Outages.Count, "outage"), d.Outages, func(o alerts.DigestOutage) digestRow { return outageRow(o, link, d.To, zone) }),
		sectionOf(plural(d.Missed.Count, "check-in")+" missed or failed", d.Missed, func(m alerts.DigestMiss) digestRow { return missRow(m, link) }),
		sectionOf(plural(d.Deploys.Count, "deploy"), d.Deploys, func(p alerts.DigestDeploy) digestRow { return deployRow(p, link, zone) }),
	} {
		if len(s.Rows) > 0 {
			sections = append(sections, s)
		}
	}
	return sections
}

func sectionOf[T any](title string, part alerts.DigestPart[T], row func(T) digestRow) digestSection {
	s := digestSection{Title: title}
	for _, r := range part.Rows {
		s.Rows = append(s.Rows, row(r))
	}
	if more := part.Count - int64(len(part.Rows)); more > 0 {
		s.More = fmt.Sprintf("and %d more", more)
	}
	return s
}

func faultRow(f alerts.DigestFault, link, when string) digestRow {
	text := line(f.Class)
	if message := line(f.Message); message != "" && text != "" {
		text += ": " + message
	}
	r := digestRow{Text: cut(cmp.Or(text, line(f.Message), fmt.Sprint("Error ", f.ID)), mostFact), Detail: line(f.Environment), Link: fmt.Sprint(link, "/faults/", f.ID)}
	if f.Notices > 0 {
		r.Detail = joined(r.Detail, plural(f.Notices, "event")+when)
	}
	return r
}

func joined(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + ", " + b
}

func outageRow(o alerts.DigestOutage, link string, to time.Time, zone *time.Location) digestRow {
	detail := "down for " + clockSpan(o.UpAt.Sub(o.DownAt)) + " from " + when(o.DownAt, zone)
	if o.UpAt.IsZero() {
		detail = "down since " + when(o.DownAt, zone) + ", for " + clockSpan(to.Sub(o.DownAt)) + " and still down"
	}
	return digestRow{cut(cmp.Or(line(o.Site), "Site"), mostFact), joined(detail, cut(checks.PlainReason(line(o.Reason)), mostFact)), link + "/sites/" + o.SiteID}
}

func missRow(m alerts.DigestMiss, link string) digestRow {
	var detail string
	if m.Count > 0 {
		detail = "missed " + plural(m.Count, "time")
	}
	if m.Failed > 0 {
		detail = joined(detail, "failed "+plural(m.Failed, "time"))
	}
	return digestRow{cut(cmp.Or(line(m.CheckIn), "Check-in"), mostFact), detail, link + "/check_ins/" + m.CheckInID}
}

func deployRow(p alerts.DigestDeploy, link string, zone *time.Location) digestRow {
	text := cmp.Or(cut(line(p.Revision), 40), "Unknown revision")
	if to := line(p.Environment); to != "" {
		text += " to " + to
	}
	detail := when(p.At, zone)
	if by := line(p.By); by != "" {
		detail += " by " + by
	}
	return digestRow{cut(text, mostFact), detail, link + "/deploys"}
}
