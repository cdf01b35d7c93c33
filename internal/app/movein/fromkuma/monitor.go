package fromkuma

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"net"
	"slices"
	"strings"
	"time"

	"sett/internal/sett/move"
	"sett/internal/store/otherdb"
)

// monitors reads what is watched. Other tables refer to it.
func (r *reader) monitors(ctx context.Context) error {
	return r.rows(ctx, "monitor", "weight DESC, id", func(row otherdb.Row) {
		id, name := row.Text("id"), move.Line(row.Text("name"), move.MostName)
		r.names[id] = name
		switch kind := row.Text("type"); kind {
		case "group":
			r.groups[id] = name
		case "push":
			r.push(id, name, row)
		case "http", "keyword", "json-query", "port":
			r.site(id, name, kind, row)
		default:
			r.Leave("monitors", name, "sett has no check of the type "+move.Line(kind, 40)+".", move.SitesPage)
		}
	})
}

func (r *reader) push(id, name string, row otherdb.Row) {
	if row.Flag("upside_down") {
		r.Leave("monitors", name, "It is upside down: sett cannot expect that a job does not report.", move.CheckInsPage)
		return
	}
	every := max(seconds(row.Number("interval")), time.Minute)
	grace := seconds(row.Number("retry_interval")) * time.Duration(max(row.Number("maxretries"), 0))
	c := move.CheckIn{ID: id, Name: name, Every: every, Grace: min(max(grace, time.Minute), mostGrace)}
	if token := row.Text("push_token"); token != "" {
		c.Aliases = []string{move.KumaAlias(token)}
	}
	if c.Paused = !row.Flag("active"); c.Paused {
		r.Leave("pauses", name, "It is paused. In sett it waits for the first report of its job, and notifies no one before.", move.CheckInsPage)
	}
	r.CheckIns, r.kinds[id] = append(r.CheckIns, c), move.Watched{Kind: move.CheckInKind, ID: id}
}

// mostGrace is the longest grace period that is taken over.
const mostGrace = 30 * 24 * time.Hour

// seconds is a time in seconds, between none and a month.
func seconds(n int64) time.Duration { return time.Duration(min(max(n, 0), 31*24*3600)) * time.Second }

func (r *reader) site(id, name, kind string, row otherdb.Row) {
	left := func(why string) { r.Leave("monitors", name, why, move.SitesPage) }
	if row.Flag("upside_down") {
		left("It is upside down: sett cannot expect that a site is down.")
		return
	}
	s := move.Site{
		ID: id, Name: name, Every: seconds(row.Number("interval")), Timeout: seconds(row.Number("timeout")), Method: "GET", Match: move.AnySuccess,
		Failures: min(max(row.Number("maxretries"), 0), 99) + 1, Paused: !row.Flag("active"),
	}
	if kind == "port" {
		s.URL = "tcp://" + net.JoinHostPort(strings.Trim(row.Text("hostname"), "[]"), row.Text("port"))
	} else {
		r.http(&s, kind, row, left)
	}
	r.Sites, r.kinds[id] = append(r.Sites, s), move.Watched{Kind: move.SiteKind, ID: id}
}

// http adds what a check sends and what it wants to see.
func (r *reader) http(s *move.Site, kind string, row otherdb.Row, left func(string)) {
	s.URL, s.Body = row.Text("url"), row.Text("body")
	s.AnyCertificate, s.FollowRedirects = row.Flag("ignore_tls"), row.Number("maxredirects") > 0
	s.Headers = headers(row)
	switch method := strings.ToUpper(row.Text("method")); method {
	case "POST", "PUT", "PATCH", "DELETE":
		s.Method = method
	case "", "GET":
	default:
		left("It sends " + move.Line(method, 20) + "; in sett it sends GET.")
	}
	r.authorize(s, row, left)
	matchCodes(s, row, left)
	switch {
	case kind == "keyword" && row.Flag("invert_keyword"):
		s.Match, s.Text = move.WithoutIt, row.Text("keyword")
	case kind == "keyword":
		s.Match, s.Text = move.WithText, row.Text("keyword")
	case kind == "json-query":
		left("Its query of JSON does not come: only the status is judged. Look for a text of the page instead.")
	}
	if row.Number("proxy_id") > 0 {
		left("It goes through a proxy; in sett it does not.")
	}
}

func (r *reader) authorize(s *move.Site, row otherdb.Row, left func(string)) {
	user, password := row.Text("basic_auth_user"), row.Text("basic_auth_pass")
	switch method := row.Text("auth_method"); {
	case method != "" && method != "basic" && method != "null":
		s.Paused = true
		left("It signs in by " + move.Line(method, 20) + ", which sett cannot: it is off.")
	case user != "" || password != "":
		s.Headers = append(s.Headers, move.Header{Name: "Authorization", Value: "Basic " + base64.StdEncoding.EncodeToString([]byte(user+":"+password))})
	}
}

// matchCodes says which statuses are good. sett has those from 200 to 299, or one.
func matchCodes(s *move.Site, row otherdb.Row, left func(string)) {
	var codes []string
	_ = json.Unmarshal([]byte(row.Text("accepted_statuscodes_json")), &codes)
	switch {
	case len(codes) == 0 || slices.Equal(codes, []string{"200-299"}):
	case len(codes) == 1 && len(codes[0]) == 3:
		s.Match, s.Text = move.OneStatus, codes[0]
	default:
		left("It accepts the statuses " + move.Line(strings.Join(codes, ", "), 100) + "; in sett those from 200 to 299.")
	}
}

// headers returns the headers of a check, and the type of its body.
func headers(row otherdb.Row) (all []move.Header) {
	sent := map[string]any{}
	_ = json.Unmarshal([]byte(row.Text("headers")), &sent)
	typed := false
	for _, name := range slices.Sorted(maps.Keys(sent)) {
		typed = typed || strings.EqualFold(name, "content-type")
		all = append(all, move.Header{Name: name, Value: fmt.Sprint(sent[name])})
	}
	types := map[string]string{"json": "application/json", "form": "application/x-www-form-urlencoded", "xml": "text/xml; charset=utf-8"}
	if kind := types[row.Text("http_body_encoding")]; kind != "" && !typed && row.Text("body") != "" {
		all = append(all, move.Header{Name: "Content-Type", Value: kind})
	}
	return all
}
