package cell

import "testing"

// What strangers wrote cannot act on a terminal.
func TestPlain(t *testing.T) {
	t.Parallel()
	if got := Plain("a\x1b[31mb\r\nc\u202ed\x00\u009b2Je\tf\u200b"); got != "a[31mb  cd2Je f" {
		t.Errorf("%q", got)
	}
}
