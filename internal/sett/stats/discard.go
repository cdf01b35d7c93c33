package stats

import (
	"slices"
	"time"

	"sett/internal/sett"
)

// Discard is how many things of a project were not stored on a day, of one category and for one reason.
type Discard struct {
	ProjectID int64
	Day       time.Time // UTC; the zero time in sums
	Source    DiscardSource
	Category  string // of Sentry's, such as error or transaction; see DiscardCategory
	Reason    string // see DiscardReason
	Count     int64
	Detail    string // the newest sentence with which something was refused for this reason; "" if there is none
}

// DiscardSource is who discarded something.
type DiscardSource string

// The sources of discards.
const (
	ByClient DiscardSource = "client" // before it was sent, as the client reports
	ByServer DiscardSource = "server" // after it was received
)

// Reasons for which this server drops what it received.
const (
	DroppedUnsupported = "unsupported" // sett stores nothing of this kind
	DroppedTooLarge    = "too_large"   // beyond what an event may have
	DroppedFull        = "full"        // beyond what the project or the server may have
	DroppedNoEvent     = "no_event"    // an attachment of an event that is not stored
	DroppedNoCheckIn   = "no_check_in" // a report of a job that has no check-in, without a schedule
	DroppedUnreadable  = "unreadable"  // not in its format, and nothing of it could be read
	DroppedInvalid     = "invalid"     // readable, but not what it should be
	DroppedForbidden   = "forbidden"   // what the key must not send
	DroppedLimited     = "limited"     // beyond what the project may send in a time
)

// DroppedReasons are all of them.
var DroppedReasons = []string{DroppedUnsupported, DroppedTooLarge, DroppedFull, DroppedNoEvent, DroppedNoCheckIn, DroppedUnreadable, DroppedInvalid, DroppedForbidden, DroppedLimited}

// DroppedFor returns the reason under which something counts that was refused with an error; "" if it does not count: its client sends it again,
// or the failure is the server's.
func DroppedFor(err error) string {
	switch sett.CodeOf(err) {
	case sett.Malformed:
		return DroppedUnreadable
	case sett.Invalid:
		return DroppedInvalid
	case sett.TooLarge:
		return DroppedTooLarge
	case sett.Conflict:
		return DroppedFull
	case sett.NotFound:
		return DroppedNoCheckIn
	case sett.Forbidden:
		return DroppedForbidden
	case sett.TooMany:
		return DroppedLimited
	default:
		return ""
	}
}

// OtherDiscards is the name of all categories and reasons that are not known, so that strangers cannot make up names.
const OtherDiscards = "other"

var discardCategories = []string{
	"error", "default", "security", "attachment", "transaction", "span", "session", "monitor", "feedback", "user_report_v2", "profile", "profile_chunk",
	"profile_chunk_ui", "replay", "log_item", "log_byte", "trace_metric", "metric_bucket", "internal",
}

var discardReasons = []string{
	"ratelimit_backoff", "network_error", "send_error", "sample_rate", "before_send", "event_processor", "queue_overflow", "cache_overflow", "buffer_overflow",
	"backpressure", "ignored", "invalid", "insufficient_data", "no_parent_span", "internal_sdk_error",
}

// DiscardCategory returns the category that a client names, or "other".
func DiscardCategory(name string) string { return knownOr(discardCategories, name) }

// DiscardReason returns the reason that a client names, or "other".
func DiscardReason(name string) string { return knownOr(discardReasons, name) }

// knownOr returns the one of the names, and not name itself: counts are kept for longer than the body that it is a part of, whose memory is
// used again.
func knownOr(names []string, name string) string {
	if i := slices.Index(names, name); i >= 0 {
		return names[i]
	}
	return OtherDiscards
}
