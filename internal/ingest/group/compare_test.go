package group

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"sett/internal/sett/faults"
)

func TestCompare(t *testing.T) {
	t.Parallel()
	this := Of(Input{Environment: "production", Class: "Boom", Component: "Cart", Message: "m", App: &Frame{File: "app/cart.rb", Method: "total", Line: "7"}})
	that := Of(Input{Environment: "production", Class: "Boom", Component: "Cart", Message: "out of 7 things"})
	want := []Line{
		{"Environment", "production", "production"},
		{"Class", "Boom", "Boom"},
		{"Component", "Cart", "Cart"},
		{"File", "app/cart.rb", ""},
		{"Method", "total", ""},
		{"Line", this.Line, ""},
		{"Message", "", that.Message},
		{"Version of the rule", "1", "1"},
	}
	if this.Line == "" {
		want = append(want[:5], want[6:]...)
	}
	got := Compare(this, that)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if !got[0].Same() || got[3].Same() {
		t.Error("the same are different, or the other way round")
	}
	if got := Compare(faults.Grouping{}, faults.Grouping{}); got != nil {
		t.Errorf("of nothing: %v", got)
	}
}

func TestLikeness(t *testing.T) {
	t.Parallel()
	subject := func(class, component, message, file, line string) Subject {
		return Subject{faults.Grouping{File: file, Method: "total", Line: line}, class, component, message}
	}
	me := subject("Boom", "Cart", "order 17 has no total", "cart.rb", "7")
	best := 1.0001
	for _, other := range []Subject{ // each resembles it less than the one before
		me,
		subject("Boom", "Cart", "order 42 has no total", "cart.rb", "8"),
		subject("Boom", "Cart", "order 42 has no total", "other.rb", "8"),
		subject("Boom", "", "order 42 has no price", "other.rb", "8"),
		subject("Bang", "", "order 42 has no price", "other.rb", "8"),
		subject("Bang", "", "something else", "other.rb", "8"),
		{},
	} {
		got := Likeness(me, other)
		if got >= best || got < 0 || got != Likeness(other, me) {
			t.Errorf("%+v: %v, not less than %v", other, got, best)
		}
		best = got
	}
}
