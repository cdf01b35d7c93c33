package repair

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/encoding/unicode/utf32"
)

var usual = Bounds{Depth: 64, Keys: 10_000, Most: 1 << 20}

func TestJSON(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, body, want string
		notes            Notes
	}{
		{"as it should be", `{"a":[1,-2.5e+3,true,null,"x\u00e9\n"]}`, `{"a":[1,-2.5e+3,true,null,"x\u00e9\n"]}`, nil},
		{"NaN", `{"a":NaN,"b":-Infinity,"c":[Infinity, nan]}`, `{"a":"NaN","b":"-Infinity","c":["Infinity","nan"]}`, Notes{NotFinite}},
		{"a mark", "\uFEFF" + `{"a":1}`, `{"a":1}`, Notes{Mark}},
		{"blank lines", "\n\r\n" + `{"a":1}` + "\n", `{"a":1}`, Notes{Blank}},
		{"bytes that are no UTF-8", "{\"a\":\"caf\xe9\"}", `{"a":"caf�"}`, Notes{NotUTF8}},
		{"control characters", "{\"a\":\"two\nlines\t\x01\"}", `{"a":"two\nlines\t\u0001"}`, Notes{Control}},
		{"cut off in a text", `{"error":{"class":"A`, `{"error":{"class":"A"}}`, Notes{Cut}},
		{"cut off behind a value", `{"a":[1,{"b":2`, `{"a":[1,{"b":2}]}`, Notes{Cut}},
		{"cut off behind a key", `{"a"`, `{"a":null}`, Notes{Cut}},
		{"cut off in an escape", `{"a":"x\`, `{"a":"x"}`, Notes{Cut}},
		{"cut off in half an escape", `{"a":"x\u00`, `{"a":"x\\u00"}`, Notes{Malformed, Cut}},
		{"cut off in a word", `{"a":tr`, `{"a":"tr"}`, Notes{Malformed, Cut}},
		{"something behind it", `{"a":1} x`, `{"a":1}`, Notes{Rest}},
		{"two documents", `{"a":1}{"b":2}`, `{"a":1}`, Notes{Rest}},
		{"commas", `{"a":[1,2,],,"b":3,}`, `{"a":[1,2],"b":3}`, Notes{Malformed}},
		{"no commas", `{"a":1 "b":[true "x"]}`, `{"a":1,"b":[true,"x"]}`, Notes{Malformed}},
		{"single quotes", `{'a':'it\'s "so"'}`, `{"a":"it's \"so\""}`, Notes{Malformed}},
		{"keys without quotes", `{a:1, b-c : x y}`, `{"a":1,"b-c":"x y"}`, Notes{Malformed}},
		{"words of Python", `{"a":True,"b":None}`, `{"a":true,"b":null}`, Notes{Malformed}},
		{"comments", "{/* x */\"a\":1} // y", `{"a":1}`, Notes{Malformed}},
		{"numbers", `[01,+1,.5,5.,-,0x1F,1e400,1e5]`, `[1,1,0.5,5,"-","0x1F",1e400,1e5]`, Notes{Malformed}},
		{"escapes", `{"a":"\x41\q\'"}`, `{"a":"\u0041\\q'"}`, Notes{Malformed}},
		{"the wrong brackets", `{"a":[1}],"b":2}`, `{"a":[1],"b":2}`, Notes{Malformed}},
		{"no value", `{"a":,"b":}`, `{"a":null,"b":null}`, Notes{Malformed}},
	} {
		doc, notes, ok := JSON([]byte(c.body), "application/json", usual)
		if !ok || string(doc) != c.want {
			t.Errorf("%s: %s, %t; want %s", c.name, doc, ok, c.want)
		}
		if diff := cmp.Diff(c.notes, notes); diff != "" {
			t.Errorf("%s: notes (-want +got):\n%s", c.name, diff)
		}
	}
}

func TestCharsets(t *testing.T) {
	t.Parallel()
	const text = `{"a":"é日"}`
	latin, _ := charmap.ISO8859_1.NewEncoder().String(`{"a":"é"}`)
	shift, _ := japanese.ShiftJIS.NewEncoder().String(`{"a":"日"}`)
	escaped, _ := japanese.ISO2022JP.NewEncoder().String(`{"a":"日"}`)
	in := func(e interface{ String(string) (string, error) }) string {
		out, err := e.String(text)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	for _, c := range []struct{ name, body, contentType, want, note string }{
		{"UTF-16 with a mark", in(unicode.UTF16(unicode.LittleEndian, unicode.UseBOM).NewEncoder()), "", text, "UTF-16"},
		{"UTF-16, the other way", in(unicode.UTF16(unicode.BigEndian, unicode.UseBOM).NewEncoder()), "", text, "UTF-16"},
		{"UTF-16 without a mark", in(unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM).NewEncoder()), "application/json; charset=utf-8", text, "UTF-16"},
		{"UTF-16 without a mark, the other way", in(unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM).NewEncoder()), "", text, "UTF-16"},
		{"UTF-32 with a mark", in(utf32.UTF32(utf32.LittleEndian, utf32.UseBOM).NewEncoder()), "", text, "UTF-32"},
		{"UTF-32 without a mark", in(utf32.UTF32(utf32.BigEndian, utf32.IgnoreBOM).NewEncoder()), "", text, "UTF-32"},
		{"latin-1", latin, "application/json; charset=ISO-8859-1", `{"a":"é"}`, "windows-1252"},
		{"Shift_JIS", shift, "text/plain;charset=Shift_JIS", `{"a":"日"}`, "shift_jis"},
		{"ISO-2022-JP", escaped, "text/plain;charset=ISO-2022-JP", `{"a":"日"}`, "iso-2022-jp"},
		{"UTF-8 said to be latin-1", text, "application/json; charset=latin1", text, ""},
		{"an unknown charset", latin, "application/json; charset=rot13", `{"a":"�"}`, "no valid UTF-8"},
	} {
		doc, notes, ok := JSON([]byte(c.body), c.contentType, usual)
		if !ok || string(doc) != c.want || !strings.Contains(strings.Join(notes, " "), c.note) || (c.note == "") != (len(notes) == 0) {
			t.Errorf("%s: %q, %q, %t; want %q", c.name, doc, notes, ok, c.want)
		}
	}
	if !IsWide([]byte("{\x00\"\x00")) || IsWide([]byte(text)) || IsWide(nil) {
		t.Error("IsWide is wrong")
	}
}

