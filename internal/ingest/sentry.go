package ingest

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"sett/internal/ingest/event"
	"sett/internal/ingest/notice"
	"sett/internal/ingest/sentry"
	"sett/internal/serve"
	"sett/internal/serve/auth"
	"sett/internal/sett"
	"sett/internal/sett/accounts"
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
	logs    sentLogs   // of an envelope, until all of it is read
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

// isForeignKey reports whether a key is one that a Sentry server made, and that moved here with its project: the number in
// its DSN is of that server.
func isForeignKey(key string) bool {
	return len(key) == 32 && strings.Trim(key, "0123456789abcdef") == ""
}

// projectAt returns the project of a key, which must be the one in the path, if there is one and the key is of sett.
func (in *Ingest) projectAt(r *http.Request, key string) (accounts.KeyedProject, error) {
	if key == "" {
		return accounts.KeyedProject{}, sett.Errorf(sett.Forbidden, "The request has no key. Send the DSN's key in the header X-Sentry-Auth or the parameter sentry_key, or the DSN in the header of the envelope.")
	}
	project, err := in.project(r.Context(), key)
	if id := r.PathValue("project_id"); err == nil && id != "" && !isForeignKey(key) && id != strconv.FormatInt(project.ProjectID, 10) {
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
	in.countDropped(q.project, env)
	id := sentry.ID(env.EventID)
	q.from.EventID = id
	items, err := in.itemsToTake(w, q.project, env.Items)
	slices.SortStableFunc(items, eventsFirst) // feedback is about an event that is stored
	files, large := in.readAttachments(q.project, items)
	q.files = &sentFiles{files: files}
	for _, item := range items {
		taken, itemErr := in.takeItem(r.Context(), w, &q, item)
		if item.Type == "event" || item.Type == "feedback" {
			q.from.EventID = "" // of another event
		}
		if taken != "" {
			id = taken
		}
		err = cmp.Or(err, itemErr)
	}
	if err = cmp.Or(err, in.takeAttachments(r.Context(), w, q, id, q.files.files, large), in.storeLogs(w, q.logs)); err != nil {
		return err
	}
	in.forwardSentry(r, q, envelopePath, eventsIn(env.Items))
	in.memories.giveBack(m) // and not after an error: an event may still be on its way to the store
	return serve.WriteJSON(w, http.StatusOK, sentry.Accepted{ID: strings.ReplaceAll(id, "-", "")})
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
	id, err := in.takeItem(r.Context(), w, &q, sentry.Item{Type: "event", Payload: body})
	if err != nil {
		return err
	}
	in.forwardSentry(r, q, "/store/", 1)
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
	notices, repairs, err := readAgain(m, q.body, func(body []byte) ([]notice.Notice, error) {
		return sentry.ReadSecurityReports(body, from)
	}, func(all []notice.Notice) bool { return len(all) > 0 })
	if err != nil {
		return in.refuse(q.project, err)
	}
	for i := range notices {
		notices[i].Repairs = repairs
		m.notice = notices[i].Append(m.notice[:0], event.MaxNotice)
		// The frame is the page that was kept from loading something: one policy has many.
		if _, err := in.submit(q.project, m, converted{notice: m.notice, hints: event.Hints{ByMessage: true}}); err != nil {
			return err
		}
	}
	in.forwardSentry(r, q, "/security/", int64(len(notices)))
	in.memories.giveBack(m)
	return serve.WriteJSON(w, http.StatusOK, sentry.Accepted{})
}
