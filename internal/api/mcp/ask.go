package mcp

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"runtime/debug"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"sett/internal/api/behind"
	"sett/internal/base/fence"
	"sett/internal/serve/auth"
	"sett/internal/sett"
	"sett/internal/sett/signin"
)

// call is one call of a tool.
type call struct {
	*fence.Writer // of its answer

	door *Door
	r    *http.Request
	tool tool
	in   map[string]any    // arguments by their names, with the types of their parameters
	at   map[string]string // what the arguments name, as the paths of routes call it
	done []string          // routes that have changed something, by their names
}

// call runs a tool. What is wrong is a result too, with a text by which the model can go on.
func (d *Door) call(r *http.Request, req *sdk.CallToolRequest, t tool) (result *sdk.CallToolResult) {
	c := &call{Writer: fence.New(), door: d, tool: t, r: r.WithContext(auth.WithPrincipal(r.Context(), named(r, req)))}
	defer func() { // the SDK runs tools in goroutines of its own
		if v := recover(); v != nil {
			result = c.failed(fmt.Errorf("panic: %v\n%s", v, debug.Stack()))
		}
	}()
	if err := c.run(req.Params.Arguments); err != nil {
		return c.failed(err)
	}
	return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: c.Text()}}}
}

func (c *call) run(arguments json.RawMessage) error {
	if scope := c.tool.scope; !auth.PrincipalOf(c.r.Context()).Grant.Has(scope) {
		return sett.Errorf(sett.Forbidden, "This token lacks the scope %s, which %s needs. Your user can create a token with it at %s/me/tokens.", scope, c.tool.name, c.door.BaseURL)
	}
	if err := c.read(arguments); err != nil {
		return err
	}
	return c.tool.run(c)
}

// failed is the result of a call that failed. What it had changed before stays, so that is said: an agent would repeat it.
func (c *call) failed(err error) *sdk.CallToolResult {
	text := "The server has a problem of its own. Try again later."
	if err = c.door.DB.Explain(err); sett.CodeOf(err) != "" {
		text = fence.Clean(err.Error(), 600)
	} else {
		c.door.Log.Error("a tool of agents failed", "request", c.tool.name, "error", err, "hint", "this is a bug in sett: report it with this line")
	}
	if len(c.done) > 0 {
		text += " Before that, " + strings.Join(c.done, " and ") + " succeeded: do not repeat that."
	}
	return &sdk.CallToolResult{IsError: true, Content: []sdk.Content{&sdk.TextContent{Text: text}}}
}

// named returns who asks, with the name of the agent beside that of the token, for the audit log. Clients before 2026-07-28 give their name
// once, and this server keeps no sessions. A token by OAuth has the name with which its program has registered.
func named(r *http.Request, req *sdk.CallToolRequest) auth.Principal {
	who, agent := auth.PrincipalOf(r.Context()), ""
	if info := req.ClientInfo(); info != nil {
		agent = agentName(info.Name + " " + info.Version)
	}
	switch {
	case agent != "":
		who.Token += " (agent " + agent + ")"
	case signin.OfProgram(secretOf(r)):
		who.Token += " (connected agent)"
	default:
		who.Token += " (agent unnamed)"
	}
	return who
}

var notInNames = regexp.MustCompile(`[^A-Za-z0-9 ._/-]+`)

// agentName is what a client calls itself, short and in plain characters.
func agentName(text string) string {
	text = strings.Join(strings.Fields(notInNames.ReplaceAllString(text[:min(len(text), 200)], " ")), " ")
	return strings.TrimSpace(text[:min(len(text), 40)])
}

// ask has a route of /v2 answered, for what the arguments name, and reads what it wrote into a value, unless that is nil.
func (c *call) ask(name string, query url.Values, body, into any) error {
	route, ok := c.door.behind[name]
	if !ok {
		return errors.New("no route is called " + name)
	}
	who := auth.PrincipalOf(c.r.Context())
	who.ReadOnly = route.Method == http.MethodGet // so that secrets are masked
	if len(who.Grant.Projects) > 0 && !who.ReadOnly && !strings.Contains(route.Path, "{project_id}") {
		return sett.Errorf(sett.Forbidden, "This token is limited to some projects, and this concerns the whole account.")
	}
	got, err := behind.Ask(c.door.Answer, route, c.r.WithContext(auth.WithPrincipal(c.r.Context(), who)), func(name string) string { return c.at[name] }, query, body)
	switch {
	case err != nil:
		return err
	case got.Status == http.StatusMovedPermanently:
		return movedTo(got.Header.Get("Location"))
	}
	if route.Method != http.MethodGet {
		c.done = append(c.done, name)
	}
	if into == nil {
		return nil
	}
	return json.Unmarshal(got.Body, into)
}

var faultInAddress = regexp.MustCompile(`/faults/(\d{1,18})(?:/|$|\?)`)

// movedTo is the refusal of an error that was merged into another one.
func movedTo(location string) error {
	if found := faultInAddress.FindStringSubmatch(location); found != nil {
		return sett.Errorf(sett.NotFound, "This error was merged into error %s of the same project. Ask for that one.", found[1])
	}
	return sett.Errorf(sett.NotFound, "This error was merged into another one.")
}
