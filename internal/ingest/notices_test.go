package ingest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/iotest"
	"time"

	"sett/internal/ingest/event"
	"sett/internal/ingest/unminify"
	"sett/internal/ingest/upload"
	"sett/internal/serve"
	"sett/internal/serve/auth"
	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/faults"
	"sett/internal/setttest/fresh"
	"sett/internal/setttest/recording"
	"sett/internal/store"
	"sett/internal/store/accountdb"
)

// office is intake with a store of its own, on a clock that stands still.
type office struct {
	http.Handler
	ingest   *Ingest
	store    *store.Store
	keys     *auth.Keys
	events   *Events
	sessions *Sessions
	maps     *unminify.Maps

	discards Discards

	setup accountdb.SetupResult

	mu  sync.Mutex // held to push the clock and to read it
	now time.Time
}

// push moves the clock forward.
func (o *office) push(d time.Duration) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.now = o.now.Add(d)
}

func setup(t testing.TB, limits accounts.Limits) *office {
	t.Helper()
	o := &office{now: time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)}
	clock := func() time.Time {
		o.mu.Lock()
		defer o.mu.Unlock()
		return o.now
	}
	var err error
	if o.store, err = store.Open(t.Context(), fresh.SQLite(t)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = o.store.Close() })
	if _, _, err := o.store.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	o.setup, err = o.store.Accounts.SetUp(t.Context(), o.now, accountdb.Setup{Account: "Acme", Email: "o@acme.test", Name: "O", Project: "Shop", TokenHash: []byte("hash")})
	if err != nil {
		t.Fatal(err)
	}
	buffer := NewBuffer(o.store.Intake, limits, clock, slog.New(slog.DiscardHandler))
	t.Cleanup(buffer.Close)
	o.keys = auth.NewKeys(o.store.Accounts, clock)
	pings := NewPings(o.store.Uptime, clock, slog.New(slog.DiscardHandler))
	t.Cleanup(pings.Close)
	events := NewEvents(o.store.Insights, eventBytes, clock, slog.New(slog.DiscardHandler))
	o.events = events
	t.Cleanup(events.Close)
	o.sessions = new(Sessions)
	o.store.Attachments.MostBytes = 64 << 20
	o.maps = unminify.New(o.store.SourceMaps, clock)
	t.Cleanup(o.maps.Close)
	in := New(Options{Maps: o.maps, Keys: o.keys, Buffer: buffer, Pings: pings, Events: events, DB: o.store.DB, Faults: o.store.Faults, Uptime: o.store.Uptime, Uploads: upload.NewDesk(o.store.SourceMaps, t.TempDir()), Scrubbing: new(Scrubbing), Attachments: o.store.Attachments, Discards: &o.discards, Sessions: o.sessions, Now: clock, BaseURL: "https://sett.example.test", Proxies: serve.Proxies{Trusted: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}}})
	o.ingest = in
	o.Handler = serve.NewMux(slices.Concat(in.Routes(), in.RoutesOfOthers()), serve.MuxOptions{Wrap: func(rt serve.Route, next serve.Handler) serve.Handler {
		if rt.Name == serve.NotFound {
			return in.AtOldAddress(next)
		}
		return next
	}})
	return o
}

// post sends a notice with the project's key and the given headers; an empty X-API-Key sends none.
func (o *office) post(t *testing.T, path string, body io.Reader, headers map[string]string) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, path, body)
	r.Header.Set("X-API-Key", o.setup.APIKey)
	for name, value := range headers {
		if r.Header.Set(name, value); value == "" {
			r.Header.Del(name)
		}
	}
	w := httptest.NewRecorder()
	o.ServeHTTP(w, r)
	if got := w.Header().Get("Access-Control-Allow-Origin"); got != "*" {
		t.Errorf("%s: Access-Control-Allow-Origin = %q", path, got)
	}
	return w
}

