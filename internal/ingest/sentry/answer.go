package sentry

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"sett/internal/sett/stats"
)

// The headers of answers that clients read.
const (
	LimitsHeader = "X-Sentry-Rate-Limits"
	ErrorHeader  = "X-Sentry-Error"
)

// What clients are to stop sending instead of one type of item.
var (
	logCategories        = []string{"log_item", "log_byte"}
	attachmentCategories = []string{"attachment"}
)

// UnsupportedFor is how long clients are to send nothing of what sett drops.
const UnsupportedFor = time.Hour

// Unsupported says what sett drops, beside what it drops always.
type Unsupported struct {
	Logs, Attachments bool
}

// categories returns the categories of a type of item that is dropped; nil if it is not.
func (u Unsupported) categories(itemType string) []string {
	if itemType == "log" && !u.Logs || itemType == "attachment" && !u.Attachments {
		return nil
	}
	return kinds[itemType].limits
}

// Drops reports whether an item is dropped whatever it says.
func (u Unsupported) Drops(i Item) bool { return u.categories(i.Type) != nil }

// Limits returns the limits with which an envelope is answered that has items which sett drops; "" if it has none.
func (u Unsupported) Limits(items []Item) string {
	var categories []string
	for _, item := range items {
		categories = append(categories, u.categories(item.Type)...)
	}
	return u.limit(categories)
}

// AllLimits returns the limits with which an envelope is answered that was not read.
func (u Unsupported) AllLimits() string {
	var categories []string
	for itemType := range kinds {
		categories = append(categories, u.categories(itemType)...)
	}
	return u.limit(categories)
}

func (Unsupported) limit(categories []string) string {
	if len(categories) == 0 {
		return ""
	}
	slices.Sort(categories)
	return limit(UnsupportedFor, slices.Compact(categories), "unsupported")
}

// Count returns how much is dropped of an envelope, by category.
func (u Unsupported) Count(items []Item) map[string]int {
	counts := map[string]int{}
	for _, item := range items {
		if c := u.categories(item.Type); len(c) > 0 {
			counts[c[0]] += min(item.Count, largestQuantity)
		} else if item.Type == "attachment" && !item.IsFile() {
			counts["attachment"]++
		} else if item.Category() == "" {
			counts[stats.OtherDiscards] += min(item.Count, largestQuantity)
		}
	}
	return counts
}

// Limited returns the limits with which a notice is answered that a project may not have now.
func Limited(wait time.Duration) string { return limit(wait, []string{"error", "default"}, "quota") }

// LimitedLogs returns the limits with which logs are answered that a project may not have now.
func LimitedLogs(wait time.Duration) string { return limit(wait, logCategories, "quota") }

// LimitedFeedback returns the limits with which feedback is answered that a project may not have now.
func LimitedFeedback(wait time.Duration) string {
	return limit(wait, []string{"feedback", "user_report_v2"}, "quota")
}

// LimitedAttachments returns the limits with which attachments are answered that a project may not have now.
func LimitedAttachments(wait time.Duration) string { return limit(wait, attachmentCategories, "quota") }

func limit(wait time.Duration, categories []string, reason string) string {
	seconds := max(1, int64((wait+time.Second-1)/time.Second))
	return strconv.FormatInt(seconds, 10) + ":" + strings.Join(categories, ";") + ":project:" + reason
}

// KeyOf returns the key that a request carries outside of its body, or "": in its path, in one of two headers, or in the query.
func KeyOf(r *http.Request) string {
	if key := strings.TrimSpace(r.PathValue("key")); key != "" {
		return key
	}
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
	return env.Key()
}

// Key returns a copy of the key in the DSN of the envelope, or "": the memory of its body is used again.
func (e Envelope) Key() string {
	if u, err := url.Parse(e.DSN); err == nil && u.User != nil {
		return strings.Clone(u.User.Username())
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
