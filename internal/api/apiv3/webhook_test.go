package apiv3_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sett/internal/app"
	"sett/internal/sett"
	"sett/internal/sett/checks"
	"sett/internal/setttest"
	"sett/internal/setttest/inbox"
)

// nearby lets webhooks reach the receivers of tests.
func nearby(c *app.Config) { c.EgressAllow = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")} }

// webhook makes a channel to a receiver, and returns its path.
func webhook(c client, project string, to *inbox.Inbox, config object) string {
	c.t.Helper()
	config["url"] = to.URL
	made := c.do("POST", project+"/integrations", object{
		"type": "WebHook", "all_sites": true, "all_check_ins": true, "events": []string{"occurred", "resolved", "commented", "deployed"}, "config": config,
	}).want(201).data()
	return project + "/integrations/" + made["id"].(string)
}

// A webhook of version 3 is sent what /v3 answers about the same objects, beside one of version 2.
func TestWebhooksSpeakAsTheAPI(t *testing.T) {
	t.Parallel()
	setttest.Each(t, func(t *testing.T, s *setttest.Server) {
		all, project := owner(t, s)
		b, old := inbox.Open(t), inbox.Open(t)
		webhook(all, project, b, object{"payload_version": "v3"})
		webhook(all, project, old, object{})
		s.Client.Post("/v1/deploys", object{"deploy": object{"environment": "production", "revision": "4f2a9c1", "repository": "git@example.org:a/b"}}).Want(http.StatusCreated)
		fault := report(t, s, "Boom")
		all.do("POST", fault+"/comments", object{"body": "On it."}).want(201)
		all.do("POST", project+"/faults/resolve", object{"all": true}).want(200)

		sent := map[string]object{}
		for _, m := range b.Await(t, 4) {
			var body object
			if err := json.Unmarshal(m.Body, &body); err != nil {
				t.Fatal(err)
			}
			same(t, body, "payload_version", "v3")
			sent[m.Event] = body
		}
		f := all.get(fault).data()
		notice := all.get(fault + "/notices").list()[0].(object)
		for name, pair := range map[string][2]any{
			"fault":               {f, sent["resolved"]["fault"]},
			"deploy of the fault": {f["last_notice_deploy"], sent["occurred"]["fault"].(object)["last_notice_deploy"]},
			"notice":              {notice, sent["occurred"]["notice"]},
			"comment":             {all.get(fault + "/comments/" + sent["commented"]["comment"].(object)["id"].(string)).data(), sent["commented"]["comment"]},
			"deploy":              {all.get(project + "/deploys").list()[0], sent["deployed"]["deploy"]},
		} {
			if diff := cmp.Diff(pair[0], pair[1], ignored("last_notice_deploy")); diff != "" {
				t.Errorf("%s (-API +webhook):\n%s", name, diff)
			}
		}
		named := all.get(project).data()
		for name, value := range sent["deployed"]["project"].(object) {
			if diff := cmp.Diff(named[name], value); diff != "" {
				t.Errorf("%s of the project (-API +webhook):\n%s", name, diff)
			}
		}
		same(t, sent["resolved"]["actor"].(object), "id", s.Setup.UserID)
		if _, acted := sent["occurred"]["actor"]; acted {
			t.Errorf("the notice had an actor: %v", sent["occurred"])
		}
		for _, m := range old.Await(t, 4) {
			if strings.Contains(string(m.Body), "payload_version") || !strings.Contains(string(m.Body), fmt.Sprintf(`"project":{"id":%d`, s.Setup.ProjectID)) {
				t.Errorf("version 2 has changed: %s", m.Body)
			}
		}
	}, nearby)
}

// ignored leaves a member out of comparisons.
func ignored(name string) cmp.Option {
	return cmp.FilterPath(func(p cmp.Path) bool {
		i, ok := p.Last().(cmp.MapIndex)
		return ok && i.Key().String() == name
	}, cmp.Ignore())
}

// The version of a channel's payloads is set, refused, kept while it is sent again, and shown with its deliveries.
func TestPayloadVersionOfAChannel(t *testing.T) {
	t.Parallel()
	setttest.Each(t, func(t *testing.T, s *setttest.Server) {
		all, project := owner(t, s)
		b := inbox.Open(t)
		problem := all.do("POST", project+"/integrations", object{"type": "WebHook", "config": object{"url": b.URL, "payload_version": "v4"}}).refused(422, "validation_error")
		if text := fmt.Sprint(problem); !strings.Contains(text, "field:config.payload_version message:must be one of v2, v3") {
			t.Errorf("the refusal: %s", text)
		}
		path := webhook(all, project, b, object{})
		same(t, all.get(path).data()["config"].(object), "payload_version", "v2")
		try := strings.Replace(path, "/v3/", "/v2/", 1)
		version := func() any {
			n := len(b.Messages())
			made := s.Client.Post(try+"/test", "").Want(http.StatusAccepted).JSON()
			sent := b.Await(t, n+1)[n]
			var body object
			if err := json.Unmarshal(sent.Body, &body); err != nil || body["test"] != true {
				t.Errorf("%v: %s", err, sent.Body)
			}
			delivery := fmt.Sprintf("%s/deliveries/%v", try, made["id"])
			for s.Client.Get(delivery).JSON()["state"] != "sent" {
				time.Sleep(10 * time.Millisecond) // until the result is recorded
			}
			if diff := cmp.Diff(any(body), s.Client.Get(delivery).JSON()["payload"]); diff != "" {
				t.Errorf("the log shows another payload (-sent +log):\n%s", diff)
			}
			s.Client.Post(delivery+"/redeliver", "").Want(http.StatusAccepted)
			if again := b.Await(t, n+2)[n+1]; string(again.Body) != string(sent.Body) || again.ID != sent.ID {
				t.Errorf("sent again:\n%s\n%s", again.Body, sent.Body)
			}
			return body["payload_version"]
		}
		if got := version(); got != nil {
			t.Errorf("version %v", got)
		}
		all.do("PATCH", path, object{"config": object{"payload_version": "v3"}}).want(200)
		if got := version(); got != "v3" {
			t.Errorf("version %v", got)
		}
		all.do("PATCH", path, object{"config": object{"payload_version": nil}}).want(200)
		if got := version(); got != nil {
			t.Errorf("version %v after a reset", got)
		}
	}, nearby)
}

// The same holds for a site that is down, and for a check-in that failed.
func TestWebhooksSpeakOfWhatIsChecked(t *testing.T) {
	t.Parallel()
	s := setttest.Start(t, "sqlite", nearby)
	all, project := owner(t, s)
	b := inbox.Open(t)
	path := webhook(all, project, b, object{"payload_version": "v3"})
	all.do("PATCH", path, object{"events": []string{"down", "check_in_failed"}}).want(200)
	uptime := s.App.Store().Uptime
	if held, err := uptime.Occupy(t.Context(), s.Clock.Now(), checks.Virginia, "test", false, 5*time.Minute); err != nil || !held {
		t.Fatalf("no location: %v", err)
	}
	site := all.do("POST", project+"/sites", object{"name": "Front", "url": "https://shop.test/", "outage_threshold": 1, "request_headers": object{"Authorization": "very secret"}}).want(201).data()
	uuid, err := sett.ParseUUID(site["id"].(string))
	if err != nil {
		t.Fatal(err)
	}
	have, err := uptime.SiteByID(t.Context(), s.Setup.ProjectID, uuid)
	if err != nil {
		t.Fatal(err)
	}
	found := checks.CheckReport{SiteID: uuid, Location: checks.Virginia, Revision: have.Revision, Result: checks.ProbeResult{
		Status: 503, Reason: "Expected 2xx status code -- got 503", At: s.Clock.Now(), Headers: map[string]string{"retry-after": "5"}, Body: []byte("Sorry"),
	}}
	if _, err := uptime.RecordChecks(t.Context(), s.Clock.Now().Add(1500*time.Nanosecond), []checks.CheckReport{found}); err != nil {
		t.Fatal(err)
	}
	down := b.Await(t, 1)[0]
	job := all.do("POST", project+"/check_ins", object{"name": "Backup", "report_period": "1 day"}).want(201).data()
	s.Client.Post("/v1/check_in/"+job["id"].(string), `{"check_in": {"status": "error"}}`).Want(200)
	failed := b.Await(t, 2)[1]
	var bodies [2]object
	for i, m := range []inbox.Message{down, failed} {
		if err := json.Unmarshal(m.Body, &bodies[i]); err != nil {
			t.Fatal(err)
		}
	}
	path = project + "/sites/" + site["id"].(string)
	reader := withScopes(t, s, "uptime:read", "checkins:read") // secrets of requests are masked for it, as for receivers
	for name, pair := range map[string][2]any{
		"site":     {reader.get(path).data(), bodies[0]["site"]},
		"outage":   {all.get(path + "/outages").list()[0], bodies[0]["outage"]},
		"check-in": {all.get(project + "/check_ins/" + job["id"].(string)).data(), bodies[1]["check_in"]},
	} {
		if diff := cmp.Diff(pair[0], pair[1], ignored("body"), ignored("last_checked_at")); diff != "" {
			t.Errorf("%s (-API +webhook):\n%s", name, diff)
		}
	}
	if strings.Contains(string(down.Body), "very secret") {
		t.Errorf("a secret was sent: %s", down.Body)
	}
}
