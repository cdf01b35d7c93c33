package alerts

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sett/internal/sett"
)

// someKinds are a channel that notifies people and an issue tracker. Their one option is "to".
func someKinds() []IntegrationKind {
	options := func(p *sett.Problems, old, sent map[string]any) map[string]any {
		to := sent["to"]
		if to == nil && old != nil {
			to = old["to"]
		}
		if to == nil || to == "" {
			p.Add("options.to", "can't be blank")
		}
		return map[string]any{"to": to}
	}
	return []IntegrationKind{{Type: "Pager", Options: options}, {Type: "Tickets", Tracker: true, Options: options}}
}

// integrationChange reads a body as the interface does.
func integrationChange(t *testing.T, body string) (c IntegrationChange) {
	t.Helper()
	var own struct {
		Type    sett.Optional[string]
		Options sett.Optional[map[string]any]
	}
	for _, into := range []any{&c, &own} {
		if err := json.Unmarshal([]byte(body), into); err != nil {
			t.Fatal(err)
		}
	}
	c.Type, c.Options = own.Type, own.Options
	return c
}

var integrationDay = time.Date(2026, 11, 18, 10, 30, 0, 0, time.UTC)

func pager(change ...func(*IntegrationSettings)) IntegrationSettings {
	s := IntegrationSettings{
		Type: "Pager", Active: true, Events: DefaultAlertEvents(), Options: map[string]any{"to": "ann"}, NotificationLimit: 30,
	}
	for _, c := range change {
		c(&s)
	}
	return s
}

func TestIntegrationsThatAreMade(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]IntegrationSettings{
		`{"type":"Pager","options":{"to":"ann"}}`:   pager(),
		`{"type":"Tickets","options":{"to":"ann"}}`: pager(func(s *IntegrationSettings) { s.Type, s.Events = "Tickets", nil }),
		`{"type":"Pager","options":{"to":"ann"},"active":null,"events":null,"site_ids":null,"check_in_ids":null,"excluded_environments":null,
			"filters":null,"rate":null,"threshold":null,"notification_limit":null}`: pager(),
		`{"type":"Pager","options":{"to":"ann"},"active":"0","events":["deployed","up","deployed"],"site_ids":["a","a","b"],"check_in_ids":["c","c"],
			"excluded_environments":[" lab ","lab"],"filters":[{"event":"all","query":"-is:ignored"}],"rate":"wday","threshold":1000000,"notification_limit":1}`: pager(func(s *IntegrationSettings) {
			s.Active, s.Events, s.SiteIDs, s.CheckInIDs = false, []AlertEvent{AlertDeployed, AlertUp}, []string{"a", "b"}, []string{"c"}
			s.ExcludedEnvironments, s.Filters = []string{"lab"}, []IntegrationFilter{{"all", "-is:ignored"}}
			s.Rate, s.Threshold, s.NotificationLimit = RateDay, 1_000_000, 1
		}),
		`{"type":"Pager","options":{"to":"ann"},"events":[]}`: pager(func(s *IntegrationSettings) { s.Events = nil }),
		`{"type":"Tickets","options":{"to":"ann"},"events":["occurred","resolved","unresolved"]}`: pager(func(s *IntegrationSettings) {
			s.Type, s.Events = "Tickets", TrackerEvents()
		}),
	} {
		var p sett.Problems
		got := integrationChange(t, body).Create(&p, someKinds(), integrationDay)
		if diff := cmp.Diff(want, got); diff != "" || len(p) > 0 {
			t.Errorf("%s: %v (-want +got):\n%s", body, p, diff)
		}
	}
}

