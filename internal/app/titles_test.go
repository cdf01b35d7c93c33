package app_test

import (
	"fmt"
	"html"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sett/internal/app"
	"sett/internal/sett/accounts"
	"sett/internal/setttest"
	"sett/internal/setttest/inbox"
	"sett/internal/setttest/recording"
)

// The ways in, with the recorded key.
const (
	byNotice   = "/v1/notices"
	byStore    = "/api/42/store/?sentry_key=" + recordedKey
	byEnvelope = "/api/42/envelope/?sentry_key=" + recordedKey
	byCSP      = "/api/42/security/?sentry_key=" + recordedKey
	byAirbrake = "/api/v3/projects/42/notices?key=" + recordedKey
	byLogs     = "/v1/logs"
	byTraces   = "/v1/traces"
)

// titled is an error as a client sends it, and what it is called.
type titled struct{ way, body, class, message, wrapped string }

// inPay is a backtrace of the contract.
const inPay = `"backtrace":[{"file":"https://shop.test/assets/cart.js","method":"pay","number":"3"}]`

// logged is a log record of OpenTelemetry with some attributes and more members.
func logged(members string, attributes ...string) string {
	var all []string
	for i := 0; i < len(attributes); i += 2 {
		all = append(all, fmt.Sprintf(`{"key":%q,"value":{"stringValue":%q}}`, attributes[i], attributes[i+1]))
	}
	return `{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"timeUnixNano":"1795820000000000000","attributes":[` + strings.Join(all, ",") + `]` + members + `}]}]}]}`
}

// spanned is a span of OpenTelemetry in which an exception without a message occurred.
const spanned = `{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a","spanId":"2b2b2b2b2b2b2b2b","name":"GET /stock","events":[{"name":"exception","timeUnixNano":"1795820000000000000",
	"attributes":[{"key":"exception.type","value":{"stringValue":"Timeout"}}]}]}]}]}]}`

// enveloped puts an event into an envelope.
func enveloped(event string) string { return "{}\n{\"type\":\"event\"}\n" + event + "\n" }

var titledErrors = []titled{
	{byNotice, `{"error":{"class":"","message":"[object Object]",` + inPay + `}}`, "Error", "in pay (cart.js:3)", ""},
	{byNotice, `{"error":{"class":"UnhandledRejection","message":"undefined"},"request":{"url":"https://shop.test/checkout?card=4"}}`, "UnhandledRejection", "at /checkout", ""},
	{byNotice, `{"error":{"class":"Error","message":"[object Event]"},"request":{"component":"gallery"}}`, "Event", "in gallery", ""},
	{byNotice, `{"error":{"class":"Shop\\SoldOut","message":"","backtrace":[{"file":"/srv/shop/Cart.php","class":"Shop\\Cart","type":"->","method":"take","number":"7","context":"app"}]}}`, `Shop\SoldOut`, `in Shop\Cart::take (Cart.php:7)`, ""},
	{byNotice, `{"error":{"class":"Error","message":"{\"code\":402,\"message\":\"The card was declined\"}"}}`, "Error", "The card was declined", ""},
	{
		byNotice, `{"error":{"class":"java.util.concurrent.ExecutionException","message":"bank.Refused: no card","causes":[{"class":"bank.Refused","message":"no card"}]}}`,
		"bank.Refused", "no card", "java.util.concurrent.ExecutionException",
	},
	{
		byNotice, `{"error":{"class":"AggregateError","message":"All promises were rejected","causes":[{"class":"A","message":"one"},{"class":"B","message":"two"}]}}`,
		"AggregateError", "A: one; B: two", "",
	},
	{byStore, `{"logentry":{"formatted":"only formatted"}}`, "Message", "only formatted", ""},
	{byStore, `{"sentry.interfaces.Exception":{"values":[{"type":"Old","value":"from an old client"}]}}`, "Old", "from an old client", ""},
	{byStore, `{"transaction":"nightly.export","transaction_info":{"source":"task"},"level":"error"}`, "Message", "in nightly.export", ""},
	{byStore, `{"culprit":"shop.views in pay","level":"error"}`, "Message", "in shop.views in pay", ""},
	{
		byEnvelope, enveloped(`{"platform":"javascript","exception":{"values":[{"type":"Error","value":"Object captured as promise rejection with keys: code, reason"}]}}`),
		"Error", "Object captured as promise rejection with keys: code, reason", "",
	},
	{byEnvelope, enveloped("{\"exception\":{\"values\":[{\"type\":\"TypeError\",\"value\":\"deep\"},{\"type\":\"HandlerFailedException\",\"value\":\"Handling failed\"}]}}"), "TypeError", "deep", "HandlerFailedException"},
	{byEnvelope, enveloped(`{"platform":"python","exception":{"values":[{"type":"KeyError","stacktrace":{"frames":[{"filename":"shop/cart.py","function":"price","lineno":9,"in_app":true}]}}]}}`), "KeyError", "in price (cart.py:9)", ""},
	{byAirbrake, `{"errors":[{"type":"","message":"","backtrace":[{"file":"/PROJECT_ROOT/app/stock.rb","function":"count","line":5}]}]}`, "Error", "in count (stock.rb:5)", ""},
	{byAirbrake, `{"errors":[{"type":"","message":"Stock is negative"}]}`, "Error", "Stock is negative", ""},
	{byLogs, logged(`,"body":{"kvlistValue":{"values":[{"key":"msg","value":{"stringValue":"structured"}},{"key":"order","value":{"intValue":"7"}}]}}`, "exception.type", "Structured"), "Structured", "structured", ""},
	{byLogs, logged("", "exception.stacktrace", "no price at pay.pl line 4.\n\tmain::pay() called at pay.pl line 9\n"), "Error", "no price", ""},
	{byTraces, spanned, "Timeout", "in GET /stock", ""},
	{byCSP, `{"csp-report":{"document-uri":"https://shop.test/","violated-directive":"img-src","blocked-uri":"https://cdn.test/a.png"}}`, "CSP violation", "Blocked cdn.test", ""},
}

