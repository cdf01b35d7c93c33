package fromhoneybadger

import (
	"bytes"
	"cmp"
	"encoding/json"
	"strings"

	"sett/internal/sett/move"
)

// eventOf makes the event of a notice: what its client sent, as far as the API shows it.
func eventOf(shown json.RawMessage, f move.Fault) (e move.Event, ok bool) {
	d := json.NewDecoder(bytes.NewReader(shown))
	d.UseNumber() // ids and nanoseconds are longer than a float is exact
	n := map[string]any{}
	if d.Decode(&n) != nil {
		return e, false
	}
	id := move.Line(textIn(n, "id"), move.MostName)
	environment := objectIn(n, "environment")
	e = move.Event{
		Protocol: move.Notice, ID: id, At: timeOf(cmp.Or(textIn(n, "created_at"), textIn(n, "occurred_at"))), Shape: true,
		Environment: move.Line(cmp.Or(textIn(environment, "environment_name"), f.Environment), move.MostName),
	}
	_, shows := n["causes"]
	e.Partial = !shows
	var err error
	e.Body, err = json.Marshal(sent(n, f))
	return e, err == nil && id != ""
}

// sent makes the body of a notice as clients write it. What the error alone says, such as its class, comes from there.
func sent(n map[string]any, f move.Fault) map[string]any {
	request, environment := objectIn(n, "request"), objectIn(n, "environment")
	failure := map[string]any{
		"token": n["id"], "class": cmp.Or(textIn(n, "klass"), f.Class), "message": n["message"], "backtrace": backtrace(n), "causes": causes(n),
	}
	copyMembers(failure, n, "tags", "fingerprint")
	server := map[string]any{"environment_name": cmp.Or(textIn(environment, "environment_name"), f.Environment)}
	copyMembers(server, environment, "hostname", "project_root", "revision", "stats", "time", "pid")
	sentRequest := map[string]any{
		"component": cmp.Or(textIn(request, "component"), f.Component), "action": cmp.Or(textIn(request, "action"), f.Action), "cgi_data": variables(n),
	}
	copyMembers(sentRequest, request, "url", "context", "params", "session", "user")
	copyMembers(sentRequest, n, "local_variables")
	body := map[string]any{"error": failure, "request": sentRequest, "server": server}
	copyMembers(body, n, "details", "correlation_context", "notifier")
	if trail, ok := n["breadcrumbs"].([]any); ok && len(trail) > 0 {
		body["breadcrumbs"] = map[string]any{"enabled": true, "trail": trail}
	}
	return body
}

// backtrace returns the frames as they were sent. Where they do not say which are of the application, the second list does.
func backtrace(n map[string]any) []any {
	frames, _ := n["backtrace"].([]any)
	own, _ := n["application_trace"].([]any)
	for _, frame := range frames {
		if f, ok := frame.(map[string]any); !ok || f["context"] != nil || strings.HasPrefix(textIn(f, "file"), "[PROJECT_ROOT]") {
			return frames
		}
	}
	at := 0
	for _, frame := range frames { // both lists have the same order
		f, _ := frame.(map[string]any)
		f["context"] = "all"
		for i := at; i < len(own); i++ {
			if o, ok := own[i].(map[string]any); ok && o["file"] == f["file"] && o["method"] == f["method"] && o["number"] == f["number"] {
				f["context"], at = "app", i+1
				break
			}
		}
	}
	return frames
}

// causes returns what led to the error, in the members that clients send.
func causes(n map[string]any) []any {
	all, _ := n["causes"].([]any)
	for _, c := range all {
		if cause, ok := c.(map[string]any); ok && cause["class"] == nil {
			cause["class"] = cause["klass"]
		}
	}
	return all
}

// variables returns the CGI variables of the request, with its cookies.
func variables(n map[string]any) map[string]any {
	all := map[string]any{}
	for name, value := range objectIn(n, "web_environment") {
		all[name] = value
	}
	return all
}

func copyMembers(to, from map[string]any, names ...string) {
	for _, name := range names {
		if v := from[name]; v != nil {
			to[name] = v
		}
	}
}

func textIn(object map[string]any, key string) string {
	text, _ := object[key].(string)
	return text
}

func objectIn(object map[string]any, key string) map[string]any {
	inner, _ := object[key].(map[string]any)
	return inner
}
