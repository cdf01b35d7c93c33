package ingest

import (
	"bytes"
	"cmp"
	"context"
	"encoding/base64"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"sett/internal/serve/auth"

	"sett/internal/ingest/event"
	"sett/internal/ingest/ndjson"
	"sett/internal/ingest/sentry"
	"sett/internal/serve"
	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/stats"
	"sett/internal/store/attachmentdb"
)

// The bounds of what Sentry's clients send, in bytes. They are above those of notices, as an envelope may have attachments, and an
// event is cut to the length of a notice.
const (
	maxEnvelopeSent  = 2 << 20
	maxEnvelopePlain = 8 << 20
)

func (in *Ingest) sentryRoutes() []serve.Route {
	const project = "/api/{project_id}"
	routes := []serve.Route{
		{Method: http.MethodPost, Path: project + "/envelope", Name: "sentryEnvelope", Handle: in.postEnvelope},
		{Method: http.MethodPost, Path: project + "/store", Name: "sentryStore", Handle: in.postSentryEvent},
		{Method: http.MethodPost, Path: project + "/security", Name: "sentrySecurity", Handle: in.postSecurityReport},
		{Method: http.MethodPost, Path: "/tunnel", Name: "sentryTunnel", Handle: in.postEnvelope},
		{Method: http.MethodPost, Path: project + "/minidump", Name: "sentryMinidump", Handle: in.refuseDump},
		{Method: http.MethodPost, Path: project + "/unreal", Name: "sentryUnreal", Handle: in.refuseDump},
		{Method: http.MethodPost, Path: project + "/unreal/{key}", Name: "sentryKeyedUnreal", Handle: in.refuseDump},
		{Method: http.MethodPost, Path: project + "/cron/{slug}", Name: "sentryCheckIn", Handle: in.plainCheckIn},
		{Method: http.MethodPost, Path: project + "/cron/{slug}/{key}", Name: "sentryKeyedCheckIn", Handle: in.plainCheckIn},
	}
	for _, rt := range routes[:len(routes):len(routes)] {
		methods := "POST, OPTIONS"
		if strings.Contains(rt.Path, "/cron/") {
			routes = append(routes, serve.Route{Method: http.MethodGet, Path: rt.Path, Name: rt.Name + "ByGet", Handle: rt.Handle})
			methods = "GET, POST, OPTIONS"
		}
		routes = append(routes, serve.Route{Method: http.MethodOptions, Path: rt.Path, Name: rt.Name + "Preflight", Handle: preflight(methods)})
	}
	for i := range routes {
		routes[i].Tag, routes[i].Permission, routes[i].Quiet, routes[i].Raw = "Reporting", accounts.ReportWithKey, true, true
		routes[i].Handle = sentryAnswers(routes[i].Handle)
	}
	return routes
}

// sentryAnswers wraps a handler so that its errors have the form that Sentry's clients read, and pages of any origin may read all that they
// do.
func sentryAnswers(next serve.Handler) serve.Handler {
	return AllowOrigins(func(w http.ResponseWriter, r *http.Request) error {
		w.Header().Set("Access-Control-Expose-Headers", sentry.ErrorHeader+", "+sentry.LimitsHeader+", Retry-After")
		return serve.AnswerErrorsAs(next, func(_ int, message string) any {
			w.Header().Set(sentry.ErrorHeader, message)
			return sentry.Refused{Detail: message, Causes: []string{}}
		})(w, r)
	})
}

// sentryRequest is a request of a Sentry client.
type sentryRequest struct {
	project accounts.KeyedProject
	key     string
	agent   string // what the client calls itself
	m       *memory
	body    []byte // without its compression; may be in m
	from    sentry.Request
	files   *sentFiles // of an envelope; nil: none
}

// sentFiles are the attachments of an envelope: of its event, or else of its first feedback.
type sentFiles struct {
	files   []attachmentdb.File
	ofEvent bool
}

// take returns the files for feedback.
func (f *sentFiles) take() (files []attachmentdb.File) {
	if f == nil || f.ofEvent {
		return nil
	}
	files, f.files = f.files, nil
	return files
}

