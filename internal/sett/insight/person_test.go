package insight_test

import (
	"testing"

	"sett/internal/event/column"
	"sett/internal/sett/insight"
)

// An event belongs to the same person whether it is read whole or by column.
func TestWhoseAnEventIs(t *testing.T) {
	t.Parallel()
	const ines = "ines@example.org"
	text := insight.TextField
	long := make([]byte, 300)
	for i := range long {
		long[i] = 'x'
	}
	for _, c := range []struct {
		name     string
		person   string
		anywhere bool
		field    string
		event    insight.Field
		want     bool
	}{
		{"an address anywhere", ines, true, "", text("mail.to", " Ines@Example.org "), true},
		{"in a list", ines, true, "", insight.Field{Key: "to", Value: `["olaf@example.org","INES@example.org"]`}, true},
		{"deep in a list", ines, true, "", insight.Field{Key: "rows", Value: `[{"a":{"b":["ines@example.org"]}}]`}, true},
		{"in a sentence", ines, true, "", text("message", "ines@example.org signed in"), false},
		{"of another", ines, true, "", text("user.email", "olaf@example.org"), false},
		{"as a key", ines, true, "", text(ines, "1"), false},
		{"an id as a number", "7", false, "", insight.NumberField("user_id", 7), true},
		{"an id as a text", "7", false, "", text("Context.User.ID", "7"), true},
		{"an id elsewhere", "7", false, "", insight.NumberField("page", 7), false},
		{"an id of something else", "7", false, "", insight.NumberField("order.id", 7), false},
		{"an id in a list", "7", false, "", insight.Field{Key: "users", Value: `[{"user":{"id":7}}]`}, true},
		{"OpenTelemetry", "7", false, "", text("enduser.id", "7"), true},
		{"the field of the project", "7", false, "context.account.id", insight.NumberField("account.id", 7), true},
		{"a longer number", "7", false, "", insight.NumberField("user_id", 70), false},
		{"true", "true", false, "", insight.Field{Key: "user", Value: "true"}, false},
		{"null", "null", true, "", insight.Field{Key: "user", Value: "null"}, false},
		{"a star", "*", false, "", text("user", "7"), false},
		{"a longer text", string(long[:256]), true, "", text("user", string(long)), false},
	} {
		p := insight.NewPerson(c.person, c.anywhere, c.field)
		events := []insight.Event{{Fields: []insight.Field{text("n", "1")}}, {Fields: []insight.Field{text("z", "y"), c.event}}}
		if got := p.Of(events[1]); got != c.want || p.Of(events[0]) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
		chunks, err := insight.NewPacker().Pack(events)
		if err != nil {
			t.Fatal(err)
		}
		at, err := insight.OpenTimes(chunks[0].Times, chunks[0].First, chunks[0].Rows)
		if err != nil {
			t.Fatal(err)
		}
		packed := insight.FrameOfChunk(at, func(n int) ([]byte, error) { return chunks[0].Columns.Parts[n], nil })
		for how, frame := range map[string]*insight.Frame{"waiting": insight.FrameOf(events), "packed": packed} {
			want := column.NewSet(2)
			if c.want {
				want.Add(1)
			}
			if got, err := p.Rows(frame); err != nil || got[0] != want[0] {
				t.Errorf("%s, %s: %v, %v, want %v", c.name, how, got, err, want)
			}
		}
	}
}