// wantToday checks how the account's notices of the day ended.
func (o *office) wantToday(t *testing.T, want accounts.UsageDay) {
	t.Helper()
	usage, err := o.store.Intake.AccountUsage(t.Context(), o.setup.AccountID, o.now)
	if err != nil {
		t.Fatal(err)
	}
	got := usage[len(usage)-1]
	if got.Day = (time.Time{}); got != want {
		t.Errorf("ledger = %+v, want %+v", got, want)
	}
}

// wantID checks a 201 answer and returns its id.
func wantID(t *testing.T, w *httptest.ResponseRecorder) sett.UUID {
	t.Helper()
	var answer map[string]string
	if err := json.Unmarshal(w.Body.Bytes(), &answer); err != nil || w.Code != http.StatusCreated || len(answer) != 1 {
		t.Fatalf("answer = %d %s, want 201 with an id", w.Code, w.Body)
	}
	id, err := sett.ParseUUID(answer["id"])
	if err != nil {
		t.Fatalf("id: %v in %s", err, w.Body)
	}
	return id
}

// wantError checks the status of an answer, and that its text stands under both names that clients read.
func wantError(t *testing.T, w *httptest.ResponseRecorder, status int, says string) {
	t.Helper()
	var answer struct{ Error, Errors string }
	if err := json.Unmarshal(w.Body.Bytes(), &answer); err != nil {
		t.Fatalf("answer = %d %s: %v", w.Code, w.Body, err)
	}
	if w.Code != status || !strings.Contains(answer.Error, says) || answer.Errors != answer.Error {
		t.Errorf("answer = %d %s, want %d and %q", w.Code, w.Body, status, says)
	}
}

func TestPostCaptures(t *testing.T) {
	t.Parallel()
	o := setup(t, accounts.Limits{})
	all := recording.Notices(t)
	for _, c := range all {
		headers := maps.Clone(c.Headers)
		if c.Encode != "" {
			headers["Content-Encoding"] = c.Encode
		}
		id := wantID(t, o.post(t, c.Path, bytes.NewReader(c.Sent(t)), headers))
		var sent struct{ Error struct{ Token, Class string } }
		if err := json.Unmarshal(c.Body, &sent); err != nil {
			t.Fatal(err)
		}
		if sent.Error.Token != "" && id.String() != sent.Error.Token {
			t.Errorf("%s: id = %s, but the client knows it as %s", c.Name, id, sent.Error.Token)
		}
		notice, err := o.store.Faults.NoticeByUUID(t.Context(), o.setup.ProjectID, id)
		if err != nil || notice.Class != sent.Error.Class {
			t.Errorf("%s: stored as %q, error = %v", c.Name, notice.Class, err)
		}
	}
	o.wantToday(t, accounts.UsageDay{Stored: int64(len(all))})
}

func TestPostKeys(t *testing.T) {
	t.Parallel()
	o := setup(t, accounts.Limits{})
	key := o.setup.APIKey
	inBody := fmt.Sprintf(`{"error":{"class":"A"},"api_key":%q}`, key)
	const noKey = `{"error":{"class":"A","api_key":"x"}}`
	for _, c := range []struct {
		name, header, query, body string
		status                    int
		says                      string
	}{
		{"header", key, "", noKey, 201, ""},
		{"header before query", key, "?api_key=wrong", noKey, 201, ""},
		{"query", "", "?api_key=" + key, noKey, 201, ""},
		{"query before body", "", "?api_key=" + key, `{"error":{},"api_key":"wrong"}`, 201, ""},
		{"body", "", "", inBody, 201, ""},
		{"wrong header, though the body's is right", "wrong", "", inBody, 403, "This API key is unknown."},
		{"wrong body", "", "", `{"error":{},"api_key":"wrong"}`, 403, "This API key is unknown."},
		{"none", "", "", noKey, 403, "X-API-Key"},
		{"none, and no notice either", "", "", `[]`, 403, "X-API-Key"},
		{"none, and no JSON", "", "", `{`, 400, "truncated"},
		{"no key at all", "a b", "", noKey, 403, "not an API key"},
		{"endless", strings.Repeat("k", 5000), "", noKey, 403, "not an API key"},
		{"not ASCII", "", "?api_key=%ff%00", noKey, 403, "not an API key"},
	} {
		w := o.post(t, "/v1/notices"+c.query, strings.NewReader(c.body), map[string]string{"X-API-Key": c.header})
		if w.Code != c.status {
			t.Errorf("%s: answer = %d %s, want %d", c.name, w.Code, w.Body, c.status)
		}
		if c.status != 201 {
			wantError(t, w, c.status, c.says)
		}
	}
	o.wantToday(t, accounts.UsageDay{Stored: 5})
}