// What is too much or too deep costs no other member.
func TestBounds(t *testing.T) {
	t.Parallel()
	deep := strings.Repeat(`{"a":`, 3_000) + "1" + strings.Repeat("}", 3_000)
	doc, notes, ok := JSON([]byte(`{"context":`+deep+`,"error":{"class":"A"}}`), "", Bounds{Depth: 5, Keys: 100, Most: 1 << 20})
	if want := `{"context":{"a":{"a":{"a":{"a":"…"}}}},"error":{"class":"A"}}`; !ok || string(doc) != want || !slices.Equal(notes, Notes{Deep}) {
		t.Errorf("deep: %s, %q, %t", doc, notes, ok)
	}
	many := `{"context":{` + strings.Repeat(`"a":1,`, 5_000) + `"b":1},"list":[` + strings.Repeat(`{"k":1},`, 5_000) + `1],"error":{"class":"A"}}`
	doc, notes, ok = JSON([]byte(many), "", Bounds{Depth: 5, Keys: 1_000, Most: 1 << 20})
	if !ok || !strings.HasSuffix(string(doc), `"error":{"class":"A"}}`) || !slices.Equal(notes, Notes{Many}) || strings.Count(string(doc), `":`) > 1_000 || len(doc) < 1_000 {
		t.Errorf("many: %d bytes, %q, %t", len(doc), notes, ok)
	}
	doc, notes, ok = JSON([]byte(`{"a":"`+strings.Repeat("\x01", 1_000)), "", Bounds{Depth: 5, Keys: 10, Most: 100})
	if !ok || len(doc) > 120 || !json.Valid(doc) || !slices.Contains(notes, Cut) {
		t.Errorf("long: %d bytes, %q, %t", len(doc), notes, ok)
	}
}

func TestNothingToRead(t *testing.T) {
	t.Parallel()
	for _, body := range []string{"", " ", "hello", `"text"`, "7", "\xff\xfe", "\x00\x01\x02", "<html>", "a=b"} {
		if doc, notes, ok := JSON([]byte(body), "", usual); ok {
			t.Errorf("%q is read as %s, %q", body, doc, notes)
		}
	}
}

func TestNoted(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		`{"a":1}`: `{"repairs":["x \"y\"","z"],"a":1}`, ` { }`: `{"repairs":["x \"y\"","z"] }`, `[1]`: `[1]`,
	} {
		if got := string(Noted([]byte(body), Notes{`x "y"`, "z"})); got != want {
			t.Errorf("%s becomes %s, want %s", body, got, want)
		}
	}
	if got := string(Noted([]byte(` {}`), nil)); got != ` {}` {
		t.Errorf("without notes, {} becomes %q", got)
	}
}

// Whatever comes, what is returned is JSON in UTF-8 within the bounds, and what was valid says the same as before.
func FuzzJSON(f *testing.F) {
	for _, body := range []string{
		`{"a":[1,NaN,"\u00e9\x41"],'b':None,}`, "{\x00\"\x00a\x00", "\uFEFF\n{\"a\":\"\xff\n", `[[[[[[[[{"a":1}]]]]]]]]`, `{"a":/* */1 // x`, `{a b:c,:}]`, `{"a":"\ud83d","b":1e9999}`,
		"\x00\x00\x00{\x00\x00\x00}", "{\"\x1b$B\":1}",
	} {
		f.Add([]byte(body), "application/json; charset=iso-2022-jp")
		f.Add([]byte(body), "")
	}
	f.Fuzz(func(t *testing.T, body []byte, contentType string) {
		b := Bounds{Depth: 6, Keys: 50, Most: 4 << 10}
		doc, notes, ok := JSON(body, contentType, b)
		if !ok {
			return
		}
		if !json.Valid(doc) || !utf8.Valid(doc) || len(doc) > b.Most+b.Depth+200 {
			t.Fatalf("%q becomes %q", body, doc)
		}
		if len(notes) > mostNotes {
			t.Fatalf("%q has %q", body, notes)
		}
		if len(notes) == 0 && json.Valid(body) && utf8.Valid(body) {
			var before, after any
			if json.Unmarshal(body, &before) == nil && json.Unmarshal(doc, &after) == nil && !cmp.Equal(before, after) {
				t.Fatalf("%q becomes %q", body, doc)
			}
		}
		if again, _, ok := JSON(doc, "", Bounds{Depth: 7, Keys: 100, Most: 1 << 20}); !ok || string(again) != string(doc) {
			t.Fatalf("%q becomes %q, and that %q", body, doc, again)
		}
		if noted := Noted(doc, Notes{"x"}); !json.Valid(noted) {
			t.Fatalf("%q becomes %q", doc, noted)
		}
	})
}
