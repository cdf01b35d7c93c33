package main

import (
	"encoding/json"
	"fmt"
	"strconv"
	"time"
)

// notice is what sett's clients report, as far as another protocol has a place for it.
type notice struct {
	Error struct {
		Class     string   `json:"class"`
		Message   string   `json:"message"`
		Tags      []string `json:"tags"`
		Backtrace []struct {
			Number  string `json:"number"`
			File    string `json:"file"`
			Method  string `json:"method"`
			Context string `json:"context"`
		} `json:"backtrace"`
	} `json:"error"`
	Request struct {
		URL       string         `json:"url"`
		Component string         `json:"component"`
		Action    string         `json:"action"`
		Context   map[string]any `json:"context"`
		Params    map[string]any `json:"params"`
		Session   map[string]any `json:"session"`
		CGI       map[string]any `json:"cgi_data"`
	} `json:"request"`
	Server struct {
		Root        string `json:"project_root"`
		Environment string `json:"environment_name"`
		Host        string `json:"hostname"`
		Revision    string `json:"revision"`
		Stats       any    `json:"stats"`
	} `json:"server"`
	Breadcrumbs struct {
		Trail []struct {
			Category  string         `json:"category"`
			Message   string         `json:"message"`
			Metadata  map[string]any `json:"metadata"`
			Timestamp string         `json:"timestamp"`
		} `json:"trail"`
	} `json:"breadcrumbs"`
	Correlation map[string]any `json:"correlation_context"`
}

// object is a JSON object.
type object = map[string]any

// envelope returns the envelope of a Sentry client that reports what the notice does, with the same values. id has 32 hexadecimal digits.
// The fingerprint is the class: without one, some systems make an issue of each message, and sett makes one of each class.
func envelope(body []byte, id string, at time.Time) ([]byte, error) {
	var n notice
	if err := json.Unmarshal(body, &n); err != nil {
		return nil, fmt.Errorf("read a notice: %w", err)
	}
	event, err := json.Marshal(object{
		"event_id":    id,
		"timestamp":   at.UTC().Format(time.RFC3339),
		"platform":    "ruby",
		"level":       "error",
		"sdk":         object{"name": "sentry.ruby.rails", "version": "5.23.0"},
		"server_name": n.Server.Host,
		"release":     n.Server.Revision,
		"environment": n.Server.Environment,
		"transaction": n.Request.Component + "#" + n.Request.Action,
		"fingerprint": []string{n.Error.Class},
		"tags":        tagsOf(n.Error.Tags),
		"exception":   object{"values": []object{{"type": n.Error.Class, "value": n.Error.Message, "stacktrace": object{"frames": n.frames()}}}},
		"request":     n.request(),
		"user":        object{"id": n.Request.Context["user_id"], "email": n.Request.Context["user_email"], "ip_address": n.Request.CGI["REMOTE_ADDR"]},
		"extra":       n.Request.Context,
		"contexts":    object{"session": n.Request.Session, "server": n.Server.Stats, "correlation": n.Correlation},
		"breadcrumbs": object{"values": n.crumbs()},
	})
	if err != nil {
		return nil, err
	}
	header, err := json.Marshal(object{"event_id": id, "sent_at": at.UTC().Format(time.RFC3339)})
	if err != nil {
		return nil, err
	}
	return fmt.Appendf(nil, "%s\n{\"type\":\"event\",\"length\":%d}\n%s\n", header, len(event), event), nil
}

func tagsOf(tags []string) object {
	all := object{}
	for _, t := range tags {
		all[t] = "yes"
	}
	return all
}

// frames are those of the backtrace, the outermost first.
func (n *notice) frames() []object {
	all := make([]object, len(n.Error.Backtrace))
	for i, f := range n.Error.Backtrace {
		line, _ := strconv.Atoi(f.Number) // a frame without a number is at line 0
		all[len(all)-1-i] = object{"filename": f.File, "lineno": line, "function": f.Method, "in_app": f.Context == "app"}
	}
	return all
}

func (n *notice) request() object {
	return object{
		"url": n.Request.URL, "method": n.Request.CGI["REQUEST_METHOD"], "data": n.Request.Params, "env": n.Request.CGI,
		"headers": object{"User-Agent": n.Request.CGI["HTTP_USER_AGENT"]},
	}
}

func (n *notice) crumbs() []object {
	all := make([]object, len(n.Breadcrumbs.Trail))
	for i, c := range n.Breadcrumbs.Trail {
		all[i] = object{"category": c.Category, "message": c.Message, "data": c.Metadata, "timestamp": c.Timestamp}
	}
	return all
}
