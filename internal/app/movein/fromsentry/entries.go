package fromsentry

import (
	"encoding/json"
	"strconv"
	"time"

	"sett/internal/base/moment"
)

// fromEntries makes an event as clients send it of what the API shows of one: exceptions, messages and requests are
// entries there, keys have capitals, the lines around a frame are pairs, and tags are objects.
func fromEntries(shown map[string]any) map[string]any {
	sent := map[string]any{}
	for from, to := range map[string]string{
		"platform": "platform", "dist": "dist", "user": "user", "contexts": "contexts", "context": "extra", "packages": "modules", "sdk": "sdk",
		"dateCreated": "timestamp",
	} {
		if v := shown[from]; v != nil {
			sent[to] = v
		}
	}
	switch release := shown["release"].(type) {
	case map[string]any:
		sent["release"] = release["version"]
	case string:
		sent["release"] = release
	}
	tags := []any{}
	list, _ := shown["tags"].([]any)
	for _, t := range list {
		tag, _ := t.(map[string]any)
		key, value := textIn(tag, "key"), tag["value"]
		switch key {
		case "environment", "level", "server_name", "logger", "transaction":
			sent[key] = value
		case "release":
			if sent[key] == nil {
				sent[key] = value
			}
		}
		tags = append(tags, []any{key, value})
	}
	sent["tags"] = tags
	entries, _ := shown["entries"].([]any)
	for _, e := range entries {
		entry, _ := e.(map[string]any)
		data, _ := entry["data"].(map[string]any)
		switch kind := textIn(entry, "type"); kind {
		case "exception", "threads":
			for _, v := range valuesIn(data) {
				snake(v)
				sentStack(v)
			}
			sent[kind] = data
		case "stacktrace":
			snake(data)
			value := map[string]any{"stacktrace": data}
			sentStack(value)
			sent[kind] = value["stacktrace"]
		case "message":
			sent["logentry"] = data
		case "request", "breadcrumbs":
			snake(data)
			sent[kind] = data
		case "debugmeta":
			sent["debug_meta"] = data
		}
	}
	return sent
}

// newNames are the names that the API has for members of what clients send.
var newNames = map[string]string{
	"absPath": "abs_path", "lineNo": "lineno", "colNo": "colno", "inApp": "in_app", "rawFunction": "raw_function", "instructionAddr": "instruction_addr",
	"symbolAddr": "symbol_addr", "rawStacktrace": "raw_stacktrace", "threadId": "thread_id", "inferredContentType": "inferred_content_type",
	"queryString": "query_string", "query": "query_string",
}

// snake gives the members of an object the names that clients write.
func snake(object map[string]any) {
	for shown, sent := range newNames {
		if v, ok := object[shown]; ok {
			delete(object, shown)
			if v != nil {
				object[sent] = v
			}
		}
	}
}

// sentStack gives the frames of an exception or thread the form in which clients send them.
func sentStack(value map[string]any) {
	rawStack(value)
	stack, _ := value["stacktrace"].(map[string]any)
	frames, _ := stack["frames"].([]any)
	for _, f := range frames {
		if frame, ok := f.(map[string]any); ok {
			snake(frame)
			sentContext(frame)
		}
	}
	if stack == nil {
		delete(value, "stacktrace")
	}
}

// sentContext makes the lines before, at and after a frame of pairs of number and text.
func sentContext(frame map[string]any) {
	pairs, _ := frame["context"].([]any)
	delete(frame, "context")
	at, _ := frame["lineno"].(json.Number)
	line, _ := at.Int64()
	var before, after []any
	for _, p := range pairs {
		pair, _ := p.([]any)
		if len(pair) != 2 {
			continue
		}
		number, _ := pair[0].(json.Number)
		switch n, _ := strconv.ParseInt(string(number), 10, 64); {
		case n < line:
			before = append(before, pair[1])
		case n == line:
			frame["context_line"] = pair[1]
		default:
			after = append(after, pair[1])
		}
	}
	if before != nil {
		frame["pre_context"] = before
	}
	if after != nil {
		frame["post_context"] = after
	}
}

// eventTime returns when an event happened, as the client or the server says it. It is zero if neither does.
func eventTime(object map[string]any) time.Time {
	for _, key := range []string{"timestamp", "received", "datetime"} {
		text := textIn(object, key)
		if n, ok := object[key].(json.Number); ok {
			text = string(n)
		}
		if at, ok := moment.Read(text); ok && at.Year() >= 2005 {
			return at.UTC().Truncate(time.Microsecond)
		}
	}
	return time.Time{}
}
