package ingest

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"slices"

	"sett/internal/ingest/event"
	"sett/internal/ingest/ndjson"
	"sett/internal/ingest/repair"
	"sett/internal/ingest/sentry"
	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/stats"
)

func eventsFirst(a, b sentry.Item) int {
	switch isEvent := a.Type == "event"; {
	case isEvent == (b.Type == "event"):
		return 0
	case isEvent:
		return -1
	}
	return 1
}

// unsupported says what of an envelope is dropped.
func (in *Ingest) unsupported() sentry.Unsupported {
	return sentry.Unsupported{Logs: !in.events.On(), Attachments: !in.attachments.On()}
}

// countDropped counts the items of an envelope that sett has no use for, or cannot find in it.
func (in *Ingest) countDropped(p accounts.KeyedProject, env sentry.Envelope) {
	in.drop(p, stats.OtherDiscards, stats.DroppedUnreadable, env.LeftOut)
	for category, n := range in.unsupported().Count(env.Items) {
		in.drop(p, category, stats.DroppedUnsupported, n)
	}
}

// takeItem stores what an item says, and returns the id of the notice if it is an event. The lines of logs are stored together, by storeLogs.
func (in *Ingest) takeItem(ctx context.Context, w http.ResponseWriter, q *sentryRequest, item sentry.Item) (id string, err error) {
	if len(item.Repairs) > 0 {
		before := q.m.notes
		q.m.notes = slices.Concat(before, item.Repairs)
		defer func() { q.m.notes = before }()
	}
	c, repairs, err := readAgain(q.m, item.Payload, func(payload []byte) (sentry.Content, error) {
		item.Payload = payload
		return q.m.sentry.Read(item, q.from)
	}, sentry.Content.Says)
	switch {
	case err != nil:
		return "", in.refuseItem(q, item, c, err)
	case c.Event != nil:
		return in.takeEvent(w, *q, c.Event, repairs)
	case c.Feedback != nil:
		c.Feedback.Notice.Repairs = repairs
		return "", in.sentryFeedback(ctx, w, *q, *c.Feedback)
	case c.CheckIn != nil:
		_, err = in.recordCheckIn(ctx, *q, *c.CheckIn)
		return "", in.refuseCheckIn(q.project, c.CheckIn.Slug, err)
	}
	in.addSessions(q.project, c.Sessions)
	in.discards.add(q.project.ProjectID, in.now(), c.Discards...)
	in.addLogs(q, c, repairs)
	return "", nil
}

// refuseItem counts an item that cannot be read, and returns the error, unless it is one of those that clients are never refused for.
func (in *Ingest) refuseItem(q *sentryRequest, item sentry.Item, c sentry.Content, err error) error {
	switch item.Type {
	case "event", "feedback", "user_report":
		return in.refuse(q.project, err)
	case "check_in":
		return in.refuseCheckIn(q.project, c.CheckIn.Slug, err)
	case "client_report": // no client does anything about it
		return nil
	case "log":
		q.logs.unread = cmp.Or(q.logs.unread, err)
	}
	in.dropFor(q.project, item.Category(), err, item.Count)
	return nil
}

// takeEvent stores an event, and returns the id of its notice.
func (in *Ingest) takeEvent(w http.ResponseWriter, q sentryRequest, e *sentry.Event, repairs repair.Notes) (id string, err error) {
	if q.files != nil {
		q.files.ofEvent = true
	}
	e.Notice.Repairs = append(e.Notice.Repairs, repairs...)
	q.m.notice = e.Notice.Append(q.m.notice[:0], event.MaxNotice)
	receipt, err := in.submit(q.project, q.m, converted{notice: q.m.notice, hints: event.Hints{Class: e.Class, Message: e.Template, ByMessage: e.Message, Default: sentry.DefaultGrouping}})
	if e, ok := errors.AsType[*sett.Error](err); ok && e.Code == sett.TooMany {
		addLimits(w, sentry.Limited(e.RetryAfter))
	}
	if err != nil {
		q.m.notice = nil // it may still be on its way to the store
		return "", err
	}
	return receipt.ID.String(), nil
}

// sentLogs are the logs of an envelope.
type sentLogs struct {
	lines  *sentEvents // as structured events; nil: none
	unread error       // of the first item that could not be read
}

// addLogs keeps the lines of an item, of all items of an envelope at most sentry.MostLogs.
func (in *Ingest) addLogs(q *sentryRequest, c sentry.Content, repairs repair.Notes) {
	if len(c.Logs) == 0 {
		return
	}
	if q.logs.lines == nil {
		q.logs.lines = in.newEvents(q.project)
	}
	kept := c.Logs[:min(len(c.Logs), sentry.MostLogs-int(q.logs.lines.count))]
	in.drop(q.project, logCategory, stats.DroppedTooLarge, c.LeftOut+len(c.Logs)-len(kept))
	for _, log := range kept {
		q.logs.lines.add(ndjson.Noted(log.Event, repairs), log.Bytes)
	}
}

// storeLogs stores the logs of an envelope. Those beyond the limit of the day are dropped, and the client is asked to send none for a while: other
// items are stored all the same.
func (in *Ingest) storeLogs(w http.ResponseWriter, logs sentLogs) error {
	if logs.lines == nil {
		return logs.unread
	}
	err := in.submitEvents(logs.lines)
	if e, ok := errors.AsType[*sett.Error](err); ok && e.Code == sett.TooMany {
		addLimits(w, sentry.LimitedLogs(e.RetryAfter))
		err = nil
	}
	return cmp.Or(err, logs.unread)
}

// addLimits adds limits to those that an answer has.
func addLimits(w http.ResponseWriter, limits string) {
	if before := w.Header().Get(sentry.LimitsHeader); before != "" {
		limits = before + ", " + limits
	}
	w.Header().Set(sentry.LimitsHeader, limits)
}
