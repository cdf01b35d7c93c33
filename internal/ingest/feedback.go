package ingest

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	_ "embed"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"sett/internal/ingest/event"
	"sett/internal/ingest/notice"
	"sett/internal/ingest/sentry"
	"sett/internal/serve"
	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/stats"
	"sett/internal/store/attachmentdb"
	"sett/internal/store/faultdb"
)

// What feedback may have, in characters, and how much of it a project takes in a minute on this server. Anyone who can see the pages of an
// application can send it.
const (
	longestFeedback = 4_000
	longestAuthor   = 200
	mostLabels      = 20
	maxFeedbackSent = 64 << 10 // bytes of a form
	mostPerMinute   = 60
)

// feedbackClass is the class of the error to which feedback is added that is about no stored event.
const feedbackClass = "User feedback"

// feedbackRoutes are those of the forms that Honeybadger clients show, and of the crash dialog of Sentry SDKs.
func (in *Ingest) feedbackRoutes() []serve.Route {
	const dialog = "/api/embed/error-page"
	routes := []serve.Route{
		{Method: http.MethodGet, Path: "/v1/feedback", Name: "feedbackScript", Handle: in.feedbackScript},
		{Method: http.MethodGet, Path: "/v2/feedback", Name: "feedbackScriptV2", Handle: in.feedbackScript},
		{Method: http.MethodPost, Path: "/v1/feedback", Name: "feedbackForm", Handle: in.feedbackForm},
		{Method: http.MethodGet, Path: dialog, Name: "sentryDialog", Handle: sentryAnswers(showDialog)},
		{Method: http.MethodPost, Path: dialog, Name: "sentryDialogForm", Handle: sentryAnswers(in.dialogForm)},
		{Method: http.MethodOptions, Path: dialog, Name: "sentryDialogPreflight", Handle: sentryAnswers(preflight("GET, POST, OPTIONS"))},
	}
	for i := range routes {
		routes[i].Tag, routes[i].Permission, routes[i].Quiet, routes[i].Raw = "Reporting", accounts.ReportWithKey, true, true
	}
	return routes
}

// feedback is what a user of an application wrote.
type feedback struct {
	project                   accounts.KeyedProject // the zero value if only the notice is known
	id                        sett.UUID             // its own; zero if the client gave it none
	notice                    string                // UUID of the event that it is about
	name, email, message, url string
	labels                    []string
	own                       notice.Notice // the event of its own that it may become; class, message and token are set later
	files                     []attachmentdb.File
}

// takeFeedback adds feedback to the error of its event. If that is not known, the feedback waits for it, and if it is about none, the feedback is
// an event of the class feedbackClass. It returns an error that says what to do: Invalid for feedback that says nothing, TooMany, Forbidden,
// Unavailable.
func (in *Ingest) takeFeedback(ctx context.Context, f feedback) error {
	f.clean()
	if f.message == "" {
		return sett.Errorf(sett.Invalid, "The feedback has no text. Write what happened.")
	}
	admit := in.admitFeedback
	if f.project.ProjectID != 0 {
		if err := admit(f.project.ProjectID); err != nil {
			return err
		}
		admit = nil
	}
	about, unread := sett.ParseUUID(f.notice)
	f.identify(unread == nil)
	if unread != nil {
		return in.takeLoneFeedback(ctx, f)
	}
	outcome, err := in.addFeedback(ctx, f, about, admit)
	if in.spool.takes(err) && f.project.ProjectID != 0 {
		return in.takeLoneFeedback(ctx, f) // into the spool, as its event
	}
	if err != nil {
		return err
	}
	switch outcome {
	case faultdb.FeedbackOfNothing:
		return in.await(ctx, f, about)
	case faultdb.FeedbackTooMany:
		return sett.Errorf(sett.TooMany, "This error has as much feedback as it may have.")
	}
	return in.keepFiles(ctx, f.project, about, f.files)
}

// clean makes texts of feedback what they may be.
func (f *feedback) clean() {
	f.message = strings.TrimSpace(cutRunes(cleanText(f.message), longestFeedback))
	f.name, f.email, f.url = event.Line(f.name, longestAuthor), event.Line(f.email, longestAuthor), event.Line(f.url, longestFeedback)
	for i, label := range f.labels {
		f.labels[i] = event.Line(label, longestAuthor)
	}
	f.labels = f.labels[:min(len(f.labels), mostLabels)]
}

