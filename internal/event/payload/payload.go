// Package payload reads the body of a notice as a client sent it. It splits JSON of any shape into its parts in one normalised form –
// class, message, frames, request, user – and the facets that searches look for. It refuses nothing: a part that is missing or has another
// type is empty. It stores nothing and knows no fault.
package payload

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// DefaultEnvironment is the environment of a notice that names none: what the clients themselves fall back to. A
// notice needs one, because faults are kept apart by it.
const DefaultEnvironment = "production"

// maxShown is how many frames, causes and breadcrumbs of a notice are shown: as many as the longest recursion that a
// client sends whole, and few enough that a hostile notice does not swell a list.
const maxShown = 1000

// MaxTags is how many tags of a notice count; more are kept in its body only.
const MaxTags = 50

// Payload is the full, normalised form of a notice, made from the stored body when it is read. Clients report
// fields with other types than documented, or leave them out; here every field has the type that the interface
// promises, so that one odd notice never spoils the list that it is in (wire.md §1.4).
type Payload struct {
	Class              string            `json:"class"`
	Message            string            `json:"message"` // without a leading "Class: "
	Fingerprint        string            `json:"fingerprint"`
	Level              string            `json:"level,omitempty"`   // how severe it is, as debug, info, warning, error or fatal; "" if the client does not say
	Handled            string            `json:"handled,omitempty"` // "true" or "false": whether the program went on; "" if the client does not say
	Tags               []string          `json:"tags"`
	Environment        NoticeEnvironment `json:"environment"`
	Cookies            map[string]string `json:"cookies"`         // taken apart from HTTP_COOKIE
	WebEnvironment     map[string]string `json:"web_environment"` // the CGI variables as reported, HTTP_COOKIE among them
	Request            NoticeRequest     `json:"request"`
	Backtrace          []Frame           `json:"backtrace"`
	ApplicationTrace   []Frame           `json:"application_trace"`
	Causes             []Cause           `json:"causes"`
	Breadcrumbs        []Breadcrumb      `json:"breadcrumbs"`
	Details            map[string]any    `json:"details"`
	LocalVariables     map[string]any    `json:"local_variables"`
	CorrelationContext map[string]any    `json:"correlation_context"`
	Notifier           Notifier          `json:"notifier"`
	Repairs            []string          `json:"repairs,omitempty"` // sentences of sett about what of the body could not be read as it was sent
}

// NoticeEnvironment is where a notice happened.
type NoticeEnvironment struct {
	EnvironmentName string         `json:"environment_name"`
	Hostname        string         `json:"hostname"`
	ProjectRoot     ProjectRoot    `json:"project_root"`
	Revision        string         `json:"revision"`
	Stats           map[string]any `json:"stats"` // memory and load; null when none was sent
	Time            string         `json:"time"`  // as the client spelled it
	PID             *int           `json:"pid"`
}

// ProjectRoot is the directory, or for browsers the address, that a project was started from.
type ProjectRoot struct {
	Path string `json:"path"`
}

// NoticeRequest is the request that failed. Context, Params and Session are always objects: a scalar or an array that
// a client sent in their place stands under the key "value".
type NoticeRequest struct {
	Action    string         `json:"action"`
	Component string         `json:"component"`
	Context   map[string]any `json:"context"`
	Params    map[string]any `json:"params"`
	Session   map[string]any `json:"session"`
	URL       string         `json:"url"`
	User      *User          `json:"user"` // null when the context names none
}

// Cause is an error that led to the one reported, the nearest first.
type Cause struct {
	Class     string  `json:"class"`
	Message   string  `json:"message"`
	Backtrace []Frame `json:"backtrace"`
}

// Breadcrumb is something that happened before the error, the oldest first.
type Breadcrumb struct {
	Category  string         `json:"category"`
	Message   string         `json:"message"`
	Timestamp string         `json:"timestamp"` // as the client spelled it
	Metadata  map[string]any `json:"metadata"`
}

// Notifier is the client that reported.
type Notifier struct {
	Name     string `json:"name"`
	URL      string `json:"url"`
	Version  string `json:"version"`
	Language string `json:"language"`
}

