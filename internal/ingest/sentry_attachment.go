package ingest

import (
	"context"
	"net/http"
	"time"

	"sett/internal/ingest/sentry"
	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/faults"
	"sett/internal/sett/stats"
	"sett/internal/store/attachmentdb"
)

// How long a client is asked to send no attachments after one that was dropped: because it was too large, or because there is no room at
// all.
const (
	waitAfterLarge = time.Minute
	waitAfterFull  = time.Hour
)

// takeAttachments stores the attachments of an envelope with the notice of an event, which may have come before. Those that are not stored are
// dropped and counted, and the client is asked to send none for a while. It returns once the others are durable.
func (in *Ingest) takeAttachments(ctx context.Context, w http.ResponseWriter, q sentryRequest, notice string, files []attachmentdb.File, large int) error {
	saved, err := in.saveFiles(ctx, q.project, notice, files)
	if err != nil {
		return err
	}
	saved.TooLarge += large
	in.dropFiles(q.project, saved)
	switch {
	case saved.Full > 0:
		addLimits(w, sentry.LimitedAttachments(waitAfterFull))
	case saved.TooLarge > 0:
		addLimits(w, sentry.LimitedAttachments(waitAfterLarge))
	}
	return nil
}

// saveFiles stores files with a notice.
func (in *Ingest) saveFiles(ctx context.Context, p accounts.KeyedProject, notice string, files []attachmentdb.File) (saved attachmentdb.Saved, err error) {
	id, err := sett.ParseUUID(notice)
	if err != nil {
		return attachmentdb.Saved{NoNotice: len(files)}, nil // there is no such notice
	}
	if len(files) == 0 {
		return saved, nil
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	saved, err = in.attachments.Save(ctx, in.now(), p.ProjectID, id, files)
	if in.spool.takes(err) { // the event is in the spool, which has no room for files
		return attachmentdb.Saved{Full: len(files)}, nil
	}
	return saved, err
}

// dropFiles counts the files that were not stored.
func (in *Ingest) dropFiles(p accounts.KeyedProject, saved attachmentdb.Saved) {
	const category = "attachment"
	in.drop(p, category, stats.DroppedTooLarge, saved.TooLarge)
	in.drop(p, category, stats.DroppedFull, saved.Full)
	in.drop(p, category, stats.DroppedNoEvent, saved.NoNotice)
}

// readAttachments returns the attachments of an envelope that may be stored, without what the rules of the project remove from texts, and how
// many are too large.
func (in *Ingest) readAttachments(p accounts.KeyedProject, items []sentry.Item) (files []attachmentdb.File, large int) {
	if !in.attachments.On() {
		return nil, 0
	}
	room := faults.MostAttachmentBytes
	for _, item := range items {
		if !item.IsFile() {
			continue
		}
		if len(files) == faults.MostAttachments || len(item.Payload) > room {
			large++
			continue
		}
		room -= len(item.Payload)
		f := attachmentdb.File{Name: faults.CleanAttachmentName(in.cleanText(p, item.Filename)), Type: faults.AttachmentType(item.ContentType, item.Payload), Body: item.Payload}
		if faults.IsTextFile(f.Body) {
			f.Body = []byte(in.cleanText(p, string(f.Body)))
		}
		files = append(files, f)
	}
	return files, large
}
