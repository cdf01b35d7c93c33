package forward

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// Report is what a client has sent, without its compression.
type Report struct {
	Service     Service // whose protocol it came in
	Path        string  // below the address of Honeybadger, or below a project of Sentry
	Query       url.Values
	ContentType string
	Body        []byte
	Key         string // of the project here, which must not leave
	Errors      int64  // that are in it
	Left        bool   // it was too large to be kept whole, so that it cannot be sent on
	At          time.Time
}

// Request is a report as it is sent on.
type Request struct {
	URL    string
	Header http.Header
	Body   []byte

	Encoding string // in which clients of the service compress such a body: gzip, deflate (zlib), or "" for not at all
}

// keyParameters are the parameters in which clients send a key.
var keyParameters = []string{"api_key", "sentry_key", "sentry_secret", "auth_token"}

// Request returns a report as the target takes it: with the target's key in place of the key here. ok is false for a report of the other
// protocol, which the target would not understand.
func (t Target) Request(r Report) (q Request, ok bool) {
	if r.Service != t.Service || t.Base == "" {
		return q, false
	}
	query := url.Values{}
	for name, values := range r.Query {
		query[name] = values
	}
	for _, name := range keyParameters {
		query.Del(name)
	}
	q.Header = http.Header{"Content-Type": {r.ContentType}}
	path := r.Path
	if t.Service == Sentry {
		q.Header.Set("X-Sentry-Auth", "Sentry sentry_version=7, sentry_client=sett/1.0, sentry_key="+t.Key)
		path, q.Encoding = "/api/"+t.Project+path, "gzip"
	} else {
		q.Header.Set("X-Api-Key", t.Key)
		if !strings.HasPrefix(path, "/v1/check_in/") {
			q.Encoding = "deflate"
		}
	}
	q.Body = t.withKey(r)
	if r.Key != "" {
		path = strings.ReplaceAll(path, r.Key, t.Key)
	}
	q.URL = t.Base + path
	if len(query) > 0 {
		q.URL += "?" + query.Encode()
	}
	return q, true
}

// withKey returns the body of a report with the target's key in place of the key here, wherever that is. The first line of an envelope
// also says a project and a host, in its DSN: it goes, as the header has the key.
func (t Target) withKey(r Report) []byte {
	body := r.Body
	if t.Service == Sentry {
		body = withoutDSN(body)
	}
	if r.Key == "" || !bytes.Contains(body, []byte(r.Key)) {
		return body
	}
	return bytes.ReplaceAll(body, []byte(r.Key), []byte(t.Key))
}

// withoutDSN removes the DSN from the first line of an envelope. Any other body stays as it is.
func withoutDSN(body []byte) []byte {
	line, rest, _ := bytes.Cut(body, []byte("\n"))
	var head map[string]json.RawMessage
	if !bytes.Contains(line, []byte(`"dsn"`)) || json.Unmarshal(line, &head) != nil {
		return body
	}
	delete(head, "dsn")
	first, err := json.Marshal(head)
	if err != nil {
		return body
	}
	return bytes.Join([][]byte{first, rest}, []byte("\n"))
}

// Day is what became of the reports of a project on a day (UTC). The four counts are of requests.
type Day struct {
	ProjectID int64
	Day       time.Time

	Sent    int64 // the target accepted
	Refused int64 // the target did not accept, such as over a quota
	Failed  int64 // the target did not answer in time, three times
	Dropped int64 // there was no room for, or the server was stopped

	Errors   int64 // how many errors were in the reports that the target accepted
	Received int64 // how many errors were stored here, forwarded or not
}

// Problem is why a report of a project was not accepted, the newest.
type Problem struct {
	ProjectID int64
	Text      string // what goes after the name of the service and "did not accept a report:"
	At        time.Time
}

// Add adds the counts of another.
func (d *Day) Add(o Day) {
	d.Sent, d.Refused, d.Failed, d.Dropped, d.Errors = d.Sent+o.Sent, d.Refused+o.Refused, d.Failed+o.Failed, d.Dropped+o.Dropped, d.Errors+o.Errors
}

// Forwarding is what a project has set, and how it goes.
type Forwarding struct {
	Target Target
	Start  time.Time
	End    time.Time

	Problem Problem // the newest; the zero value for none
}

// Runs reports whether what is received at a time is forwarded.
func (f Forwarding) Runs(at time.Time) bool {
	return f.Target.Base != "" && !at.Before(f.Start) && at.Before(f.End)
}
