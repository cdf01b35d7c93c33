package app_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"math"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"sett/internal/app"
	"sett/internal/sett/accounts"
	"sett/internal/sett/insight"
	"sett/internal/setttest"
	"sett/internal/setttest/inbox"
)

// leaks makes values that must not be found anywhere after they were sent. Each says in its text where it was sent.
type leaks struct {
	s    *setttest.Server
	sent int // places
}

const (
	needle   = "hUnTer2" // begins each secret
	cardSent = "4111111111111111"
	kept     = "order 10004711" // is in each place, and must stay
)

// text returns a text with a secret in each form that secrets have in texts.
func (l *leaks) text(place string) string {
	l.sent++
	v := needle + strings.ReplaceAll(place, " ", "_")
	encoded := base64.RawURLEncoding.EncodeToString([]byte(v))
	return kept + " card 4111 1111 1111 1111 " + cardSent + " password=" + v + ", user[pin]=" + v + " https://ines:" + v + "@shop.test/?token=" + v +
		"&x=%7B%22secret%22%3A%22" + v + "%22%7D {'passwd': b'" + v + `'} {"api_key":"` + v + `","n":"{\"client_secret\":\"` + v + `\"}"} <password>` + v +
		"</password> --token " + v + " eyJhbGciOiJIUzI1NiJ9." + encoded + encoded + ".abc1 sk_live_" + strings.Repeat("4eC39HqL", 3) + needle + "9 {Password:" + v + "} Bearer " + v + "12345" +
		"\nAuthorization: Basic " + v
}

// object returns an object with secrets by their names, and texts with secrets.
func (l *leaks) object(place string) map[string]any {
	v, text := needle+strings.ReplaceAll(place, " ", "_"), l.text(place)
	return map[string]any{
		"password": v, "passwd": "'" + v + "'", "userSecret": v, "access_token": v, "api-key": v, "Authorization": "Basic " + v, "session_id": v, "_shop_session": v, "pin": 4711,
		"nested": map[string]any{"list": []any{map[string]any{"client_secret": v}, text}, "secret": map[string]any{"a": v}},
		"card":   json.Number(cardSent), "environ": map[string]any{"PATH": "/bin", "HOME": "/root", "SENDGRID_X": v},
		"Cookie": "theme=dark; session_id=" + v, "text": text, "json": `{"password":"` + v + `"}`,
		"note": kept, "id": "4111111111111112", "uuid": "8b8bcbe7-6a9a-4295-a0d9-026da186b79f", "at": 1795382553000,
	}
}

