package notify

import (
	"context"
	"encoding/json"
	"fmt"

	"sett/internal/channel"
	"sett/internal/sett"
	"sett/internal/store"
)

// Composer puts alerts into words. It reads what an alert's facts do not say and is still there.
type Composer struct {
	Store     *store.Store
	BaseURL   string // of pages; no trailing slash
	ReportURL string // that jobs report to; no trailing slash
}

// Compose returns an alert in words. What was deleted since makes the message shorter, and is no error; link is of the
// issue that the alert's fault is linked with at the receiver, nil for none.
func (c *Composer) Compose(ctx context.Context, alert sett.Alert, link sett.LinkData) (channel.Message, error) {
	s, err := c.read(ctx, alert)
	if err != nil {
		return channel.Message{}, fmt.Errorf("compose message of alert %d: %w", alert.ID, err)
	}
	m, err := s.message()
	if err != nil {
		return channel.Message{}, fmt.Errorf("compose message of alert %d: %w", alert.ID, err)
	}
	if link != nil {
		m.Issue = &channel.Issue{Link: link}
	}
	return m, nil
}

// message puts a story into words. Its body is as encoding/json writes it inside of a message too, so that a message that
// was stored is sent byte by byte as a new one is.
func (s *story) message() (channel.Message, error) {
	w := s.words()
	text := s.line(w)
	body, err := json.Marshal(s.payload(text))
	if err == nil {
		body, err = shorten(body, mostPayload)
	}
	if err != nil {
		return channel.Message{}, fmt.Errorf("write payload: %w", err)
	}
	return channel.Message{
		Event: s.Event, Subject: s.Subject, At: s.At, Mood: moodOf(s.Event), Project: line(s.projectName()), Environment: line(s.Environment),
		Text: text, Title: cut(line(w.title), mostTitle), Detail: cut(paragraph(w.detail), mostDetail), Facts: s.table(), Trace: s.trace(),
		URL: s.page(), Body: body,
	}, nil
}

// moodOf says what a message about an event does to those who read it.
func moodOf(e sett.AlertEvent) channel.Mood {
	switch e {
	case sett.AlertOccurred, sett.AlertRateExceeded, sett.AlertVolumeSpike, sett.AlertDown, sett.AlertCertWillExpire, sett.AlertCheckInMissing:
		return channel.Trouble
	case sett.AlertUp, sett.AlertCheckInReporting, sett.AlertResolved:
		return channel.Recovery
	default:
		return channel.News
	}
}