// readHoneybadger reads a body in the format of the contract. Any JSON object is a payload: the only error is that of another body.
func readHoneybadger(body []byte, searchField string) (Payload, error) {
	root, err := DecodeObject(body)
	if err != nil {
		return Payload{}, fmt.Errorf("read payload: %w", err)
	}
	failure, request, server := ObjectIn(root, "error"), ObjectIn(root, "request"), ObjectIn(root, "server")
	env := textsOf(request["cgi_data"])
	frames := readFrames(failure["backtrace"])
	class := TextOf(failure["class"])
	return Payload{
		Class:              class,
		Message:            TrimClass(TextOf(failure["message"]), class),
		Fingerprint:        TextOf(failure["fingerprint"]),
		Level:              TextOf(failure["level"]),
		Handled:            TextOf(failure["handled"]),
		Tags:               readTags(failure["tags"], ObjectIn(request, "context")["tags"]),
		Environment:        readEnvironment(server),
		Cookies:            readCookies(ObjectIn(request, "cgi_data")["HTTP_COOKIE"]),
		WebEnvironment:     orEmpty(env),
		Request:            readRequest(request, searchField),
		ApplicationTrace:   markApp(frames),
		Backtrace:          frames,
		Causes:             readCauses(failure["causes"]),
		Breadcrumbs:        readBreadcrumbs(ObjectIn(root, "breadcrumbs")["trail"]),
		Details:            wrapped(root["details"]),
		LocalVariables:     wrapped(request["local_variables"]),
		CorrelationContext: wrapped(root["correlation_context"]),
		Notifier:           readNotifier(ObjectIn(root, "notifier")),
		Repairs:            readRepairs(root["repairs"]),
	}, nil
}

// mostRepairs is how many sentences about a body are shown.
const mostRepairs = 20

func readRepairs(v any) (repairs []string) {
	list, _ := v.([]any)
	for _, sentence := range list[:min(len(list), mostRepairs)] {
		repairs = append(repairs, TextOf(sentence))
	}
	return repairs
}

// TrimClass returns message without a leading "class: ", which some clients put before it.
func TrimClass(message, class string) string {
	if rest, ok := strings.CutPrefix(message, class+": "); ok && class != "" {
		return rest
	}
	return message
}

func readEnvironment(server map[string]any) NoticeEnvironment {
	root := server["project_root"]
	if object, ok := root.(map[string]any); ok {
		root = object["path"]
	}
	stats, _ := server["stats"].(map[string]any)
	return NoticeEnvironment{
		EnvironmentName: firstText(server["environment_name"], DefaultEnvironment),
		Hostname:        TextOf(server["hostname"]),
		ProjectRoot:     ProjectRoot{Path: TextOf(root)},
		Revision:        firstText(server["revision"], server["version"]), // PHP sends version
		Stats:           stats,
		Time:            TextOf(server["time"]),
		PID:             IntOf(server["pid"]),
	}
}

func readRequest(request map[string]any, searchField string) NoticeRequest {
	context := wrapped(request["context"])
	return NoticeRequest{
		Action:    firstText(request["action"], context["_action"]),
		Component: firstText(request["component"], context["_component"]),
		Context:   context,
		Params:    wrapped(request["params"]),
		Session:   wrapped(request["session"]),
		URL:       TextOf(request["url"]),
		User:      readUser(request, searchField),
	}
}

func readCauses(v any) []Cause {
	causes := []Cause{}
	for _, c := range shown(v) {
		d, ok := c.(map[string]any)
		if !ok {
			continue
		}
		frames := readFrames(d["backtrace"])
		markApp(frames)
		class := TextOf(d["class"])
		causes = append(causes, Cause{Class: class, Message: TrimClass(TextOf(d["message"]), class), Backtrace: frames})
	}
	return causes
}

func readBreadcrumbs(v any) []Breadcrumb {
	trail := []Breadcrumb{}
	for _, b := range shown(v) {
		d, ok := b.(map[string]any)
		if !ok {
			continue
		}
		trail = append(trail, Breadcrumb{
			Category:  TextOf(d["category"]),
			Message:   TextOf(d["message"]),
			Timestamp: TextOf(d["timestamp"]),
			Metadata:  wrapped(d["metadata"]),
		})
	}
	return trail
}

func readNotifier(d map[string]any) Notifier {
	return Notifier{
		Name:     TextOf(d["name"]),
		URL:      TextOf(d["url"]),
		Version:  TextOf(d["version"]),
		Language: TextOf(d["language"]),
	}
}

