package group

import (
	"encoding/hex"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"sett/internal/sett/faults"
)

func TestOf(t *testing.T) {
	t.Parallel()
	app := &Frame{File: "[PROJECT_ROOT]/app/order.rb", Method: "pay", Line: "12"}
	library := &Frame{File: "[GEM_ROOT]/gems/rack-3.1.8/lib/rack.rb", Method: "call", Line: "7"}
	for name, c := range map[string]struct {
		in   Input
		want faults.Grouping
	}{
		"fingerprint": {
			Input{Environment: "production", Fingerprint: " mine ", Class: "A", Message: "m", App: app},
			faults.Grouping{Rule: 1, Basis: "fingerprint", Environment: "production", Fingerprint: "mine"},
		},
		"location": {
			Input{Environment: "production", Fingerprint: " \t", Class: "A", Component: "orders", Message: "m", App: app, Top: library},
			faults.Grouping{Rule: 1, Basis: "location", Environment: "production", Class: "A", Component: "orders", File: "app/order.rb", Method: "pay", Line: "12"},
		},
		"method without a file": {
			Input{Class: "A", App: &Frame{Method: "start/2"}},
			faults.Grouping{Rule: 1, Basis: "location", Class: "A", Method: "start/2"},
		},
		"message": {
			Input{Class: "A", Component: "orders", Message: "no order 12", Top: library},
			faults.Grouping{Rule: 1, Basis: "message", Class: "A", Component: "orders", Message: "no order <number>"},
		},
		"application frame that says nothing": {
			Input{Class: "A", Message: "m", App: &Frame{Method: "<unknown>", Line: "3"}},
			faults.Grouping{Rule: 1, Basis: "message", Class: "A", Message: "m"},
		},
		"neither frame nor message": {
			Input{Class: "A", Top: library},
			faults.Grouping{Rule: 1, Basis: "message", Class: "A", Method: "call"},
		},
		"anonymous class": {
			Input{Class: "#<Class:0x00007f8a9c>::Error", Message: "m"},
			faults.Grouping{Rule: 1, Basis: "message", Class: "#<Class:<number>>::Error", Message: "m"},
		},
		"nothing at all": {
			Input{},
			faults.Grouping{Rule: 1, Basis: "message"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := Of(c.in)
			if got.Key == [16]byte{} {
				t.Error("no key")
			}
			if got.Near != got.Key {
				t.Error("rule 1 knows no places")
			}
			got.Key, got.Near = [16]byte{}, [16]byte{}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("Of (-want +got):\n%s", diff)
			}
		})
	}
}

// A key is stored with its fault: with the same Rule it must never change. Raise Rule together with these.
func TestKeysStayWithTheRule(t *testing.T) {
	t.Parallel()
	app := &Frame{File: "app/order.rb", Method: "pay", Line: "12"}
	for _, c := range []struct {
		in   Input
		want string
	}{
		{Input{ProjectID: 7, Environment: "production", Fingerprint: "mine"}, "597f6bfce743f61cd680830b3874421d"},
		{Input{ProjectID: 7, Environment: "production", Class: "A", Component: "orders", Message: "m", App: app}, "932a6246489a4c2af012a3844fc3f3c9"},
		{Input{ProjectID: 7, Environment: "production", Class: "A", Message: "no order 12 for 'x'"}, "a3bca8c599a36b38156d487ebcbb0809"},
	} {
		key := Of(c.in).Key
		if got := hex.EncodeToString(key[:]); got != c.want {
			t.Errorf("key of %+v is %s, was %s", c.in, got, c.want)
		}
	}
}

// names are texts that normalising leaves alone.
func names() *rapid.Generator[string] { return rapid.StringMatching(`[g-z]{1,8}`) }

func inputs() *rapid.Generator[Input] {
	return rapid.Custom(func(t *rapid.T) Input {
		name := func(label string) string { return names().Draw(t, label) }
		in := Input{
			ProjectID: rapid.Int64Range(1, 5).Draw(t, "project"), Environment: name("environment"),
			Class: name("class"), Component: name("component"), Message: name("message"),
		}
		if rapid.Bool().Draw(t, "has app frame") {
			in.App = &Frame{File: name("file"), Method: name("method"), Line: name("line")}
		}
		if rapid.Bool().Draw(t, "has fingerprint") {
			in.Fingerprint = name("fingerprint")
		}
		return in
	})
}

// changes is how each part of an input can become another.
var changes = map[string]func(*Input){
	"project":     func(in *Input) { in.ProjectID++ },
	"environment": func(in *Input) { in.Environment += "x" },
	"fingerprint": func(in *Input) { in.Fingerprint += "x" },
	"class":       func(in *Input) { in.Class += "x" },
	"component":   func(in *Input) { in.Component += "x" },
	"message":     func(in *Input) { in.Message += "x" },
	"file":        func(in *Input) { in.App.File += "x" },
	"method":      func(in *Input) { in.App.Method += "x" },
	"line":        func(in *Input) { in.App.Line += "x" },
	"top frame":   func(in *Input) { in.Top = &Frame{File: "gems/rack.rb", Method: "call", Line: "1"} },
}

