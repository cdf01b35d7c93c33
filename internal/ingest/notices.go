package ingest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"

	"sett/internal/ingest/event"
	"sett/internal/serve"
	"sett/internal/sett"
	"sett/internal/sett/accounts"
)

// errorCategory is the category of notices that are not stored.
const errorCategory = "error"

// maxSent is how many bytes a body may have as it is sent.
const maxSent = 1 << 20

// accepted is the answer to a notice. Clients show the id to users and parse it as a UUID.
type accepted struct {
	ID string `json:"id" doc:"Id of the notice: the token of the client, if it sent a UUID as error.token"`
}

// postNotice takes one notice. It answers 201 only once the notice is durably stored. A notice of an ignored fault is
// answered so too, although it is discarded and counted: to clients anything else is a failure.
func (in *Ingest) postNotice(w http.ResponseWriter, r *http.Request) error {
	m := in.memories.take()
	project, key, notice, err := in.admit(w, r, m)
	if err != nil {
		return err
	}
	receipt, err := in.take(project, m, converted{notice: notice}, &m.facets)
	if err != nil {
		return err
	}
	refused := in.refusalOf(project, receipt)
	if refused == nil {
		in.forwardReport(r, project, key, jsonType, notice, 1)
	}
	in.memories.giveBack(m) // and not after an error: the notice may still be on its way to the store
	if refused != nil {
		return refused
	}
	return serve.WriteJSON(w, http.StatusCreated, accepted{ID: receipt.ID.String()})
}

// take reads a notice of a project, removes what its rules match, and stores the rest. It returns once the store has decided. m is the memory of its
// request. Errors: Unavailable, and those of event.Parse; whatever is not stored is counted.
func (in *Ingest) take(p accounts.KeyedProject, m *memory, c converted, f *event.Facets) (accounts.Receipt, error) {
	grouping := in.rulesOf(p)
	options := event.Options{
		Project: p, Now: in.now(), Scrub: in.scrubbing.rulesOf(p), Hints: c.hints, Original: in.unminifier(p),
		Rules: grouping.Rules, Before: grouping.Before, ChangedAt: grouping.ChangedAt,
	}
	if !c.noted {
		c.notice = withNotes(c.notice, m.notes)
	}
	report, scrubbed, err := event.Parse(c.notice, options, f)
	if doc, notes, ok := m.readable(c.notice, err); ok {
		again, counts, fails := event.Parse(withNotes(doc, notes), options, f)
		if fails == nil && says(again) {
			report, scrubbed, err = again, counts, nil
		}
	}
	if err != nil {
		return accounts.Receipt{}, in.refuse(p, err)
	}
	receipt, err := in.buffer.Submit(report)
	if err != nil {
		return receipt, fmt.Errorf("submit notice: %w", err)
	}
	in.scrubbing.add(p.ProjectID, report.ReceivedAt, scrubbed)
	return receipt, nil
}

// admit returns the project whose key the request carries, this key, and the notice's JSON; the last two may be in m. A wrong key
// outside the body is refused before anything is read.
func (in *Ingest) admit(w http.ResponseWriter, r *http.Request, m *memory) (project accounts.KeyedProject, key string, notice []byte, err error) {
	if key = requestKey(r); key != "" {
		if project, err = in.project(r.Context(), key); err != nil {
			return project, key, nil, err
		}
		serve.Known(r.Context())
		if notice, _, err = in.body(w, r, m); err != nil {
			err = in.refuse(project, err)
		}
		return project, key, notice, err
	}
	notice, key, err = in.body(w, r, m)
	if err == nil && key == "" && len(notice) > 0 {
		key, _, err = readAgain(m, notice, event.Key, func(key string) bool { return key != "" })
	}
	if err != nil {
		return project, key, nil, err
	}
	project, err = in.project(r.Context(), key)
	return project, key, notice, err
}

// project returns the project of an API key. Clients suspend themselves on 403 and on nothing else (clients.md), so
// that a key which is missing, unknown or no key at all is Forbidden.
func (in *Ingest) project(ctx context.Context, key string) (accounts.KeyedProject, error) {
	if !isKey(key) {
		return accounts.KeyedProject{}, sett.Errorf(sett.Forbidden, "This is not an API key. Copy the key from the settings of your project.")
	}
	project, err := in.keys.Project(ctx, key)
	if err != nil {
		return project, fmt.Errorf("find project by key: %w", err)
	}
	return project, nil
}

// body reads the request's body into m, undoes its compression, and opens it where it is a form: out come a notice's JSON
// and the form's API key.
func (in *Ingest) body(w http.ResponseWriter, r *http.Request, m *memory) (notice []byte, key string, err error) {
	body, err := in.inflated(w, r, m)
	if err != nil {
		return nil, "", err
	}
	notice, key = event.OpenForm(r.Header.Get("Content-Type"), body)
	return notice, key, nil
}

// inflated reads the request's body into m and undoes its compression.
func (in *Ingest) inflated(w http.ResponseWriter, r *http.Request, m *memory) ([]byte, error) {
	return in.inflatedTo(w, r, m, maxSent, event.MaxInflated)
}

// inflatedTo is inflated for bodies of at most so many bytes as they are sent, and without their compression.
func (in *Ingest) inflatedTo(w http.ResponseWriter, r *http.Request, m *memory, sent int64, plain int) ([]byte, error) {
	if r.ContentLength > sent {
		return nil, unreadable(&http.MaxBytesError{Limit: sent})
	}
	if err := m.read(r, http.MaxBytesReader(w, r.Body, sent)); err != nil {
		return nil, err
	}
	return in.plain(r, m, plain)
}

// read reads a body as it was sent.
func (m *memory) read(r *http.Request, body io.Reader) error {
	const mostBelieved = 16<<10 - bytes.MinRead // bytes that a client announces
	m.sent.Grow(bytes.MinRead + int(min(max(r.ContentLength, 0), mostBelieved)))
	_, err := m.sent.ReadFrom(body)
	return bodyError(err)
}

// plain returns the body that m has read, without its compression.
func (in *Ingest) plain(r *http.Request, m *memory, most int) ([]byte, error) {
	m.contentType, m.hold = r.Header.Get("Content-Type"), func(bytes int) error { return serve.Hold(r.Context(), bytes) }
	return in.inflater.Plain(m.sent.Bytes(), encodingOf(r), event.Bounds{Most: most, Hold: m.hold}, &m.inflated, &m.notes)
}

// bodyError says why a body could not be read, if it could not.
func bodyError(err error) error {
	if err == nil || sett.CodeOf(err) != "" {
		return err
	}
	return unreadable(err)
}

// unreadable says why a body could not be read.
func unreadable(err error) error {
	if e, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return sett.Errorf(sett.TooLarge, "The body has more than %d bytes. Send less data.", e.Limit)
	}
	return fmt.Errorf("read body: %w", err)
}

// refuse counts a rejected notice of the project, and returns why it was rejected. If it cannot be counted, that is the
// error, so that the client retries.
func (in *Ingest) refuse(project accounts.KeyedProject, reason error) error {
	switch sett.CodeOf(reason) {
	case sett.Malformed, sett.Invalid, sett.TooLarge:
		if err := in.buffer.Refuse(project, accounts.InvalidNotice); err != nil {
			return fmt.Errorf("count refused notice: %w", err)
		}
		in.dropFor(project, errorCategory, reason, 1)
	}
	return reason
}
