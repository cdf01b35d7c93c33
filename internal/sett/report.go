package sett

import (
	"time"

	"sett/internal/payload"
)

// Report is one error as a client sent it, parsed just far enough to be grouped, counted and searched. The payload is
// kept whole in Body; everything else that the interface shows is read from it again when somebody looks (see
// Payload). Texts are valid UTF-8 without NUL bytes and cut to the lengths that the store indexes.
type Report struct {
	AccountID  string
	ProjectID  int64
	ReceivedAt time.Time
	Token      UUID // the client's own id of the notice; zero when it sent none

	Class       string
	Message     string // without a leading "Class: "
	Component   string
	Action      string
	Environment string
	Hostname    string
	Revision    string
	Tags        []string
	User        string // label of the affected user: email or id; "" when unknown
	Grouping    Grouping

	// Facets is what searches over notices look at: one "key=value" per line, lower case, beginning and ending with
	// a newline, at most MaxFacets bytes, what is searched for most first; see FacetLine.
	Facets string

	// Body is the whole payload, one valid UTF-8 JSON object. Its memory is used for another notice once this one has
	// ended: the store keeps nothing that points into it. All other fields have memory of their own.
	Body   []byte
	Format payload.Format // of the body
	// Backtrace is the byte range of the value of error.backtrace in Body, so that the store can keep each distinct
	// backtrace once; both are 0 when there is none.
	BacktraceStart, BacktraceEnd int
}

// Grouping is why a notice belongs to its fault: the key, the version of the rule that made it, and the inputs that
// the rule looked at. It is stored with the fault so that "why is this here?" can always be answered. Made by package
// group.
type Grouping struct {
	Key   [16]byte `json:"-"`
	Rule  int      `json:"rule"`
	Basis string   `json:"basis"` // "fingerprint", "location" or "message"

	Environment string `json:"environment"`
	Fingerprint string `json:"fingerprint,omitempty"`
	Class       string `json:"class,omitempty"`
	Component   string `json:"component,omitempty"`
	File        string `json:"file,omitempty"`
	Method      string `json:"method,omitempty"`
	Line        string `json:"line,omitempty"`
	Message     string `json:"message,omitempty"` // normalised; only where there is no application frame
}