// matters says which parts decide, according to the issue that asked for grouping.
func matters(in Input, part string) bool {
	switch {
	case part == "project" || part == "environment" || part == "fingerprint":
		return true
	case in.Fingerprint != "" || part == "top frame":
		return false
	case part == "message":
		return in.App == nil
	default:
		return true
	}
}

func TestOfChangesOnlyWithWhatMatters(t *testing.T) {
	t.Parallel()
	for part, change := range changes {
		t.Run(part, func(t *testing.T) {
			t.Parallel()
			rapid.Check(t, func(t *rapid.T) {
				in := inputs().Draw(t, "input")
				changed := in
				if in.App != nil {
					frame := *in.App
					changed.App = &frame
				} else if part == "file" || part == "method" || part == "line" {
					t.Skip("no application frame")
				}
				change(&changed)
				if differ := Of(in).Key != Of(changed).Key; differ != matters(in, part) {
					t.Fatalf("keys differ: %v, of %+v and %+v", differ, in, changed)
				}
			})
		})
	}
}

func TestOfIgnoresNumbersInMessages(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		in := inputs().Draw(t, "input")
		other := in
		in.Message += " " + rapid.StringMatching(`[0-9]{1,9}`).Draw(t, "number")
		other.Message += " " + rapid.StringMatching(`[0-9]{1,9}`).Draw(t, "other number")
		if Of(in) != Of(other) {
			t.Fatalf("%q and %q are grouped apart", in.Message, other.Message)
		}
	})
}

func TestOfIgnoresWhereTheSameScriptIsServedFrom(t *testing.T) {
	t.Parallel()
	host := rapid.StringMatching(`https?://[a-z]{1,9}(\.[a-z]{2,5}){0,2}(:[0-9]{2,5})?/`)
	build := rapid.StringMatching(`[0-9][0-9a-f]{5,11}`)
	query := rapid.StringMatching(`(\?[a-z]=[0-9a-z]{0,5})?(#[a-z0-9]{0,5})?`)
	rapid.Check(t, func(t *rapid.T) {
		in := inputs().Draw(t, "input")
		script := names().Draw(t, "script")
		served := func(label string) faults.Grouping {
			in.App = &Frame{
				File:   host.Draw(t, label+" host") + script + "-" + build.Draw(t, label+" build") + ".js" + query.Draw(t, label+" query"),
				Method: rapid.SampledFrom([]string{"", "<anonymous>", "<unknown>"}).Draw(t, label+" method"),
				Line:   "1",
			}
			return Of(in)
		}
		if diff := cmp.Diff(served("one"), served("other")); diff != "" {
			t.Fatalf("grouped apart (-one +other):\n%s", diff)
		}
	})
}

// Moving the border between two inputs, as from "ab" and "c" to "a" and "bc", or an input into its neighbour's place,
// is another key.
func TestKeysDoNotRunTogether(t *testing.T) {
	t.Parallel()
	texts := func(g *faults.Grouping) []*string {
		return []*string{
			&g.Basis, &g.Environment, &g.Fingerprint, &g.Class, &g.Component, &g.File, &g.Method, &g.Line, &g.Message,
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		var a, b faults.Grouping
		for i := range texts(&a) {
			*texts(&a)[i] = rapid.StringMatching(`[ab]{0,3}`).Draw(t, "text")
		}
		b = a
		i := rapid.IntRange(0, len(texts(&b))-2).Draw(t, "border")
		left, right := texts(&b)[i], texts(&b)[i+1]
		joined := *left + *right
		cut := rapid.IntRange(0, len(joined)).Draw(t, "cut")
		*left, *right = joined[:cut], joined[cut:]
		if same := a == b; (a.KeyIn(1) == b.KeyIn(1)) != same {
			t.Fatalf("same inputs: %v, but not so the keys of %+v and %+v", same, a, b)
		}
	})
}

func TestOfKeepsLongTextsShort(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("é", 600)
	a, b := Of(Input{Fingerprint: long + "a"}), Of(Input{Fingerprint: long + "b"})
	if n := utf8.RuneCountInString(a.Fingerprint); n != 500 || a.Fingerprint != b.Fingerprint {
		t.Errorf("%d runes are kept", n)
	}
	if a.Key == b.Key {
		t.Error("what is not kept must still decide")
	}
}

func BenchmarkOf(b *testing.B) {
	in := Input{
		ProjectID: 7, Environment: "production", Class: "PG::UniqueViolation", Component: "orders",
		Message: "duplicate key value 'x' in row 1234 at 2026-10-07 21:12:40 UTC",
		Top:     &Frame{File: "[GEM_ROOT]/gems/pg-1.5.4/lib/pg.rb", Method: "exec", Line: "1"},
	}
	app := Frame{File: "[PROJECT_ROOT]/app/models/order.rb", Method: "block in pay", Line: "120"}
	script := Frame{File: "https://cdn.example.com/assets/app-3f2a9c1b.js?v=1", Method: "Object.<anonymous>", Line: "1"}
	for name, frame := range map[string]*Frame{"location": &app, "script": &script, "message": nil} {
		b.Run(name, func(b *testing.B) {
			in := in
			in.App = frame
			b.ReportAllocs()
			for b.Loop() {
				Of(in)
			}
		})
	}
}