func TestPostRefusals(t *testing.T) {
	t.Parallel()
	o := setup(t, accounts.Limits{})
	long := strings.Repeat("x", event.MaxNotice)
	bomb := string(recording.Compressed(t, "gzip", make([]byte, 16<<20)))
	for _, c := range []struct {
		name, body, encoding string
		status               int
		says                 string
	}{
		{"no JSON", "hello", "", 400, "byte 1"},
		{"empty", "", "", 400, "empty"},
		{"not UTF-8", "{\"error\":\"\xff\"}", "", 400, "UTF-8"},
		{"cut off", `{"error":{`, "", 400, "truncated"},
		{"cut off while compressed", string(recording.Compressed(t, "gzip", []byte(`{"error":{}}`))[:20]), "gzip", 400, "truncated"},
		{"no error", `{}`, "", 422, "error"},
		{"an array", `[1]`, "", 422, "object"},
		{"unknown compression", "hello", "compress", 422, "gzip, deflate, br or zstd"},
		{"three compressions", "hello", "gzip, deflate, br", 422, "once"},
		{"too long", `{"error":{"message":"` + long + `"}}`, "", 413, "262144"},
		{"too long before it is inflated", strings.Repeat("x", maxSent+1), "", 413, "1048576"},
		{"a bomb", bomb, "gzip", 413, "is too large"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := o.post(t, "/v1/notices/js/", strings.NewReader(c.body), map[string]string{"Content-Encoding": c.encoding})
			wantError(t, w, c.status, c.says)
		})
	}
	cut := io.MultiReader(strings.NewReader(`{"error":`), iotest.ErrReader(io.ErrUnexpectedEOF))
	wantError(t, o.post(t, "/v1/notices", cut, nil), 400, "Content-Length")
	o.wantToday(t, accounts.UsageDay{Invalid: 13})
}

// The same token twice is the same notice, also where it is no UUID.
func TestPostRepeatedToken(t *testing.T) {
	t.Parallel()
	o := setup(t, accounts.Limits{})
	for _, token := range []string{"6ef51469-dec8-48f9-a96a-578deab2065f", "request 17"} {
		body := fmt.Sprintf(`{"error":{"class":"A","token":%q}}`, token)
		first := wantID(t, o.post(t, "/v1/notices", strings.NewReader(body), nil))
		if again := wantID(t, o.post(t, "/v1/notices", strings.NewReader(body), nil)); again != first {
			t.Errorf("token %q: ids %s and %s", token, first, again)
		}
	}
	o.wantToday(t, accounts.UsageDay{Stored: 2})
}

func TestPostOverThrottle(t *testing.T) {
	t.Parallel()
	o := setup(t, accounts.Limits{ProjectThrottle: 1})
	const body = `{"error":{"class":"A"}}`
	wantID(t, o.post(t, "/v1/notices", strings.NewReader(body), nil))
	w := o.post(t, "/v1/notices", strings.NewReader(body), nil)
	wantError(t, w, 429, "throttle")
	if got := w.Header().Get("Retry-After"); got != "60" {
		t.Errorf("Retry-After = %q seconds, want the rest of the minute", got)
	}
	o.wantToday(t, accounts.UsageDay{Stored: 1, Limited: 1})
}

