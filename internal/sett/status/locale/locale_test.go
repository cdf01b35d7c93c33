package locale

import (
	"io/fs"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

var values = regexp.MustCompile(`%%|%[a-z]|\{[a-z]+\}`)

// Every key has a text in every language, with the same values; those of a date may stand in another order.
func TestEveryKeyIsInEveryLanguage(t *testing.T) {
	t.Parallel()
	for key, row := range texts {
		want := values.FindAllString(row[0], -1)
		for n, text := range row {
			got := values.FindAllString(text, -1)
			if strings.HasPrefix(key, "date_") {
				slices.Sort(got)
				slices.Sort(want)
			}
			if text == "" || strings.TrimSpace(text) == "" && key != "span_separator" && key != "list_separator" {
				if key != "span_separator" {
					t.Errorf("%s has no text in %s", key, languages[n])
				}
			}
			if !slices.Equal(got, want) {
				t.Errorf("%s in %s has the values %q, in English %q", key, languages[n], got, want)
			}
			if n > 0 && row[0] == text && len(strings.Fields(text)) > 3 && !strings.HasPrefix(key, "date_") {
				t.Errorf("%s is not translated into %s", key, languages[n])
			}
		}
	}
	for n, m := range months {
		if long, short := len(strings.Fields(m.long)), len(strings.Fields(m.short)); long != 12 || short != 12 {
			t.Errorf("%s has %d and %d months", languages[n], long, short)
		}
	}
}

// The code and templates of status pages use every key, and no other ones.
func TestKeysAreUsed(t *testing.T) {
	t.Parallel()
	var all strings.Builder
	for _, dir := range []string{"../../../web/statuspage", "..", "../../../notify", "."} {
		err := fs.WalkDir(os.DirFS(dir), ".", func(path string, _ fs.DirEntry, err error) error {
			if err != nil || strings.HasSuffix(path, "_test.go") || path == "catalogue.go" || path == "visitor.go" || path == "automatic.go" {
				return err
			}
			if strings.HasSuffix(path, ".go") || strings.HasSuffix(path, ".html") || strings.HasSuffix(path, ".txt") {
				text, err := fs.ReadFile(os.DirFS(dir), path)
				all.Write(text)
				return err
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	source := all.String()
	for key := range texts {
		stem := strings.TrimSuffix(strings.TrimSuffix(key, ".one"), ".other")
		if !strings.Contains(source, `"`+stem+`"`) {
			t.Errorf("nothing uses %s", key)
		}
	}
	for _, use := range regexp.MustCompile(`\{\{(?:t|around) \S+ "([a-z_]+)"|(?:lang|l)\.Text\("([a-z_]+)"`).FindAllStringSubmatch(source, -1) {
		if _, ok := texts[use[1]+use[2]]; !ok {
			t.Errorf("there is no key %q", use[1]+use[2])
		}
	}
}

func TestMatch(t *testing.T) {
	t.Parallel()
	for accept, want := range map[string]Language{
		"": English, "de": German, "de-AT,de;q=0.9,en;q=0.8": German, "nl,fr;q=0.5,en;q=0.4": French, "en-US,de;q=0.9": English, "PT-br": Portuguese,
		"ja;q=0.1,es;q=0.2": Spanish, "de;q=0": English, "*": English, "de;q=x,fr": French, "de;q=2": English, "de;q=NaN": English, "de;level=1": English,
		";;;,,,": English, strings.Repeat("xx,", 30) + "de": English, " de ; q=0.5 , fr;q=0.6 ": French, "de;q=-1": English, "zh-Hant": English,
	} {
		if got := Match(accept); got != want {
			t.Errorf("%q: %s, want %s", accept, got, want)
		}
	}
}

func TestWritten(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 3, 9, 14, 5, 0, 0, time.FixedZone("x", 3600))
	for got, want := range map[string]string{
		English.Minute(at): "9 Mar 2026, 13:05 UTC", German.Minute(at): "9. März 2026, 13:05 UTC", French.Date(at): "9 mars 2026",
		Spanish.Date(at): "9 de marzo de 2026", Portuguese.Month(at): "março de 2026", Japanese.Minute(at): "2026年3月9日 13:05 UTC", German.Day(at): "9. März",
		English.Percent(99.999): "99.99%", German.Percent(99.5): "99,5\u00a0%", French.Percent(100): "100\u00a0%", English.Percent(99.9): "99.9%",
		German.Count("days", 1): "1 Tag", French.Count("days", 0): "0 jour", English.Count("hours", 0): "0 hours", Japanese.Count("days", 2): "2日",
		English.Text("no such key"): "no such key", Language("xx").Text("today"): "today", Japanese.List([]string{"a", "b"}): "a、b",
		Language("pt").Name(): "Português",
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestSpansInWords(t *testing.T) {
	t.Parallel()
	for want, spans := range map[string][]time.Duration{
		"1 second":            {1, time.Second},
		"2 seconds":           {time.Second + 1},
		"59 seconds":          {59 * time.Second},
		"1 minute":            {59*time.Second + 1, time.Minute, 89 * time.Second},
		"2 minutes":           {90 * time.Second},
		"1 hour":              {59*time.Minute + 30*time.Second, time.Hour},
		"1 hour 1 minute":     {61 * time.Minute},
		"23 hours 59 minutes": {24*time.Hour - time.Minute},
		"1 day":               {24*time.Hour - time.Second, 24*time.Hour + 29*time.Minute},
		"1 day 1 hour":        {24*time.Hour + 30*time.Minute},
		"2 days":              {48 * time.Hour},
		"90 days":             {90 * 24 * time.Hour},
	} {
		for _, d := range spans {
			if got := English.Span(d); got != want {
				t.Errorf("%v is %q, want %q", d, got, want)
			}
		}
	}
}

func TestSpansInJapanese(t *testing.T) {
	t.Parallel()
	if got := Japanese.Span(125 * time.Minute); got != "2時間5分" {
		t.Errorf("%q", got)
	}
}

func FuzzMatch(f *testing.F) {
	f.Add("de-AT,de;q=0.9,en;q=0.8")
	f.Fuzz(func(t *testing.T, accept string) {
		if l := Match(accept); !Known(string(l)) {
			t.Errorf("%q: %q", accept, l)
		}
	})
}
