package job

import (
	"strings"
	"sync"
	"unicode/utf8"
)

// mostTail is how many bytes of an output are kept: its end says how it went.
const mostTail = 8 << 10

// tail keeps the end of what is written to it. It is safe for concurrent use.
type tail struct {
	mu   sync.Mutex
	kept []byte
}

// Write never fails.
func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.kept = append(t.kept, p[max(0, len(p)-2*mostTail):]...)
	if len(t.kept) > 2*mostTail {
		t.kept = append(t.kept[:0], t.kept[len(t.kept)-mostTail-utf8.UTFMax:]...) // String cuts it between characters
	}
	return len(p), nil
}

// String returns the end as valid UTF-8, at most mostTail bytes.
func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	whole := lastOf(string(t.kept), mostTail)
	return lastOf(strings.ToValidUTF8(whole, string(utf8.RuneError)), mostTail)
}

// lastOf returns the end of a text, at most so many bytes, that does not begin inside a character.
func lastOf(text string, most int) string {
	if len(text) <= most {
		return text
	}
	text = text[len(text)-most:]
	for i := range min(len(text), utf8.UTFMax) {
		if utf8.RuneStart(text[i]) {
			return text[i:]
		}
	}
	return text
}
