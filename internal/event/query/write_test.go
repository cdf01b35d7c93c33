package query

import (
	"strings"
	"testing"
	"time"
)

// awkward are values that a search must not take apart.
var awkward = []string{
	"7", "ann@example.test", "Ann Other", `"`, `Ann "the boss"`, `"Ann"`, `C:\Users\ann`, `C:\Program Files\`, `\`, `\"`, `a\ b"`, "a\tb\nc", "-ann", "user:7",
	"ACME#ann", "*", "Änne", "\u00a0x", `ann" class:Boom`, "is:resolved",
}

func TestWriteIsReadAgain(t *testing.T) {
	t.Parallel()
	for _, value := range awkward {
		wantRead(t, value)
	}
	stars := strings.Repeat("a*", MaxStars)
	for value, want := range map[string]string{stars + "b": "user:" + stars + "b", stars + "b*c": "user:" + stars, "a@b.test": "user:a@b.test", "Ann Other": `user:"Ann Other"`, `a"b`: `user:a"b`, `a "b\`: `user:"a \"b\\"`} {
		if got := Write(User, value); got != want {
			t.Errorf("Write(%q) = %s, want %s", value, got, want)
		}
	}
}

func FuzzWrite(f *testing.F) {
	for _, value := range awkward {
		f.Add(value)
	}
	f.Fuzz(func(t *testing.T, value string) {
		if value != "" && strings.Count(value, "*") <= MaxStars && len(value) <= MaxBytes/2-len(`user:""`) {
			wantRead(t, value)
		}
	})
}

// wantRead fails the test unless Parse reads what Write writes.
func wantRead(t *testing.T, value string) {
	t.Helper()
	text := Write(User, value)
	s, problem := Parse(text, time.Unix(0, 0))
	if problem != "" || len(s.Terms) != 1 || !s.Terms[0].Asks(User, storableText(value)) || s.Terms[0].Values[0].Text != storableText(value) {
		t.Errorf("%q is written %s and read as %+v, %s", value, text, s.Terms, problem)
	}
}
