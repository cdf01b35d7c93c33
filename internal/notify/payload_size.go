package notify

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"
)

// mostPayload is how large the body of a webhook may be, in bytes.
const mostPayload = 256 << 10

// sizeBudget limits the parts of a payload.
type sizeBudget struct {
	text  int // bytes of a text, as JSON
	items int // of an array, and of an object whose keys clients chose
	depth int // of such an object
}

// sizeBudgets are tried in turn until a payload is small enough. Any payload fits the last one.
func sizeBudgets() []sizeBudget {
	return []sizeBudget{{16 << 10, 200, 8}, {4 << 10, 100, 6}, {1 << 10, 50, 4}, {400, 20, 2}, {100, 10, 1}}
}

// clientMembers are the members whose keys come from clients or sites. All other objects keep their members.
func clientMembers() []string {
	return []string{"params", "session", "context", "web_environment", "stats", "source", "args", "headers", "response_headers"}
}

// chosenByClients reports whether a member's keys come from clients or sites. In payloads of version 3, source is a list of lines.
func chosenByClients(member string, value any) bool {
	_, listed := value.([]any)
	return slices.Contains(clientMembers(), member) && !(listed && member == "source")
}

// shorten returns a payload of at most the given size. In a payload that is too large, long texts, long lists and large
// client objects are truncated; its member shortened lists where.
func shorten(body []byte, most int) ([]byte, error) {
	for _, r := range sizeBudgets() {
		if len(body) <= most {
			return body, nil
		}
		var root map[string]any
		d := json.NewDecoder(bytes.NewReader(body))
		d.UseNumber()
		if err := d.Decode(&root); err != nil {
			return nil, err
		}
		s := shortener{sizeBudget: r, where: map[string]bool{}}
		for _, place := range textsIn(root["shortened"]) {
			s.where[place] = true
		}
		delete(root, "shortened")
		short, _ := s.object(root, nil, 0).(map[string]any)
		short["shortened"] = slices.Sorted(maps.Keys(s.where))
		shorter, err := json.Marshal(short)
		if err != nil {
			return nil, err
		}
		body = shorter
	}
	return body, nil
}

// textsIn returns the texts of an array.
func textsIn(v any) (texts []string) {
	list, _ := v.([]any)
	for _, item := range list {
		if text, ok := item.(string); ok {
			texts = append(texts, text)
		}
	}
	return texts
}

// shortener shortens one payload, and notes where.
type shortener struct {
	sizeBudget
	where map[string]bool
}

// note remembers a place by the member of the payload that it is in, at most three names deep: what is below them is
// named by clients.
func (s *shortener) note(path []string) {
	s.where[strings.Join(path[:min(len(path), 3)], ".")] = true
}

// value shortens a value; loose is how deep it is in an object whose keys clients chose, 0 outside of one.
func (s *shortener) value(v any, path []string, loose int) any {
	switch v := v.(type) {
	case string:
		return s.cutText(v, path)
	case json.Number:
		return s.cutNumber(v, path)
	case []any:
		if len(v) > s.items {
			s.note(path)
			v = v[:s.items]
		}
		if loose > s.depth {
			s.note(path)
			return "..."
		}
		short := make([]any, len(v))
		for i := range v {
			short[i] = s.value(v[i], path, deeper(loose))
		}
		return short
	case map[string]any:
		return s.object(v, path, loose)
	}
	return v
}

func deeper(loose int) int {
	if loose == 0 {
		return 0
	}
	return loose + 1
}

func (s *shortener) object(o map[string]any, path []string, loose int) any {
	if loose > s.depth {
		s.note(path)
		return "..."
	}
	keys := slices.Sorted(maps.Keys(o))
	if loose > 0 && len(keys) > s.items {
		s.note(path)
		keys = keys[:s.items]
	}
	short := make(map[string]any, len(keys))
	for _, key := range keys {
		below := append(slices.Clone(path), key)
		inner := deeper(loose)
		if loose == 0 && chosenByClients(key, o[key]) {
			inner = 1
		}
		name := key
		if loose > 0 {
			name = s.cutText(key, path)
		}
		short[name] = s.value(o[key], below, inner)
	}
	return short
}

// longestNumber is more digits than a float64 can represent.
const longestNumber = 40

// cutNumber removes insignificant digits of a number.
func (s *shortener) cutNumber(n json.Number, path []string) any {
	if len(n) <= longestNumber {
		return n
	}
	s.note(path)
	f, err := n.Float64()
	if err != nil {
		return nil
	}
	return f
}

// cutText cuts a text whose JSON is too long.
func (s *shortener) cutText(text string, path []string) string {
	if len(text) <= s.text/6 { // no character takes more than six bytes for one
		return text
	}
	kept := 0
	for i, r := range text {
		if kept += sizeOf(r); kept > s.text {
			s.note(path)
			return text[:i] + "..."
		}
	}
	return text
}

// sizeOf is how many bytes a character takes as encoding/json writes it.
func sizeOf(r rune) int {
	switch {
	case r < ' ', r == '<', r == '>', r == '&', r == '\u2028', r == '\u2029':
		return 6
	case r == '"', r == '\\':
		return 2
	}
	return utf8.RuneLen(r)
}
