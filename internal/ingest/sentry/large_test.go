package sentry

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"sett/internal/sett"
)

// keepAll is a keeper with room for everything.
func keepAll() Keeper {
	return Keeper{Head: func(Envelope) error { return nil }, Room: func(Item) int { return 1 << 20 }, Total: 1 << 20, Hold: func(int) error { return nil }}
}

func TestLargeEnvelopesKeepWhatFits(t *testing.T) {
	t.Parallel()
	sized := func(kind string, n int) string {
		return fmt.Sprintf("{\"type\":%q,\"length\":%d}\n%s\n", kind, n, strings.Repeat("x", n))
	}
	lined := func(kind string, n int) string {
		return fmt.Sprintf("{\"type\":%q}\n%s\n", kind, strings.Repeat("y", n))
	}
	k := keepAll()
	k.Total = 100 << 10
	k.Room = func(i Item) int { return map[string]int{"event": 100 << 10, "attachment": 10}[i.Type] }
	held := 0
	k.Hold = func(n int) error {
		held += n
		return nil
	}
	body := `{"event_id":"a"}` + "\n" + sized("attachment", 1<<20) + "\n" + lined("event", 70<<10) + lined("event", 70<<10) + sized("attachment", 10) + lined("transaction", 1<<20) + sized("event", 20<<10) + sized("event", 20<<10)
	e, err := ReadLargeEnvelope(iotest.OneByteReader(strings.NewReader(body)), k)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, i := range e.Items {
		got = append(got, fmt.Sprint(i.Type, " ", len(i.Payload), " ", i.Large))
	}
	want := []string{"attachment 0 true", "event 71680 false", "event 0 true", "attachment 10 false", "transaction 0 true", "event 20480 false", "event 0 true"}
	if diff := cmp.Diff(want, got); diff != "" || e.EventID != "a" {
		t.Errorf("of %q (-want +got):\n%s", e.EventID, diff)
	}
	if held > 2*(100<<10) {
		t.Errorf("%d bytes are held", held)
	}
}

// A length that is too small does not cost the items behind, whether the item is kept or not.
func TestLargeEnvelopesWithAWrongLength(t *testing.T) {
	t.Parallel()
	for _, room := range []int{0, 100} {
		k := keepAll()
		k.Room = func(i Item) int { return room }
		e, err := ReadLargeEnvelope(strings.NewReader("{}\n{\"type\":\"event\",\"length\":5}\n{\"a\":\"bcd\"}\n{\"type\":\"session\"}\n{}\n"), k)
		if err != nil || len(e.Items) != 2 || e.LeftOut != 0 || len(e.Items[0].Repairs) != 1 || e.Items[1].Type != "session" {
			t.Errorf("with room for %d bytes: %+v, %v", room, e, err)
		}
		if room > 0 && string(e.Items[0].Payload) != `{"a":"bcd"}` {
			t.Errorf("the payload is %s", e.Items[0].Payload)
		}
	}
}

func TestLargeEnvelopesThatAreRefused(t *testing.T) {
	t.Parallel()
	full := keepAll()
	full.Hold = func(int) error { return sett.Errorf(sett.Unavailable, "full") }
	closed := keepAll()
	closed.Head = func(Envelope) error { return sett.Errorf(sett.Forbidden, "no") }
	for name, c := range map[string]struct {
		body io.Reader
		k    Keeper
		code sett.Code
	}{
		"no object":          {strings.NewReader("[]\n"), keepAll(), sett.Malformed},
		"nothing":            {strings.NewReader(""), keepAll(), sett.Malformed},
		"a long header":      {strings.NewReader(strings.Repeat(" ", maxHeader+1)), keepAll(), sett.TooLarge},
		"a long item header": {strings.NewReader("{}\n" + strings.Repeat("x", maxHeader+1)), keepAll(), sett.TooLarge},
		"no memory, a line":  {strings.NewReader("{}\n{\"type\":\"event\"}\nx"), full, sett.Unavailable},
		"no memory":          {strings.NewReader("{}\n{\"type\":\"event\",\"length\":1}\nx"), full, sett.Unavailable},
		"a strange key":      {strings.NewReader("{}\n{\"type\":\"event\"}\nx"), closed, sett.Forbidden},
		"a lost connection":  {io.MultiReader(strings.NewReader("{}\n{\"type\":\"event\"}\nx"), iotest.ErrReader(sett.Errorf(sett.Malformed, "lost"))), keepAll(), sett.Malformed},
	} {
		if _, err := ReadLargeEnvelope(c.body, c.k); sett.CodeOf(err) != c.code {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// With enough room, an envelope that is read in parts is the same as one that is read whole.
func FuzzReadLargeEnvelope(f *testing.F) {
	for _, text := range []string{
		"{}", "{}\n", "{\"event_id\":\"a\"}\n{\"type\":\"event\"}\n{}\n\n{\"type\":\"x\",\"length\":3}\nabc\n", "{}\n{\"type\":\"event\",\"length\":9}\nabc", "{}\r\n{\"type\":\"event\"}\r\n{}\r\n",
		"{}\n{\"type\":\"event\"}", "{}\n[]\n{}", "{}\n{\"length\":0}\n\n{\"type\":\"a\"}\n",
		"{}\n{\"type\":\"event\",\"length\":5}\n{\"a\":\"bcd\"}\n{\"type\":\"x\"}\n{}\n", "{}\n{\"length\":0}\n{}",
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		want, wantErr := ReadEnvelope(bytes.TrimLeft(body, " \t\r\n\uFEFF")) // which repair drops before a second reading
		got, err := ReadLargeEnvelope(strings.NewReader(string(body)), keepAll())
		if sett.CodeOf(err) == sett.TooLarge && len(body) > maxHeader {
			return
		}
		if (err == nil) != (wantErr == nil) {
			t.Fatalf("%q: %v, want %v", body, err, wantErr)
		}
		if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); err == nil && diff != "" {
			t.Fatalf("%q (-want +got):\n%s", body, diff)
		}
	})
}