var errNoSuchEvent = sett.Errorf(sett.NotFound, "There is no event with this id. Send the API key of the project with the feedback.")

// identify gives feedback that has no id one. What is sent twice about an event is one feedback; other feedback may have the same words as an
// earlier one without being it.
func (f *feedback) identify(aboutEvent bool) {
	switch {
	case !f.id.IsZero():
	case aboutEvent:
		same := sha256.Sum256([]byte(strings.Join([]string{f.notice, f.name, f.email, f.message}, "\n")))
		f.id = sett.UUID(same[:16])
	default:
		f.id = sett.NewUUID(rand.Reader)
	}
	f.own.Token, f.own.Class, f.own.Message, f.own.Fingerprint = f.id.String(), feedbackClass, f.message, "user feedback"
}

// addFeedback adds feedback to the error of its event, if its project may have it; a nil admit: it may.
func (in *Ingest) addFeedback(ctx context.Context, f feedback, about sett.UUID, admit func(project int64) error) (faultdb.FeedbackOutcome, error) {
	scrub := func(settings, text string) string {
		return in.cleanText(accounts.KeyedProject{ProjectID: f.project.ProjectID, Scrubbing: settings}, text)
	}
	return in.faults.AddFeedback(ctx, in.now(), faultdb.Feedback{ProjectID: f.project.ProjectID, Notice: about, ID: f.id, Author: f.author(), Body: f.body(), Admit: admit, Scrub: scrub})
}

// admitFeedback counts feedback of a project. The error is TooMany. It is for feedback whose project is known: a made-up id counts for none.
func (in *Ingest) admitFeedback(project int64) error {
	if wait := in.feedbackRates.wait(project, in.now()); wait > 0 {
		return &sett.Error{Code: sett.TooMany, Message: "This project received too much feedback in the last minute. Try again later.", RetryAfter: wait}
	}
	return nil
}

// author returns who wrote the feedback, as the history of an error names them.
func (f feedback) author() string { return cmp.Or(f.name, f.email, "a user") }

// body returns the text of a comment.
func (f feedback) body() string {
	body := f.message
	var about []string
	if f.name != "" && f.email != "" {
		about = append(about, f.email)
	}
	if f.url != "" {
		about = append(about, f.url)
	}
	if len(f.labels) > 0 {
		about = append(about, strings.Join(f.labels, ", "))
	}
	if len(about) > 0 {
		body += "\n\n" + strings.Join(about, "\n")
	}
	return body
}

// takeLoneFeedback stores feedback about no stored event as an event of its own. All of a project is one error.
func (in *Ingest) takeLoneFeedback(ctx context.Context, f feedback) error {
	if f.project.ProjectID == 0 {
		return errNoSuchEvent
	}
	return in.takeOwnEvent(ctx, f.project, f.id, heldFeedback{Notice: f.own.Append(nil, event.MaxNotice), Files: f.files})
}

// sentryFeedback takes feedback of a Sentry SDK. What cannot be stored for good is dropped: the SDK would drop it too. Feedback beyond what is
// accepted is counted, and the SDK is asked to send none for a while.
func (in *Ingest) sentryFeedback(ctx context.Context, w http.ResponseWriter, q sentryRequest, f sentry.Feedback) error {
	p, id := q.project, sett.UUID{}
	if f.ID != "" {
		id, _ = sett.ParseUUID(f.ID) // as it was written
	}
	err := in.takeFeedback(ctx, feedback{p, id, f.EventID, f.Name, f.Email, f.Message, f.URL, f.Labels, f.Notice, q.files.take()})
	switch e, _ := errors.AsType[*sett.Error](err); sett.CodeOf(err) {
	case sett.TooMany:
		in.drop(p, "feedback", stats.DroppedFull, 1)
		if e.RetryAfter > 0 {
			addLimits(w, sentry.LimitedFeedback(e.RetryAfter))
		}
		return nil
	case sett.Invalid:
		return nil
	}
	return err
}

// feedbackScript takes feedback in the query, as a script of the page asks for it, and answers with a call of the function that the page has.
func (in *Ingest) feedbackScript(w http.ResponseWriter, r *http.Request) error {
	err := in.honeybadgerFeedback(r, r.URL.Query())
	answer := map[string]string{"result": "OK"}
	if err != nil {
		answer = map[string]string{"error": serve.Explain(r, err).Message}
	}
	text, err := json.Marshal(answer)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "text/javascript; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	_, err = w.Write([]byte("honeybadgerFeedbackResponse(" + string(text) + ");\n"))
	return err
}