// admitSentry returns the project whose key the request carries, and the body. A request without a key is read first, as its body may
// have one.
func (in *Ingest) admitSentry(w http.ResponseWriter, r *http.Request, m *memory) (q sentryRequest, err error) {
	if q, err = in.senderOf(r, m); err != nil {
		return q, err
	}
	if q.body, err = in.inflatedTo(w, r, m, maxEnvelopeSent, maxEnvelopePlain); err != nil {
		if q.key != "" {
			err = in.refuse(q.project, err)
		}
		return q, err
	}
	return q, in.admitBody(r, &q)
}

// senderOf returns who sent a request, as far as that is known without its body.
func (in *Ingest) senderOf(r *http.Request, m *memory) (q sentryRequest, err error) {
	q.m, q.agent, q.from = m, r.UserAgent(), sentry.Request{Sender: auth.AddressText(in.proxies, r), ReceivedAt: in.now()}
	if key := sentry.KeyOf(r); key != "" {
		err = in.admitKey(r, &q, key)
	}
	return q, err
}

// admitKey sets the key of a request, and its project.
func (in *Ingest) admitKey(r *http.Request, q *sentryRequest, key string) (err error) {
	q.key = key
	if q.project, err = in.projectAt(r, key); err == nil {
		serve.Known(r.Context())
	}
	return err
}

// admitBody makes the body legible, and sets the project of a request whose key is in it.
func (in *Ingest) admitBody(r *http.Request, q *sentryRequest) error {
	q.body = q.m.legible(q.body)
	if q.key != "" {
		return nil
	}
	return in.admitKey(r, q, sentry.KeyOfEnvelope(q.body))
}

// projectAt returns the project of a key, which must be the one in the path, if there is one.
func (in *Ingest) projectAt(r *http.Request, key string) (accounts.KeyedProject, error) {
	if key == "" {
		return accounts.KeyedProject{}, sett.Errorf(sett.Forbidden, "The request has no key. Send the DSN's key in the header X-Sentry-Auth or the parameter sentry_key, or the DSN in the header of the envelope.")
	}
	project, err := in.project(r.Context(), key)
	if id := r.PathValue("project_id"); err == nil && id != "" && id != strconv.FormatInt(project.ProjectID, 10) {
		return project, sett.Errorf(sett.Forbidden, "The key in the DSN does not belong to project %.20s. Copy the DSN from the settings of your project.", id)
	}
	return project, err
}

// postEnvelope takes all items of an envelope. It answers 200 only once what it has taken is durable. One item that cannot be taken is
// an error, and the others are stored all the same.
func (in *Ingest) postEnvelope(w http.ResponseWriter, r *http.Request) error {
	m := in.memories.take()
	q, env, err := in.readEnvelope(w, r, m)
	if err != nil {
		addLimits(w, in.unsupported().AllLimits())
		return err
	}
	q.from.SentAt = env.SentAt
	if limits := in.unsupported().Limits(env.Items); limits != "" {
		addLimits(w, limits)
	}
	in.countDiscards(q, env)
	id := sentry.ID(env.EventID)
	q.from.EventID = id
	items, err := in.dropLarge(w, q.project, env.Items)
	slices.SortStableFunc(items, eventsFirst) // feedback is about an event that is stored
	files, large := in.readAttachments(q.project, items)
	q.files = &sentFiles{files: files}
	for _, item := range items {
		taken, itemErr := in.takeItem(r.Context(), w, q, item)
		if item.Type == "event" || item.Type == "feedback" {
			q.from.EventID = "" // of another event
		}
		if taken != "" {
			id = taken
		}
		err = cmp.Or(err, itemErr)
	}
	if err = cmp.Or(err, in.takeAttachments(r.Context(), w, q, id, q.files.files, large), in.takeLogs(w, q, items)); err != nil {
		return err
	}
	in.memories.giveBack(m) // and not after an error: an event may still be on its way to the store
	return serve.WriteJSON(w, http.StatusOK, sentry.Accepted{ID: strings.ReplaceAll(id, "-", "")})
}

