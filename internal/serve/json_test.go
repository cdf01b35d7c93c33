package serve

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/iotest"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"sett/internal/sett"
)

type jsonBody struct {
	Fault struct {
		Klass    string               `json:"klass"`
		Count    int8                 `json:"count"`
		Resolved sett.Optional[bool]  `json:"resolved"`
		Deep     []struct{ N int }    `json:"deep"`
		At       time.Time            `json:"at"`
		Rate     float64              `json:"rate"`
		Flag     bool                 `json:"flag"`
		Map      map[string]string    `json:"map"`
		Assignee sett.Optional[int64] `json:"assignee"`
	} `json:"fault"`
}

// decode runs DecodeJSON as a handler would.
func decode(t *testing.T, body string) (got jsonBody, err error) {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), "POST", "/", strings.NewReader(body))
	err = DecodeJSON(httptest.NewRecorder(), r, &got)
	return got, err
}

func TestDecodeJSON(t *testing.T) {
	t.Parallel()
	for _, body := range []string{
		`{"fault":{"klass":"A","resolved":true}}`,
		"\n\t {\"fault\":{\"klass\":\"A\",\"resolved\":true,\"unknown\":[1,{}]},\"more\":null}\r\n ",
		`{"fault":{"klass":"B"},"fault":{"klass":"A","resolved":true}}`,
	} {
		got, err := decode(t, body)
		want := jsonBody{}
		want.Fault.Klass, want.Fault.Resolved = "A", sett.Some(true)
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("%s: %v %s", body, err, diff)
		}
	}
}

func TestDecodeJSONKeepsWrongOptionals(t *testing.T) {
	t.Parallel()
	got, err := decode(t, `{"fault":{"resolved":"yes","assignee":null}}`)
	if err != nil {
		t.Fatal(err)
	}
	if got.Fault.Resolved.Bad != "must be true or false" || !got.Fault.Assignee.Null {
		t.Errorf("got %+v", got.Fault)
	}
}