// readTags joins the tags of several places: each an array, or one text with commas between the tags.
func readTags(places ...any) []string {
	var sent []any
	for _, v := range places {
		switch v := v.(type) {
		case []any:
			sent = append(sent, v...)
		case string:
			for part := range strings.SplitSeq(v, ",") {
				sent = append(sent, part)
			}
		}
	}
	tags := []string{}
	for _, t := range sent {
		switch t.(type) {
		case map[string]any, []any:
			continue
		}
		if tag := strings.TrimSpace(TextOf(t)); tag != "" && !slices.Contains(tags, tag) {
			tags = append(tags, tag)
		}
		if len(tags) == MaxTags {
			break
		}
	}
	return tags
}

// readCookies takes a Cookie header apart (RFC 6265 §4.2.1) and undoes percent-encoding where there is any. A client
// may also have done so itself and sent an object.
func readCookies(v any) map[string]string {
	header, ok := v.(string)
	if !ok {
		return orEmpty(textsOf(v))
	}
	cookies := map[string]string{}
	for pair := range strings.SplitSeq(header, ";") {
		name, value, ok := strings.Cut(strings.TrimSpace(pair), "=")
		if !ok || name == "" {
			continue
		}
		if plain, err := url.PathUnescape(value); err == nil {
			value = strings.ToValidUTF8(plain, "\uFFFD")
		}
		cookies[name] = value
	}
	return cookies
}

// DecodeObject decodes a JSON object. Numbers keep their digits, but those that no float64 holds become texts, because
// a strict client refuses the whole response over one of them.
func DecodeObject(body []byte) (map[string]any, error) {
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber()
	var root any
	if err := d.Decode(&root); err != nil {
		return nil, err
	}
	object, ok := settleNumbers(root).(map[string]any)
	if !ok {
		return nil, errors.New("the body is not a JSON object")
	}
	return object, nil
}

func settleNumbers(v any) any {
	switch v := v.(type) {
	case json.Number:
		if _, err := v.Float64(); err != nil {
			return v.String()
		}
	case []any:
		for i := range v {
			v[i] = settleNumbers(v[i])
		}
	case map[string]any:
		for k := range v {
			v[k] = settleNumbers(v[k])
		}
	}
	return v
}

// ObjectIn returns the object that d has under key, or nil.
func ObjectIn(d map[string]any, key string) map[string]any {
	object, _ := d[key].(map[string]any)
	return object
}

// wrapped returns v as an object: as it is; empty for null and for an empty array, which is how PHP spells an empty
// object; otherwise under the key "value".
func wrapped(v any) map[string]any {
	switch v := v.(type) {
	case nil:
		return map[string]any{}
	case map[string]any:
		return v
	case []any:
		if len(v) == 0 {
			return map[string]any{}
		}
	}
	return map[string]any{"value": v}
}

// shown returns the first elements of an array; anything else has none.
func shown(v any) []any {
	list, _ := v.([]any)
	return list[:min(len(list), maxShown)]
}

// TextOf returns a text as it is, null as "", and anything else as its JSON.
func TextOf(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return v
	case json.Number:
		return v.String()
	}
	var text strings.Builder
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		panic(err) // v was decoded from JSON
	}
	return strings.TrimSuffix(text.String(), "\n")
}

// firstText returns the first of the values whose text is not blank, or "".
func firstText(values ...any) string {
	for _, v := range values {
		if text := TextOf(v); strings.TrimSpace(text) != "" {
			return text
		}
	}
	return ""
}

// textsOf returns an object's values as texts, or nil when v is no object.
func textsOf(v any) map[string]string {
	object, ok := v.(map[string]any)
	if !ok {
		return nil
	}
	texts := make(map[string]string, len(object))
	for k, v := range object {
		texts[k] = TextOf(v)
	}
	return texts
}

func orEmpty(texts map[string]string) map[string]string {
	if texts == nil {
		return map[string]string{}
	}
	return texts
}

// IntOf returns a whole number, whether it was sent as a number or as a text, or nil.
func IntOf(v any) *int {
	switch v.(type) {
	case json.Number, string:
	default:
		return nil
	}
	text := strings.TrimSpace(TextOf(v))
	if n, err := strconv.Atoi(text); err == nil {
		return &n
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil || f != math.Trunc(f) || math.Abs(f) > 1<<53 {
		return nil
	}
	n := int(f)
	return &n
}
