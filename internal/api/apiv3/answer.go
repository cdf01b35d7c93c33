package apiv3

import (
	"encoding/json"
	"net/http"
	"net/url"
	"reflect"

	"sett/internal/api/behind"
	"sett/internal/serve"
	"sett/internal/sett"
	"sett/internal/sett/shape"
)

// meta is beside every answer.
type meta struct {
	RequestID string `json:"request_id" doc:"As in the header X-Request-Id."`
}

// one is the envelope of one object.
type one struct {
	Data any `json:"data"`
	Meta any `json:"meta"`
}

// many is the envelope of a list.
type many struct {
	Data       any `json:"data"`
	Pagination any `json:"pagination,omitempty"`
	Links      any `json:"links,omitempty"`
	Meta       any `json:"meta"`
}

// view is how something of /v2 is shown in /v3.
type view struct {
	sample any
	one    any // its envelope, for the document
	list   any // that of many
	of     func(c *call, raw json.RawMessage) (any, error)
}

// oneOf and manyOf are the envelopes as the document shows them.
type oneOf[T any] struct {
	Data T    `json:"data"`
	Meta meta `json:"meta"`
}

type manyOf[T any] struct {
	Data []T  `json:"data"`
	Meta meta `json:"meta"`
}

// finisher is a view with members that are not simply those of /v2.
type finisher interface{ finish(c *call) }

// as shows what a route of /v2 answers as a T, which has members of the same names.
func as[T any]() view {
	var sample T
	return view{sample, oneOf[T]{}, manyOf[T]{}, func(c *call, raw json.RawMessage) (any, error) {
		var v T
		if err := json.Unmarshal(raw, &v); err != nil {
			return nil, err
		}
		switch f := any(&v).(type) {
		case shape.Placed:
			f.Put(c.place())
		case finisher:
			f.finish(c)
		}
		return v, nil
	}}
}

// members lists the names of the members that are shown.
func (v view) members() []string {
	if v.sample == nil || reflect.TypeOf(v.sample).Kind() != reflect.Struct {
		return nil
	}
	return serve.MemberNames(v.sample)
}

// answer has the route of the operation answered, and shows what it wrote.
func (c *call) answer() error {
	op := c.op
	switch {
	case op.List != single:
		return c.list()
	case c.r.Method == http.MethodGet || c.r.Method == http.MethodHead:
		return c.show(http.StatusOK, op.Route)
	}
	made, err := c.change()
	switch {
	case err != nil:
		return err
	case op.Read != "":
		return c.show(http.StatusOK, op.Read)
	case op.View.of == nil:
		c.w.WriteHeader(http.StatusNoContent)
		return nil
	}
	return c.write(op.status(), made.Body)
}

// change sends the body of the request to the route of the operation.
func (c *call) change() (behind.Reply, error) {
	if c.op.Body != nil {
		if err := c.op.Body(c); err != nil {
			return behind.Reply{}, err
		}
	}
	query, err := c.accountQuery()
	if err != nil || c.r.Method == http.MethodDelete {
		return c.askUnless(err, query, nil)
	}
	return c.askUnless(nil, query, c.wrapped(c.op.Route))
}

func (c *call) askUnless(err error, query url.Values, body any) (behind.Reply, error) {
	if err != nil {
		return behind.Reply{}, err
	}
	return c.ask(c.op.Route, query, body)
}

// wrapped is the body as a route of /v2 takes it.
func (c *call) wrapped(route string) any {
	wrapper, names := bodyOf(c.door.behind[route])
	switch {
	case len(names) == 0:
		return nil
	case wrapper == "":
		return c.body
	default:
		return map[string]any{wrapper: c.body}
	}
}

// accountQuery is the query of a route that takes an account.
func (c *call) accountQuery() (url.Values, error) {
	query := url.Values{}
	if !c.op.Account {
		return query, nil
	}
	account, err := c.account()
	query.Set("account_id", account)
	return query, err
}

// show reads an object and writes it.
func (c *call) show(status int, route string) error {
	found, err := c.ask(route, c.passed(), nil)
	if err != nil {
		return err
	}
	return c.write(status, found.Body)
}

// passed is the query of the request for a route of /v2, without what is only known here.
func (c *call) passed() url.Values {
	query := url.Values{}
	for name, values := range c.query {
		switch name {
		case "page", "per_page", "limit", "before", "after", "name":
		default:
			query[name] = values
		}
	}
	c.mapped(query)
	return query
}

// write writes what was read in its envelope.
func (c *call) write(status int, raw []byte) error {
	shown, err := c.op.View.of(c, raw)
	if err != nil {
		return err
	}
	return c.data(status, shown)
}

// data writes one object in its envelope.
func (c *call) data(status int, v any) error {
	return serve.WriteJSON(c.w, status, one{v, c.meta()})
}

func (c *call) meta() meta { return meta{serve.RequestID(c.r.Context())} }

// bodyOf returns the wrapper of the body that a route takes, "" for none, and the members of what is inside.
func bodyOf(route serve.Route) (wrapper string, names []string) {
	if route.Body == nil {
		return "", nil
	}
	t := reflect.TypeOf(route.Body)
	if t.NumField() == 1 {
		if value, ok := t.Field(0).Type.FieldByName("Value"); ok && value.Type.Kind() == reflect.Struct {
			return serve.MemberNames(route.Body)[0], serve.MemberNames(reflect.Zero(value.Type).Interface())
		}
	}
	return "", serve.MemberNames(route.Body)
}

// refuse is the refusal of one field.
func refuse(field, format string, args ...any) error { return sett.Refuse(field, format, args...) }
