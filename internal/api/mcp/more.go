package mcp

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"

	"sett/internal/serve"
	"sett/internal/sett/signin"
)

// notAllowed is the code of the error for a call that needs more than the person has allowed. It is of the range that servers choose from.
const notAllowed = -32010

// refusal is an answer to a call that no tool saw, as the protocol has it. A client that cannot ask for more shows its model the message.
type refusal struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Error   refusalError    `json:"error"`
}

type refusalError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

// askMore refuses a call of a tool for which a program lacks the scope, so that the program asks its person for more (RFC 6750, section 3.1; MCP,
// Scope Challenge Handling). It reports whether it did. Only a program with a token by OAuth can ask: others hear of it as the result of the
// tool. The tool itself checks the scope again.
func (d *Door) askMore(w http.ResponseWriter, r *http.Request, grant signin.Grant) (refused bool, err error) {
	t, id := d.called(r)
	if t == nil || grant.Has(t.scope) {
		return false, nil
	}
	w.Header().Set("WWW-Authenticate", d.More(grant.Scopes, t.scope))
	message := fmt.Sprintf("Your user has not allowed this program to use %s, which needs the scope %s. They can allow it by signing in to sett again from the program.", t.name, t.scope)
	return true, serve.WriteJSON(w, http.StatusForbidden, refusal{"2.0", id, refusalError{notAllowed, message}})
}

// called returns the tool that a request calls, and the id of the request; nil if it calls none, or is not read until it is answered. The body
// can be read again.
func (d *Door) called(r *http.Request) (*tool, json.RawMessage) {
	start, err := io.ReadAll(io.LimitReader(r.Body, bodyBytes+1))
	r.Body = struct {
		io.Reader
		io.Closer
	}{io.MultiReader(bytes.NewReader(start), r.Body), r.Body}
	var call struct {
		ID     json.RawMessage
		Method string
		Params struct{ Name string }
	}
	if err != nil || len(start) > bodyBytes || json.Unmarshal(start, &call) != nil || call.Method != "tools/call" || len(call.ID) == 0 {
		return nil, nil
	}
	at := slices.IndexFunc(d.tools, func(t tool) bool { return t.name == call.Params.Name })
	if at < 0 {
		return nil, nil
	}
	return &d.tools[at], call.ID
}

// secretOf returns the token of a request; "" for none.
func secretOf(r *http.Request) string {
	scheme, secret, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return ""
	}
	return strings.TrimSpace(secret)
}
