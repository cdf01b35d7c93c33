package faults

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sett/internal/event/payload"
)

// Messages of all parts are listed once, the newest first; what is not kept comes last, and what is left is the part's own.
func TestMessagesOf(t *testing.T) {
	t.Parallel()
	at := func(n int64) time.Time { return time.Unix(n, 0) }
	kept := func(class, message string, count, last int64) KeptMessage {
		said := Said{class, message}
		return KeptMessage{Message{Said: said, Count: count, Last: at(last)}, said.Key()}
	}
	parts := []PartSaid{
		{Own: Said{"A", "own"}, Count: 20, Kept: []KeptMessage{kept("A", "x", 5, 9), kept("A", "own", 1, 3), kept("A", "y", 2, 1), {Message: Message{Count: 4}}}},
		{Own: Said{"A", "x"}, Count: 3},
		{Own: Said{"B", "b"}, Count: 7, Kept: []KeptMessage{kept("A", "y", 1, 8)}},
	}
	want := []Message{
		{Said: Said{"A", "x"}, Count: 8, Last: at(9)},
		{Said: Said{"A", "y"}, Count: 3, Last: at(8)},
		{Said: Said{"A", "own"}, Count: 9, Last: at(3)},
		{Said: Said{"B", "b"}, Count: 6},
		{Count: 4, Rest: true},
	}
	got := MessagesOf(parts)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if n, differ := NewestOf(got); !differ || n != (Newest{Said{"A", "x"}, 3, true}) {
		t.Errorf("the newest is %+v, %t", n, differ)
	}
	if n, differ := NewestOf(MessagesOf([]PartSaid{{Own: Said{"A", "own"}, Count: 2}, {Own: Said{"A", "own"}}})); differ {
		t.Errorf("one message differs: %+v", n)
	}
}

// A notice says what it or a cause of it has, as reports spell it.
func TestNoticeSays(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", LongestSaid)
	n := Notice{Payload: payload.Payload{Class: " A\nB ", Message: long + "1", Causes: []payload.Cause{{Class: "C", Message: "y"}}}}
	for said, want := range map[Said]bool{{"A B", long + "2"}: true, {"C", "y"}: true, {"A", long}: false, {"C", "z"}: false} {
		if got := n.Says(said.Key()); got != want {
			t.Errorf("%.20q: %t", said, got)
		}
	}
	key := Said{"A", "x"}.Key()
	if back, ok := ParseSaidKey(key.String()); !ok || back != key {
		t.Error("a key does not survive its text")
	}
	for _, text := range []string{"", "zz", key.String() + "00", key.String()[2:]} {
		if _, ok := ParseSaidKey(text); ok {
			t.Errorf("%q is a key", text)
		}
	}
}
