package sett

import (
	"bytes"
	"encoding/json"
	"maps"
	"net/url"
	"slices"
	"strings"
)

// MaskAddress returns a text with Hidden in place of what an address in it lets others in with: the user and password
// before its host, and the values of secrets among its parameters. A text that is no address has none of these.
func MaskAddress(text string) string { return MaskAddressWith(text, Hidden) }

// MaskAddressWith is MaskAddress with another text in place of secrets.
func MaskAddressWith(text, mask string) string {
	scheme, rest, ok := strings.Cut(text, "://")
	if !ok {
		return text
	}
	end := strings.IndexAny(rest, "/?#")
	if end < 0 {
		end = len(rest)
	}
	authority, rest := rest[:end], rest[end:]
	if at := strings.LastIndex(authority, "@"); at >= 0 {
		authority = mask + authority[at:]
	}
	rest, fragment, ok := strings.Cut(rest, "#")
	if ok {
		fragment = "#" + fragment
	}
	path, query, ok := strings.Cut(rest, "?")
	if ok {
		query = "?" + maskParameters(query, mask)
	}
	return scheme + "://" + authority + path + query + fragment
}

func maskParameters(query, mask string) string {
	parameters := strings.Split(query, "&")
	for i, parameter := range parameters {
		name, _, ok := strings.Cut(parameter, "=")
		if plain, err := url.QueryUnescape(name); ok && (err != nil || IsSecret(plain)) {
			parameters[i] = name + "=" + mask
		}
	}
	return strings.Join(parameters, "&")
}

// What an entry of the audit log keeps of a request, in bytes: of all, and of each text in it.
const (
	maxAudit     = 8 << 10
	maxAuditText = 500
)

// Hidden stands in the audit log for what was kept out of it: the value of a secret.
const Hidden = "[hidden]"

// CutMark stands in the audit log where there was more.
const CutMark = "…"

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
			to[CutMark] = CutMark
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
			return append(to, CutMark)
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
			v = CutText(MaskAddress(v), maxAuditText)
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
	return strings.ToValidUTF8(text[:most], "") + CutMark
}