func TestDecodeHostileJSON(t *testing.T) {
	t.Parallel()
	const noObject = "The request body is not a JSON object. Send a JSON object in the request body."
	const empty = "The request body is empty. Send a JSON object in the request body."
	const broken = "The request body is not valid JSON: "
	const noUTF8 = "The request body is not valid UTF-8: see byte %d. Send JSON in UTF-8."
	half := func(escape string) string {
		return "The request body contains " + escape + ", which is half of a surrogate pair. Send the complete pair, or remove it."
	}
	fix := func(problem string) string { return "Please correct: " + problem + "." }
	const noNUL = `The request body contains the character \u0000, which cannot be stored. Remove it.`
	for name, tt := range map[string]struct {
		body, message string
		code          sett.Code
	}{
		"empty":               {"", empty, sett.Malformed},
		"blank":               {" \r\n\t", empty, sett.Malformed},
		"word":                {"hello", broken + "unexpected 'h' at line 1, column 1.", sett.Malformed},
		"cut off":             {`{"fault":{`, broken + "it ends too early.", sett.Malformed},
		"cut off in a string": {`{"fault":"x`, broken + "it ends too early.", sett.Malformed},
		"position":            {"\n{\n  \"a\": ,}", broken + "unexpected ',' at line 3, column 8.", sett.Malformed},
		"comma":               {`{"a":1,}`, broken + "unexpected '}' at line 1, column 8.", sett.Malformed},
		"garbage after":       {`{} x`, broken + "unexpected 'x' at line 1, column 4.", sett.Malformed},
		"two objects":         {`{}{}`, broken + "unexpected '{' at line 1, column 3.", sett.Malformed},
		"single quotes":       {`{'a':1}`, broken + `unexpected '\'' at line 1, column 2.`, sett.Malformed},
		"NaN":                 {`{"a":NaN}`, broken + "unexpected 'N' at line 1, column 6.", sett.Malformed},
		"raw NUL":             {"{\"a\":\"\x00\"}", broken + `unexpected '\x00' at line 1, column 7.`, sett.Malformed},
		"letter beyond ASCII": {`{é}`, broken + "unexpected 'é' at line 1, column 2.", sett.Malformed},
		"byte that is none":   {"{\xff}", fmt.Sprintf(noUTF8, 2), sett.Malformed},
		"Latin-1 in a text":   {"{\"a\":\"caf\xe9\"}", fmt.Sprintf(noUTF8, 10), sett.Malformed},
		"surrogate in UTF-8":  {"{\"é\":\"\xed\xa0\x80\"}", fmt.Sprintf(noUTF8, 8), sett.Malformed},
		"byte order mark":     {"\ufeff{}", broken + `unexpected '\ufeff' at line 1, column 1.`, sett.Malformed},
		"too deep":            {strings.Repeat(`{"a":`, 11000), broken + "unexpected '{' at line 1, column 50001.", sett.Malformed},
		"array":               {`[{"fault":{}}]`, noObject, sett.Invalid},
		"string":              {`"fault"`, noObject, sett.Invalid},
		"number":              {" 12 ", noObject, sett.Invalid},
		"null":                {"null", noObject, sett.Invalid},
		"array for object":    {`{"fault":[]}`, fix("fault must be an object"), sett.Invalid},
		"number for string":   {`{"fault":{"klass":1}}`, fix("fault.klass must be a string"), sett.Invalid},
		"string for number":   {`{"fault":{"count":"1"}}`, fix("fault.count must be an integer"), sett.Invalid},
		"fraction":            {`{"fault":{"count":1.5}}`, fix("fault.count must be an integer"), sett.Invalid},
		"too large a number":  {`{"fault":{"count":1e99}}`, fix("fault.count must be an integer"), sett.Invalid},
		"huge fraction":       {`{"fault":{"rate":1e999}}`, fix("fault.rate must be a number"), sett.Invalid},
		"object for boolean":  {`{"fault":{"flag":{}}}`, fix("fault.flag must be true or false"), sett.Invalid},
		"object for array":    {`{"fault":{"deep":{}}}`, fix("fault.deep must be an array"), sett.Invalid},
		"inside an array":     {`{"fault":{"deep":[{"N":1},{"N":""}]}}`, fix("fault.deep.N must be an integer"), sett.Invalid},
		"no time": {
			`{"fault":{"at":"soon"}}`,
			"A value in the request body has the wrong type. Compare it with the documentation.", sett.Invalid,
		},
		"escaped NUL":            {`{"fault":{"klass":"a\u0000"}}`, noNUL, sett.Invalid},
		"escaped NUL in a name":  {`{"a\u0000":1}`, noNUL, sett.Invalid},
		"first half alone":       {`{"fault":{"klass":"a\ud83d"}}`, half(`\ud83d`), sett.Invalid},
		"second half alone":      {`{"fault":{"klass":"\uDE00!"}}`, half(`\uDE00`), sett.Invalid},
		"halves in reverse":      {`{"a":"\ude00\ud83d"}`, half(`\ude00`), sett.Invalid},
		"first half twice":       {`{"a":"\ud83d\ud83d\ude00"}`, half(`\ud83d`), sett.Invalid},
		"half before an escape":  {`{"a":"\ud83d\n\ude00"}`, half(`\ud83d`), sett.Invalid},
		"half in a name":         {`{"\ud83d":1}`, half(`\ud83d`), sett.Invalid},
		"half at the very end":   {`{"a":"\ud83d"}`, half(`\ud83d`), sett.Invalid},
		"NUL behind a backslash": {`{"a":"\\\u0000"}`, noNUL, sett.Invalid},
		"second NUL counts":      {`{"a":"\\u0000 \u0000"}`, noNUL, sett.Invalid},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := decode(t, tt.body)
			e, ok := errors.AsType[*sett.Error](err)
			if !ok {
				t.Fatalf("got %v, want a sett.Error", err)
			}
			if diff := cmp.Diff(&sett.Error{Code: tt.code, Message: tt.message}, e); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestDecodeJSONLeavesWhatOnlyLooksWrong(t *testing.T) {
	t.Parallel()
	if _, err := decode(t, `{"a":"\\u0000","b":"\u00001"}`); err == nil {
		t.Error("a NUL before a digit was accepted")
	}
	for _, body := range []string{`{"a":"\\u0000"}`, `{"a":"\\ud83d"}`, `{"a":"\ud83d\ude00 \uD83D\uDE00 \ufffd \u0041"}`, "{\"a\":\"\U0001F600 \uFFFD\"}"} {
		if _, err := decode(t, body); err != nil {
			t.Errorf("%s was refused: %v", body, err)
		}
	}
}

func TestDecodeHugeBody(t *testing.T) {
	t.Parallel()
	fits := `{"a":"` + strings.Repeat("x", maxJSON-8) + `"}`
	if _, err := decode(t, fits); len(fits) != maxJSON || err != nil {
		t.Errorf("%d bytes: %v", len(fits), err)
	}
	_, err := decode(t, fits+" ")
	w := httptest.NewRecorder()
	WriteError(w, httptest.NewRequestWithContext(t.Context(), "POST", "/", nil), err)
	want := `{"errors":"The request body is larger than 1048576 bytes. Send less data."}` + "\n"
	if w.Code != http.StatusRequestEntityTooLarge || w.Body.String() != want {
		t.Errorf("got %d %s", w.Code, w.Body)
	}
}

func TestDecodeBodyThatBreaksOff(t *testing.T) {
	t.Parallel()
	r := httptest.NewRequestWithContext(t.Context(), "POST", "/", iotest.ErrReader(errors.New("connection reset")))
	err := DecodeJSON(httptest.NewRecorder(), r, &jsonBody{})
	want := sett.Errorf(sett.Malformed, "The request body is incomplete. Send it again.")
	if diff := cmp.Diff(error(want), err); diff != "" {
		t.Error(diff)
	}
}

func TestWriteJSON(t *testing.T) {
	t.Parallel()
	w := httptest.NewRecorder()
	if err := WriteJSON(w, 201, map[string]string{"a": "<b>&"}); err != nil {
		t.Fatal(err)
	}
	if got := w.Body.String(); w.Code != 201 || got != `{"a":"<b>&"}`+"\n" {
		t.Errorf("got %d %s", w.Code, got)
	}
	w = httptest.NewRecorder()
	if err := WriteJSON(w, 201, math.NaN()); err == nil || w.Body.Len() > 0 || len(w.Header()) > 0 {
		t.Errorf("got %v, wrote %q", err, w.Body)
	}
}

// FuzzDecodeJSON: every body is either read, and then is a JSON object, or refused with a sentence.
func FuzzDecodeJSON(f *testing.F) {
	for _, seed := range []string{"", "{}", `{"fault":{"count":1}}`, `{"a":"\\\u0000"}`, `{"a":"\ud83d"}`, `{"a":"\ud83d\ude00"}`, "[", "\xff", `{"fault":{"at":1}}`, "{\n,"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, body string) {
		_, err := decode(t, body)
		if err != nil {
			if code := sett.CodeOf(err); code != sett.Malformed && code != sett.Invalid {
				t.Errorf("refused with code %q: %v", code, err)
			}
			return
		}
		var object map[string]any
		if err := json.Unmarshal([]byte(body), &object); err != nil || object == nil {
			t.Errorf("accepted %q, which is no object: %v", body, err)
		}
		for key, value := range object {
			if text, _ := value.(string); strings.ContainsRune(key+text, 0) {
				t.Errorf("accepted a NUL in %q", body)
			} else if strings.ContainsRune(key+text, utf8.RuneError) && !strings.Contains(strings.ToLower(body), `\ufffd`) && !strings.ContainsRune(body, utf8.RuneError) {
				t.Errorf("accepted what is no character in %q", body)
			}
		}
	})
}
