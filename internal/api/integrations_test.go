package api_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sett/internal/api"
	"sett/internal/notify/channel"
	"sett/internal/sett/alerts"
	"sett/internal/setttest"
)

func integrationsPath(s *setttest.Server, rest string) string {
	return projectPath(s.Setup.ProjectID, "/integrations"+rest)
}

// createWebHook makes a webhook, with its fields as JSON behind a comma.
func createWebHook(t *testing.T, s *setttest.Server, fields string) (made api.Integration) {
	t.Helper()
	if !strings.Contains(fields, "options") {
		fields += `,"options":{"url":"https://127.0.0.1:1/hook"}` // which is never resolved
	}
	s.Post(integrationsPath(s, ""), `{"integration":{"type":"WebHook"`+fields+`}}`).Want(http.StatusCreated).Into(&made)
	return made
}

func integrationPath(s *setttest.Server, made api.Integration, rest string) string {
	return integrationsPath(s, fmt.Sprint("/", made.ID, rest))
}

func TestIntegrations(t *testing.T) {
	t.Parallel()
	setttest.Each(t, func(t *testing.T, s *setttest.Server) {
		if body := strings.TrimSpace(string(s.Get(integrationsPath(s, "")).Body)); body != "[]" {
			t.Errorf("no integrations: %s", body)
		}
		made := createWebHook(t, s, "")
		token, secret := fmt.Sprint(made.Options["token"]), fmt.Sprint(made.Options["secret"])
		if len(token) < 20 || !strings.HasPrefix(secret, "whsec_") || token == channel.Mask {
			t.Errorf("the secrets that were made: %v", made.Options)
		}
		want := map[string]any{
			"id": json.Number(fmt.Sprint(made.ID)), "type": "WebHook", "active": true, "site_ids": []any{}, "check_in_ids": []any{}, "excluded_environments": []any{},
			"events":  []any{"occurred", "assigned", "up", "down", "slow", "fast", "cert_will_expire", "check_in_missing", "check_in_failed", "check_in_reporting", "alarm_alert", "alarm_ok"},
			"options": map[string]any{"url": "https://127.0.0.1:1/hook", "token": channel.Mask, "secret": channel.Mask, "payload_version": "v2"},
			"filters": []any{}, "rate": nil, "threshold": nil, "notification_limit": json.Number("30"), "escalation": nil, "webhook_url": nil, "quiet_hours": nil, "quiet_until": nil, "failed_at": nil, "problem": nil,
			"created_at": s.Clock.Now().Format(time.RFC3339Nano), "updated_at": s.Clock.Now().Format(time.RFC3339Nano),
		}
		if diff := cmp.Diff(want, read(t, s.Get(integrationPath(s, made, "")))); diff != "" {
			t.Errorf("the integration (-want +got):\n%s", diff)
		}

		s.Clock.Push(time.Minute)
		s.Put(integrationPath(s, made, ""), map[string]any{"integration": map[string]any{
			"type": "WebHook", "active": "0", "events": []string{"deployed"}, "rate": "hour", "threshold": 5, "notification_limit": 2,
			"options": map[string]any{"token": channel.Mask, "secret": "mine", "label": "Ours"}, "filters": []any{map[string]any{"event": "all", "query": "is:ignored"}},
			"excluded_environments": []string{"lab"},
		}}).Want(http.StatusNoContent)
		want["active"], want["events"], want["rate"], want["threshold"] = false, []any{"deployed"}, "hour", json.Number("5")
		want["notification_limit"], want["updated_at"] = json.Number("2"), s.Clock.Now().Format(time.RFC3339Nano)
		want["filters"], want["excluded_environments"] = []any{map[string]any{"event": "all", "query": "is:ignored"}}, []any{"lab"}
		want["options"].(map[string]any)["label"] = "Ours"
		if diff := cmp.Diff([]any{want}, read(t, s.Get(integrationsPath(s, "")))); diff != "" {
			t.Errorf("the list after the change (-want +got):\n%s", diff)
		}
		kept, err := s.App.Store().Deliveries.IntegrationByID(t.Context(), s.Setup.ProjectID, made.ID)
		if err != nil || kept.Options["token"] != token || kept.Options["secret"] != "mine" {
			t.Errorf("the secrets that are kept: %v, %v", kept.Options, err)
		}

		s.Delete(integrationPath(s, made, "")).Want(http.StatusNoContent)
		for _, method := range []string{"GET", "DELETE"} {
			if text := s.Do(method, integrationPath(s, made, ""), nil).Want(http.StatusNotFound).Errors(); text != "Integration not found" {
				t.Errorf("%s: %s", method, text)
			}
		}
	})
}

