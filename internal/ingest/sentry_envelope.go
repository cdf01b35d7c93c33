package ingest

import (
	"bytes"
	"cmp"
	"context"
	"io"
	"net/http"
	"strings"

	"sett/internal/ingest/event"
	"sett/internal/ingest/sentry"
	"sett/internal/serve"
	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/stats"
)

// The bounds of an envelope that is too large to be held whole, in bytes: those of Sentry, which its clients count on. Of such an envelope,
// maxEnvelopePlain bytes are held.
const (
	maxLargeSent  = 20 << 20
	maxLargePlain = 100 << 20
	mostLarge     = 4 // that are read at once
	mostLargeOwn  = 1 // of a project, or of all senders whose key is in the envelope
)

// readEnvelope returns the envelope of a request, and who sent it. Of one that is too large, the items that are too large are left out.
func (in *Ingest) readEnvelope(w http.ResponseWriter, r *http.Request, m *memory) (q sentryRequest, env sentry.Envelope, err error) {
	if q, err = in.senderOf(r, m); err != nil {
		return q, env, err
	}
	source, err := in.sizedEnvelope(w, r, &q)
	switch {
	case err == nil && source != nil:
		env, err = in.readLargeEnvelope(w, r, &q, source)
	case err == nil:
		if err = in.admitBody(r, &q); err != nil {
			return q, env, err
		}
		env, err = sentry.ReadEnvelope(q.body)
	}
	if err != nil && q.project.ProjectID != 0 {
		err = in.refuse(q.project, err)
	}
	return q, env, err
}

// sizedEnvelope reads the body of an envelope, or, if that is too large to be held, returns a reader of all of it, with its compression.
func (in *Ingest) sizedEnvelope(w http.ResponseWriter, r *http.Request, q *sentryRequest) (large io.Reader, err error) {
	if r.ContentLength > maxLargeSent {
		return nil, unreadable(&http.MaxBytesError{Limit: maxLargeSent})
	}
	body := http.MaxBytesReader(w, r.Body, maxLargeSent)
	if r.ContentLength > maxEnvelopeSent {
		return body, nil
	}
	if err := q.m.read(r, io.LimitReader(body, maxEnvelopeSent+1)); err != nil {
		return nil, err
	}
	if q.m.sent.Len() > maxEnvelopeSent {
		return io.MultiReader(bytes.NewReader(q.m.sent.Bytes()), body), nil
	}
	if q.body, err = in.plain(r, q.m, maxEnvelopePlain); sett.CodeOf(err) == sett.TooLarge {
		return bytes.NewReader(q.m.sent.Bytes()), nil
	}
	return nil, err
}

// readLargeEnvelope reads an envelope item by item once all of it is there, and keeps of each what may be stored of it.
func (in *Ingest) readLargeEnvelope(w http.ResponseWriter, r *http.Request, q *sentryRequest, body io.Reader) (env sentry.Envelope, err error) {
	body, free, err := in.uploads.Receive(w, r, q.project.ProjectID, body)
	if err != nil {
		return env, bodyError(err)
	}
	defer free()
	leave, err := in.takeLarge(r.Context(), q.project.ProjectID)
	if err != nil {
		return env, err
	}
	defer leave()
	s, err := event.NewStream(body, encodingOf(r), maxLargePlain, &q.m.notes)
	if err != nil {
		return env, err
	}
	defer s.Close()
	env, err = sentry.ReadLargeEnvelope(s, sentry.Keeper{
		Head: func(head sentry.Envelope) error {
			if q.key == "" {
				return in.admitKey(r, q, head.Key())
			}
			return nil
		},
		Room:  in.roomForItem,
		Total: maxEnvelopePlain,
		Hold:  func(bytes int) error { return serve.Hold(r.Context(), bytes) },
	})
	return env, bodyError(err)
}

// takeLarge waits for the turn of a project to have a large envelope read.
func (in *Ingest) takeLarge(ctx context.Context, project int64) (leave func(), err error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	if leave, err = in.large.Take(ctx, project); err != nil {
		return nil, &sett.Error{Code: sett.Unavailable, Message: "The server is reading too many large envelopes. Try again in a moment.", RetryAfter: patience}
	}
	return leave, nil
}

// roomForItem returns how many bytes of an item of a large envelope are kept: none of what is dropped anyway.
func (in *Ingest) roomForItem(item sentry.Item) int {
	if item.Category() == "" || in.unsupported().Drops(item) {
		return 0
	}
	return item.Most(maxEnvelopePlain)
}

// itemsToTake returns the items of an envelope that sett has use for, without those that were too large to be kept, which it counts. An event is
// what a client must know about: it is an error.
func (in *Ingest) itemsToTake(w http.ResponseWriter, p accounts.KeyedProject, items []sentry.Item) (kept []sentry.Item, err error) {
	for _, item := range items {
		switch {
		case in.unsupported().Drops(item):
		case !item.Large:
			kept = append(kept, item)
		case item.Type == "event":
			err = cmp.Or(err, in.refuse(p, sett.Errorf(sett.TooLarge, "The event has more than %d bytes. Send less data.", maxEnvelopePlain)))
		case item.Category() != "" && (item.Type != "attachment" || item.IsFile()):
			in.drop(p, item.Category(), stats.DroppedTooLarge, item.Count)
			if item.Type == "attachment" {
				addLimits(w, sentry.LimitedAttachments(waitAfterLarge))
			}
		}
	}
	return kept, err
}

func encodingOf(r *http.Request) string {
	return strings.Join(r.Header.Values("Content-Encoding"), ", ")
}
