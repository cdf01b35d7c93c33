package ingest

import (
	"bytes"
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"testing"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/setttest/recording"
)

const withoutID = `{"exception":{"values":[{"type":"PaymentError","value":"refused"}]}}`

// sendBody sends an envelope whose length is not announced.
func (o *office) sendBody(t *testing.T, path string, body io.Reader, encoding string) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, o.dsn(path), io.MultiReader(body))
	r.Header.Set("Content-Encoding", encoding)
	w := httptest.NewRecorder()
	o.ServeHTTP(w, r)
	return w
}

// noise is text that no compression makes much shorter.
func noise(bytes int) []byte {
	var b strings.Builder
	for b.Len() < bytes {
		b.WriteString(rand.Text())
	}
	return []byte(b.String()[:bytes])
}

// The event of an envelope that is too large is stored, and so is what fits beside it. The rest is counted.
func TestLargeSentryEnvelopes(t *testing.T) {
	t.Parallel()
	const key = "?sentry_key=" + recordedKey
	file, dump := noise(3<<20), noise(maxEnvelopeSent)
	parts := []string{
		item(`{"type":"attachment","filename":"big.txt"}`, file),
		item(`{"type":"attachment","filename":"small.txt"}`, []byte("kept")),
		item(`{"type":"transaction"}`, dump),
		item(`{"type":"check_in"}`, []byte(`{"monitor_slug":"job","status":"ok","contexts":"`+strings.Repeat("x", 200<<10)+`"}`)),
		item(`{"type":"event"}`, []byte(withoutID)),
		item(`{"type":"session"}`, append([]byte(`{"x":"`), append(bytes.Repeat([]byte("y"), maxEnvelopePlain), `"}`...)...)),
	}
	body := envelopeOf(parts...)
	for _, encoding := range []string{"", "gzip", "deflate", "br", "zstd"} {
		t.Run(encoding, func(t *testing.T) {
			t.Parallel()
			o := setup(t, accounts.Limits{})
			sent := recording.Compressed(t, encoding, []byte(body))
			if len(sent) < maxEnvelopeSent {
				t.Fatalf("the body has only %d bytes", len(sent))
			}
			for range 2 { // what is sent twice is stored once
				w := o.sendBody(t, "/api/42/envelope/"+key, bytes.NewReader(sent), encoding)
				if w.Code != http.StatusOK || !strings.Contains(w.Body.String(), strings.ReplaceAll(oneEventID, "-", "")) {
					t.Fatalf("%d %s", w.Code, w.Body)
				}
				limits := strings.Join(w.Header().Values("X-Sentry-Rate-Limits"), ", ")
				if !strings.Contains(limits, "60:attachment:project:quota") || !strings.Contains(limits, "3600:span;transaction:project:unsupported") {
					t.Errorf("limits: %s", limits)
				}
				o.wantDiscards(t, "server attachment too_large 1", "server monitor too_large 1", "server session too_large 1", "server transaction unsupported 1")
			}
			o.wantStored(t, 1)
			if files := o.attached(t, oneEventID); len(files) != 1 || !strings.HasPrefix(files[0], "small.txt") {
				t.Errorf("the attachments are %q", files)
			}
		})
	}
}

func TestLargeSentryEnvelopesThatAreRefused(t *testing.T) {
	t.Parallel()
	o := setup(t, accounts.Limits{})
	large := item(`{"type":"attachment"}`, noise(3<<20))
	for name, c := range map[string]struct {
		path, body string
		status     int
	}{
		"an event that is too large": {"/api/42/envelope/?sentry_key=" + recordedKey, envelopeOf(item(`{"type":"event"}`, noise(maxEnvelopePlain+1))), 413},
		"more than Sentry accepts":   {"/api/42/envelope/?sentry_key=" + recordedKey, envelopeOf(item(`{"type":"attachment"}`, noise(maxLargeSent))), 413},
		"no key":                     {"/tunnel", "{}\n" + large, 403},
		"a wrong key":                {"/tunnel", `{"dsn":"https://wrong@sett.example.test/42"}` + "\n" + large, 403},
		"no header":                  {"/api/42/envelope/?sentry_key=" + recordedKey, "[]\n" + large, 400},
		"a key in the header":        {"/tunnel", `{"dsn":"https://` + o.setup.APIKey + `@sett.example.test/42"}` + "\n" + large + item(`{"type":"event"}`, []byte(withoutID)), 200},
	} {
		w := o.sendBody(t, c.path, strings.NewReader(c.body), "")
		if w.Code != c.status || w.Code != 200 && w.Header().Get("X-Sentry-Rate-Limits") == "" && name != "an event that is too large" {
			t.Errorf("%s: %d %.200s %v, want %d", name, w.Code, w.Body, w.Header(), c.status)
		}
	}
}

// endingBody is a body at whose end a function is called.
type endingBody struct {
	io.Reader
	end func()
}

