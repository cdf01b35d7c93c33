package sett

import (
	"encoding/json"
	"testing"
)

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
