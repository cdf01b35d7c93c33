package sentry

import (
	"time"

	"sett/internal/sett/release"
	"sett/internal/sett/scan"
)

// Session is what an item says about one session, or about several together.
type Session struct {
	ID          string // "": these are sums of several
	Init        bool   // it is the first item about the session
	Version     string // of the release; "" if there is none
	Environment string
	Started     time.Time
	release.SessionSums
}

// The bounds of sessions.
const (
	mostAggregates = 1_000     // in an item; the rest is ignored
	mostSessions   = 1_000_000 // in a number of an aggregate
)

// sessionAttributes are what all sessions of an item have.
type sessionAttributes struct{ version, environment string }

// readSession reads an item of type session: sums of one session in its state, of which Total is 1.
func readSession(_ *Reader, i Item, _ Request) (Content, error) {
	s := scan.New(textOf(i.Payload))
	var n Session
	var status string
	var errors int
	var of sessionAttributes
	for key := range s.Members {
		switch key {
		case "sid":
			n.ID = scalar(&s)
		case "init":
			n.Init = scalar(&s) == "true"
		case "started":
			n.Started = readTime(&s)
		case "status":
			status = scalar(&s)
		case "errors":
			errors, _ = wholeNumber(scalar(&s))
		case "attrs":
			of.read(&s)
		default:
			s.Value()
		}
	}
	n.Version, n.Environment, n.SessionSums = of.version, of.environment, sumsOf(status, errors)
	return Content{Sessions: []Session{n}}, s.End()
}

// sumsOf returns the sums of a session in a state.
func sumsOf(status string, errors int) release.SessionSums {
	switch {
	case status == "crashed":
		return release.SessionSums{Total: 1, Crashed: 1}
	case status == "abnormal":
		return release.SessionSums{Total: 1, Abnormal: 1}
	case status == "errored" || status == "unhandled" || errors > 0:
		return release.SessionSums{Total: 1, Errored: 1}
	}
	return release.SessionSums{Total: 1}
}

func (a *sessionAttributes) read(s *scan.Scanner) {
	for key := range s.Members {
		switch key {
		case "release":
			a.version = scalar(s)
		case "environment":
			a.environment = scalar(s)
		default:
			s.Value()
		}
	}
}

// readSessions reads an item of type sessions: sums by the minute in which the sessions began.
func readSessions(_ *Reader, i Item, _ Request) (Content, error) {
	s := scan.New(textOf(i.Payload))
	var all []Session
	var of sessionAttributes
	for key := range s.Members {
		switch key {
		case "attrs":
			of.read(&s)
		case "aggregates":
			for range s.Elements {
				if n := readAggregate(&s); len(all) < mostAggregates {
					all = append(all, n)
				}
			}
		default:
			s.Value()
		}
	}
	for i := range all {
		all[i].Version, all[i].Environment = of.version, of.environment
	}
	return Content{Sessions: all}, s.End()
}

func readAggregate(s *scan.Scanner) (n Session) {
	for key := range s.Members {
		switch key {
		case "started":
			n.Started = readTime(s)
		case "exited":
			n.Total += sessionCount(s)
		case "errored", "unhandled":
			n.Errored += sessionCount(s)
		case "crashed":
			n.Crashed = sessionCount(s)
		case "abnormal":
			n.Abnormal = sessionCount(s)
		default:
			s.Value()
		}
	}
	n.Total += n.Errored + n.Crashed + n.Abnormal
	return n
}

// sessionCount reads a number of sessions; what is none counts as 0.
func sessionCount(s *scan.Scanner) int64 {
	n, _ := wholeNumber(scalar(s))
	return int64(min(max(n, 0), mostSessions))
}