// send sends a body to an address of intake.
func (l *leaks) send(t *testing.T, method, target string, body any, header ...string) {
	t.Helper()
	var text string
	switch b := body.(type) {
	case string:
		text = b
	case url.Values:
		text, header = b.Encode(), append(header, "Content-Type", formType)
	default:
		encoded, err := json.Marshal(b)
		if err != nil {
			t.Fatal(err)
		}
		text, header = string(encoded), append(header, "Content-Type", "application/json")
	}
	r, err := http.NewRequestWithContext(t.Context(), method, l.s.Base+target, strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Referer", "https://shop.test/?token="+needle+"referer")
	r.Header.Set("X-API-Key", l.s.Setup.APIKey)
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if said, _ := io.ReadAll(answer.Body); answer.StatusCode >= 300 {
		t.Errorf("%s is answered with %d %s", target, answer.StatusCode, said)
	}
}

func (l *leaks) honeybadger(t *testing.T) {
	frame := map[string]any{"file": "https://shop.test/a.js?token=" + needle + "file", "number": 1, "method": "pay", "args": l.object("honeybadger frame")}
	l.send(t, "POST", "/v1/notices", map[string]any{
		"notifier": map[string]any{"name": "a", "version": l.text("honeybadger notifier")},
		"error": map[string]any{
			"class": "A1 " + l.text("honeybadger class"), "message": l.text("honeybadger message"), "fingerprint": l.text("honeybadger fingerprint"), "tags": []any{"pin=" + needle + "tag"},
			"backtrace": []any{frame}, "causes": []any{map[string]any{"class": "A2", "message": l.text("honeybadger cause"), "backtrace": []any{frame}}, l.text("honeybadger cause text")},
		},
		"request": map[string]any{
			"url": "https://ines:" + needle + "@shop.test/?token=" + needle + "url", "component": l.text("honeybadger component"), "action": l.text("honeybadger action"),
			"context": l.object("honeybadger context"), "params": l.object("honeybadger params"), "session": l.object("honeybadger session"), "cgi_data": l.object("honeybadger cgi_data"),
			"local_variables": l.object("honeybadger variables"),
		},
		"server": map[string]any{
			"environment_name": "production", "hostname": l.text("honeybadger hostname"), "revision": l.text("honeybadger revision"), "project_root": l.text("honeybadger root"), "stats": l.object("honeybadger stats"),
		},
		"breadcrumbs":         map[string]any{"enabled": true, "trail": []any{map[string]any{"category": "log", "message": l.text("honeybadger breadcrumb"), "metadata": l.object("honeybadger metadata")}}},
		"details":             map[string]any{"Payment": l.object("honeybadger details")},
		"correlation_context": map[string]any{"request_id": l.text("honeybadger request id")},
	})
	l.send(t, "POST", "/v1/events", map[string]any{"event_type": "order", "message": l.text("honeybadger event"), "data": l.object("honeybadger event data")})
	notice := fmt.Sprint(l.s.Post("/v1/notices", boom).Want(http.StatusCreated).JSON()["id"])
	for _, token := range []string{notice, ""} {
		l.send(t, "POST", "/v1/feedback", url.Values{"token": {token}, "name": {l.text("feedback name")}, "email": {"password=" + needle + "mail"}, "comment": {l.text("feedback comment")}})
	}
	l.send(t, "POST", "/v1/deploys", map[string]any{"deploy": map[string]any{
		"environment": "production", "revision": "token=" + needle + "revision", "repository": "https://ines:" + needle + "@git.test/shop?token=" + needle, "local_username": "password=" + needle + "user",
	}})
	l.send(t, "POST", "/v1/deploys/heroku?environment=staging", url.Values{"head_long": {"pin=" + needle}, "user": {"password=" + needle + "heroku"}})
	job := l.s.Post(fmt.Sprintf("/v2/projects/%d/check_ins", l.s.Setup.ProjectID), map[string]any{"check_in": map[string]any{"name": "Job", "slug": "job", "schedule_type": "simple", "report_period": "1 hour"}}).Want(http.StatusCreated).JSON()
	result := map[string]any{"check_in": map[string]any{"status": "error", "stdout": l.text("output"), "stderr": l.text("errors")}}
	l.send(t, "POST", fmt.Sprint("/v1/check_in/", job["id"]), result, "User-Agent", "curl password="+needle+"agent")
	l.send(t, "POST", "/v1/check_in/"+l.s.Setup.APIKey+"/job", result)
}

func (l *leaks) sentry(t *testing.T) {
	const id = "58ad5c2404474ae6b0a2439d0d65462c"
	request := map[string]any{
		"url": "https://ines:" + needle + "@shop.test/", "query_string": "token=" + needle + "&user[password]=" + needle, "data": l.object("sentry data"), "cookies": map[string]any{"session_id": needle},
		"headers": map[string]any{"Authorization": "Bearer " + needle, "Cookie": "sessionid=" + needle, "X-Api-Key": needle, "Referer": "https://shop.test/?token=" + needle}, "env": l.object("sentry env"),
	}
	frame := map[string]any{"filename": "a.py", "function": "pay", "lineno": 1, "in_app": true, "vars": l.object("sentry vars")}
	event := map[string]any{
		"event_id": id, "platform": "python", "timestamp": 1795382553, "transaction": l.text("sentry transaction"), "release": l.text("sentry release"), "server_name": l.text("sentry server"), "logger": l.text("sentry logger"),
		"exception":   map[string]any{"values": []any{map[string]any{"type": "B1", "value": l.text("sentry cause")}, map[string]any{"type": "B2", "value": l.text("sentry value"), "stacktrace": map[string]any{"frames": []any{frame}}}}},
		"fingerprint": []any{"{{ default }}", l.text("sentry fingerprint")}, "request": request, "user": map[string]any{"id": l.text("sentry user"), "username": "ines", "token": needle, "data": l.object("sentry user data")},
		"tags": map[string]any{"api_key": needle, "t": l.text("sentry tag")}, "extra": l.object("sentry extra"), "contexts": map[string]any{"Payment": l.object("sentry context"), "device": l.object("sentry device")},
		"breadcrumbs": []any{map[string]any{"category": "http", "message": l.text("sentry breadcrumb"), "data": l.object("sentry crumb data")}}, "modules": map[string]any{"a": "1"},
	}
	message := map[string]any{"message": "", "logentry": map[string]any{"message": l.text("sentry template"), "params": []any{l.text("sentry param")}}, "request": map[string]any{"data": `{"password":"` + needle + `"}`}}
	log := map[string]any{"items": []any{map[string]any{"timestamp": 1795382553, "level": "info", "body": l.text("sentry log"), "attributes": map[string]any{
		"user.password": map[string]any{"value": needle, "type": "string"}, "note": map[string]any{"value": l.text("sentry attribute"), "type": "string"},
	}}}}
	feedback := map[string]any{"contexts": map[string]any{"feedback": map[string]any{"message": l.text("sentry feedback"), "name": l.text("sentry name"), "contact_email": "token=" + needle, "url": "https://shop.test/?token=" + needle, "associated_event_id": id}}}
	items := ""
	for _, item := range []struct {
		kind    string
		payload any
	}{
		{"event", event},
		{"event", message},
		{"log", log},
		{"feedback", feedback},
		{"user_report", map[string]any{"event_id": id, "name": l.text("report name"), "comments": l.text("report comments")}},
		{"attachment", map[string]any{"a": l.text("attachment")}},
		{"client_report", map[string]any{"discarded_events": []any{map[string]any{"reason": l.text("reason"), "category": "error", "quantity": 1}}}},
		{"session", map[string]any{"sid": needle, "init": true, "status": "ok", "attrs": map[string]any{"release": l.text("session release")}}},
		{"sessions", map[string]any{"attrs": map[string]any{"release": "token=" + needle, "environment": "pin=" + needle}, "aggregates": []any{map[string]any{"started": l.s.Clock.Now().Format(time.RFC3339), "exited": 1}}}},
		{"check_in", map[string]any{"monitor_slug": "job", "status": "ok", "environment": l.text("check-in environment")}},
	} {
		payload, err := json.Marshal(item.payload)
		if err != nil {
			t.Fatal(err)
		}
		items += fmt.Sprintf("{\"type\":%q,\"length\":%d,\"filename\":\"password=%s.txt\"}\n%s\n", item.kind, len(payload), needle, payload)
	}
	key, project := "?sentry_key="+l.s.Setup.APIKey, fmt.Sprint("/api/", l.s.Setup.ProjectID)
	l.send(t, "POST", project+"/envelope/"+key, "{}\n"+items)
	event["event_id"] = "68ad5c2404474ae6b0a2439d0d65462c"
	l.send(t, "POST", project+"/store/"+key, event)
	l.send(t, "POST", project+"/security/"+key+"&sentry_release=token%3D"+needle, map[string]any{"csp-report": map[string]any{
		"document-uri": "https://shop.test/?token=" + needle, "referrer": "https://a:" + needle + "@b.test/", "blocked-uri": "https://evil.test/?api_key=" + needle, "effective-directive": "img-src",
		"script-sample": l.text("script sample"), "original-policy": "report-uri /api/1/security/?sentry_key=1&token=" + needle,
	}})
	l.send(t, "POST", "/api/embed/error-page/?eventId="+id+"&dsn="+url.QueryEscape("http://"+l.s.Setup.APIKey+"@a/1"), url.Values{"name": {l.text("dialog name")}, "email": {"pin=" + needle}, "comments": {l.text("dialog comments")}})
}

func (l *leaks) others(t *testing.T) {
	bearer := []string{"Authorization", "Bearer " + l.s.Setup.APIKey}
	l.send(t, "POST", fmt.Sprintf("/api/v3/projects/%d/notices", l.s.Setup.ProjectID), map[string]any{
		"errors":  []any{map[string]any{"type": "C1", "message": l.text("airbrake message"), "backtrace": []any{map[string]any{"file": "/PROJECT_ROOT/a.go", "line": 1, "function": "f"}}}, map[string]any{"type": "C2", "message": l.text("airbrake cause")}},
		"context": map[string]any{"url": "https://shop.test/?token=" + needle, "component": l.text("airbrake component"), "user": map[string]any{"id": 7, "name": l.text("airbrake user"), "password": needle}, "history": []any{map[string]any{"type": "log", "message": l.text("airbrake history"), "data": l.object("airbrake history data")}}, "messagePattern": l.text("airbrake pattern"), "other": l.object("airbrake context")},
		"params":  l.object("airbrake params"), "session": l.object("airbrake session"), "environment": l.object("airbrake environment"),
	}, bearer...)
	attributes := func(place string, more ...string) []any {
		list := []any{attribute("user.password", needle), attribute("http.request.header.authorization", "Basic "+needle), attribute("note", l.text(place)), attribute("url.full", "https://ines:"+needle+"@shop.test/?token="+needle)}
		for i := 0; i+1 < len(more); i += 2 {
			list = append(list, attribute(more[i], more[i+1]))
		}
		return list
	}
	exception := func(place string) []any {
		return attributes(place+" attributes", "exception.type", "D1", "exception.message", l.text(place+" message"), "exception.stacktrace", "D1: "+l.text(place+" stack")+"\n    at pay (https://shop.test/a.js?token="+needle+":1:2)")
	}
	resource := map[string]any{"attributes": attributes("otlp resource", "service.version", "1", "host.name", l.text("otlp host"))}
	at := fmt.Sprint(l.s.Clock.Now().UnixNano())
	body := map[string]any{"stringValue": l.text("otlp body")}
	l.send(t, "POST", "/v1/logs", map[string]any{"resourceLogs": []any{map[string]any{"resource": resource, "scopeLogs": []any{map[string]any{"logRecords": []any{
		map[string]any{"timeUnixNano": at, "attributes": exception("otlp log")}, map[string]any{"timeUnixNano": at, "body": body, "attributes": attributes("otlp record")},
	}}}}}}, bearer...)
	l.send(t, "POST", "/v1/traces", map[string]any{"resourceSpans": []any{map[string]any{"resource": resource, "scopeSpans": []any{map[string]any{"spans": []any{map[string]any{
		"name": l.text("otlp span"), "traceId": "5b8efff798038103d269b633813fc60c", "spanId": "eee19b7ec3c1b174", "attributes": attributes("otlp span attributes"), "status": map[string]any{"code": 2, "message": l.text("otlp status")},
		"events": []any{map[string]any{"timeUnixNano": at, "name": "exception", "attributes": exception("otlp event")}},
	}}}}}}}, bearer...)
}

func attribute(key, value string) map[string]any {
	return map[string]any{"key": key, "value": map[string]any{"stringValue": value}}
}

// hidden are what is looked for: the secrets, also as part of a JSON web token, and the number of the card in both of its forms.
var hidden = []string{needle, base64.RawURLEncoding.EncodeToString([]byte(needle[:6])), "4111 1111 1111 1111", cardSent}

// wantNone fails the test for secrets in a text.
func wantNone(t *testing.T, where, text string) {
	t.Helper()
	for _, secret := range hidden {
		last := 0
		for range 3 {
			i := strings.Index(text[last:], secret)
			if i < 0 {
				break
			}
			i += last
			last = i + len(secret)
			t.Errorf("%s has a secret: %q", where, text[max(0, i-70):min(len(text), last+40)])
		}
	}
}

// A secret of each form, sent in each place of each protocol, is nowhere afterwards: not in the answers of the API, nor on a page, nor in
// what channels are sent, nor in the log, nor in the files of the database. What is no secret stays.
func TestSecretsAreNowhere(t *testing.T) {
	t.Parallel()
	for _, engine := range []string{"sqlite", "postgres"} {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			var logged lockedText
			s := setttest.StartLogged(t, engine, slog.New(slog.NewTextHandler(&logged, &slog.HandlerOptions{Level: slog.LevelDebug})), func(c *app.Config) {
				c.EgressAllow = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
			})
			to := inbox.Open(t)
			project := fmt.Sprint("/v2/projects/", s.Setup.ProjectID)
			s.Post(project+"/integrations", map[string]any{"integration": map[string]any{
				"type": "WebHook", "events": []string{"occurred", "commented", "deployed", "check_in_reporting"}, "notification_limit": 10_000, "options": map[string]any{"url": to.URL},
			}}).Want(http.StatusCreated)
			l := &leaks{s: s}
			l.honeybadger(t)
			l.sentry(t)
			l.others(t)
			if l.sent < 85 {
				t.Errorf("secrets were sent in %d places only", l.sent)
			}
			for _, m := range to.Await(t, 10) {
				wantNone(t, "a webhook for "+m.Event, string(m.Body))
			}
			wantNone(t, "the API", everyAnswer(t, s, project))
			wantNoneOnPages(t, s, project)
			s.Stop(t)
			wantNone(t, "the log", logged.String())
			if engine == "sqlite" {
				wantNoneInFiles(t, s.Config.Data)
			} else {
				wantNone(t, "the database", everyRow(t, s.Config.Database))
			}
		})
	}
}

