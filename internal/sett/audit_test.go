package sett

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

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

func TestCutAgent(t *testing.T) {
	t.Parallel()
	for agent, want := range map[string]string{
		"curl/8":                       "curl/8",
		"a\xffb\x00c":                  "a\uFFFDbc",
		strings.Repeat("ö", 101) + "x": strings.Repeat("ö", 100) + "…",
		strings.Repeat("a", 200):       strings.Repeat("a", 200),
		"a" + strings.Repeat("ö", 101): "a" + strings.Repeat("ö", 99) + "…",
	} {
		if got := CutAgent(agent); got != want {
			t.Errorf("%q: %q, want %q", agent, got, want)
		}
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
