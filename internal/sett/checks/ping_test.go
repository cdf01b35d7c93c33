package checks

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"sett/internal/sett"
)

func TestParsePing(t *testing.T) {
	t.Parallel()
	zero, one, ms := 0, 1, int64(1235)
	for body, want := range map[string]*PingPayload{
		"":                                  nil,
		" \n":                               nil,
		"{}":                                nil,
		"null":                              nil,
		"[]":                                nil,
		"oops":                              nil,
		`{"check_in":{}}`:                   nil,
		`{"check_in":null}`:                 nil,
		`{"check_in":"late"}`:               nil,
		`{"check_in":{"x":1}}`:              nil,
		`{"check_in":{"status":"success"}}`: {Status: "success"},
		`{"status":"error"}`:                {Status: "error"},
		`{"check_in":{"status":"fine","exit_code":0}}`:         {ExitCode: &zero},
		`{"check_in":{"duration":1234.6,"exit_code":"1"}}`:     {Duration: &ms, ExitCode: &one},
		`{"check_in":{"duration":-1,"stdout":"a"}}`:            {Stdout: "a"},
		`{"check_in":{"duration":"1","stdout":"a"}}`:           {Stdout: "a"},
		`{"check_in":{"duration":1e300,"stdout":"a"}}`:         {Stdout: "a"},
		`{"check_in":{"stdout":"a\u0000\n","stderr":{"b":1}}}`: {Stdout: "a\x00\n", Stderr: `{"b":1}`},
	} {
		if diff := cmp.Diff(want, ParsePing([]byte(body))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", body, diff)
		}
	}
}

func TestOutputOfPingsIsCut(t *testing.T) {
	t.Parallel()
	const mark = len(sett.CutMark)
	for name, c := range map[string]struct{ stdout, stderr, keptOut, keptErr int }{
		"all of it":              {PingRoom / 2, PingRoom / 2, PingRoom / 2, PingRoom / 2},
		"one uses all the room":  {PingRoom, 0, PingRoom, 0},
		"one is a byte too long": {PingRoom + 1, 0, PingRoom, 0},
		"one leaves little":      {PingRoom, 100, PingRoom - 100, 100},
		"both are long":          {9 * PingRoom, 9 * PingRoom, PingRoom / 2, PingRoom / 2},
	} {
		body, err := json.Marshal(map[string]string{"stdout": strings.Repeat("o", c.stdout), "stderr": strings.Repeat("e", c.stderr)})
		if err != nil {
			t.Fatal(err)
		}
		p := ParsePing(body)
		if len(p.Stdout) != c.keptOut || len(p.Stderr) != c.keptErr {
			t.Errorf("%s: %d and %d bytes are kept, want %d and %d", name, len(p.Stdout), len(p.Stderr), c.keptOut, c.keptErr)
		}
		if cut := c.stdout > c.keptOut; strings.HasPrefix(p.Stdout, sett.CutMark) != cut || cut && !strings.HasSuffix(p.Stdout, "o") {
			t.Errorf("%s: it begins with %q", name, p.Stdout[:mark])
		}
	}
	if got := lastBytes("ää"+"öö", 6); got != sett.CutMark+"ö" || !utf8.ValidString(got) {
		t.Errorf("cut inside a character: %q", got)
	}
}

func FuzzParsePing(f *testing.F) {
	f.Add([]byte(`{"check_in":{"status":"success","duration":12.5,"stdout":"a","stderr":"b","exit_code":1}}`))
	f.Add([]byte(`{"check_in":[]}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		p := ParsePing(body)
		if p != nil && (len(p.Stdout)+len(p.Stderr) > PingRoom || !utf8.ValidString(p.Stdout+p.Stderr)) {
			t.Errorf("%d and %d bytes, or no UTF-8", len(p.Stdout), len(p.Stderr))
		}
	})
}