// read reads any JSON with its numbers as they stand.
func read(t *testing.T, answer *setttest.Response) (v any) {
	t.Helper()
	decoder := json.NewDecoder(strings.NewReader(string(answer.Body)))
	decoder.UseNumber()
	if err := decoder.Decode(&v); err != nil {
		t.Fatal(err)
	}
	return v
}

// No secret is in an answer but that of the creation, nor in the audit log.
func TestSecretsOfIntegrationsAreShownOnce(t *testing.T) {
	t.Parallel()
	setttest.Each(t, func(t *testing.T, s *setttest.Server) {
		made := createWebHook(t, s, "")
		s.Put(integrationPath(s, made, ""), `{"integration":{"options":{"authorization":"hush hush"}}}`).Want(http.StatusNoContent)
		for _, path := range []string{integrationsPath(s, ""), integrationPath(s, made, ""), auditPath(s, "")} {
			body := string(s.Get(path).Body)
			for _, secret := range []string{"hush", fmt.Sprint(made.Options["token"]), fmt.Sprint(made.Options["secret"])} {
				if strings.Contains(body, secret) {
					t.Errorf("GET %s shows %s: %s", path, secret, body)
				}
			}
		}
		if entry := auditLog(s, "?limit=1")[0]; !strings.Contains(string(entry.Changes.RawMessage), "[hidden]") {
			t.Errorf("the entry does not tell that options were changed: %s", entry.Changes.RawMessage)
		}
	})
}

// Every option of a type that this program does not know may be a secret.
func TestOptionsOfUnknownTypesAreHidden(t *testing.T) {
	t.Parallel()
	if got := api.ViewOptions("Carrier", map[string]any{"pigeon": "hush"}); got["pigeon"] != channel.Mask {
		t.Errorf("shown as %v", got)
	}
}

func TestIntegrationKinds(t *testing.T) {
	t.Parallel()
	s := setttest.Start(t, "sqlite")
	var kinds []api.IntegrationKind
	s.Get("/v2/integration_kinds").Into(&kinds)
	if len(kinds) != len(channel.Kinds()) {
		t.Fatalf("%d kinds, want %d", len(kinds), len(channel.Kinds()))
	}
	for i, k := range channel.Kinds() {
		if got := kinds[i]; got.Type != k.Type || got.Name != k.Name || got.About != k.About || got.Tracker != k.Tracker || len(got.Options) != len(k.Options)+1 {
			t.Errorf("%s is shown as %+v", k.Type, got)
		}
		for j, o := range k.Options {
			if got := kinds[i].Options[j]; got.Name != o.Name || got.Form != string(o.Form) || got.Secret != o.Secret || got.Required != o.Required || got.Label != o.Label {
				t.Errorf("%s of %s is shown as %+v", o.Name, k.Type, got)
			}
		}
	}
}

