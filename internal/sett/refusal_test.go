package sett

import (
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A form finds the problem of each field in an error, however often the error was wrapped.
func TestProblemsOf(t *testing.T) {
	t.Parallel()
	p := Problems{"name can't be blank", "events must be some of a; b"}
	err := fmt.Errorf("save: %w", p.Refusal())
	if diff := cmp.Diff(p, ProblemsOf(err)); diff != "" {
		t.Errorf("problems (-want +got):\n%s", diff)
	}
	if e, ok := errors.AsType[*Error](err); !ok || e.Code != Invalid || e.Message != "Please correct: name can't be blank; events must be some of a; b." {
		t.Errorf("%v", err)
	}
	for _, other := range []error{nil, errors.New("x"), Errorf(Invalid, "y")} {
		if got := ProblemsOf(other); got != nil {
			t.Errorf("%v has %v", other, got)
		}
	}
}
