package channel

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"sett/internal/base/dial"
	"sett/internal/sett/alerts"
)

var noon = time.Date(2026, 11, 18, 12, 0, 0, 0, time.UTC)

// samples are messages of every mood, with what strangers may write in them.
func samples() map[string]Message {
	const server = "https://sett.example.org"
	site := alerts.AlertSubject("site 01933f6e-8a4b-7c3d-9e2f-112233445566")
	return map[string]Message{
		"occurred": {
			ID: "msg_1", Event: alerts.AlertOccurred, Subject: alerts.FaultSubject(7), At: noon, Mood: Trouble, Project: "Shop & <Co>", Environment: "production",
			Text: "[Shop & <Co>/production] RuntimeError: <b>boom</b> & @everyone", Title: "RuntimeError: <b>boom</b> & @everyone *x* _y_ `z` [l](http://evil.test)",
			Detail: "first line \\ <!channel>\nsecond @**all** ~x~", URL: server + "/projects/1/faults/7",
			Facts: []Fact{{Name: "Occurrences", Value: "3"}, {Name: "Component", Value: "orders#create <@U1>"}},
			Trace: []string{"app/models/order.rb:17:in `total'", "lib/``` & <x>.rb:2"}, Body: json.RawMessage(`{"event":"occurred"}`),
		},
		"down": {
			ID: "msg_2", Event: alerts.AlertDown, Subject: site, At: noon, Mood: Trouble, Project: "Shop", Text: "[Shop] Front page is down.", Title: "Front page is down",
			Detail: "Expected 2xx status code -- got 503", URL: server + "/projects/1/sites/1", Facts: []Fact{{Name: "Address", Value: "https://shop.example.org/?a=1&b=2"}},
			Acknowledge: server + "/acknowledge/12", Body: json.RawMessage(`{"event":"down"}`),
		},
		"up": {
			ID: "msg_3", Event: alerts.AlertUp, Subject: site, At: noon.Add(time.Minute), Mood: Recovery, Project: "Shop", Text: "[Shop] Front page is back up after 1m 23s.",
			Title: "Front page is back up", URL: server + "/projects/1/sites/1", Body: json.RawMessage(`{"event":"up"}`),
		},
		"check_in_missing": {
			ID: "msg_4", Event: alerts.AlertCheckInMissing, Subject: alerts.CheckInSubject("AbC123"), At: noon, Mood: Trouble, Project: "Shop",
			Text: "[Shop] MISSING: backup hasn't checked in for 2 minutes", Title: "backup hasn't reported", URL: server + "/projects/1/check_ins/AbC123",
			Facts: []Fact{{Name: "Expected", Value: "18 November 2026, 11:58 UTC"}}, Body: json.RawMessage(`{"event":"check_in_missing"}`),
		},
		"check_in_failed": {
			ID: "msg_6", Event: alerts.AlertCheckInFailed, Subject: alerts.CheckInSubject("AbC123"), At: noon, Mood: Trouble, Project: "Shop",
			Text: "[Shop] FAILED: backup reported a failure", Title: "FAILED: backup reported a failure", URL: server + "/projects/1/check_ins/AbC123",
			Detail: "The job ended with exit code 3.\n\npg_dump: error: <no> such database `shop` @everyone", Facts: []Fact{{Name: "Last report", Value: "18 November 2026, 12:00 UTC"}},
			Body: json.RawMessage(`{"event":"check_in_failed"}`),
		},
		"flooded": {
			ID: "msg_5", Event: alerts.AlertFlooded, Subject: alerts.ProjectSubject(1), At: noon, Mood: News, Project: "Shop",
			Text: "[Shop] and 42 more in the last 10 minutes", Title: "and 42 more in the last 10 minutes", URL: server + "/projects/1", Body: json.RawMessage(`{"event":"flooded"}`),
		},
	}
}

// happy is an answer that means success for every service whose answers have more than a status.
const happy = `{"ok":true,"name":"spaces/s/messages/m","result":"success","status":1,"number":7,"iid":7,"id":"10007","key":"OPS-7","self":"https://jira.test/rest/api/2/issue/10007",
	"shortUrl":"https://trello.test/c/7","data":{"issueCreate":{"success":true,"issue":{"id":"u7","identifier":"ENG-7","url":"https://linear.test/ENG-7"}}}}`

// tried is a kind with options that it takes.
type tried struct {
	Kind
	name    string // of the options' choice
	values  Values
	secrets []string // as the options have them
}

// triedKinds are all kinds that speak HTTP to a server: each with all of its options, and without each address that it can
// do without.
func triedKinds(server string) (all []tried) {
	for _, k := range Kinds() {
		if k.Type == "Email" || k.LinkOnly { // which speak SMTP, and nothing
			continue
		}
		full := tried{Kind: k, name: k.Type, values: Values{}}
		for _, o := range k.Options {
			full.set(o, server)
		}
		all = append(all, full)
		for _, o := range k.Options {
			if o.Form == Address && !o.Required {
				bare := tried{Kind: k, name: k.Type + " without " + o.Name, values: Values{}}
				for _, other := range k.Options {
					if other.Name != o.Name {
						bare.set(other, server)
					}
				}
				all = append(all, bare)
			}
		}
	}
	return all
}

