package notify

import (
	"context"
	"encoding/json"
	"fmt"

	"sett/internal/notify/channel"
	"sett/internal/sett/alerts"
	"sett/internal/sett/triage"
	"sett/internal/store/sheet"
)

// Composer renders alerts from their sheets.
type Composer struct {
	Sheets    *sheet.Store
	BaseURL   string // of pages; no trailing slash
	ReportURL string // that jobs report to; no trailing slash
}

// Compose returns the message of an alert. Objects that were deleted since are left out, without an error. link is the issue
// at the receiver that the fault is linked with, nil for none.
func (c *Composer) Compose(ctx context.Context, alert alerts.Alert, link triage.LinkData) (channel.Message, error) {
	of, err := c.Sheets.OfAlert(ctx, alert)
	if err != nil {
		return channel.Message{}, fmt.Errorf("compose message of alert %d: %w", alert.ID, err)
	}
	m, err := newContext(alert, of, c.BaseURL, c.ReportURL).message()
	if err != nil {
		return channel.Message{}, fmt.Errorf("compose message of alert %d: %w", alert.ID, err)
	}
	if link != nil {
		m.Issue = &channel.Issue{Link: link}
	}
	return m, nil
}

// ComposeV3 returns the payload of version 3 of an alert, as Compose does that of version 2.
func (c *Composer) ComposeV3(ctx context.Context, alert alerts.Alert) (json.RawMessage, error) {
	of, err := c.Sheets.OfAlert(ctx, alert)
	if err != nil {
		return nil, fmt.Errorf("compose payload of alert %d: %w", alert.ID, err)
	}
	body, err := newContext(alert, of, c.BaseURL, c.ReportURL).bodyV3()
	if err != nil {
		return nil, fmt.Errorf("compose payload of alert %d: %w", alert.ID, err)
	}
	return body, nil
}

// Write returns the message of an alert as it is stored, and its headline.
func (c *Composer) Write(ctx context.Context, alert alerts.Alert) (message []byte, headline string, err error) {
	m, err := c.Compose(ctx, alert, nil)
	if err != nil {
		return nil, "", err
	}
	message, err = json.Marshal(m)
	return message, m.Headline(), err
}

// message renders an alert. Its body has the form that encoding/json produces inside of a message, so that a stored message
// is sent byte by byte like a new one.
func (s *alertContext) message() (channel.Message, error) {
	w := s.text()
	text := s.line(w)
	body, err := written(s.payload(text))
	if err != nil {
		return channel.Message{}, err
	}
	return channel.Message{
		Event: s.Event, Subject: s.Subject, At: s.At, Mood: moodOf(s.Event), Project: line(s.projectName()), Environment: line(s.Environment),
		Text: text, Lead: w.lead, Title: cut(line(w.title), mostTitle), Detail: cut(paragraph(w.detail), mostDetail), Facts: s.table(), Trace: s.trace(),
		URL: s.page(), Acknowledge: s.acknowledgeURL(), Body: body,
	}, nil
}

// bodyV3 is the payload of version 3.
func (s *alertContext) bodyV3() (json.RawMessage, error) {
	return written(s.payloadV3(s.line(s.text())))
}

// written is a payload as JSON of at most mostPayload bytes.
func written(payload any) (json.RawMessage, error) {
	body, err := json.Marshal(payload)
	if err == nil {
		body, err = shorten(body, mostPayload)
	}
	if err != nil {
		return nil, fmt.Errorf("write payload: %w", err)
	}
	return body, nil
}

// moodOf is the mood of a message about an event.
func moodOf(e alerts.AlertEvent) channel.Mood {
	switch e {
	case alerts.AlertOccurred, alerts.AlertRateExceeded, alerts.AlertVolumeSpike, alerts.AlertDown, alerts.AlertSlow, alerts.AlertCertWillExpire, alerts.AlertCheckInMissing,
		alerts.AlertCheckInFailed, alerts.AlertAlarm:
		return channel.Trouble
	case alerts.AlertUp, alerts.AlertFast, alerts.AlertCheckInReporting, alerts.AlertAlarmOK, alerts.AlertResolved:
		return channel.Recovery
	default:
		return channel.News
	}
}
