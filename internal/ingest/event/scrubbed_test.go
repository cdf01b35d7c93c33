package event

import (
	"reflect"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"sett/internal/sett"
	"sett/internal/sett/scrub"
	"sett/internal/setttest/recording"
)

// settingsOfAll are settings of projects that differ in what they remove, down to whole sections.
var settingsOfAll = []scrub.Settings{
	{},
	{Off: true, Names: []string{"request", "error"}},
	{OwnOnly: true, Names: []string{"request", "url", "class", "details", "hostname"}},
	{Names: []string{"server", "context", "backtrace"}, Keep: []string{"token"}, Patterns: []string{"[0-9]{3}"}},
}

// FuzzParseScrubbed compares reading a notice while it is scrubbed with the slow way: scrub it, and read what is left.
func FuzzParseScrubbed(f *testing.F) {
	secrets := `"password":"a","url":"http://a:b@c/?token=1","class":"pin=1","tags":["token=b"],"hostname":4111111111111111,"PATH":"/bin","HOME":"/","KEY":"k",`
	for _, c := range recording.Notices(f) {
		body := string(c.Body)
		f.Add(body)
		for _, place := range []string{`{`, `"error":{`, `"request":{`, `"context":{`, `"server":{`, `[{`} {
			f.Add(strings.Replace(body, place, place+secrets, 1))
		}
	}
	f.Add(`{"error":{"class":"A","backtrace":[{"file":"/?token=a"}]},"details":{"debug_meta":{"pin":1}},"error":{"backtrace":[{"file":"b","vars":{"pin":1}},1]},"request":[{"url":"pin=1"}]}`)
	f.Add(`{"error":"pin=1","server":{"hostname":["pin=1"],"revision":{"pin":1}},"request":"pin=1","details":["pin=1"]}`)
	var all []*scrub.Rules
	for _, settings := range settingsOfAll {
		rules, err := scrub.New(settings)
		if err != nil {
			f.Fatal(err)
		}
		all = append(all, rules)
	}
	f.Fuzz(func(t *testing.T, body string) {
		if body = strings.TrimPrefix(body, "\uFEFF"); !utf8.ValidString(body) || len(body) > MaxNotice/16 { // less than a notice when it is scrubbed
			return
		}
		for i, rules := range append(all, nil) {
			for _, minified := range []bool{false, true} {
				clean, counts := rules.Notice([]byte(body), nil)
				want, _, wantErr := Parse(clean, Options{Project: shop, Now: time.Unix(1, 0), Original: mapped(minified)}, new(Facets))
				got, gotCounts, err := Parse([]byte(body), Options{Project: shop, Now: time.Unix(1, 0), Original: mapped(minified), Scrub: rules}, new(Facets))
				if sett.CodeOf(err) != sett.CodeOf(wantErr) || (err == nil) != (wantErr == nil) || err != nil && err.Error() != wantErr.Error() {
					t.Fatalf("settings %d: %s\nerror %v, want %v", i, body, err, wantErr)
				}
				if err == nil && (counts != gotCounts || !reflect.DeepEqual(want, got)) {
					t.Fatalf("settings %d: %s\ncounts %v, want %v; report (-want +got):\n%s", i, body, gotCounts, counts, cmp.Diff(want, got))
				}
			}
		}
	})
}

// mapped returns a function that finds the original of every second frame; nil unless there are source maps.
func mapped(minified bool) func(*Code) {
	if !minified {
		return nil
	}
	return func(c *Code) {
		for i := range c.Frames {
			if i%2 == 0 {
				c.Frames[i] = CodeFrame{File: "original/" + c.DebugMeta + c.Root, Line: 7, Original: true}
			}
		}
	}
}
