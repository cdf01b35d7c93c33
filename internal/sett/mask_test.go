package sett

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestMaskAddress(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                                   "",
		"Ask ann@example.test":               "Ask ann@example.test",
		"ann:open@shop.test":                 "ann:open@shop.test", // no address: nothing is checked there
		"https://shop.test":                  "https://shop.test",
		"https://shop.test/a@b?c=d@e#f":      "https://shop.test/a@b?c=d@e#f",
		"https://ann:open@shop.test":         "https://[hidden]@shop.test",
		"https://ann@shop.test:8443/":        "https://[hidden]@shop.test:8443/", // a token may stand there alone
		"https://ann:op@en@shop.test?x":      "https://[hidden]@shop.test?x",
		"https://ann:open@shop.test#x":       "https://[hidden]@shop.test#x",
		"https://shop.test?a=b&API_KEY=x":    "https://shop.test?a=b&API_KEY=[hidden]",
		"https://shop.test/?to%6ben=x=y&c":   "https://shop.test/?to%6ben=[hidden]&c",
		"https://shop.test/?%zz=x&token&a=b": "https://shop.test/?%zz=[hidden]&token&a=b",
		"https://shop.test/?a=b#?token=x":    "https://shop.test/?a=b#?token=x", // is never sent
	} {
		if got := MaskAddress(text); got != want {
			t.Errorf("%s:\ngot  %s\nwant %s", text, got, want)
		}
	}
}

func TestMaskedBody(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("ü", 300)
	for body, want := range map[string]string{
		``:     `{}`,
		`null`: `{}`,
		`[1]`:  `{}`,
		`{`:    `{}`,
		`a=b`:  `{}`,

		`{"project":{"name":"Shop","purge_days":7,"language":null,"active":true}}`: `{"project":{"active":true,"language":null,"name":"Shop","purge_days":7}}`,
		`{"id":12345678901234567890,"ids":[1,2.50]}`:                               `{"id":12345678901234567890,"ids":[1,2.50]}`,
		`{"Password":"x","new_passwd":1,"token":null,"api_key":true,"key":"k"}`:    `{"Password":"[hidden]","api_key":"[hidden]","key":"[hidden]","new_passwd":"[hidden]","token":null}`,
		`{"options":{"url":"https://x","retries":[1,{"a":"b"}]},"active":false}`:   `{"active":false,"options":{"retries":["[hidden]",{"a":"[hidden]"}],"url":"[hidden]"}}`,
		`{"request_headers":[{"key":"A","value":"b"}],"keyword":"up"}`:             `{"keyword":"up","request_headers":[{"key":"[hidden]","value":"[hidden]"}]}`,

		`{"request_body":"a=b","request_method":"POST"}`:                                `{"request_body":"[hidden]","request_method":"POST"}`,
		`{"site":{"url":"https://ann:open@shop.example.test/health?page=1&token=abc"}}`: `{"site":{"url":"https://[hidden]@shop.example.test/health?page=1\u0026token=[hidden]"}}`,

		`{"body":"` + long + `"}`:                                  `{"body":"` + strings.Repeat("ü", 250) + `…"}`,
		`{"ids":[` + strings.Repeat("1,", 9000) + `1]}`:            `{"ids":[` + strings.Repeat("1,", 1638) + `"…"]}`,
		`{"a":[` + strings.Repeat(`"`+long[:400]+`",`, 99) + `1]}`: `{"a":[` + strings.Repeat(`"`+long[:400]+`",`, 21) + `"…"]}`,
	} {
		if got := string(MaskedBody([]byte(body))); got != want {
			t.Errorf("%.200s:\ngot  %.400s\nwant %.400s", body, got, want)
		}
	}
}

func TestMaskedQuery(t *testing.T) {
	t.Parallel()
	got := string(MaskedQuery(map[string][]string{"q": {"is:resolved", "x"}, "auth_token": {"sett_u_x"}, "none": {}, "\xff\x00": {"\xff\x00"}}))
	if want := `{"auth_token":"[hidden]","q":"is:resolved","\ufffd\u0000":"\ufffd\u0000"}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got := string(MaskedQuery(nil)); got != "{}" {
		t.Errorf("no parameters: %s", got)
	}
}

// Whatever is sent, what is kept is a JSON object of a bounded size without the secret.
func TestMaskedBodyIsBounded(t *testing.T) {
	t.Parallel()
	text := rapid.StringN(0, 2000, -1)
	var value func(depth int) *rapid.Generator[any]
	value = func(depth int) *rapid.Generator[any] {
		leaf := rapid.OneOf(text.AsAny(), rapid.Float64().AsAny(), rapid.Bool().AsAny(), rapid.Just[any](nil))
		if depth == 0 {
			return leaf
		}
		return rapid.OneOf(leaf, rapid.SliceOfN(value(depth-1), 0, 40).AsAny(), rapid.MapOfN(text, value(depth-1), 0, 40).AsAny())
	}
	rapid.Check(t, func(t *rapid.T) {
		object := rapid.MapOfN(text, value(2), 0, 20).Draw(t, "object")
		const secret = "open sesame"
		object["user_password"] = map[string]any{"x": []any{secret}}
		body, err := json.Marshal(object)
		if err != nil {
			t.Fatal(err)
		}
		kept := MaskedBody(body)
		var again map[string]any
		if err := json.Unmarshal(kept, &again); err != nil || again == nil {
			t.Fatalf("%v: %s", err, kept)
		}
		if most := 10 * maxAudit; len(kept) > most || !utf8.Valid(kept) || strings.Contains(string(kept), secret) {
			t.Fatalf("%d bytes are kept: %s", len(kept), kept)
		}
	})
}

// Forms name what is inside of secret fields with a dot.
func TestFieldsOfFormsAreMasked(t *testing.T) {
	t.Parallel()
	got := string(MaskedFields(map[string]any{"options.url": "https://hooks.example.test/secret", "name": "x", "optional": "y"}))
	if want := `{"name":"x","optional":"y","options.url":"[hidden]"}`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
