package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"sett/internal/serve"
	"sett/internal/serve/auth"
	"sett/internal/sett"
)

// call is one call of a tool.
type call struct {
	door *Door
	r    *http.Request
}

// newCall prepares a call: the audit log gets the name of the agent beside that of the token.
func (d *Door) newCall(ctx context.Context, r *http.Request, req *sdk.CallToolRequest) *call {
	who := auth.PrincipalOf(r.Context())
	agent := ""
	if info := req.ClientInfo(); info != nil {
		agent = strings.TrimSpace(info.Name + " " + info.Version)
	}
	if agent = agentName(agent); agent == "" {
		agent = agentName(r.UserAgent())
	}
	if agent != "" {
		who.Token += " (agent " + agent + ")"
	}
	return &call{d, r.WithContext(auth.WithPrincipal(r.Context(), who))}
}

var notInNames = regexp.MustCompile(`[^A-Za-z0-9 ._/-]+`)

// agentName is what a client calls itself, short and in plain characters.
func agentName(text string) string {
	text = strings.Join(strings.Fields(notInNames.ReplaceAllString(text[:min(len(text), 200)], " ")), " ")
	return text[:min(len(text), 40)]
}

// values are the parts of a path.
type values = map[string]string

// ask has a route of /v2 answered, and reads what it wrote into a value, unless that is nil.
func (c *call) ask(name string, path values, query url.Values, body, into any) error {
	route, ok := c.door.behind[name]
	if !ok {
		return errors.New("no route is called " + name)
	}
	r := c.r.Clone(c.r.Context())
	r.Method, r.ContentLength, r.Body = route.Method, 0, http.NoBody
	address := route.Path
	for part, value := range path {
		r.SetPathValue(part, value)
		address = strings.ReplaceAll(address, "{"+part+"}", url.PathEscape(value))
	}
	r.URL = &url.URL{Path: address, RawQuery: query.Encode()}
	if body != nil {
		data, err := json.Marshal(body)
		if err != nil {
			return err
		}
		r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(data)), int64(len(data))
		r.Header.Set("Content-Type", "application/json")
	}
	w := &recorder{header: http.Header{}}
	if err := c.door.DB.Explain(c.door.Answer(w, r, route, serve.Recover(route.Handle))); err != nil {
		return err
	}
	if w.status == http.StatusMovedPermanently {
		return movedTo(w.header.Get("Location"))
	}
	if into == nil {
		return nil
	}
	return json.Unmarshal(w.body.Bytes(), into)
}

var faultInAddress = regexp.MustCompile(`/faults/(\d{1,18})(?:/|$|\?|#|\.)`)

// movedTo is the refusal of an error that was merged into another one.
func movedTo(location string) error {
	if found := faultInAddress.FindStringSubmatch(location); found != nil {
		return sett.Errorf(sett.NotFound, "This error was merged into error %s of the same project. Ask for that one.", found[1])
	}
	return sett.Errorf(sett.NotFound, "This error was merged into another one.")
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
