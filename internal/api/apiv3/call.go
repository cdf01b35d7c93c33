package apiv3

import (
	"bytes"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"sett/internal/serve"
	"sett/internal/serve/auth"
	"sett/internal/sett"
	"sett/internal/sett/signin"
)

// call is one request on its way.
type call struct {
	door  *Door
	w     http.ResponseWriter
	r     *http.Request
	op    operation
	who   auth.Principal
	token signin.PersonalToken
	query url.Values
	body  map[string]json.RawMessage
}

// times are the parameters that are moments: Unix seconds, with a fraction.
var times = []string{"created_after", "created_before", "occurred_after", "occurred_before"}

// read reads the query and the body, and refuses what it does not know.
func (c *call) read() error {
	var problems sett.Problems
	var err error
	if c.query, err = url.ParseQuery(c.r.URL.RawQuery); err != nil {
		problems.Add("query", "is not valid")
	}
	for _, name := range times {
		if at := c.query.Get(name); at != "" {
			if _, err := strconv.ParseFloat(at, 64); err != nil {
				problems.Add(name, "must be Unix seconds, such as 1795000000.5")
			}
		}
	}
	c.checkPage(&problems)
	if err := invalidParameter(problems); err != nil {
		return err
	}
	if c.r.Method == http.MethodGet || c.r.Method == http.MethodHead || c.r.Method == http.MethodDelete {
		return nil
	}
	return c.readBody()
}

// readBody reads the members of a body, which may be missing where none is needed.
func (c *call) readBody() error {
	c.body = map[string]json.RawMessage{}
	taken := c.taken()
	if c.r.ContentLength == 0 && len(taken) == 0 {
		return nil
	}
	if err := serve.DecodeJSON(c.w, c.r, &c.body); err != nil {
		return err
	}
	shown := c.op.View.members()
	var problems sett.Problems
	for _, name := range slices.Sorted(maps.Keys(c.body)) {
		switch {
		case slices.Contains(c.op.Refuses, name):
			problems.Add(name, "cannot be set in sett; leave it out")
		case slices.Contains(taken, name):
		case slices.Contains(shown, name): // as it was read
			delete(c.body, name)
		default:
			problems.Add(name, "is unknown")
		}
	}
	return problems.Refusal()
}

// taken lists the members that a body may have.
func (c *call) taken() []string {
	if c.op.Takes != nil {
		return c.op.Takes
	}
	_, names := bodyOf(c.door.behind[c.op.Route])
	return names
}

// reply is what a route of /v2 answered.
type reply struct {
	status int
	header http.Header
	body   []byte
}

// ask has a route of /v2 answered for this request: with its path, and another query and body. A body of nil is none.
func (c *call) ask(name string, query url.Values, body any) (reply, error) {
	return c.askAt(name, nil, query, body)
}

// askAt is ask with other values in the path.
func (c *call) askAt(name string, path map[string]string, query url.Values, body any) (reply, error) {
	route := c.door.behind[name]
	r, err := c.requestFor(route, path, query, body)
	if err != nil {
		return reply{}, err
	}
	w := &recorder{header: http.Header{}}
	if err := c.door.Answer(w, r, route, serve.Recover(route.Handle)); err != nil {
		return reply{}, c.translated(route, err)
	}
	return reply{max(w.status, http.StatusOK), w.header, w.body.Bytes()}, c.moved(w)
}

// requestFor writes the request anew as one of /v2.
func (c *call) requestFor(route serve.Route, path map[string]string, query url.Values, body any) (*http.Request, error) {
	r := c.r.Clone(c.r.Context())
	r.Method, r.ContentLength, r.Body = route.Method, 0, http.NoBody
	address := route.Path
	for _, part := range strings.Split(route.Path, "/") {
		name := strings.Trim(part, "{}")
		if name == part {
			continue
		}
		value, ok := path[name]
		if !ok {
			value = c.r.PathValue(name)
		}
		if name == "account_id" {
			account, err := c.account()
			if err != nil {
				return nil, err
			}
			value = account
		}
		r.SetPathValue(name, value)
		address = strings.Replace(address, part, url.PathEscape(value), 1)
	}
	r.URL = &url.URL{Path: address, RawQuery: query.Encode()}
	if body != nil {
		data, err := json.Marshal(body)
		if err != nil {
			return nil, err
		}
		r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(data)), int64(len(data))
	}
	return r, nil
}

// translated is an error of a route in the form of /v3: what is wrong with a parameter is 400, and a change of a fault that was merged says so.
func (c *call) translated(route serve.Route, err error) error {
	switch {
	case sett.CodeOf(err) == sett.Invalid && c.r.Method == http.MethodGet:
		return invalidParameter(sett.ProblemsOf(err))
	case sett.CodeOf(err) == sett.Invalid && strings.HasSuffix(route.Name, "Integration"):
		return configProblems(err)
	case sett.CodeOf(err) == sett.NotFound && route.Method != http.MethodGet && c.r.PathValue("fault_id") != "":
		if _, read := c.ask("getFault", nil, nil); read != nil {
			if f, ok := read.(*failure); ok && f.code == faultMerged { //nolint:errorlint // made here
				f.status = http.StatusConflict
				c.w.Header().Del("Location")
				return f
			}
		}
	}
	return err
}

const faultMerged = "fault_merged"

// moved is the answer for a fault that was merged into another one.
func (c *call) moved(w *recorder) error {
	if w.status != http.StatusMovedPermanently {
		return nil
	}
	there, err := url.Parse(w.header.Get("Location"))
	if err != nil {
		return err
	}
	parts := strings.Split(there.Path, "/faults/")
	into, _, _ := strings.Cut(parts[len(parts)-1], "/")
	address := serve.Prefix(c.door.BaseURL) + strings.Replace(c.r.URL.RequestURI(), "/faults/"+c.r.PathValue("fault_id"), "/faults/"+into, 1)
	c.w.Header().Set("Location", address)
	f := coded(http.StatusMovedPermanently, faultMerged, "Fault %s was merged into fault %s.", c.r.PathValue("fault_id"), into)
	f.details = map[string]any{"merged_into": into, "location": address}
	return f
}

// recorder keeps what a handler writes.
type recorder struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (w *recorder) Header() http.Header { return w.header }

func (w *recorder) WriteHeader(status int) {
	if w.status == 0 {
		w.status = status
	}
}

func (w *recorder) Write(p []byte) (int, error) {
	w.WriteHeader(http.StatusOK)
	return w.body.Write(p)
}
