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
}

func newReader(p accounts.KeyedProject) *reader {
	r := &reader{project: p, rules: &regroup.Compiled{}}
	r.scrub, _ = scrub.New(scrub.Settings{})
	if p.Scrubbing != "" {
		r.scrub = scrub.Stored(p.Scrubbing)
	}
	if p.Grouping != "" {
		r.rules = regroup.Stored(p.Grouping)
	}
	return r
}

// report reads an event as one of an environment; nil for what is no error. A notice is of its own.
func (r *reader) report(e move.Event, environment string) (*faults.Report, error) {
	at := e.At
	if at.IsZero() {
		at = time.Unix(0, 0)
	}
	options := event.Options{Project: r.project, Now: at, Scrub: r.scrub, Rules: r.rules.Rules, Before: r.rules.Before, ChangedAt: r.rules.ChangedAt}
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
