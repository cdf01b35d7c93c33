package oldsentry

import (
	"encoding/json"
	"strings"
)

// copied returns the event as the SDK sent it, of which the caller may change everything.
func (e Event) copied() map[string]any {
	text, err := json.Marshal(e.Sent)
	if err != nil {
		panic(err) // it was JSON
	}
	object := map[string]any{}
	if err := json.Unmarshal(text, &object); err != nil {
		panic(err)
	}
	return object
}

func (e Event) environment() string {
	if name, ok := e.Sent["environment"].(string); ok && name != "" {
		return name
	}
	return "production"
}

// values returns the objects of a list of exceptions or threads, in either form.
func values(v any) (all []map[string]any) {
	if o, ok := v.(map[string]any); ok {
		v = o["values"]
	}
	list, _ := v.([]any)
	for _, item := range list {
		if o, ok := item.(map[string]any); ok {
			all = append(all, o)
		}
	}
	return all
}

// stacks returns all stack traces of an event.
func stacks(object map[string]any) (all []map[string]any) {
	of := append(append(values(object["exception"]), values(object["threads"])...), object)
	for _, v := range of {
		if s, ok := v["stacktrace"].(map[string]any); ok {
			all = append(all, s)
		}
	}
	return all
}

func frames(stack map[string]any) (all []map[string]any) {
	list, _ := stack["frames"].([]any)
	for _, f := range list {
		if o, ok := f.(map[string]any); ok {
			all = append(all, o)
		}
	}
	return all
}

// tags returns the tags of an event with those that Sentry adds.
func (e Event) tags() (all [][2]any) {
	switch tags := e.Sent["tags"].(type) {
	case map[string]any:
		for k, v := range tags {
			all = append(all, [2]any{k, v})
		}
	case []any:
		for _, t := range tags {
			if pair, ok := t.([]any); ok && len(pair) == 2 {
				all = append(all, [2]any{pair[0], pair[1]})
			}
		}
	}
	for _, key := range []string{"level", "server_name", "logger", "transaction"} {
		if v, ok := e.Sent[key].(string); ok && v != "" {
			all = append(all, [2]any{key, v})
		}
	}
	return append(all, [2]any{"environment", e.environment()})
}

// Stored is the event as Sentry stores it: normalised, with what it made of it, and with its own opinion on which frames are the application's.
func (e Event) Stored() map[string]any {
	o := e.copied()
	for _, key := range []string{"exception", "threads", "breadcrumbs"} {
		if list, ok := o[key].([]any); ok {
			o[key] = map[string]any{"values": list}
		}
	}
	if m, ok := o["message"]; ok {
		if text, isText := m.(string); isText {
			o["logentry"] = map[string]any{"formatted": text}
		} else if m != nil {
			o["logentry"] = m
		}
		delete(o, "message")
	}
	for _, s := range stacks(o) {
		for _, f := range frames(s) {
			was, had := f["in_app"].(bool)
			data := map[string]any{"orig_in_app": -1}
			if had && was {
				data["orig_in_app"] = 1
			} else if had {
				data["orig_in_app"] = 0
			}
			f["data"], f["in_app"] = data, !was
		}
	}
	o["event_id"], o["tags"], o["environment"] = e.ID, e.tags(), e.environment()
	o["_meta"], o["title"], o["culprit"], o["project"], o["type"] = map[string]any{}, "A title", "a.culprit in there", 7, "error"
	o["metadata"] = map[string]any{"type": "A", "value": "b"}
	return o
}

// Shown is the event as the API shows it: entries, names with capitals, pairs for lines of source.
func (e Event) Shown() map[string]any {
	o := e.copied()
	shown, entries := map[string]any{"eventID": e.ID, "id": e.ID, "culprit": "a.culprit in there", "dateCreated": "2026-11-20T10:00:00.000000Z"}, []any{}
	for sent, to := range map[string]string{"platform": "platform", "dist": "dist", "user": "user", "contexts": "contexts", "extra": "context", "modules": "packages", "sdk": "sdk"} {
		shown[to] = o[sent]
	}
	if r, ok := o["release"].(string); ok {
		shown["release"] = map[string]any{"version": r, "id": 3}
	}
	tags := []any{}
	for _, t := range e.tags() {
		tags = append(tags, map[string]any{"key": t[0], "value": t[1]})
	}
	shown["tags"] = tags
	for _, s := range stacks(o) {
		for _, f := range frames(s) {
			showFrame(f)
		}
	}
	for _, key := range []string{"exception", "threads"} {
		if all := values(o[key]); len(all) > 0 {
			for _, v := range all {
				rename(v, "thread_id", "threadId")
				v["rawStacktrace"] = nil
			}
			entries = append(entries, map[string]any{"type": key, "data": map[string]any{"values": all}})
		}
	}
	if s, ok := o["stacktrace"]; ok {
		entries = append(entries, map[string]any{"type": "stacktrace", "data": s})
	}
	for _, key := range []string{"message", "logentry"} {
		switch m := o[key].(type) {
		case string:
			entries = append(entries, map[string]any{"type": "message", "data": map[string]any{"formatted": m}})
		case map[string]any:
			entries = append(entries, map[string]any{"type": "message", "data": m})
		}
	}
	if r, ok := o["request"].(map[string]any); ok {
		rename(r, "query_string", "query")
		entries = append(entries, map[string]any{"type": "request", "data": r})
	}
	shown["entries"] = entries
	return shown
}

func rename(o map[string]any, from, to string) {
	if v, ok := o[from]; ok {
		delete(o, from)
		o[to] = v
	}
}

func showFrame(f map[string]any) {
	line, _ := f["lineno"].(float64)
	pairs, at := []any{}, int(line)
	before, _ := f["pre_context"].([]any)
	for i, text := range before {
		pairs = append(pairs, []any{at - len(before) + i, text})
	}
	if text, ok := f["context_line"]; ok {
		pairs = append(pairs, []any{at, text})
	}
	after, _ := f["post_context"].([]any)
	for i, text := range after {
		pairs = append(pairs, []any{at + 1 + i, text})
	}
	for _, key := range []string{"pre_context", "context_line", "post_context"} {
		delete(f, key)
	}
	for sent, to := range map[string]string{"lineno": "lineNo", "colno": "colNo", "abs_path": "absPath", "in_app": "inApp", "instruction_addr": "instructionAddr"} {
		rename(f, sent, to)
	}
	for key := range f {
		if strings.Contains(key, "_") {
			delete(f, key)
		}
	}
	f["context"] = pairs
}