// feedbackForm takes feedback of a form, which a browser shows the answer to.
func (in *Ingest) feedbackForm(w http.ResponseWriter, r *http.Request) error {
	form, err := smallForm(w, r)
	if err != nil {
		return err
	}
	if err := in.honeybadgerFeedback(r, form); err != nil {
		return err
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_, err = w.Write([]byte("Thank you. Your feedback was sent.\n"))
	return err
}

// honeybadgerFeedback takes the fields of a Honeybadger form. The field phone is hidden from people: what fills it in is a program, and the
// answer does not say so.
func (in *Ingest) honeybadgerFeedback(r *http.Request, form url.Values) error {
	if form.Get("phone") != "" {
		return nil
	}
	f := feedbackOfForm(r, form.Get("token"), form, "comment")
	if key := cmp.Or(strings.TrimSpace(form.Get("api_key")), requestKey(r)); key != "" {
		var err error
		if f.project, err = in.project(r.Context(), key); err != nil {
			return err
		}
	}
	return in.takeFeedback(r.Context(), f)
}

//go:embed crash_dialog.js
var crashDialog []byte

// showDialog answers with the script of the crash dialog. It is the same for all: the script reads its own address.
func showDialog(w http.ResponseWriter, _ *http.Request) error {
	w.Header().Set("Content-Type", "text/javascript; charset=utf-8")
	w.Header().Set("Cache-Control", "public, max-age=3600")
	w.Header().Set("Cross-Origin-Resource-Policy", "cross-origin")
	_, err := w.Write(crashDialog)
	return err
}

// dialogForm takes what a user wrote into the crash dialog.
func (in *Ingest) dialogForm(w http.ResponseWriter, r *http.Request) error {
	q := r.URL.Query()
	dsn, err := url.Parse(q.Get("dsn"))
	if err != nil || dsn.User == nil {
		return sett.Errorf(sett.Malformed, "The parameter dsn is not a DSN. Copy it from the settings of your project.")
	}
	project, err := in.project(r.Context(), dsn.User.Username())
	if err != nil {
		return err
	}
	form, err := smallForm(w, r)
	if err != nil {
		return err
	}
	f := feedbackOfForm(r, sentry.ID(q.Get("eventId")), form, "comments")
	f.project = project
	if err := in.takeFeedback(r.Context(), f); err != nil {
		return err
	}
	return serve.WriteJSON(w, http.StatusOK, struct{}{})
}

// feedbackOfForm returns what a form says about an event; key is that of the text.
func feedbackOfForm(r *http.Request, about string, form url.Values, key string) feedback {
	f := feedback{notice: about, name: form.Get("name"), email: form.Get("email"), message: form.Get(key), url: r.Referer()}
	f.own = notice.Notice{URL: f.url, Context: slices.Concat(notice.TextMember("user_email", f.email), notice.TextMember("user_name", f.name), notice.TextMember("about_event", about))}
	return f
}

// smallForm reads a form of a user.
func smallForm(w http.ResponseWriter, r *http.Request) (url.Values, error) {
	r.Body = http.MaxBytesReader(w, r.Body, maxFeedbackSent)
	if err := r.ParseMultipartForm(maxFeedbackSent); err != nil && r.PostForm == nil {
		return nil, unreadable(err)
	}
	return r.PostForm, nil
}

// feedbackRates counts the feedback of projects by minute. The zero value is ready.
type feedbackRates struct {
	mu     sync.Mutex
	minute time.Time
	counts map[int64]int
}

// wait counts feedback of a project, and returns how long to wait before it is taken; 0 if it is taken now.
func (f *feedbackRates) wait(project int64, now time.Time) time.Duration {
	f.mu.Lock()
	defer f.mu.Unlock()
	if minute := now.Truncate(time.Minute); f.counts == nil || !minute.Equal(f.minute) {
		f.minute, f.counts = minute, map[int64]int{}
	}
	if f.counts[project] >= mostPerMinute {
		return f.minute.Add(time.Minute).Sub(now)
	}
	f.counts[project]++
	return 0
}

// cleanText returns a text that every store takes.
func cleanText(text string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\x00", "\uFFFD")
}

// cutRunes returns at most so many characters of a text.
func cutRunes(text string, most int) string {
	if utf8.RuneCountInString(text) <= most {
		return text
	}
	return string([]rune(text)[:most])
}
