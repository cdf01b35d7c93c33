package sett

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"time"
)

// AuditEntry is one change: who made it, what, when and from where. It names everything by text, so that it
// outlives what it is about.
type AuditEntry struct {
	ID        int64  // given by the store
	AccountID string // "" for a change in no account
	At        time.Time
	User      Person
	Token     string            // name of the personal token that was used; "" for none
	Action    string            // name of the route, such as "updateProject"
	Subject   string            // what the project, team or account of the path was called; "" where it names none
	Target    map[string]string // the ids in the path, such as "project_id"
	Query     json.RawMessage   // the parameters, see Masked; an object
	Changes   json.RawMessage   // the body, see Masked; an object
	Address   string            // of the network, as far as proxies are trusted
	UserAgent string
}

// What an entry keeps of a request, in bytes: of all, of each text in it, and of the name of the client's program.
const (
	maxAudit      = 8 << 10
	maxAuditText  = 500
	maxAuditAgent = 200
)

// Hidden stands in the audit log for what was kept out of it: the value of a secret.
const Hidden = "[hidden]"

// cutMark stands in the audit log where there was more.
const cutMark = "…"

// CutAgent returns the name of a client's program as the audit log keeps it: UTF-8 without NUL, and not too long.
func CutAgent(userAgent string) string {
	return CutText(strings.ReplaceAll(strings.ToValidUTF8(userAgent, "\uFFFD"), "\x00", ""), maxAuditAgent)
}

// MaskedBody returns a JSON object as the audit log keeps it: with Hidden instead of every value under the name of a
// secret, and cut to a size that can be kept; {} for what is no object.
func MaskedBody(body []byte) json.RawMessage {
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.UseNumber()
	var object map[string]any
	if decoder.Decode(&object) != nil {
		object = nil
	}
	return masked(object)
}

// MaskedQuery returns the parameters of a request as the audit log keeps them, as MaskedBody does; of each only the first
// value, which is the one that counts.
func MaskedQuery(query map[string][]string) json.RawMessage {
	object := map[string]any{}
	for name, values := range query {
		if len(values) > 0 {
			object[name] = values[0]
		}
	}
	return masked(object)
}

// MaskedFields returns what was changed, by the names of its fields, as the audit log keeps it.
func MaskedFields(fields map[string]any) json.RawMessage { return masked(fields) }

func masked(object map[string]any) json.RawMessage {
	m := masking{room: maxAudit}
	text, err := json.Marshal(m.object(object, false))
	if err != nil {
		panic("sett: what was JSON is none: " + err.Error())
	}
	return text
}

// masking copies JSON values as long as there is room.
type masking struct{ room int }

func (m *masking) object(from map[string]any, secret bool) map[string]any {
	to := map[string]any{}
	for _, name := range slices.Sorted(maps.Keys(from)) {
		short := CutText(name, maxAuditText)
		if m.room -= len(short); m.room < 0 {
			to[cutMark] = cutMark
			break
		}
		to[short] = m.value(from[name], secret || IsSecret(name))
	}
	return to
}

func (m *masking) list(from []any, secret bool) []any {
	to := []any{}
	for _, v := range from {
		if m.room < 0 {
			return append(to, cutMark)
		}
		to = append(to, m.value(v, secret))
	}
	return to
}

// value copies a value; every one costs some room, so that neither depth nor length is without bounds.
func (m *masking) value(v any, secret bool) any {
	m.room -= 4
	switch v := v.(type) {
	case map[string]any:
		return m.object(v, secret)
	case []any:
		return m.list(v, secret)
	case nil:
		return nil
	case string:
		if !secret {
			v = CutText(maskAddress(v), maxAuditText)
			m.room -= len(v)
			return v
		}
	case json.Number:
		if !secret {
			m.room -= len(v)
			return v
		}
	}
	if secret {
		return Hidden
	}
	return v
}

// IsSecret reports whether the value of a name must be masked. The options of an integration and the request of a check may
// contain secrets under any name.
func IsSecret(name string) bool {
	name = strings.ToLower(name)
	for _, whole := range [...]string{"key", "code", "options", "request_body"} {
		if name == whole || strings.HasPrefix(name, whole+".") { // forms send what is inside by such names
			return true
		}
	}
	for _, part := range [...]string{
		"passw", "passphrase", "private_key", "api_key", "apikey", "secret", "token", "authorization", "cookie", "credential", "header", "recovery",
	} {
		if strings.Contains(name, part) {
			return true
		}
	}
	return false
}

// CutText returns a text of at most so many bytes, and the mark behind it when there was more.
func CutText(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + cutMark
}