// Clients must not see that a fault is ignored: its notices are counted, and gone.
func TestPostToIgnoredFault(t *testing.T) {
	t.Parallel()
	o := setup(t, accounts.Limits{})
	post := func() sett.UUID {
		return wantID(t, o.post(t, "/v1/notices", strings.NewReader(`{"error":{"class":"A"}}`), nil))
	}
	kept, err := o.store.Faults.NoticeByUUID(t.Context(), o.setup.ProjectID, post())
	if err != nil {
		t.Fatal(err)
	}
	if err := o.store.Faults.UpdateFault(t.Context(), o.now, o.setup.UserID, o.setup.ProjectID, kept.FaultID, faults.FaultChange{Ignored: sett.Some(true)}); err != nil {
		t.Fatal(err)
	}
	if _, err := o.store.Faults.NoticeByUUID(t.Context(), o.setup.ProjectID, post()); sett.CodeOf(err) != sett.NotFound {
		t.Errorf("the notice of an ignored fault: error = %v, want not found", err)
	}
	o.wantToday(t, accounts.UsageDay{Stored: 1, Ignored: 1})
}

// A store that is gone is our failure and not the client's: it may try again.
func TestPostWithoutStore(t *testing.T) {
	t.Parallel()
	o := setup(t, accounts.Limits{})
	wantID(t, o.post(t, "/v1/notices", strings.NewReader(`{"error":{}}`), nil))
	if err := o.store.Close(); err != nil {
		t.Fatal(err)
	}
	for _, body := range []string{`{"error":{}}`, `{`} { // also one that would have been refused: it could not be counted
		wantError(t, o.post(t, "/v1/notices", strings.NewReader(body), nil), 500, "Internal error")
	}
}

// Notices that are taken in side by side, with the memory of others before them, must be stored as they were sent.
func TestPostUsesMemoryAgain(t *testing.T) {
	t.Parallel()
	o := setup(t, accounts.Limits{})
	for client := range 16 {
		t.Run(fmt.Sprint("client ", client), func(t *testing.T) {
			t.Parallel()
			for i := range 12 {
				text := strings.Repeat(fmt.Sprintf("%d-%d ", client, i), []int{1, 1000, 7, maxKept / 15}[i%4])
				body := fmt.Appendf(nil, `{"error":{"message":%q,"backtrace":[{"file":"a.rb","method":%q}]},"server":{"hostname":%q}}`, text, text, text)
				id := wantID(t, o.post(t, "/v1/notices", bytes.NewReader(recording.Compressed(t, []string{"", "gzip", "deflate"}[(client+i)%3], body)), nil))
				n, err := o.store.Faults.NoticeByUUID(t.Context(), o.setup.ProjectID, id)
				if err != nil || len(n.Backtrace) != 1 {
					t.Fatalf("%d frames, error = %v", len(n.Backtrace), err)
				}
				if n.Message != text || n.Backtrace[0].Method != text || n.Environment.Hostname != text {
					t.Errorf("sent %.50q, stored %.50q in %.50q on %.50q", text, n.Message, n.Backtrace[0].Method, n.Environment.Hostname)
				}
			}
		})
	}
}

func TestRoutes(t *testing.T) {
	t.Parallel()
	o := setup(t, accounts.Limits{})
	for _, path := range []string{"/v1/notices", "/v1/notices/", "/v1/notices/js", "/v1/notices/js/"} {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodOptions, path, nil)
		w := httptest.NewRecorder()
		o.ServeHTTP(w, r)
		if w.Code != 204 || w.Header().Get("Access-Control-Allow-Origin") != "*" {
			t.Errorf("OPTIONS %s = %d %v", path, w.Code, w.Header())
		}
		wantID(t, o.post(t, path, strings.NewReader(`{"error":{}}`), nil))
	}
}
