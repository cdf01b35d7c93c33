package web

import (
	"html/template"
	"time"

	"sett/internal/base/phrase"
)

// Moment is a time for pages, relative to now. The zone of Now is that of the viewer.
type Moment struct{ Now, At time.Time }

// Moment returns a time relative to that of the page.
func (s Shell) Moment(at time.Time) Moment { return Moment{s.Now, at} }

// Zone returns the name of the viewer's time zone, such as Europe/Berlin.
func (s Shell) Zone() string { return s.Now.Location().String() }

// HTML returns the element of the relative time. It is built here, and not in a template, because lists have many. It contains only times.
func (m Moment) HTML() template.HTML {
	return m.element(` title="`+m.text()+`" data-now="`+iso(m.Now)+`"`, Ago(m.Now, m.At))
}

// Age returns the element of how long ago it was, for narrow columns.
func (m Moment) Age() template.HTML {
	return m.element(` title="`+m.text()+`" data-age data-now="`+iso(m.Now)+`"`, Span(max(time.Second, m.Now.Sub(m.At))))
}

// Full returns the element of the absolute time.
func (m Moment) Full() template.HTML { return m.element("", m.text()) }

// Clock returns the element of the time of day.
func (m Moment) Clock() template.HTML {
	return m.element(` title="`+m.text()+`"`, m.local().Format("15:04"))
}

func (m Moment) element(attributes, text string) template.HTML {
	return template.HTML(`<time datetime="` + iso(m.At) + `"` + attributes + `>` + text + `</time>`) //nolint:gosec // times alone
}

func (m Moment) local() time.Time { return m.At.In(m.Now.Location()) }

func (m Moment) text() string { return phrase.Time(m.local(), "2 Jan 2006, 15:04") }

// iso formats a time for programs.
func iso(t time.Time) string { return t.UTC().Format(time.RFC3339) }
