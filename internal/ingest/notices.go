package ingest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"sett/internal/serve"
	"sett/internal/sett"
)

// maxSent is how many bytes a body may have as it is sent.
const maxSent = 1 << 20

// accepted is the answer to a notice. Clients show the id to users and parse it as a UUID.
type accepted struct {
	ID string `json:"id" doc:"The notice's id: the client's token if it sent a UUID as error.token"`
}

// postNotice takes one notice. It answers 201 only once the notice is durably stored. A notice of an ignored fault is
// answered so too, although it is discarded and counted: to clients anything else is a failure.
func (in *Ingest) postNotice(w http.ResponseWriter, r *http.Request) error {
	project, body, err := in.admit(w, r)
	if err != nil {
		return err
	}
	report, err := parse(body, project, in.now())
	if err != nil {
		return in.refuse(project, err)
	}
	receipt, err := in.buffer.Submit(report)
	if err != nil {
		return fmt.Errorf("submit notice: %w", err)
	}
	switch receipt.Outcome {
	case sett.Limited:
		return &sett.Error{Code: sett.TooMany, Message: receipt.Why, RetryAfter: receipt.RetryAfter}
	case sett.InvalidNotice:
		return sett.Errorf(sett.Forbidden, "%s", receipt.Why)
	}
	return serve.WriteJSON(w, http.StatusCreated, accepted{ID: receipt.ID.String()})
}

// admit returns the project whose key the request carries, and the request's plain body. A wrong key outside the body
// is refused before anything is read.
func (in *Ingest) admit(w http.ResponseWriter, r *http.Request) (sett.KeyedProject, []byte, error) {
	if key := requestKey(r); key != "" {
		project, err := in.project(r.Context(), key)
		if err != nil {
			return project, nil, err
		}
		body, err := in.body(w, r)
		if err != nil {
			return project, nil, in.refuse(project, err)
		}
		return project, body, nil
	}
	body, err := in.body(w, r)
	if err != nil {
		return sett.KeyedProject{}, nil, err
	}
	key, err := bodyKey(body)
	if err != nil {
		return sett.KeyedProject{}, nil, err
	}
	project, err := in.project(r.Context(), key)
	return project, body, err
}

// project returns the project of an API key. Clients suspend themselves on 403 and on nothing else (clients.md), so
// that a key which is missing, unknown or no key at all is Forbidden.
func (in *Ingest) project(ctx context.Context, key string) (sett.KeyedProject, error) {
	if !isKey(key) {
		return sett.KeyedProject{}, sett.Errorf(sett.Forbidden, "This is not an API key. Copy your project's key from its settings page.")
	}
	project, err := in.keys.Project(ctx, key)
	if err != nil {
		return project, fmt.Errorf("find project by key: %w", err)
	}
	return project, nil
}

// body reads the request's body and undoes its compression. The caller owns it.
func (in *Ingest) body(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	const usual = 64 << 10 // bytes; what a client announces is believed up to here
	sent := bytes.NewBuffer(make([]byte, 0, bytes.MinRead+min(max(r.ContentLength, 0), usual)))
	_, err := sent.ReadFrom(http.MaxBytesReader(w, r.Body, maxSent))
	switch {
	case err == nil:
		return in.inflater.inflate(sent.Bytes(), strings.Join(r.Header.Values("Content-Encoding"), ", "))
	case errors.Is(err, io.ErrUnexpectedEOF):
		return nil, sett.Errorf(sett.Malformed, "The body ended before the announced length. Send all of it.")
	}
	if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return nil, sett.Errorf(sett.TooLarge, "The body has more than %d bytes. Send less data with the notice.", maxSent)
	}
	return nil, fmt.Errorf("read body: %w", err)
}

// refuse counts a notice that a client of the project sent in vain, and returns why it was refused. When it cannot be
// counted, that is the error, so that the client tries again.
func (in *Ingest) refuse(project sett.KeyedProject, reason error) error {
	switch sett.CodeOf(reason) {
	case sett.Malformed, sett.Invalid, sett.TooLarge:
		if err := in.buffer.Refuse(project, sett.InvalidNotice); err != nil {
			return fmt.Errorf("count refused notice: %w", err)
		}
	}
	return reason
}