func eventsFirst(a, b sentry.Item) int {
	switch isEvent := a.Type == "event"; {
	case isEvent == (b.Type == "event"):
		return 0
	case isEvent:
		return -1
	}
	return 1
}

// takeItem stores one item, and returns the id of the notice if it is an event. What sett has no use for is dropped.
func (in *Ingest) takeItem(ctx context.Context, w http.ResponseWriter, q sentryRequest, item sentry.Item) (id string, err error) {
	if len(item.Repairs) > 0 {
		before := q.m.notes
		q.m.notes = slices.Concat(before, item.Repairs)
		defer func() { q.m.notes = before }()
	}
	switch item.Type {
	case "event":
		return in.takeEvent(ctx, w, q, item.Payload)
	case "feedback", "user_report":
		return "", in.takeFeedbackItem(ctx, w, q, item)
	case "check_in":
		return "", in.takeCheckIn(ctx, q, item.Payload)
	case "session", "sessions":
		in.takeSessions(q, item)
		return "", nil
	default:
		return "", nil
	}
}

// takeFeedbackItem stores an item with feedback.
func (in *Ingest) takeFeedbackItem(ctx context.Context, w http.ResponseWriter, q sentryRequest, item sentry.Item) error {
	f, err := q.m.sentry.ReadFeedback(item, q.from)
	repairs := q.m.notes
	if doc, notes, ok := q.m.readable(item.Payload, err); ok {
		item.Payload, repairs = doc, notes
		f, err = q.m.sentry.ReadFeedback(item, q.from)
	}
	if err != nil {
		return in.refuse(q.project, err)
	}
	f.Notice.Repairs = repairs
	return in.sentryFeedback(ctx, w, q, f)
}

// unsupported says what of an envelope is dropped.
func (in *Ingest) unsupported() sentry.Unsupported {
	return sentry.Unsupported{Logs: !in.events.On(), Attachments: !in.attachments.On()}
}

// addLimits adds limits to those that an answer has.
func addLimits(w http.ResponseWriter, limits string) {
	if before := w.Header().Get(sentry.LimitsHeader); before != "" {
		limits = before + ", " + limits
	}
	w.Header().Set(sentry.LimitsHeader, limits)
}

// takeLogs stores the logs of an envelope as structured events. Those beyond the limit of the day are dropped, and the client is asked to
// send none for a while: other items are stored all the same.
func (in *Ingest) takeLogs(w http.ResponseWriter, q sentryRequest, items []sentry.Item) error {
	if !in.events.On() {
		return nil
	}
	sent := in.newEvents(q.project)
	var unread error
	for _, item := range items {
		if item.Type != "log" {
			continue
		}
		logs, leftOut, err := sentry.ReadLogs(item.Payload, q.from.ReceivedAt, sentry.MostLogs-int(sent.count))
		repairs := q.m.notes
		if doc, notes, ok := q.m.readable(item.Payload, err); ok {
			if again, more, fails := sentry.ReadLogs(doc, q.from.ReceivedAt, sentry.MostLogs-int(sent.count)); fails == nil && len(again) > 0 {
				logs, leftOut, err, repairs = again, more, nil, notes
			}
		}
		if err != nil {
			unread = cmp.Or(unread, err)
			in.dropFor(q.project, logCategory, err, item.Count)
			continue
		}
		in.drop(q.project, logCategory, stats.DroppedTooLarge, leftOut)
		for _, log := range logs {
			sent.add(ndjson.Noted(log.Event, repairs), log.Bytes)
		}
	}
	err := in.submitEvents(sent)
	if e, ok := errors.AsType[*sett.Error](err); ok && e.Code == sett.TooMany {
		addLimits(w, sentry.LimitedLogs(e.RetryAfter))
		err = nil
	}
	return cmp.Or(err, unread)
}