// everyAnswer returns what the API shows of a project: of its errors, their notices and comments, and what is found of them.
func everyAnswer(t *testing.T, s *setttest.Server, project string) string {
	t.Helper()
	var shown strings.Builder
	get := func(path string) *setttest.Response {
		answer := s.Get(path)
		fmt.Fprintf(&shown, "%s: %s\n", path, answer.Body)
		return answer
	}
	var list struct{ Results []struct{ ID int64 } }
	get(project + "/faults").Into(&list)
	if len(list.Results) < 8 {
		t.Errorf("only %d errors are stored", len(list.Results))
	}
	harmless := 0
	for _, f := range list.Results {
		one := fmt.Sprint(project, "/faults/", f.ID)
		for _, part := range []string{"", "/notices", "/comments", "/affected_users", "/timeline"} {
			answer := s.Do(http.MethodGet, one+part, nil)
			if answer.Status != http.StatusOK && part != "/timeline" {
				t.Errorf("%s%s is answered with %d", one, part, answer.Status)
			}
			harmless += strings.Count(string(answer.Body), kept)
			fmt.Fprintf(&shown, "%s: %s\n", one+part, answer.Body)
		}
	}
	for _, want := range []string{`"id":"4111111111111112"`, "8b8bcbe7-6a9a-4295-a0d9-026da186b79f", "1795382553000", "theme=dark", `"username":"ines"`} {
		if !strings.Contains(shown.String(), want) {
			t.Errorf("%s, which is no secret, is not shown", want)
		}
	}
	if harmless < 60 {
		t.Errorf("%q, which is no secret, is shown only %d times", kept, harmless)
	}
	for _, part := range []string{"", "/deploys", "/check_ins", "/scrubbing", "/integrations"} {
		get(project + part)
	}
	for stream, want := range map[insight.Stream]int{insight.Sent: 3, insight.Recorded: 10} {
		events, err := s.App.Store().Insights.Query(t.Context(), s.Clock.Now(), time.Now().Add(time.Minute), s.Setup.ProjectID, insight.Plan{Streams: []insight.Stream{stream}, To: math.MaxInt64 / 4, Rows: 1000})
		if err != nil || len(events.Events) < want || stream == insight.Sent && len(events.Events) > want {
			t.Errorf("%d structured events of the stream %s are stored, want %d: %v", len(events.Events), stream, want, err)
		}
		fmt.Fprintf(&shown, "events: %+v\n", events)
	}
	for _, searched := range []string{needle, cardSent, "token:" + needle, "context.password:*" + needle + "*"} {
		var found struct{ Results []any }
		s.Get(project + "/faults?q=" + url.QueryEscape(searched)).Into(&found)
		if len(found.Results) > 0 {
			t.Errorf("a search for %s finds errors", searched)
		}
	}
	return shown.String()
}

