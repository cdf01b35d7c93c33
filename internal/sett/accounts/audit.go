package accounts

import (
	"encoding/json"
	"strings"
	"time"

	"sett/internal/sett"
)

// AuditEntry is one change: who made it, what, when and from where. It names everything by text, so that it
// outlives what it is about.
type AuditEntry struct {
	ID        int64  // given by the store
	AccountID string // "" for a change in no account
	At        time.Time
	User      sett.Person
	Token     string            // name of the personal token that was used; "" for none
	Action    string            // name of the route, such as "updateProject"
	Subject   string            // what the project, team or account of the path was called; "" where it names none
	Object    string            // what the innermost object of the path, such as the fault, was called before the change; "" for none
	Target    map[string]string // the ids in the path, such as "project_id"
	Query     json.RawMessage   // the parameters, see Masked; an object
	Changes   json.RawMessage   // the body, see Masked; an object
	Address   string            // of the network, as far as proxies are trusted
	UserAgent string
}

// LongestAuditObject is what an entry keeps of the name of an object, in bytes.
const LongestAuditObject = 300

// maxAuditAgent is what an entry keeps of the name of a client's program, in bytes.
const maxAuditAgent = 200

// CutAgent returns the name of a client's program as the audit log keeps it: UTF-8 without NUL, and not too long.
func CutAgent(userAgent string) string {
	return sett.CutText(strings.ReplaceAll(strings.ToValidUTF8(userAgent, "\uFFFD"), "\x00", ""), maxAuditAgent)
}