// takeEvent stores an event, and returns the id of its notice.
func (in *Ingest) takeEvent(ctx context.Context, w http.ResponseWriter, q sentryRequest, payload []byte) (id string, err error) {
	e, err := q.m.sentry.ReadEvent(payload, q.from)
	repairs := q.m.notes
	if doc, notes, ok := q.m.readable(payload, err); ok {
		if again, fails := q.m.sentry.ReadEvent(doc, q.from); fails == nil && again.Says() {
			e, err, repairs = again, nil, notes
		}
	}
	if err != nil {
		return "", in.refuse(q.project, err)
	}
	if e.Feedback != nil {
		e.Feedback.Notice.Repairs = repairs
		return "", in.sentryFeedback(ctx, w, q, *e.Feedback)
	}
	if q.files != nil {
		q.files.ofEvent = true
	}
	e.Notice.Repairs = append(e.Notice.Repairs, repairs...)
	q.m.notice = e.Notice.Append(q.m.notice[:0], event.MaxNotice)
	receipt, err := in.submit(q.project, q.m, converted{notice: q.m.notice, hints: event.Hints{Message: e.Template, ByMessage: e.Message, Default: sentry.DefaultGrouping}})
	if e, ok := errors.AsType[*sett.Error](err); ok && e.Code == sett.TooMany {
		addLimits(w, sentry.Limited(e.RetryAfter))
	}
	if err != nil {
		q.m.notice = nil // it may still be on its way to the store
		return "", err
	}
	return receipt.ID.String(), nil
}

// postSentryEvent takes one event without an envelope, as clients before 2020 send it: as JSON, or as zlib data in base64.
func (in *Ingest) postSentryEvent(w http.ResponseWriter, r *http.Request) error {
	m := in.memories.take()
	q, err := in.admitSentry(w, r, m)
	if err != nil {
		return err
	}
	body, err := in.fromBase64(q)
	if err != nil {
		return in.refuse(q.project, err)
	}
	id, err := in.takeEvent(r.Context(), w, q, body)
	if err != nil {
		return err
	}
	in.memories.giveBack(m)
	return serve.WriteJSON(w, http.StatusOK, sentry.Accepted{ID: strings.ReplaceAll(id, "-", "")})
}

// fromBase64 returns what is in a body that is base64, or a form with that or JSON in the field sentry_data, and any other body as it is.
func (in *Ingest) fromBase64(q sentryRequest) ([]byte, error) {
	body := bytes.TrimSpace(q.body)
	if len(body) == 0 || body[0] == '{' {
		return body, nil
	}
	if fields, ok := event.FormFields(q.m.contentType, body); ok && fields.Has("sentry_data") {
		body = bytes.TrimSpace([]byte(fields.Get("sentry_data")))
	}
	packed := make([]byte, base64.StdEncoding.DecodedLen(len(body)))
	n, err := base64.StdEncoding.Decode(packed, body)
	if err != nil {
		return body, nil //nolint:nilerr // it is not base64, and reading it as JSON says what it is
	}
	return in.inflater.Plain(packed[:n], "", event.Bounds{Most: maxEnvelopePlain, Hold: q.m.hold}, new([]byte), &q.m.notes)
}

// postSecurityReport takes what browsers report of violations of a policy.
func (in *Ingest) postSecurityReport(w http.ResponseWriter, r *http.Request) error {
	m := in.memories.take()
	q, err := in.admitSentry(w, r, m)
	if err != nil {
		return err
	}
	query := r.URL.Query()
	from := sentry.SecurityQuery{
		Environment: query.Get("sentry_environment"), Release: query.Get("sentry_release"), UserAgent: r.UserAgent(), Address: q.from.Sender,
	}
	notices, err := sentry.ReadSecurityReports(q.body, from)
	repairs := m.notes
	if doc, notes, ok := m.readable(q.body, err); ok {
		if again, fails := sentry.ReadSecurityReports(doc, from); fails == nil && len(again) > 0 {
			notices, err, repairs = again, nil, notes
		}
	}
	if err != nil {
		return in.refuse(q.project, err)
	}
	for i := range notices {
		notices[i].Repairs = repairs
		m.notice = notices[i].Append(m.notice[:0], event.MaxNotice)
		if _, err := in.submit(q.project, m, converted{notice: m.notice}); err != nil {
			return err
		}
	}
	in.memories.giveBack(m)
	return serve.WriteJSON(w, http.StatusOK, sentry.Accepted{})
}
