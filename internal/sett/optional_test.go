package sett

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestProblemsAreNamedTogether(t *testing.T) {
	t.Parallel()
	var body struct{ A, B, C, D, E Optional[int64] }
	if err := json.Unmarshal([]byte(`{"a":"1","b":null,"c":7,"d":[]}`), &body); err != nil {
		t.Fatal(err)
	}
	var p Problems
	if Check(&p, "a", body.A) || Check(&p, "b", body.B) || !Check(&p, "c", body.C) {
		t.Error("only c was sent with a value that can be used")
	}
	CheckSent(&p, "c", body.C, "an integer")
	CheckSent(&p, "b", body.B, "a number of days")
	CheckSent(&p, "d", body.D, "a number of days")
	CheckSent(&p, "e", body.E, "a number of days")
	const want = "a must be an integer; b must be a number of days; d must be an integer; e must be a number of days"
	if diff := cmp.Diff(error(Errorf(Invalid, "%s", want)), p.Err()); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(error(Errorf(Invalid, "Please correct: %s.", want)), errors.Unwrap(p.Refusal())); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(error(Errorf(Invalid, "Please correct: a can't be 7.")), errors.Unwrap(Refuse("a", "can't be %d", 7))); diff != "" {
		t.Error(diff)
	}
	if none := (Problems{}); none.Err() != nil || none.Refusal() != nil {
		t.Error("no problem is an error")
	}
}

func TestLenientBool(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`true`: "true", `"true"`: "true", `"1"`: "true", `false`: "false", `"false"`: "false", `"0"`: "false", `null`: "null",
		`"yes"`: "must be true or false", `1`: "must be true or false", `0`: "must be true or false", `""`: "must be true or false",
		`"TRUE"`: "must be true or false", `[]`: "must be true or false", `{}`: "must be true or false",
	} {
		var o Optional[LenientBool]
		if err := json.Unmarshal([]byte(text), &o); err != nil || !o.Sent {
			t.Fatalf("%s: %v, sent %v", text, err, o.Sent)
		}
		got := o.Bad
		if got == "" {
			written, err := json.Marshal(o)
			if err != nil {
				t.Fatal(err)
			}
			got = string(written)
		}
		if got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}