func TestIntegrationsThatAreRefused(t *testing.T) {
	t.Parallel()
	many := func(n int, each string) string { return `[` + strings.Repeat(each+",", n-1) + each + `]` }
	const all = "occurred, rate_exceeded, resolved, unresolved, assigned, commented, deployed, volume_spike, down, up, slow, fast, cert_will_expire, check_in_missing, check_in_failed, check_in_reporting, alarm_alert, alarm_ok"
	inside := func(fields string) string { return `{"type":"Pager","options":{"to":"ann"},` + fields + `}` }
	for body, want := range map[string]string{
		`{}`:                                                           "type can't be blank",
		`{"type":""}`:                                                  "type can't be blank",
		`{"type":[7]}`:                                                 "type must be a string",
		`{"type":"x"}`:                                                 `type must be one of Pager, Tickets; "x" is none of them`,
		`{"type":"pagr","active":"maybe"}`:                             `type must be one of Pager, Tickets; "pagr" is none of them, Pager is; active must be true or false`,
		`{"type":"Pager"}`:                                             "options.to can't be blank",
		`{"type":"Pager","options":null}`:                              "options.to can't be blank",
		`{"type":"Pager","options":[]}`:                                "options must be an object",
		inside(`"events":"up"`):                                        "events must be an array of strings",
		inside(`"events":[""]`):                                        "events must be some of " + all + `; "" is none of them`,
		inside(`"events":["ocurred"]`):                                 "events must be some of " + all + `; "ocurred" is none of them, occurred is`,
		inside(`"events":["flooded"]`):                                 "events must be some of " + all + `; "flooded" is none of them`,
		inside(`"site_ids":[{}],"check_in_ids":{}`):                    "site_ids must be an array of strings; check_in_ids must be an array of strings",
		inside(`"site_ids":` + many(1001, `"a"`)):                      "site_ids are too many (maximum is 1000)",
		inside(`"excluded_environments":["lab",""," "]`):               "excluded_environments[1] can't be blank; excluded_environments[2] can't be blank",
		inside(`"excluded_environments":` + many(101, `"a"`)):          "excluded_environments are too many (maximum is 100)",
		inside(`"excluded_environments":"lab"`):                        "excluded_environments must be an array of strings",
		inside(`"filters":[{"event":"al","query":"is:x"}]`):            `filters[0] event must be one of all, ` + all + `; "al" is none of them, all is; filters[0] query ` + searchProblem("is:x"),
		inside(`"filters":[{"event":"all","query":"a"},{}]`):           `filters[1] event must be one of all, ` + all + `; "" is none of them; filters[1] query can't be blank`,
		inside(`"filters":{}`):                                         "filters must be an array of objects, each member of the right type",
		inside(`"filters":` + many(51, `{"event":"all","query":"a"}`)): "filters are too many (maximum is 50)",
		inside(`"rate":"hour"`):                                        "threshold can't be blank when there is a rate",
		inside(`"rate":"hour","threshold":null`):                       "threshold can't be blank when there is a rate",
		inside(`"events":["rate_exceeded"]`):                           "events can have rate_exceeded only with rate and threshold: send both, such as \"rate\": \"hour\" and \"threshold\": 100, or leave rate_exceeded out",
		inside(`"threshold":5`):                                        "rate can't be blank when there is a threshold",
		inside(`"rate":"day","threshold":0`):                           "rate is not included in the list: min, hour, wday, week; threshold must be from 1 to 1000000",
		inside(`"rate":"","threshold":1000001`):                        "threshold must be from 1 to 1000000; rate can't be blank when there is a threshold",
		inside(`"rate":[1],"threshold":"five"`):                        "rate must be a string; threshold must be an integer",
		inside(`"notification_limit":0`):                               "notification_limit must be from 1 to 100000",
		inside(`"notification_limit":100001`):                          "notification_limit must be from 1 to 100000",
		inside(`"notification_limit":"all","active":2,"filters":"a"`):  "active must be true or false; filters must be an array of objects, each member of the right type; notification_limit must be an integer",
		`{"type":"Tickets","options":{"to":"a"},"events":["down"]}`:    `events of an issue tracker must be some of occurred, resolved, unresolved; "down" is none of them`,
	} {
		var p sett.Problems
		integrationChange(t, body).Create(&p, someKinds(), integrationDay)
		if got := strings.Join(p, "; "); got != want {
			t.Errorf("%.200s:\n got %s\nwant %s", body, got, want)
		}
	}
}

func searchProblem(q string) string {
	var p sett.Problems
	sett.CheckSearch(&p, "", q, integrationDay)
	return strings.TrimPrefix(p[0], " ")
}