// plausible are the values of options that do not take everything.
var plausible = map[string]string{
	"chat_id": "-1001234567890", "thread_id": "12", "repo": "acme/shop", "project": "acme/web/shop", "project_key": "OPS",
	"key": "k3y", "list_id": "5abbe4b7", "done_list_id": "5abbe4b8", "title_format": "[class] in [environment]: [message]",
}

// set gives an option a value, which is recognised when it is secret.
func (c *tried) set(o Option, server string) {
	value := o.Name + "-of-" + c.Type
	fixed, known := plausible[o.Name]
	known = known && !o.Secret
	if o.Secret {
		value = "s3cr3t+/" + value
		c.secrets = append(c.secrets, value)
	}
	switch {
	case o.Form == Address && o.Secret:
		path, query := "s3cr3t-path-of-"+c.Type, "s3cr3t-query-of-"+c.Type
		value = server + "/hooks/" + path + "?key=" + query
		c.secrets = append(c.secrets[:len(c.secrets)-1], path, query)
	case o.Form == Address:
		value = server
	case o.Form == Flag:
		value = "0"
	case o.Form == Choice:
		value = o.Choices[0]
	case known:
		value = fixed
	}
	c.values[o.Name] = value
}

// masked replaces the secrets in a text.
func (c tried) masked(text string) string {
	zulip := base64.StdEncoding.EncodeToString([]byte(c.values["bot_email"] + ":" + c.values["api_key"]))
	jira := base64.StdEncoding.EncodeToString([]byte(c.values["email"] + ":" + c.values["token"]))
	for _, secret := range append([]string{zulip, jira}, c.secrets...) {
		text = strings.ReplaceAll(strings.ReplaceAll(strings.ReplaceAll(text, secret, "***"), url.QueryEscape(secret), "***"), url.PathEscape(secret), "***")
	}
	return text
}

// sender returns a Sender to a server that stands in for all services.
func (c tried) sender(server string, client *http.Client) Sender {
	return c.Make(Tools{HTTP: client, Agent: "sett/test", Now: func() time.Time { return noon }, instead: server}, c.values)
}

// anywhere is a client that may reach this machine.
func anywhere(timeout time.Duration) *http.Client { return dial.New(dial.Anywhere()).Client(timeout) }

// recorder keeps what it is sent, and answers that all is well.
type recorder struct {
	*httptest.Server
	mu   sync.Mutex
	seen []seen
}

type seen struct {
	method, uri string
	header      http.Header
	body        string
}

func startRecorder(t *testing.T) *recorder {
	t.Helper()
	r := &recorder{}
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		body, _ := io.ReadAll(request.Body)
		r.mu.Lock()
		defer r.mu.Unlock()
		r.seen = append(r.seen, seen{request.Method, request.RequestURI, request.Header, string(body)})
		_, _ = io.WriteString(w, happy)
	}))
	t.Cleanup(r.Close)
	return r
}

// take returns what was sent since it was last called.
func (r *recorder) take() []seen {
	r.mu.Lock()
	defer r.mu.Unlock()
	all := r.seen
	r.seen = nil
	return all
}

func (s seen) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s\n", s.method, s.uri)
	for _, name := range slices.Sorted(func(yield func(string) bool) {
		for name := range s.header {
			if !slices.Contains([]string{"Accept-Encoding", "Connection", "Content-Length"}, name) && !yield(name) {
				return
			}
		}
	}) {
		fmt.Fprintf(&b, "%s: %s\n", name, strings.Join(s.header[name], ", "))
	}
	return b.String() + "\n" + readable(s.body) + "\n"
}

// readable returns JSON with a line for each value, and a form with a line for each field.
func readable(body string) string {
	var v any
	if json.Unmarshal([]byte(body), &v) == nil {
		var b strings.Builder
		e := json.NewEncoder(&b)
		e.SetEscapeHTML(false)
		e.SetIndent("", "  ")
		_ = e.Encode(v)
		return strings.TrimSpace(b.String())
	}
	return strings.ReplaceAll(body, "&", "\n&")
}

// Each kind has all that forms and readers need, and its options can be distinguished.
func TestKindsDescribeThemselves(t *testing.T) {
	t.Parallel()
	types := map[string]bool{}
	for _, k := range Kinds() {
		if k.Type == "" || k.Name == "" || !strings.HasSuffix(k.About, ".") || k.Make == nil || types[k.Type] {
			t.Errorf("%+v", k)
		}
		types[k.Type] = true
		if found, ok := Find(k.Type); !ok || found.Type != k.Type {
			t.Errorf("%s is not found", k.Type)
		}
		names := map[string]bool{}
		for _, o := range k.AllOptions() {
			if o.Name == "" || o.Label == "" || !strings.HasSuffix(o.About, ".") || o.Form == "" || names[o.Name] {
				t.Errorf("%s: %+v", k.Type, o)
			}
			names[o.Name] = true
			if (o.Form == Choice) != (len(o.Choices) > 0) || o.problem(o.Default) != "" || o.Generate != nil && o.problem(o.Generate()) != "" {
				t.Errorf("%s: %s: choices or default", k.Type, o.Name)
			}
		}
	}
	if _, ok := Find("Pigeon"); ok {
		t.Error("a kind that there is not was found")
	}
}
