package movein

import (
	"time"

	"sett/internal/ingest/event"
	"sett/internal/ingest/sentry"
	"sett/internal/sett/accounts"
	"sett/internal/sett/faults"
	"sett/internal/sett/move"
	"sett/internal/sett/regroup"
	"sett/internal/sett/scrub"
)

// reader makes reports of events as intake does when a client sends them: with the same parser, and the rules of the project.
type reader struct {
	sentry  sentry.Reader
	project accounts.KeyedProject
	scrub   *scrub.Rules
	rules   *regroup.Compiled

	original func(*event.Code) // finds where minified frames come from; nil if the project has no source maps
}

func newReader(p accounts.KeyedProject, code Code) *reader {
	r := &reader{project: p, rules: &regroup.Compiled{}}
	if p.SourceMaps && code.Maps != nil {
		r.original = code.Maps.ReplaceAll(p.ProjectID)
	}
	r.scrub, _ = scrub.New(scrub.Settings{})
	if p.Scrubbing != "" {
		r.scrub = scrub.Stored(p.Scrubbing)
	}
	if p.Grouping != "" {
		r.rules = regroup.Stored(p.Grouping)
	}
	return r
}

// minified is a reader that leaves minified frames as they are, as intake does when no map is at hand.
func (r *reader) minified() *reader {
	other := *r
	other.original = nil
	return &other
}

// report reads an event as one of an environment; nil for what is no error. A notice is of its own.
func (r *reader) report(e move.Event, environment string) (*faults.Report, error) {
	at := e.At
	if at.IsZero() {
		at = time.Unix(0, 0)
	}
	options := event.Options{Project: r.project, Now: at, Scrub: r.scrub, Rules: r.rules.Rules, Before: r.rules.Before, ChangedAt: r.rules.ChangedAt, Original: r.original}
	if e.Protocol == move.Notice {
		report, _, err := event.Parse(e.Body, options, new(event.Facets))
		return report, err
	}
	c, err := r.sentry.Read(sentry.Item{Type: "event", Payload: e.Body}, sentry.Request{ReceivedAt: at, EventID: sentry.ID(e.ID)})
	if err != nil || c.Event == nil {
		return nil, err
	}
	c.Event.Notice.Environment = environment
	options.Hints = event.Hints{Class: c.Event.Class, Message: c.Event.Template, ByMessage: c.Event.Message, Default: sentry.DefaultGrouping}
	report, _, err := event.Parse(c.Event.Notice.Append(nil, event.MaxNotice), options, new(event.Facets))
	return report, err
}

// everywhere returns the report of an event, and those that it would be in other environments.
func (r *reader) everywhere(e move.Event, report *faults.Report, environments []string) []*faults.Report {
	all := []*faults.Report{report}
	for _, environment := range environments {
		if other, err := r.report(e, environment); err == nil && other != nil {
			all = append(all, other)
		}
	}
	return all
}