func TestIntegrationsThatAreChanged(t *testing.T) {
	t.Parallel()
	before := pager(func(s *IntegrationSettings) {
		s.Active, s.Events, s.SiteIDs, s.CheckInIDs = false, []AlertEvent{AlertUp}, []string{"a"}, []string{"c"}
		s.ExcludedEnvironments, s.Filters = []string{"lab"}, []IntegrationFilter{{"all", "x"}}
		s.Rate, s.Threshold, s.NotificationLimit = RateHour, 5, 7
	})
	with := func(change func(*IntegrationSettings)) IntegrationSettings {
		after := before
		change(&after)
		return after
	}
	for _, c := range []struct {
		body string
		want IntegrationSettings
		says string
	}{
		{`{}`, before, ""},
		{`{"type":"Pager"}`, before, ""},
		{`{"active":true}`, with(func(s *IntegrationSettings) { s.Active = true }), ""},
		{`{"options":{"to":"bob"}}`, with(func(s *IntegrationSettings) { s.Options = map[string]any{"to": "bob"} }), ""},
		{`{"options":{}}`, before, ""},
		{`{"rate":null,"threshold":null}`, with(func(s *IntegrationSettings) { s.Rate, s.Threshold = "", 0 }), ""},
		{`{"events":["rate_exceeded"]}`, with(func(s *IntegrationSettings) { s.Events = []AlertEvent{AlertRateExceeded} }), ""},
		{`{"events":["rate_exceeded"],"rate":null,"threshold":null}`, with(func(s *IntegrationSettings) {
			s.Events, s.Rate, s.Threshold = []AlertEvent{AlertRateExceeded}, "", 0
		}), "events can have rate_exceeded only with rate and threshold: send both, such as \"rate\": \"hour\" and \"threshold\": 100, or leave rate_exceeded out"},
		{`{"threshold":6}`, with(func(s *IntegrationSettings) { s.Threshold = 6 }), ""},
		{`{"active":null,"events":null,"site_ids":null,"check_in_ids":null,"excluded_environments":null,"filters":null,"rate":null,"threshold":null,
			"notification_limit":null}`, pager(), ""},
		{`{"type":"Tickets"}`, before, "type can't be changed from Pager: create another integration"},
		{`{"type":null}`, before, "type can't be changed from Pager: create another integration"},
		{`{"options":null}`, with(func(s *IntegrationSettings) { s.Options = map[string]any{"to": nil} }), "options.to can't be blank"},
		{`{"options":7}`, before, "options must be an object"},
		{`{"rate":null}`, with(func(s *IntegrationSettings) { s.Rate = "" }), "rate can't be blank when there is a threshold"},
		{`{"threshold":null}`, with(func(s *IntegrationSettings) { s.Threshold = 0 }), "threshold can't be blank when there is a rate"},
	} {
		var p sett.Problems
		got := integrationChange(t, c.body).Update(&p, someKinds(), before, integrationDay)
		if diff := cmp.Diff(c.want, got); diff != "" || strings.Join(p, "; ") != c.says {
			t.Errorf("%s: %v (-want +got):\n%s", c.body, p, diff)
		}
	}
}

// An integration of a newer program's type keeps its options, and all else can be changed.
func TestChangeOfAnUnknownType(t *testing.T) {
	t.Parallel()
	before := pager(func(s *IntegrationSettings) { s.Type = "Carrier" })
	var p sett.Problems
	if got := integrationChange(t, `{"active":false}`).Update(&p, someKinds(), before, integrationDay); got.Active || len(p) > 0 {
		t.Errorf("%+v, %v", got, p)
	}
	integrationChange(t, `{"options":{"to":"x"}}`).Update(&p, someKinds(), before, integrationDay)
	if want := "options can't be changed, because this server has no channel of the type Carrier"; strings.Join(p, "; ") != want {
		t.Errorf("options: %v", p)
	}
}

// What the interface documents as events are the events that there are.
func TestDocumentedEvents(t *testing.T) {
	t.Parallel()
	all := strings.Join(eventNames(AlertEvents()), ",")
	for want, field := range map[string]reflect.StructField{
		all: fieldOf[IntegrationChange](t, "Events"), EveryEvent + "," + all: fieldOf[IntegrationFilter](t, "Event"),
	} {
		if got := field.Tag.Get("enum"); got != want {
			t.Errorf("%s is documented as %s, want %s", field.Name, got, want)
		}
	}
	if got := strings.Split(fieldOf[IntegrationChange](t, "Rate").Tag.Get("enum"), ","); !slices.EqualFunc(got, AlertRates(), func(a string, b AlertRate) bool { return a == string(b) }) {
		t.Errorf("rates are documented as %s", got)
	}
}

func fieldOf[T any](t *testing.T, name string) reflect.StructField {
	t.Helper()
	field, ok := reflect.TypeFor[T]().FieldByName(name)
	if !ok {
		t.Fatalf("%s is gone", name)
	}
	return field
}
