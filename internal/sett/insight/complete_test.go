package insight

import (
	"slices"
	"testing"
)

func TestCompletion(t *testing.T) {
	t.Parallel()
	fields := []Known{{"duration", "number"}, {"event_type", "text"}, {"the plan", "text"}}
	for before, want := range map[string]struct {
		typed string
		first []string
	}{
		"":                                   {"", []string{"filter", "stats", "sort", "limit"}},
		"sta":                                {"sta", []string{"stats"}},
		"dur":                                {"dur", []string{"duration:"}},
		"checkout -eve":                      {"-eve", []string{"-event_type:"}},
		"event_type:":                        {"event_type:", []string{"event_type:job", `event_type:"a job"`}},
		"event_type:j":                       {"event_type:j", []string{"event_type:job"}},
		"event_type:job | ":                  {"", []string{"filter"}},
		"event_type:job | st":                {"st", []string{"stats"}},
		"filter ev":                          {"ev", []string{"event_type"}},
		"filter the":                         {"the", []string{"`the plan`"}},
		"filter `the":                        {"`the", []string{"`the plan`"}},
		"filter event_type ":                 {"", []string{"==", "!="}},
		"filter event_type == ":              {"", []string{`"job"`, `"a job"`}},
		`filter event_type == "jo`:           {`"jo`, []string{`"job"`}},
		`filter event_type in ["x", "jo`:     {`"jo`, []string{`"job"`}},
		`filter event_type == "job" `:        {"", []string{"and", "or", "|"}},
		"filter duration > 5 and isN":        {"isN", []string{"isNull(", "isNotNull("}},
		"filter upper":                       {"upper", []string{"uppercase("}},
		"fields ro":                          {"ro", []string{"round("}},
		"stats count() by x | exp":           {"exp", []string{"expand"}},
		"stats percentileI":                  {"percentileI", []string{"percentileIf(95, "}},
		"stats count() by toH":               {"toH", []string{"toHumanString(", "toHour("}},
		"stats ":                             {"", []string{"count()", "unique("}},
		"stats avg(dur":                      {"dur", []string{"duration"}},
		"stats percentile(95, d":             {"d", []string{"duration"}},
		"stats count() ":                     {"", []string{"by", "as"}},
		"stats count() by ":                  {"", []string{"bin(1h)"}},
		"stats count() by event_type, du":    {"du", []string{"duration"}},
		"stats count() as n by x | sort ":    {"", []string{"x", "n"}},
		"stats avg(a) by x | sort a":         {"a", []string{"avg(a)"}},
		"stats count() by x | sort count() ": {"", []string{"desc", "asc"}},
		"fields duration, e":                 {"e", []string{"event_type"}},
	} {
		got := Type(before)
		var values []string
		if got.Key == "event_type" {
			values = []string{"job", "a job"}
		}
		var texts []string
		for _, h := range got.Hints(fields, values) {
			texts = append(texts, h.Text)
		}
		if got.Typed != want.typed || len(texts) < len(want.first) || !slices.Equal(texts[:len(want.first)], want.first) {
			t.Errorf("%q completes %q by %q, want %q by %q", before, got.Typed, texts, want.typed, want.first)
		}
	}
}

func FuzzType(f *testing.F) {
	f.Add("filter a in [\"x\", \"y")
	f.Add("a:b | stats count(")
	f.Fuzz(func(t *testing.T, before string) {
		typing := Type(before)
		if len(typing.Typed) > len(before) || before[len(before)-len(typing.Typed):] != typing.Typed {
			t.Fatalf("%q is not at the end of %q", typing.Typed, before)
		}
		typing.Hints([]Known{{"a", "text"}}, nil)
	})
}
