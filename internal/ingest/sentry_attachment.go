package ingest

import (
	"context"
	"net/http"
	"time"

	"sett/internal/attach"
	"sett/internal/ingest/sentry"
	"sett/internal/sett"
	"sett/internal/stats"
	"sett/internal/store/attachment"
)

// How long a client is asked to send no attachments after one that was dropped: because it was too large, or because there is no room at
// all.
const (
	waitAfterLarge = time.Minute
	waitAfterFull  = time.Hour
)

// takeAttachments stores the attachments of an envelope with the notice of an event, which may have come before. Those that are not stored are
// dropped and counted, and the client is asked to send none for a while. It returns once the others are durable.
func (in *Ingest) takeAttachments(ctx context.Context, w http.ResponseWriter, q sentryRequest, notice string, items []sentry.Item) error {
	files, large := in.readAttachments(q.project, items)
	var saved attachment.Saved
	if id, err := sett.ParseUUID(notice); err != nil {
		saved.NoNotice = len(files)
	} else if len(files) > 0 {
		ctx, cancel := context.WithTimeout(ctx, patience)
		defer cancel()
		saved, err = in.attachments.Save(ctx, in.now(), q.project.ProjectID, id, files)
		if in.spool.takes(err) { // the event is in the spool, which has no room for files
			saved, err = attachment.Saved{Full: len(files)}, nil
		}
		if err != nil {
			return err
		}
	}
	saved.TooLarge += large
	const category = "attachment"
	in.drop(q.project, category, stats.DroppedTooLarge, saved.TooLarge)
	in.drop(q.project, category, stats.DroppedFull, saved.Full)
	in.drop(q.project, category, stats.DroppedNoEvent, saved.NoNotice)
	switch {
	case saved.Full > 0:
		addLimits(w, sentry.LimitedAttachments(waitAfterFull))
	case saved.TooLarge > 0:
		addLimits(w, sentry.LimitedAttachments(waitAfterLarge))
	}
	return nil
}

// readAttachments returns the attachments of an envelope that may be stored, without what the rules of the project remove from texts, and how
// many are too large.
func (in *Ingest) readAttachments(p sett.KeyedProject, items []sentry.Item) (files []attachment.File, large int) {
	if !in.attachments.On() {
		return nil, 0
	}
	room := attach.MostBytes
	for _, item := range items {
		if !item.IsFile() {
			continue
		}
		if len(files) == attach.Most || len(item.Payload) > room {
			large++
			continue
		}
		room -= len(item.Payload)
		f := attachment.File{Name: attach.CleanName(in.cleanText(p, item.Filename)), Type: attach.MediaType(item.ContentType, item.Payload), Body: item.Payload}
		if attach.IsText(f.Body) {
			f.Body = []byte(in.cleanText(p, string(f.Body)))
		}
		files = append(files, f)
	}
	return files, large
}