func (b endingBody) Read(p []byte) (int, error) {
	n, err := b.Reader.Read(p)
	if err != nil {
		b.end()
	}
	return n, err
}

// A large envelope waits while another one of its project is read. Those of other projects do not wait with it.
func TestLargeEnvelopesOfAProjectWaitForEachOther(t *testing.T) {
	t.Parallel()
	o := setup(t, accounts.Limits{})
	other, err := o.store.Accounts.CreateProject(t.Context(), o.now, o.setup.UserID, o.setup.AccountID, accounts.ProjectChange{Name: sett.Some("Other")})
	if err != nil {
		t.Fatal(err)
	}
	key, err := o.store.Accounts.AddProjectKey(t.Context(), o.now, other.ID, accounts.ScopeNotices, "")
	if err != nil {
		t.Fatal(err)
	}
	body := envelopeOf(item(`{"type":"attachment"}`, noise(3<<20)), item(`{"type":"event"}`, []byte(withoutID)))
	send := func(ctx context.Context, key string, ended func()) int {
		r := httptest.NewRequestWithContext(ctx, http.MethodPost, "/tunnel?sentry_key="+key, endingBody{strings.NewReader(body), ended})
		w := httptest.NewRecorder()
		o.ServeHTTP(w, r)
		return w.Code
	}
	leave, err := o.ingest.large.Take(t.Context(), o.setup.ProjectID) // as one that is read
	if err != nil {
		t.Fatal(err)
	}
	gone, goAway := context.WithCancel(t.Context())
	if code := send(gone, o.setup.APIKey, goAway); code != http.StatusServiceUnavailable {
		t.Errorf("the next one of the project does not wait: %d", code)
	}
	arrived, waited := make(chan struct{}), make(chan int)
	go func() { waited <- send(t.Context(), o.setup.APIKey, sync.OnceFunc(func() { close(arrived) })) }()
	<-arrived
	if code := send(t.Context(), key, func() {}); code != http.StatusOK {
		t.Errorf("one of another project: %d", code)
	}
	leave()
	if code := <-waited; code != http.StatusOK {
		t.Errorf("one that had to wait: %d", code)
	}
}

// A large envelope takes no more memory than what is kept of it, whatever it has. The test does not run beside others: it measures memory.
func TestMemoryOfLargeSentryEnvelopes(t *testing.T) { //nolint:paralleltest // see above
	o := setup(t, accounts.Limits{})
	head := envelopeOf(item(`{"type":"event"}`, []byte(withoutID)))
	for name, body := range map[string]func() io.Reader{
		"one attachment": func() io.Reader {
			return io.MultiReader(strings.NewReader(head+fmt.Sprintf("{\"type\":\"attachment\",\"length\":%d}\n", maxLargeSent)), io.LimitReader(new(endless), maxLargeSent-1<<10))
		},
		"one line": func() io.Reader {
			return io.MultiReader(strings.NewReader(head+"{\"type\":\"feedback\"}\n"), io.LimitReader(new(endless), maxLargeSent-1<<10))
		},
		"many events": func() io.Reader {
			var parts strings.Builder
			parts.WriteString(head)
			for range 15 {
				parts.WriteString(item(`{"type":"event"}`, bytes.Repeat([]byte("["), 1<<20)))
			}
			return strings.NewReader(parts.String())
		},
	} {
		source := body()
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		w := o.sendBody(t, "/api/42/envelope/?sentry_key="+recordedKey, source, "")
		runtime.ReadMemStats(&after)
		if grown := after.TotalAlloc - before.TotalAlloc; w.Code >= 500 || grown > 64<<20 {
			t.Errorf("%s: %d, %d bytes of memory", name, w.Code, grown)
		}
	}
	usage, err := o.store.Intake.AccountUsage(t.Context(), o.setup.AccountID, o.now)
	if err != nil || usage[len(usage)-1].Stored != 1 {
		t.Errorf("the ledger of the day is %+v, %v", usage[len(usage)-1], err)
	}
}

// An event without an id has that of its envelope, so that what is sent twice is stored once; a second one in the envelope has none.
func TestAnEventTakesTheIDOfItsEnvelope(t *testing.T) {
	t.Parallel()
	o := setup(t, accounts.Limits{})
	for range 2 {
		w := o.sendSentry(t, "/envelope/", envelopeOf(item(`{"type":"event"}`, []byte(withoutID))), nil)
		if w.Code != http.StatusOK || !strings.Contains(w.Body.String(), strings.ReplaceAll(oneEventID, "-", "")) {
			t.Errorf("%d %s", w.Code, w.Body)
		}
	}
	o.wantStored(t, 1)
	o.sendSentry(t, "/envelope/", envelopeOf(item(`{"type":"event"}`, []byte(withoutID)), item(`{"type":"event"}`, []byte(withoutID))), nil)
	o.wantStored(t, 2)
}
