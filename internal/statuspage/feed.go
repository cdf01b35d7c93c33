package statuspage

import (
	"fmt"
	"net"
	"strings"
	"time"

	"sett/internal/status"
)

// feedLength is how many incidents a feed has.
const feedLength = 25

// feedIncidents returns the newest incidents.
func (f *variant) feedIncidents() []status.StatusIncident {
	return f.rendered.history[:min(feedLength, len(f.rendered.history))]
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
		fmt.Fprintf(&b, "Scheduled: %s", when(i.StartsAt))
		if !i.EndsAt.IsZero() {
			fmt.Fprintf(&b, " to %s", when(i.EndsAt))
		}
		b.WriteString("\n\n")
	}
	if affected := f.block(i).Affected; len(affected) > 0 {
		fmt.Fprintf(&b, "Affects: %s\n\n", strings.Join(affected, ", "))
	}
	for _, u := range i.Updates {
		fmt.Fprintf(&b, "%s, %s\n", statusWord(u.Status), when(u.At))
		if u.Message != "" {
			fmt.Fprintf(&b, "%s\n", u.Message)
		}
		b.WriteString("\n")
	}
	return strings.TrimSpace(b.String())
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
