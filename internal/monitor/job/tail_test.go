package job

import (
	"encoding/json"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// A tail is the end of what was written, whatever the pieces, and valid UTF-8.
func TestTail(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var kept tail
		var all strings.Builder
		for range rapid.IntRange(0, 12).Draw(t, "pieces") {
			piece := strings.Repeat(rapid.SampledFrom([]string{"a", "é", "€", "\xff", "𝄞b", "\n"}).Draw(t, "text"), rapid.IntRange(0, mostTail).Draw(t, "times"))
			if n, err := kept.Write([]byte(piece)); n != len(piece) || err != nil {
				t.Fatalf("wrote %d of %d: %v", n, len(piece), err)
			}
			all.WriteString(piece)
		}
		got := kept.String()
		if len(got) > mostTail || !utf8.ValidString(got) {
			t.Fatalf("%d bytes, valid: %t", len(got), utf8.ValidString(got))
		}
		if whole := all.String(); utf8.ValidString(whole) && (!strings.HasSuffix(whole, got) || len(got) < min(len(whole), mostTail-3)) {
			t.Fatalf("%d bytes are not the end of %d", len(got), len(whole))
		}
	})
}

func TestTailBeginsWithACharacter(t *testing.T) {
	t.Parallel()
	for shift := range 4 {
		var kept tail
		for _, piece := range []string{strings.Repeat("𝄞", 4000), strings.Repeat("a", shift), strings.Repeat("𝄞", 2047)} {
			if _, err := kept.Write([]byte(piece)); err != nil {
				t.Fatal(err)
			}
		}
		if got := kept.String(); strings.ContainsRune(got, utf8.RuneError) || len(got) < mostTail-3 {
			t.Errorf("%d bytes: %.9q…", len(got), got)
		}
	}
}

func TestReportLeavesBracketsAlone(t *testing.T) {
	t.Parallel()
	if body := string(Outcome{Stdout: "<ok>"}.body()); !strings.Contains(body, "<ok>") {
		t.Error(body)
	}
}

func TestReportFits(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		o    Outcome
		want report
	}{
		"success":  {Outcome{1234567 * time.Microsecond, 0, "<ok>\n", ""}, report{"success", 1234, "<ok>\n", "", 0}},
		"error":    {Outcome{time.Second, 1, "", "no"}, report{"error", 1000, "", "no", 1}},
		"one long": {Outcome{0, 0, strings.Repeat("\x01", mostTail), "short"}, report{"success", 0, strings.Repeat("\x01", 2592), "short", 0}},
	} {
		body := tt.o.body()
		var got map[string]report
		if err := json.Unmarshal(body, &got); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(tt.want, got["check_in"]); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		if len(body) > mostBytes {
			t.Errorf("%s: %d bytes", name, len(body))
		}
	}
	both := Outcome{Stdout: strings.Repeat("é\n\"", mostTail/4), Stderr: strings.Repeat("\x02", mostTail)}
	if body := both.body(); len(body) > mostBytes || len(body) < mostBytes/2 || !utf8.Valid(body) {
		t.Errorf("both long: %d bytes", len(body))
	}
}
