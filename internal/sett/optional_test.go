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
	if err := json.Unmarshal([]byte(`{"a":"one","b":null,"c":7,"d":[]}`), &body); err != nil {
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

// Clients that write forms as JSON send text, which is empty where a field is left blank.
func TestBlanksAndNumbersAsText(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`{"n":"5"}`: "5", `{"n":" "}`: "null", `{"n":""}`: "null", `{"n":"-7"}`: "-7", `{"n":"5 days"}`: "must be an integer", `{"n":"1.5"}`: "must be an integer", `{"n":"true"}`: "must be an integer",
		`{"f":"1.5"}`: "1.5", `{"f":""}`: "null", `{"b":""}`: "null", `{"b":"5"}`: "must be true or false",
		`{"l":["1",2]}`: "[1,2]", `{"l":""}`: "null", `{"l":["one"]}`: "must be an array of integers", `{"l":"1"}`: "must be an array of integers",
		`{"s":""}`: `""`, `{"s":5}`: `"5"`, `{"s":-1.50e3}`: `"-1.50e3"`, `{"s":true}`: "must be a string", `{"s":[5]}`: "must be a string", `{"s":{"a":5}}`: "must be a string",
		`{"t":[1,"2"]}`: `["1","2"]`, `{"t":[null,1]}`: "must be an array of strings", `{"t":[[1]]}`: "must be an array of strings", `{"t":7}`: "must be an array of strings", `{"t":""}`: "null", `{"t":["1"]}`: `["1"]`,
	} {
		var body struct {
			N Optional[int64]
			F Optional[float64]
			B Optional[bool]
			L Optional[[]int64]
			S Optional[string]
			T Optional[[]string]
		}
		if err := json.Unmarshal([]byte(text), &body); err != nil {
			t.Fatal(err)
		}
		written := map[string]any{"n": body.N, "f": body.F, "b": body.B, "l": body.L, "s": body.S, "t": body.T}[text[2:3]]
		got, _ := json.Marshal(written)
		if bad := body.N.Bad + body.F.Bad + body.B.Bad + body.L.Bad + body.S.Bad + body.T.Bad; bad != "" {
			got = []byte(bad)
		}
		if string(got) != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}

// An empty text is no choice: the field has its default then, as with null.
func TestEmptyTextResetsAField(t *testing.T) {
	t.Parallel()
	type word string
	text, named := "before", word("before")
	var p Problems
	SetField(&p, "text", Some(""), &text, "default")
	SetField(&p, "named", Some(word("")), &named, "default")
	if text != "default" || named != "default" || len(p) > 0 {
		t.Errorf("%q, %q, %v", text, named, p)
	}
}

func TestLenientBool(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`true`: "true", `"true"`: "true", `"1"`: "true", `false`: "false", `"false"`: "false", `"0"`: "false", `null`: "null",
		`"yes"`: "must be true or false", `1`: "must be true or false", `0`: "must be true or false", `""`: "null",
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
