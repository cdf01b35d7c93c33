package scan

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// The scanner must take exactly the documents that the standard library takes.
func TestScannerAgreesWithStandardLibrary(t *testing.T) {
	t.Parallel()
	pieces := []string{
		"{", "}", "[", "]", ",", ":", `"a"`, `"b":`, "1", "-0", "0.5", "1e9", "-", ".", "e", "E+1", "01", "true", "false", "null", "tru", "nul",
		`"`, `\`, `\u`, `"\u00e9"`, `"\n"`, `"\q"`, `"\ud800"`, "\n", " ", "\t", "\x00", "\x1f", `"long enough for eight bytes"`, `"tab	inside it all"`, "é",
	}
	rapid.Check(t, func(t *rapid.T) {
		doc := strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 12).Draw(t, "pieces"), "")
		if rapid.Bool().Draw(t, "wrapped") {
			doc = `{"k":[` + doc + `]}`
		}
		s := New(doc)
		value := s.Value()
		err := s.End()
		if valid := json.Valid([]byte(doc)); valid != (err == nil) {
			t.Fatalf("%q: valid = %t, error = %v", doc, valid, err)
		}
		if err == nil && value != strings.Trim(doc, " \n\t\r") {
			t.Fatalf("the value of %q is %q", doc, value)
		}
	})
}

// A text must be what the standard library makes of it, but for NUL.
func TestScannerText(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var quoted strings.Builder
		quoted.WriteByte('"')
		for _, piece := range rapid.SliceOf(rapid.SampledFrom([]string{"a", "bcdefgh", "é", "😀", `\n`, `\"`, `\\`, `\/`, `\u0000`, `\u00e9`, `\ud83d`, `\ude00`, `\ud83d\ude00`})).Draw(t, "pieces") {
			quoted.WriteString(piece)
		}
		quoted.WriteByte('"')
		var want string
		if err := json.Unmarshal([]byte(quoted.String()), &want); err != nil {
			t.Fatal(err)
		}
		s := New(quoted.String())
		if diff := cmp.Diff(strings.ReplaceAll(want, "\x00", "\uFFFD"), s.Text()); diff != "" || s.End() != nil {
			t.Fatalf("%s: %v (-want +got):\n%s", quoted.String(), s.err, diff)
		}
	})
}

// Eight bytes at a time must find what one at a time finds, at every place in a word.
func TestPlainPrefix(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := string(rapid.SliceOfN(rapid.OneOf(rapid.Byte(), rapid.SampledFrom([]byte("\"\\\x00\x1f !#[]\x7f\x80\xff"))), 0, 40).Draw(t, "text"))
		want := strings.IndexFunc(text, func(r rune) bool { return r == '"' || r == '\\' || r < ' ' })
		if want < 0 {
			want = len(text)
		}
		if got := plainPrefix(document(text)); got != want {
			t.Fatalf("plainPrefix(%q) = %d, want %d", text, got, want)
		}
	})
}

func TestScannerWalks(t *testing.T) {
	t.Parallel()
	s := New(`{"a":1,"b":{"c":[true,null]},"d":[],"e":"x"}`)
	var seen []string
	for key := range s.Members {
		seen = append(seen, key)
		switch key {
		case "b":
			for inner := range s.Members {
				for range s.Elements {
					seen = append(seen, inner+s.Value())
				}
			}
		case "d":
			for key := range s.Members { // no object: nothing, and it is passed over
				seen = append(seen, key)
			}
		case "e":
			for range s.Elements { // no array
				seen = append(seen, "element")
			}
		default:
			seen = append(seen, s.Text())
		}
	}
	if err := s.End(); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"a", "1", "b", "ctrue", "cnull", "d", "e"}, seen); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