// wantNoneOnPages looks at all pages of a project that are linked with one another.
func wantNoneOnPages(t *testing.T, s *setttest.Server, project string) {
	t.Helper()
	_, owner := addPerson(t, s, "second@example.test", accounts.Owner)
	c := newCrawl(t, owner)
	c.within = strings.TrimPrefix(project, "/v2")
	c.run(c.within)
	texts := 0
	for _, page := range slices.Sorted(maps.Keys(c.pages)) {
		wantNone(t, "the page "+page, c.pages[page].Body)
		texts += strings.Count(c.pages[page].Body, kept)
	}
	if len(c.pages) < 60 || texts < 60 {
		t.Errorf("only %d pages were read, which have %q %d times", len(c.pages), kept, texts)
	}
}

// wantNoneInFiles reads all files of a directory, such as a database and what was written to its log.
func wantNoneInFiles(t *testing.T, dir string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		wantNone(t, path, string(text))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// everyRow returns all rows of a database of PostgreSQL as text.
func everyRow(t *testing.T, dsn string) string {
	t.Helper()
	conn := must[*pgx.Conn](t)(pgx.Connect(t.Context(), dsn))
	defer conn.Close(t.Context())
	const tables = "SELECT quote_ident(tablename) FROM pg_tables WHERE schemaname = 'public'"
	var all strings.Builder
	names := must[[]string](t)(pgx.CollectRows(must[pgx.Rows](t)(conn.Query(t.Context(), tables)), pgx.RowTo[string]))
	for _, name := range names {
		rows := must[[]string](t)(pgx.CollectRows(must[pgx.Rows](t)(conn.Query(t.Context(), "SELECT t::text FROM "+name+" t")), pgx.RowTo[string]))
		fmt.Fprintln(&all, name, rows)
	}
	if len(names) < 30 {
		t.Errorf("only %d tables were read", len(names))
	}
	return all.String()
}

// lockedText is a text that several write to.
type lockedText struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *lockedText) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *lockedText) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}
