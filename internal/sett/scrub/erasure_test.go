package scrub

import (
	"strings"
	"testing"

	"sett/internal/sett"
)

func TestMaskedUser(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"ines@example.org": "i…@example.org", "Élodie": "É…", "4711": "4…", "7": "…", "a@b.test": "…@b.test", "@ines": "@…", "a@b@c.test": "a…@c.test",
	} {
		if got := MaskedUser(text); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}

func TestErasedAnywhere(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{"ines@example.org": true, "root@localhost": true, "4711": false, "@ines": false, "ines@": false, "Ines @ home": false, "a@b@c.test": false} {
		if got := ErasedAnywhere(text); got != want {
			t.Errorf("%s: %v, want %v", text, got, want)
		}
	}
}

func TestErasureText(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{" ines\t": "ines", "a b": "a b", "": "", " ": "", strings.Repeat("x", 256): strings.Repeat("x", 256), strings.Repeat("x", 257): ""} {
		got, err := ErasureChange{User: sett.Some(text)}.Text()
		if want == "" && sett.CodeOf(err) != sett.Invalid || want != "" && (err != nil || got != want) {
			t.Errorf("%q: %q, %v", text, got, err)
		}
	}
	if _, err := (ErasureChange{}).Text(); sett.CodeOf(err) != sett.Invalid {
		t.Errorf("without a user: %v", err)
	}
}
