package statuspage

import (
	"fmt"
	"net"
	"strings"
	"time"

	"sett/internal/sett/status"
	"sett/internal/sett/status/locale"
)

// feedLength is how many incidents a feed has.
const feedLength = 25

// feedIncidents returns the newest incidents.
func (f *variant) feedIncidents() (newest []status.StatusIncident) {
	for _, i := range f.rendered.history[:min(feedLength, len(f.rendered.history))] {
		newest = append(newest, i.In(f.lang))
	}
	return newest
}

// tag returns an ID (RFC 4151) that stays the same as long as the page exists, at any address.
func (f *variant) tag(specific string) string {
	host := f.pages.base.Hostname()
	if host == "" || net.ParseIP(host) != nil && strings.Contains(host, ":") {
		host = "localhost"
	}
	page := f.rendered.view.Page
	return fmt.Sprintf("tag:%s,%s:status/%s%s", host, page.CreatedAt.UTC().Format(time.DateOnly), page.ID, specific)
}

// feedText returns an incident with its updates as plain text.
func (f *variant) feedText(i status.StatusIncident) string {
	var b strings.Builder
	if i.Kind == status.Maintenance {
		b.WriteString(scheduled(f.lang, i) + "\n\n")
	}
	if impact := i.ImpactIn(f.lang); impact != "" {
		b.WriteString(impact + "\n\n")
	}
	if affected := f.block(i).Affected; len(affected) > 0 {
		b.WriteString(f.lang.Text("affects", f.lang.List(affected)) + "\n\n")
	}
	for _, u := range f.saidOf(i) {
		fmt.Fprintf(&b, "%s, %s\n", f.lang.Text(string(u.Status)), f.lang.Minute(u.At))
		if u.Message != "" {
			fmt.Fprintf(&b, "%s\n", u.Message)
		}
		b.WriteString("\n")
	}
	return strings.TrimSpace(b.String())
}

// saidOf returns what was said about an incident, the newest first: its post-mortem, and its updates.
func (f *variant) saidOf(i status.StatusIncident) []status.IncidentUpdate {
	m := i.PostMortem
	if !m.Public() {
		return i.Updates
	}
	return append([]status.IncidentUpdate{{Status: status.PostMortemStatus, Message: m.Message, At: m.PublishedAt}}, i.Updates...)
}

// scheduled returns when maintenance is to take place.
func scheduled(l locale.Language, i status.StatusIncident) string {
	if i.EndsAt.IsZero() {
		return l.Text("scheduled_at", l.Minute(i.StartsAt))
	}
	return l.Text("scheduled_from", l.Minute(i.StartsAt), l.Minute(i.EndsAt))
}

// changed returns when an incident was last updated.
func changed(i status.StatusIncident) time.Time {
	at := i.UpdatedAt
	for _, u := range i.Updates {
		if u.At.After(at) {
			at = u.At
		}
	}
	return at
}

// feedChanged returns when the feed last changed.
func (f *variant) feedChanged() time.Time {
	at := f.rendered.view.Page.CreatedAt
	for _, i := range f.feedIncidents() {
		if c := changed(i); c.After(at) {
			at = c
		}
	}
	return at
}
