package faults

import (
	"crypto/sha256"
	"encoding/binary"
	"time"

	"sett/internal/base/moment"
	"sett/internal/event/payload"
	"sett/internal/sett"
)

// Notice is one occurrence of a fault, as users read it.
type Notice struct {
	ID        sett.UUID // public: the client's own token where it sent one
	Key       sett.NoticeID
	ProjectID int64
	FaultID   int64
	payload.Payload
	Readable bool    // false when the stored body is damaged: then Payload is empty
	Deploy   *Deploy // what the notice ran on; nil when unknown
}

// NewNotice reads a stored notice; token is the client's id of it, or zero, and body empty when it could not be unpacked.
// A damaged body makes a notice without content rather than an error, so that it never spoils the list that it is in.
func NewNotice(key sett.NoticeID, token sett.UUID, body payload.Body, searchField string) Notice {
	n := Notice{ID: token, Key: key, Readable: true}
	if token.IsZero() {
		n.ID = key.UUID()
	}
	var err error
	if n.Payload, err = payload.Read(body, searchField); err != nil {
		n.Readable = false
		n.Payload, _ = payload.Read(payload.Body{JSON: []byte("{}")}, "")
	}
	return n
}

// CreatedAt returns when the server accepted the notice.
func (n Notice) CreatedAt() time.Time { return n.Key.Time() }

// OccurredAt returns when the notice happened: as its client says if it came late, and otherwise when it was accepted.
func (n Notice) OccurredAt() (at time.Time, late bool) {
	return moment.Late(n.Environment.Time, n.CreatedAt())
}

// TailedNotice is a notice as a list of what comes in shows it, with what is known of its fault.
type TailedNotice struct {
	Key         sett.NoticeID
	FaultID     int64
	Class       string
	Message     string
	Component   string
	Action      string
	Environment string
}

// CreatedAt returns when the server accepted the notice.
func (n TailedNotice) CreatedAt() time.Time { return n.Key.Time() }

// Report is one error as a client sent it, parsed just far enough to be grouped, counted and searched. The payload is
// kept whole in Body; everything else that the interface shows is read from it on demand (see
// Payload). Texts are valid UTF-8 without NUL bytes and cut to the lengths that the store indexes.
type Report struct {
	AccountID  string
	ProjectID  int64
	ReceivedAt time.Time
	Token      sett.UUID // the client's own id of the notice; zero when it sent none

	Class       string
	Message     string // without a leading "Class: "
	Causes      []Said // what led to it or wraps it, as far as that is not Class and Message
	Component   string
	Action      string
	Environment string
	Hostname    string
	Revision    string
	Tags        []string
	User        string // label of the affected user: email or id; "" when unknown
	Grouping    Grouping
	Former      Grouping // by rule 1, or by the rules that its project had before: an error that is known by its key goes on

	// Regrouped is when the project changed its rules, if Former is by those before. An error goes on with the first key that it gets since then: by others,
	// its events part.
	Regrouped time.Time `json:",omitzero"`

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
	Near  [16]byte `json:"-"` // since rule 2: of all that may continue one another; see group.Continues
	Rule  int      `json:"rule"`
	Basis string   `json:"basis"` // "fingerprint", "location" or "message"

	Environment string `json:"environment"`
	Fingerprint string `json:"fingerprint,omitempty"`
	Class       string `json:"class,omitempty"`
	Component   string `json:"component,omitempty"`
	File        string `json:"file,omitempty"`
	Method      string `json:"method,omitempty"`
	Line        string `json:"line,omitempty"`
	Message     string `json:"message,omitempty"` // normalised; only where it keeps errors apart

	// Since rule 2.
	Source string `json:"source,omitempty"` // the text of the line, behind that of the line above
	Via    string `json:"via,omitempty"`    // what called the function, where the function alone does not tell
	Signs  string `json:"signs,omitempty"`  // what the message has of codes and names
	Causes string `json:"causes,omitempty"` // what led to the error, nearest first, a line each
	Inside string `json:"inside,omitempty"` // the classes of the errors that wrap the one that decides, the outermost first, a line each

	// Since rule 2; no part of the key, but of what Continues looks at.
	Revision string `json:"revision,omitempty"` // of the notice
	Loose    bool   `json:"loose,omitempty"`    // the function may have another name, or none, while the error goes on
	Callers  string `json:"callers,omitempty"`  // what called the function, and from how many lines away
	Alike    int    `json:"alike,omitempty"`    // percent of the words of a message that another one of the same error has
}

