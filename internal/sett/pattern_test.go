package sett

import "testing"

func TestRepetitionsMultiplySteps(t *testing.T) {
	t.Parallel()
	steps := func(text string) int {
		n, err := PatternSteps(text)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	if one, many := steps(`a?b`), steps(`(a?){100}b`); many < 100 || one > 10 {
		t.Errorf("one has %d steps, a hundred %d", one, many)
	}
	if flat, nested := steps(`(a?){100}b`), steps(`((a?){10}){10}b`); nested < flat {
		t.Errorf("%d steps in one number, %d in two", flat, nested)
	}
	if _, err := PatternSteps(`(`); err == nil {
		t.Error("what is no expression has steps")
	}
}
