package sentry

import (
	"cmp"
	"slices"

	"sett/internal/ingest/notice"
	"sett/internal/sett/scan"
)

// Feedback is what a user of the application wrote, mostly about an error.
type Feedback struct {
	ID                   string // its own, as UUIDs are written; "" if the client gave it none
	EventID              string // of the event that it is about, likewise; "" if it is about none
	Name, Email, Message string
	URL                  string        // of the page that the user was on
	Labels               []string      // its tags, as key=value
	Notice               notice.Notice // what an event of its own has, apart from class, message and fingerprint; shares memory with the item
}

// readFeedback reads an item of type feedback.
func (m *Reader) readFeedback(i Item, r Request) (Content, error) {
	if _, err := m.readEvent(i.Payload); err != nil {
		return Content{}, err
	}
	return m.feedback(r), nil
}

// readUserReport reads an item of type user_report, which earlier SDKs send.
func (m *Reader) readUserReport(i Item, r Request) (Content, error) {
	m.Forget()
	s := scan.New(textOf(i.Payload))
	f := feedbackIn(&s)
	r.EventID = "" // of the event that the report is about
	m.complete(&f, r)
	return Content{Feedback: &f}, s.End()
}

// feedback returns the feedback that the event of the Reader is.
func (m *Reader) feedback(r Request) Content {
	e := &m.event
	s := scan.New(string(e.contexts.feedback))
	f := feedbackIn(&s)
	f.Name, f.Email, f.URL = cmp.Or(f.Name, e.user.name), cmp.Or(f.Email, e.user.email), cmp.Or(f.URL, e.request.address())
	for _, tag := range e.tags {
		value := scan.New(string(tag.Value))
		f.Labels = append(f.Labels, tag.Key+"="+scalar(&value))
	}
	m.complete(&f, r)
	return Content{Feedback: &f}
}

// complete adds to feedback what the event of the Reader has, whose user is the author.
func (m *Reader) complete(f *Feedback, r Request) {
	u := &m.event.user
	if u.name == "" && f.Name != "" {
		u.name, u.all = f.Name, append(u.all, notice.TextMember("name", f.Name)...)
	}
	if u.email == "" && f.Email != "" {
		u.email, u.all = f.Email, append(u.all, notice.TextMember("email", f.Email)...)
	}
	n := m.notice(r)
	n.Tags, n.Backtrace, n.URL = nil, nil, f.URL
	n.Context = slices.Concat(n.Context, notice.TextMember("about_event", f.EventID))
	f.ID, f.Notice = n.Token, n
}

func feedbackIn(s *scan.Scanner) (f Feedback) {
	for key := range s.Members {
		switch key {
		case "event_id", "associated_event_id":
			f.EventID = ID(scalar(s))
		case "name":
			f.Name = scalar(s)
		case "email", "contact_email":
			f.Email = scalar(s)
		case "comments", "message":
			f.Message = scalar(s)
		case "url":
			f.URL = scalar(s)
		default:
			s.Value()
		}
	}
	return f
}
