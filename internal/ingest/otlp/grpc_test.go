package otlp

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/iotest"

	"sett/internal/sett"
)

// A call has one whole message, however its bytes arrive; what follows it is not read.
func TestUnframe(t *testing.T) {
	t.Parallel()
	for call, want := range map[string]string{
		"\x00\x00\x00\x00\x03abc": "abc", "\x01\x00\x00\x00\x02ab": "ab compressed", "\x00\x00\x00\x00\x00": "", "\x00\x00\x00\x00\x01abc": "a",
		"\x00\x00\x00\x00\x04abc": "ends in the middle", "\x00\x00\x00": "has no message", "": "has no message", "\x02\x00\x00\x00\x00": "has no message",
	} {
		message, size, compressed, err := Unframe(iotest.OneByteReader(strings.NewReader(call)))
		var text []byte
		if err == nil {
			text, err = io.ReadAll(message)
		}
		got := string(text)
		if compressed {
			got += " compressed"
		}
		if err != nil && (sett.CodeOf(err) != sett.Malformed || !strings.Contains(err.Error(), want)) || err == nil && (got != want || size != int64(len(text))) {
			t.Errorf("%q is %q of %d bytes, %v; want %q", call, got, size, err, want)
		}
	}
}

func TestStatusOfCalls(t *testing.T) {
	t.Parallel()
	if got, want := HeaderText("100% of Zürich\n"), "100%25 of Z%C3%BCrich%0A"; got != want {
		t.Errorf("the text is %q, want %q", got, want)
	}
	if got := string(Frame([]byte("ab"))); got != "\x00\x00\x00\x00\x02ab" {
		t.Errorf("the frame is %q", got)
	}
	if CodeOf(http.StatusServiceUnavailable) != 14 || CodeOf(http.StatusUnauthorized) != 16 {
		t.Error("the codes are others")
	}
}