// Whatever a client leaves out, and in whichever way it reports, lists, pages and alerts call the error by something that people can read: by the cause that
// carries the news, and never by nothing.
func TestErrorsHaveTitles(t *testing.T) {
	t.Parallel()
	setttest.Each(t, func(t *testing.T, s *setttest.Server) {
		project := fmt.Sprint("/projects/", s.Setup.ProjectID)
		received := inbox.Open(t)
		s.Post("/v2"+project+"/integrations", map[string]any{"integration": map[string]any{
			"type": "WebHook", "events": []string{"occurred"}, "notification_limit": 10_000, "options": map[string]any{"url": received.URL},
		}}).Want(http.StatusCreated)
		var want, alerts []string
		for _, e := range titledErrors {
			c := recording.Capture{Name: e.way, Method: http.MethodPost, Target: e.way, Header: http.Header{"Content-Type": {"application/json"}}, Body: []byte(e.body)}
			if status, said := sendTo(t, s.Base, s.Key, s.Setup.ProjectID, c); status >= 300 {
				t.Fatalf("%s: %d %s to %s", e.way, status, said, e.body)
			}
			want = append(want, e.class+": "+e.message)
			alerts = append(alerts, "[Shop/production] "+e.class+": "+e.message)
		}
		var texts []string
		for _, m := range received.Await(t, len(titledErrors)) {
			texts = append(texts, m.Text)
		}
		wantSame(t, "alerts", alerts, texts)
		_, owner := addPerson(t, s, "second@example.test", accounts.Owner)
		list := owner.Get(project + "/faults").Want(http.StatusOK).Body
		var got []string
		for _, f := range faultsOf(s, project) {
			got = append(got, f.Klass+": "+f.Message)
			page := owner.Get(fmt.Sprint(project, "/faults/", f.ID)).Want(http.StatusOK).CheckPage().Body
			for _, text := range []string{f.Klass, f.Message} {
				if text = html.EscapeString(text); !strings.Contains(plain(list), text) || !strings.Contains(plain(page), text) {
					t.Errorf("%q is not on the page or in the list", text)
				}
			}
			i := slices.Index(want, f.Klass+": "+f.Message)
			if i < 0 {
				continue
			}
			if wrapped := titledErrors[i].wrapped; wrapped != "" != strings.Contains(plain(page), "Wrapped in ") || !strings.Contains(plain(page), "Wrapped in "+wrapped) && wrapped != "" {
				t.Errorf("%s: the page does not say that it is wrapped in %q", f.Klass, wrapped)
			}
		}
		wantSame(t, "titles", want, got)
	}, func(c *app.Config) { c.EgressAllow = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")} })
}

// plain is a page without the places at which long words may break.
func plain(page string) string { return strings.NewReplacer("<wbr>", "", "\u200b", "").Replace(page) }

func wantSame(t *testing.T, what string, want, got []string) {
	t.Helper()
	slices.Sort(want)
	slices.Sort(got)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

type listedFault struct {
	ID             int64
	Klass, Message string
}

func faultsOf(s *setttest.Server, project string) []listedFault {
	var list struct{ Results []listedFault }
	s.Get("/v2" + project + "/faults?limit=25").Want(http.StatusOK).Into(&list)
	return list.Results
}
