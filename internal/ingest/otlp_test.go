package ingest

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/encoding/protowire"

	"sett/internal/ingest/otlp"
	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/setttest/recording"
)

const (
	typeJSON     = "application/json"
	typeProtobuf = "application/x-protobuf"
)

// export sends a body as an exporter does, with the project's key.
func (o *office) export(t *testing.T, path string, body []byte, headers map[string]string) *httptest.ResponseRecorder {
	t.Helper()
	all := map[string]string{"X-API-Key": o.setup.APIKey, "Content-Type": typeJSON}
	maps.Copy(all, headers)
	return o.post(t, path, bytes.NewReader(body), all)
}

// exceptionLog returns the JSON of a request with a log record that is an exception of each type.
func exceptionLog(types ...string) []byte {
	var records []string
	for i, kind := range types {
		records = append(records, fmt.Sprintf(`{"timeUnixNano":"%d","attributes":[{"key":"exception.type","value":{"stringValue":%q}}]}`, 1_795_382_553_000_000_000+i, kind))
	}
	return []byte(`{"resourceLogs":[{"scopeLogs":[{"logRecords":[` + strings.Join(records, ",") + `]}]}]}`)
}

// Each error is one notice, although it comes as a log record and as an event of a span, and although the exporter sends both again.
func TestOTLPCaptures(t *testing.T) {
	t.Parallel()
	for _, client := range []string{"otlp-go", "otlp-node-json", "otlp-node-proto", "otlp-python"} {
		for name, order := range map[string]func([]recording.Capture){"as recorded": func([]recording.Capture) {}, "reversed": slices.Reverse[[]recording.Capture]} {
			o := setup(t, accounts.Limits{})
			all := recording.Captures(t, client)
			order(all)
			for _, c := range append(all, all...) {
				w := o.resend(t, c, c.Body)
				want := map[string]string{typeJSON: "{}", typeProtobuf: ""}[c.Header.Get("Content-Type")]
				if w.Code != http.StatusOK || w.Body.String() != want || w.Header().Get("Content-Type") != c.Header.Get("Content-Type") {
					t.Errorf("%s: answer = %d %v %q", c.Name, w.Code, w.Header(), w.Body)
				}
			}
			t.Run(client+" "+name, func(t *testing.T) { o.wantToday(t, accounts.UsageDay{Stored: 1}) })
		}
	}
}

func TestOTLPErrors(t *testing.T) {
	t.Parallel()
	o := setup(t, accounts.Limits{})
	bomb := func(encoding string) string {
		return string(recording.Compressed(t, encoding, bytes.Repeat([]byte{'x'}, 4*maxBatchPlain)))
	}
	for _, c := range []struct {
		name, path string
		headers    map[string]string
		body       string
		status     int
		code       int
		says       string
	}{
		{"no key", "/v1/logs", map[string]string{"X-API-Key": ""}, "{}", 401, 16, "API key"},
		{"wrong key", "/v1/traces", map[string]string{"X-API-Key": "x"}, "{}", 401, 16, "unknown"},
		{"wrong key for metrics", "/v1/metrics", map[string]string{"X-API-Key": "x"}, "{}", 401, 16, "unknown"},
		{"no JSON", "/v1/logs", nil, "hello", 400, 3, "not valid JSON"},
		{"truncated", "/otlp/v1/traces", nil, `{"resourceSpans":[`, 400, 3, "truncated"},
		{"no protobuf", "/v1/logs", map[string]string{"Content-Type": typeProtobuf}, "hello", 400, 3, "not valid protobuf"},
		{"bomb in gzip", "/v1/logs", map[string]string{"Content-Encoding": "gzip"}, bomb("gzip"), 413, 3, "too large"},
		{"bomb in br", "/v1/logs", map[string]string{"Content-Encoding": "br"}, bomb("br"), 413, 3, "too large"},
		{"bomb in zstd", "/otlp/v1/traces", map[string]string{"Content-Encoding": "zstd"}, bomb("zstd"), 413, 3, "too large"},
		{"bomb in deflate", "/v1/traces", map[string]string{"Content-Encoding": "deflate"}, bomb("deflate"), 413, 3, "too large"},
		{"long", "/v1/logs", nil, strings.Repeat("x", maxBatchSent+1), 413, 3, "Send less"},
		{"unknown encoding", "/v1/logs", map[string]string{"Content-Encoding": "rot13"}, "hello", 400, 3, "rot13"},
	} {
		w := o.export(t, c.path, []byte(c.body), c.headers)
		want := fmt.Sprintf(`{"code":%d,"message":"`, c.code)
		kind := typeJSON
		if c.headers["Content-Type"] == typeProtobuf {
			want, kind = string([]byte{8, byte(c.code), 0x12}), typeProtobuf
		}
		if w.Code != c.status || !strings.HasPrefix(w.Body.String(), want) || !strings.Contains(w.Body.String(), c.says) || w.Header().Get("Content-Type") != kind {
			t.Errorf("%s: answer = %d %v %q, want %d, %q and %q", c.name, w.Code, w.Header(), w.Body, c.status, want, c.says)
		}
		if w.Header().Get("Retry-After") != "" {
			t.Errorf("%s: the exporter is to try again: %v", c.name, w.Header())
		}
	}
	o.wantToday(t, accounts.UsageDay{Invalid: 9})
}

