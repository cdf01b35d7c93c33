package apiv3

import (
	"net/http"
	"slices"
)

// operation is one line of the table: what is published, and what answers it.
type operation struct {
	Name   string // the published id, such as listFaults
	Method string
	Path   string // below /v3
	Scope  string // "" : none is needed

	Route   string // name of the route of /v2 that answers
	Read    string // after a change, the route that reads the object that was changed
	Needs   []string
	List    paging
	View    view     // how what was read is shown; zero: no body, or Run writes it
	Takes   []string // members of a body, where they are not those of the route
	Refuses []string // members that are shown, and cannot be set
	Person  bool     // refused to tokens of accounts

	Account bool                           // the route takes an account as a parameter
	Keep    func(c *call, object any) bool // of a list: what is listed; nil: everything
	Body    func(c *call) error            // writes the body anew, before it is sent
	Run     func(c *call) error            // instead of all this

	Differs string // how it answers otherwise than published, for people
	Not     string // why it is refused; "" : it is not
}

// paging is how a list is cut.
type paging int

const (
	single   paging = iota // no list
	pages                  // page and per_page
	cursors                // limit, before and after
	reversed               // the same, of a list that /v2 has the oldest first
	whole                  // not at all
)

func (op operation) status() int {
	switch {
	case op.Method == http.MethodDelete && op.View.of == nil && op.Run == nil:
		return http.StatusNoContent
	case op.Method == http.MethodPost && op.Read == "" && op.Run == nil:
		return http.StatusCreated
	default:
		return http.StatusOK
	}
}

// reads reports whether an operation changes nothing.
func (op operation) reads() bool { return op.Method == http.MethodGet || op.Name == "runInsightsQuery" }

// needs lists the routes of /v2 that an operation cannot do without.
func (op operation) needs() []string {
	return slices.DeleteFunc(append([]string{op.Route, op.Read}, op.Needs...), func(name string) bool { return name == "" })
}

// Listed is an operation for the documentation.
type Listed struct {
	Name, Method, Path, Scope string
	Differs                   string // how it answers otherwise
	Not                       string // why it is refused
	Missing                   string // the route of /v2 that is not there yet
}

// Operations lists the table.
func (d *Door) Operations() (all []Listed) {
	for _, op := range d.operations {
		all = append(all, Listed{op.Name, op.Method, op.Path, op.Scope, op.Differs, op.Not, d.missing(op)})
	}
	return all
}

// operations is the whole table; the lines of each noun are in its own file.
func operations() []operation {
	return slices.Concat(accountOperations(), projectOperations(), faultOperations(), faultChangeOperations(), noticeOperations(), commentOperations(), siteOperations(), checkInOperations(),
		deployOperations(), environmentOperations(), integrationOperations(), keyOperations(), insightOperations(), teamOperations(), statusPageOperations(), incidentOperations())
}
