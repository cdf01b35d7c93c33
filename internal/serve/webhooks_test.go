package serve

import (
	"encoding/json"
	"html"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

type sampleHead struct {
	Event string `json:"event"`
}

type samplePayload struct {
	sampleHead
	Fault  samplePerson  `json:"fault" doc:"Whom it is about."`
	Parent *samplePerson `json:"parent,omitempty"`
}

func sampleWebhooks() []Webhook {
	return []Webhook{
		{Event: "made", Doc: "It was <made>.", Payload: samplePayload{}, Example: []byte(`{"event": "made", "a": "<script>"}`)},
		{Event: "gone", Doc: "It is gone.", Payload: samplePayload{}, Example: []byte(`{"event": "gone"}`)},
	}
}

func TestWebhookSchema(t *testing.T) {
	t.Parallel()
	text, err := WebhookSchema("https://sett.test/docs/webhooks/made.json", sampleWebhooks()[0])
	if err != nil {
		t.Fatal(err)
	}
	var got map[string]any
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	if person, ok := got["$defs"].(map[string]any)["SamplePerson"].(map[string]any); !ok || person["type"] != "object" {
		t.Errorf("definitions %v", got["$defs"])
	}
	delete(got, "$defs")
	want := map[string]any{
		"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": "https://sett.test/docs/webhooks/made.json",
		"title": "made", "description": "It was <made>.", "type": "object", "required": []any{"event", "fault"},
		"properties": map[string]any{
			"event":  map[string]any{"const": "made"},
			"fault":  map[string]any{"$ref": "#/$defs/SamplePerson", "description": "Whom it is about."},
			"parent": map[string]any{"anyOf": []any{map[string]any{"$ref": "#/$defs/SamplePerson"}, map[string]any{"type": "null"}}},
		},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestWebhookSchemaOfWhatHasNone(t *testing.T) {
	t.Parallel()
	if _, err := WebhookSchema("x", Webhook{Event: "odd", Payload: struct{ C chan int }{}}); err == nil || !strings.Contains(err.Error(), "webhook odd") {
		t.Errorf("%v", err)
	}
}

func TestWebhooksPage(t *testing.T) {
	t.Parallel()
	info := sampleInfo()
	info.Webhooks = "/docs/webhooks"
	w := do(t, SecurityHeaders(WebhooksHandler(info, false, sampleWebhooks())), "GET", "/docs/webhooks", "")
	page := w.Body.String()
	if w.Code != http.StatusOK || w.Header().Get("Content-Type") != "text/html; charset=utf-8" || !strings.Contains(w.Header().Get("Content-Security-Policy"), "style-src 'sha256-") {
		t.Errorf("got %d %s", w.Code, w.Header())
	}
	for _, want := range []string{`href="#made"`, `id="made"`, `href="/docs/webhooks/gone.json"`} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %s", want)
		}
	}
	if strings.Contains(page, "<script") {
		t.Error("an example is not escaped")
	}
	text := html.UnescapeString(regexp.MustCompile(`<[^>]*>`).ReplaceAllString(page, ""))
	text = strings.Join(strings.Fields(text), " ")
	for _, want := range []string{
		"It was <made>.", `{"event": "made", "a": "<script>"}`, "fault object Whom it is about.", "parent object or null, optional",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the page lacks: %s", want)
		}
	}
	markup(t, page)
}

// The pages of both versions lead to each other, and to the schemas of their own.
func TestWebhooksPagesOfVersions(t *testing.T) {
	t.Parallel()
	info := sampleInfo()
	info.Webhooks = "/below/docs/webhooks"
	for v3, want := range map[bool][]string{
		false: {`href="/below/docs/webhooks/v3"`, `href="/below/docs/webhooks/gone.json"`},
		true:  {`href="/below/docs/webhooks"`, `href="/below/docs/webhooks/v3/gone.json"`},
	} {
		page := do(t, WebhooksHandler(info, v3, sampleWebhooks()), "GET", "/docs/webhooks", "").Body.String()
		for _, link := range want {
			if !strings.Contains(page, link) {
				t.Errorf("version 3 %v: the page lacks %s", v3, link)
			}
		}
		markup(t, page)
	}
}

// The page of the interface leads to that of the webhooks, where there is one.
func TestDocsLeadToWebhooks(t *testing.T) {
	t.Parallel()
	info := sampleInfo()
	info.Webhooks = "/docs/webhooks"
	with := do(t, DocsHandlers(info, sampleRoutes())[""], "GET", "/docs/api", "").Body.String()
	_, without := docsOf(t)
	if !strings.Contains(with, `href="/docs/webhooks"`) || strings.Contains(without, "webhooks") {
		t.Error("the link is missing, or there where it leads nowhere")
	}
}