// The document names every type, and every option of it.
func TestDocumentedIntegrations(t *testing.T) {
	t.Parallel()
	s := setttest.Start(t, "sqlite")
	var document struct {
		Components struct {
			Schemas map[string]struct {
				Properties map[string]struct {
					Description string
					Enum        []any
				}
			}
		}
	}
	answer, err := http.Get(s.Base + "/openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if err := json.NewDecoder(answer.Body).Decode(&document); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"Integration", "IntegrationFields"} {
		properties := document.Components.Schemas[name].Properties
		for i, k := range channel.Kinds() {
			if enum := properties["type"].Enum; len(enum) != len(channel.Kinds()) || enum[i] != any(k.Type) {
				t.Errorf("the types of %s are documented as %v", name, enum)
			}
			_, options, _ := strings.Cut(properties["options"].Description, " "+k.Type+":")
			options, _, _ = strings.Cut(options, ".")
			for _, o := range k.AllOptions() {
				if !strings.Contains(options+",", " "+o.Name+map[bool]string{true: " (required)"}[o.Required]+",") {
					t.Errorf("%s of %s is not documented: %s", o.Name, k.Type, options)
				}
			}
		}
	}
}

// Quiet hours are sent as a whole, shown as they are kept, and known in the audit log. What waits for their end says so, and
// is sent when people ask for it.
func TestQuietHoursOfIntegrations(t *testing.T) {
	t.Parallel()
	setttest.Each(t, func(t *testing.T, s *setttest.Server) {
		from := s.Clock.Now().UTC().Truncate(time.Minute)
		to := from.Add(3 * time.Hour)
		made := createWebHook(t, s, fmt.Sprintf(`,"events":["deployed"],"quiet_hours":{"from":%q,"to":%q,"time_zone":"Etc/UTC"}`, from.Format("15:04"), to.Format("15:04")))
		want := &alerts.QuietHours{From: from.Format("15:04"), To: to.Format("15:04"), TimeZone: "Etc/UTC", Days: []string{}, Urgent: true}
		if diff := cmp.Diff(want, made.QuietHours); diff != "" || made.QuietUntil == nil || !made.QuietUntil.Equal(to) {
			t.Fatalf("until %v (-want +got):\n%s", made.QuietUntil, diff)
		}
		path := integrationPath(s, made, "")
		s.Client.Post("/v1/deploys", `{"deploy":{"environment":"production","revision":"abc"}}`).Want(http.StatusCreated)
		var waiting api.Delivery
		for waiting.ID == 0 {
			var list struct{ Results []api.Delivery }
			if s.Get(path + "/deliveries").Into(&list); len(list.Results) > 0 {
				waiting = list.Results[0]
			}
		}
		if waiting.QuietUntil == nil || !waiting.QuietUntil.Equal(to) || !waiting.DueAt.Equal(to) || waiting.State != alerts.DeliveryDue {
			t.Errorf("what waits: %+v", waiting)
		}
		if d := tried(t, s, made); d.QuietUntil != nil {
			t.Errorf("a test waits: %+v", d)
		}
		s.Post(path+fmt.Sprint("/deliveries/", waiting.ID, "/redeliver"), nil).Want(http.StatusAccepted).Into(&waiting)
		if waiting.QuietUntil != nil || waiting.DueAt.After(s.Clock.Now()) {
			t.Errorf("sent now: %+v", waiting)
		}

		s.Put(path, `{"integration":{"quiet_hours":{"from":"00:00","to":"24:00","days":["sun","sat"],"urgent_at_once":"0"}}}`).Want(http.StatusNoContent)
		if entry := auditLog(s, "?limit=1")[0]; !strings.Contains(string(entry.Changes.RawMessage), `"days":["sun","sat"]`) {
			t.Errorf("the entry lacks the quiet hours: %s", entry.Changes.RawMessage)
		}
		s.Put(path, `{"integration":{"active":true}}`).Want(http.StatusNoContent)
		var got api.Integration
		s.Get(path).Into(&got)
		if diff := cmp.Diff(&alerts.QuietHours{From: "00:00", To: "24:00", Days: []string{"sat", "sun"}}, got.QuietHours); diff != "" || got.QuietUntil != nil {
			t.Errorf("changed, until %v (-want +got):\n%s", got.QuietUntil, diff)
		}
		s.Put(path, `{"integration":{"quiet_hours":null}}`).Want(http.StatusNoContent)
		got = api.Integration{}
		if s.Get(path).Into(&got); got.QuietHours != nil {
			t.Errorf("removed: %+v", got.QuietHours)
		}
	})
}
