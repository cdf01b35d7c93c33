package apiv3

import (
	"encoding/json"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"sett/internal/api/behind"
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

// ask has a route of /v2 answered for this request: with its path, and another query and body. A body of nil is none.
func (c *call) ask(name string, query url.Values, body any) (behind.Reply, error) {
	return c.askAt(name, nil, query, body)
}

// askAt is ask with other values in the path.
func (c *call) askAt(name string, path map[string]string, query url.Values, body any) (behind.Reply, error) {
	route, account := c.door.behind[name], ""
	if strings.Contains(route.Path, "{account_id}") {
		var err error
		if account, err = c.account(); err != nil {
			return behind.Reply{}, err
		}
	}
	got, err := behind.Ask(c.door.Answer, route, c.r, func(name string) string {
		value, ok := path[name]
		switch {
		case name == "account_id":
			return account
		case ok:
			return value
		default:
			return c.r.PathValue(name)
		}
	}, query, body)
	if err != nil {
		return behind.Reply{}, c.translated(route, err)
	}
	return got, c.moved(got)
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
func (c *call) moved(got behind.Reply) error {
	if got.Status != http.StatusMovedPermanently {
		return nil
	}
	there, err := url.Parse(got.Header.Get("Location"))
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
