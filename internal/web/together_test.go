package web

import (
	"errors"
	"strings"
	"testing"
)

func TestTogetherReadsAll(t *testing.T) {
	met := make(chan struct{})
	var one, two, three bool
	err := Together(
		func() error { met <- struct{}{}; one = true; return nil },
		func() error { <-met; two = true; return nil }, // only beside the other
		func() error { three = true; return nil },
	)
	if err != nil || !one || !two || !three {
		t.Error(err, one, two, three)
	}
	if err := Together(); err != nil {
		t.Error(err)
	}
}

func TestTogetherReturnsAnError(t *testing.T) {
	away, began := errors.New("the database is away"), 0
	fails := func() error { return away }
	if err := Together(fails, fails, func() error { began++; return nil }); !errors.Is(err, away) || began != 0 {
		t.Error(err, began)
	}
}

// A panic in a goroutine that nothing recovers would end the server.
func TestTogetherPassesPanicsOn(t *testing.T) {
	for name, reads := range map[string][]func() error{
		"the first":  {func() error { panic("a row is missing") }, func() error { return nil }},
		"the second": {func() error { return nil }, func() error { panic("a row is missing") }},
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if text, ok := recover().(string); !ok || !strings.HasPrefix(text, "a row is missing\n") || !strings.Contains(text, "together_test.go") {
					t.Errorf("panic %q", text)
				}
			}()
			t.Error(Together(reads...))
		})
	}
}
