package sentry

import (
	"sett/internal/ingest/notice"
	"sett/internal/ingest/scan"
)

// Feedback is what a user of the application wrote about an error.
type Feedback struct {
	EventID              string // as UUIDs are written; "" if it is about no event
	Name, Email, Message string
	URL                  string // of the page that the user was on
}

// ReadFeedback reads an item of type feedback or user_report. The error is that of something that is not JSON.
func ReadFeedback(item Item) (Feedback, error) {
	s := scan.New(textOf(item.Payload))
	if item.Type == "user_report" {
		f := readFeedback(&s)
		return f, s.End()
	}
	var inside notice.JSON
	for key := range s.Members {
		if key == "contexts" {
			var all contexts
			all.read(&s)
			inside = all.feedback
		} else {
			s.Value()
		}
	}
	return feedbackOf(inside), s.End()
}

func feedbackOf(context notice.JSON) Feedback {
	s := scan.New(string(context))
	return readFeedback(&s)
}

func readFeedback(s *scan.Scanner) (f Feedback) {
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