func TestOTLPKeys(t *testing.T) {
	t.Parallel()
	o := setup(t, accounts.Limits{})
	for i, headers := range []map[string]string{{}, {"X-API-Key": "", "Authorization": "Bearer " + o.setup.APIKey}} {
		for _, path := range []string{"/v1/logs", "/otlp/v1/logs"} {
			if w := o.export(t, path, exceptionLog(fmt.Sprintf("E%d%s", i, path)), headers); w.Code != http.StatusOK {
				t.Errorf("%s with %v: answer = %d %s", path, headers, w.Code, w.Body)
			}
		}
	}
	o.wantToday(t, accounts.UsageDay{Stored: 4})
}

// A batch is sent again after 429, and what was stored of it by then counts once.
func TestOTLPLimits(t *testing.T) {
	t.Parallel()
	o := setup(t, accounts.Limits{MonthlyQuota: 2})
	body := exceptionLog("A", "B", "C")
	for range 2 {
		w := o.export(t, "/v1/logs", body, nil)
		if w.Code != http.StatusTooManyRequests || w.Header().Get("Retry-After") == "" || !strings.HasPrefix(w.Body.String(), `{"code":8,`) {
			t.Errorf("answer = %d %v %s", w.Code, w.Header(), w.Body)
		}
	}
	o.wantToday(t, accounts.UsageDay{Stored: 2, Limited: 2})
}

// What of a batch cannot be stored is said, and the rest is stored.
func TestOTLPPartialSuccess(t *testing.T) {
	t.Parallel()
	o := setup(t, accounts.Limits{})
	types := make([]string, 1_003)
	for i := range types {
		types[i] = fmt.Sprintf("E%d", i)
	}
	w := o.export(t, "/v1/logs", exceptionLog(types...), nil)
	if w.Code != http.StatusOK || !strings.Contains(w.Body.String(), `"rejectedLogRecords":"3"`) || !strings.Contains(w.Body.String(), "smaller batches") {
		t.Errorf("answer = %d %s", w.Code, w.Body)
	}
	o.wantToday(t, accounts.UsageDay{Stored: 1_000})
}

func TestOTLPMetrics(t *testing.T) {
	t.Parallel()
	o := setup(t, accounts.Limits{})
	for _, body := range []string{"", "{}", strings.Repeat("x", 500_000)} {
		if w := o.export(t, "/v1/metrics", []byte(body), nil); w.Code != http.StatusOK || w.Body.String() != "{}" {
			t.Errorf("answer = %d %s", w.Code, w.Body)
		}
	}
	if w := o.export(t, "/otlp/v1/metrics", nil, map[string]string{"Content-Type": typeProtobuf}); w.Code != http.StatusOK || w.Body.Len() != 0 {
		t.Errorf("answer = %d %q", w.Code, w.Body)
	}
	o.wantToday(t, accounts.UsageDay{})
}

func TestOTLPPreflight(t *testing.T) {
	t.Parallel()
	o := setup(t, accounts.Limits{})
	w := httptest.NewRecorder()
	o.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodOptions, "/otlp/v1/traces", nil))
	if w.Code != http.StatusNoContent || w.Header().Get("Access-Control-Allow-Origin") != "*" || !strings.Contains(w.Header().Get("Access-Control-Allow-Headers"), "X-API-Key") {
		t.Errorf("answer = %d %v", w.Code, w.Header())
	}
}

// No body makes the server fail.
func TestOTLPMutations(t *testing.T) {
	t.Parallel()
	o := setup(t, accounts.Limits{})
	c := recording.Captures(t, "otlp-node-json")[0]
	n := 0
	for doc := range recording.Mutations(t, c.Body) {
		if n++; n%17 != 0 {
			continue // internal/ingest/otlp reads all of them
		}
		if w := o.resend(t, c, doc); w.Code >= 500 {
			t.Fatalf("answer = %d %s to %.300s", w.Code, w.Body, doc)
		}
	}
	proto := recording.Captures(t, "otlp-node-proto")[0]
	for i := 0; i < len(proto.Body); i += 7 {
		doc := bytes.Clone(proto.Body)
		doc[i] ^= byte(protowire.BytesType)
		if w := o.resend(t, proto, doc); w.Code >= 500 {
			t.Fatalf("answer = %d %s with another byte %d", w.Code, w.Body, i)
		}
	}
}

// What the server could not do for now is answered with 503, which exporters retry; they do not retry 500.
func TestOTLPRetries(t *testing.T) {
	t.Parallel()
	for name, err := range map[string]error{
		"overload": &sett.Error{Code: sett.Unavailable, Message: "The server is overloaded.", RetryAfter: 3 * time.Second},
		"database": errors.New("no such table: carts"),
		"slow":     sett.Errorf(sett.TooSlow, "The body did not arrive in time."),
	} {
		h := otlpAnswers(func(http.ResponseWriter, *http.Request) (otlpAnswer, error) {
			return otlpAnswer{encoding: otlp.JSON}, err
		})
		w := httptest.NewRecorder()
		if err := h(w, httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/v1/logs", nil)); err != nil {
			t.Fatal(err)
		}
		if w.Code != http.StatusServiceUnavailable || w.Header().Get("Retry-After") == "" || !strings.HasPrefix(w.Body.String(), `{"code":14,`) || strings.Contains(w.Body.String(), "table") {
			t.Errorf("%s: answer = %d %v %s", name, w.Code, w.Header(), w.Body)
		}
	}
}
