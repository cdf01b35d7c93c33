package ingest

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strings"

	"sett/internal/ingest/sentry"
	"sett/internal/serve"
	"sett/internal/sett/accounts"
	"sett/internal/sett/checks"
	"sett/internal/sett/faults"
	"sett/internal/sett/forward"
)

const (
	jsonType     = "application/json"
	envelopePath = "/envelope/"
)

// forwards reports whether the report of a request goes on to the service that its project moves from. What this or another sett has forwarded
// goes no further, so that two cannot send to each other for ever.
func forwards(r *http.Request, p accounts.KeyedProject) bool {
	return p.Forwards && r.Header.Get(serve.OutboundHeader) == ""
}

// forwardTo hands on a report that was taken. Its body and key are copied.
func (in *Ingest) forwardTo(p accounts.KeyedProject, report forward.Report) {
	report.Body, report.Key, report.At = bytes.Clone(report.Body), strings.Clone(report.Key), in.now()
	in.forward(p.ProjectID, report)
}

// forwardReport hands on what came in the protocol of Honeybadger.
func (in *Ingest) forwardReport(r *http.Request, p accounts.KeyedProject, key, contentType string, body []byte, errors int64) {
	if forwards(r, p) {
		in.forwardTo(p, forward.Report{Service: forward.Honeybadger, Path: r.URL.Path, ContentType: contentType, Body: body, Key: key, Errors: errors})
	}
}

// forwardDeploy hands on a deploy, whatever reported it.
func (in *Ingest) forwardDeploy(r *http.Request, p accounts.KeyedProject, d faults.Deploy) {
	if !forwards(r, p) {
		return
	}
	body, err := json.Marshal(map[string]deployPart{"deploy": {Environment: d.Environment, Revision: d.Revision, Repository: d.Repository, LocalUsername: d.LocalUsername}})
	if err == nil {
		in.forwardTo(p, forward.Report{Service: forward.Honeybadger, Path: "/v1/deploys", ContentType: jsonType, Body: body})
	}
}

// forwardPing hands on a ping that names its check-in by a slug. The id of a check-in is another one at the other service. It asks for the project
// only while the database responds: an answer to a ping does not wait for a copy.
func (in *Ingest) forwardPing(r *http.Request, payload *checks.PingPayload) {
	key := r.PathValue("key")
	if key == "" || in.spool.Holds() {
		return
	}
	project, err := in.project(r.Context(), key)
	if err != nil || !forwards(r, project) {
		return
	}
	var body []byte
	if payload != nil {
		if body, err = json.Marshal(map[string]*checks.PingPayload{"check_in": payload}); err != nil {
			return
		}
	}
	in.forwardTo(project, forward.Report{Service: forward.Honeybadger, Path: r.URL.Path, ContentType: jsonType, Body: body, Key: key})
}

// forwardSentry hands on what came in the protocol of Sentry, to a path below a project there.
func (in *Ingest) forwardSentry(r *http.Request, q sentryRequest, path string, errors int64) {
	if !forwards(r, q.project) {
		return
	}
	in.forwardTo(q.project, forward.Report{
		Service: forward.Sentry, Path: path, Query: r.URL.Query(), ContentType: q.m.contentType, Body: q.body, Key: q.key, Errors: errors,
		Left: len(q.body) == 0 && path == envelopePath,
	})
}

// eventsIn is how many errors are in the items of an envelope.
func eventsIn(items []sentry.Item) (n int64) {
	for _, item := range items {
		if item.Type == "event" {
			n++
		}
	}
	return n
}