// Seal gives the grouping of a notice of a project its keys.
func (g *Grouping) Seal(projectID int64) {
	g.Key = g.KeyIn(projectID)
	if g.Near = g.Key; g.Rule > 1 {
		g.Near = g.Place().KeyIn(projectID)
	}
}

// Place is the grouping without what may change while the error goes on: events at one place may continue one another; see Continues.
func (g Grouping) Place() Grouping {
	if g.Basis != "location" {
		return g
	}
	if g.Loose {
		g.Method = ""
	}
	g.Line, g.Source, g.Message = "", "", ""
	return g
}

// Inputs is the grouping with nothing but what its key is made of.
func (g Grouping) Inputs() Grouping {
	g.Key, g.Near, g.Inside, g.Revision, g.Loose, g.Callers, g.Alike = [16]byte{}, [16]byte{}, "", "", false, "", 0
	return g
}

// KeyIn returns the key of a grouping in a project: the first 16 bytes of SHA-256 over the rule, the project and every
// input, unused ones as empty. Each text is preceded by its length, so no two different groupings are encoded alike.
func (g Grouping) KeyIn(projectID int64) (k [16]byte) {
	b := make([]byte, 0, 512)
	b = binary.AppendUvarint(b, uint64(g.Rule))
	b = binary.AppendVarint(b, projectID)
	texts := [...]string{g.Basis, g.Environment, g.Fingerprint, g.Class, g.Component, g.File, g.Method, g.Line, g.Message, g.Source, g.Via, g.Signs, g.Causes}
	count := len(texts)
	if g.Rule == 1 {
		count -= 4 // those that rule 1 does not have
	}
	for _, text := range texts[:count] {
		b = binary.AppendUvarint(b, uint64(len(text)))
		b = append(b, text...)
	}
	sum := sha256.Sum256(b)
	copy(k[:], sum[:])
	return k
}

// What the holder of an API key may make in a project without anybody's leave. A key is often public, and every list,
// menu and page of a project shows these. What is over a cap is never lost: it is collected under one name, or keeps
// what was first. On PostgreSQL, nodes that meet new names at the same moment may each go over a cap by those names.
const (
	// MostEnvironments is how many environments a project has when notices and deploys make no more, those that people made
	// included. The payload of a notice keeps the name that it came with; see OtherEnvironment and AlwaysEnvironment.
	MostEnvironments = 200

	// OtherEnvironment is the environment of notices and deploys that name one for which there is no room.
	OtherEnvironment = "(other)"

	// MostOwnEnvironments is how many environments a project may have when a person makes one: people can go over what
	// clients may make, as they can delete it.
	MostOwnEnvironments = 1_000

	// MostEnvironmentsShown is how many environments of a project lists and menus name, and how many of them deploys and counts
	// distinguish. Projects that had more before there was a cap show the first, and all of them in the settings.
	MostEnvironmentsShown = 300

	// MostFaultTags is how many tags a fault keeps: the first. Notices keep all of theirs.
	MostFaultTags = 50

	// MostCheckIns is how many check-ins a project may have. A sync refuses the entries that are over it, and says so.
	MostCheckIns = 1_000
)

// AlwaysEnvironment reports whether an environment has room in every project: where notices go that name none, and where
// those go that name one too many.
func AlwaysEnvironment(name string) bool {
	return name == payload.DefaultEnvironment || name == OtherEnvironment
}

// Collect moves a report to OtherEnvironment. Its body still says where it came from.
func (r *Report) Collect() {
	r.Environment = OtherEnvironment
	for _, g := range []*Grouping{&r.Grouping, &r.Former} {
		g.Environment = OtherEnvironment
		g.Seal(r.ProjectID)
	}
}
