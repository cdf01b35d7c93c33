package sentry

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// The headers of answers that clients read.
const (
	LimitsHeader = "X-Sentry-Rate-Limits"
	ErrorHeader  = "X-Sentry-Error"
)

// unsupported says for each type of item that sett drops which categories clients are to stop sending.
var unsupported = map[string][]string{
	"transaction":      {"transaction", "span"},
	"span":             {"span", "transaction"},
	"profile":          {"profile"},
	"profile_chunk":    {"profile_chunk"},
	"replay_event":     {"replay"},
	"replay_recording": {"replay"},
	"replay_video":     {"replay"},
	"trace_metric":     {"trace_metric"},
	"statsd":           {"metric_bucket"},
	"metric_buckets":   {"metric_bucket"},
	"log":              logCategories,
	"otel_log":         logCategories,
}

var logCategories = []string{"log_item", "log_byte"}

// UnsupportedFor is how long clients are to send nothing of what sett drops.
const UnsupportedFor = time.Hour

// Unsupported returns the limits with which an envelope is answered that has items which sett drops; "" if it has none. logs says whether logs
// are stored.
func Unsupported(items []Item, logs bool) string {
	var categories []string
	for _, item := range items {
		if item.Type == "log" && logs {
			continue
		}
		for _, c := range unsupported[item.Type] {
			if !slices.Contains(categories, c) {
				categories = append(categories, c)
			}
		}
	}
	if len(categories) == 0 {
		return ""
	}
	slices.Sort(categories)
	return limit(UnsupportedFor, categories, "unsupported")
}

// Limited returns the limits with which a notice is answered that a project may not have now.
func Limited(wait time.Duration) string { return limit(wait, []string{"error", "default"}, "quota") }

// LimitedLogs returns the limits with which logs are answered that a project may not have now.
func LimitedLogs(wait time.Duration) string { return limit(wait, logCategories, "quota") }

func limit(wait time.Duration, categories []string, reason string) string {
	seconds := max(1, int64((wait+time.Second-1)/time.Second))
	return strconv.FormatInt(seconds, 10) + ":" + strings.Join(categories, ";") + ":project:" + reason
}

// KeyOf returns the key that a request carries outside of its body, or "": in one of two headers, or in the query.
func KeyOf(r *http.Request) string {
	for _, header := range []string{"X-Sentry-Auth", "Authorization"} {
		for _, value := range r.Header.Values(header) {
			if key := keyInHeader(value); key != "" {
				return key
			}
		}
	}
	if r.URL.RawQuery == "" {
		return ""
	}
	return strings.TrimSpace(r.URL.Query().Get("sentry_key"))
}

// keyInHeader returns sentry_key of a list such as "Sentry sentry_key=…, sentry_version=7".
func keyInHeader(value string) string {
	value, ok := strings.CutPrefix(strings.TrimSpace(value), "Sentry ")
	if !ok {
		return ""
	}
	for part := range strings.SplitSeq(value, ",") {
		if name, key, _ := strings.Cut(strings.TrimSpace(part), "="); strings.TrimSpace(name) == "sentry_key" {
			return strings.Trim(strings.TrimSpace(key), `"`)
		}
	}
	return ""
}

// KeyOfEnvelope returns the key in the DSN of an envelope, or "".
func KeyOfEnvelope(body []byte) string {
	env, err := ReadEnvelope(body)
	if err != nil {
		return ""
	}
	if u, err := url.Parse(env.DSN); err == nil && u.User != nil {
		return u.User.Username()
	}
	return ""
}

// Accepted is the answer to a request that was taken. Clients read nothing of it; people who try with curl do.
type Accepted struct {
	ID string `json:"id,omitempty"`
}

// Refused is the answer to a request that was not.
type Refused struct {
	Detail string   `json:"detail"`
	Causes []string `json:"causes"`
}
