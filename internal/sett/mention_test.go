package sett

import (
	"slices"
	"strings"
	"testing"
)

func TestMentions(t *testing.T) {
	t.Parallel()
	people := []Person{
		{ID: 1, Name: "Ann Smith", Email: "ann@example.test"},
		{ID: 2, Name: "Ann Lee", Email: "lee@example.test"},
		{ID: 3, Name: "Örjan", Email: "O.Berg+sett@example.test"},
		{ID: 4, Name: "", Email: "nameless@example.test"},
		{ID: 5, Name: "Anne-Marie O'Neil", Email: "am@example.test"},
	}
	for text, want := range map[string][]int64{
		"":                                 nil,
		"@":                                nil,
		"@ann":                             {1, 2},
		"@Ann Smith":                       {1, 2},
		"@annsmith":                        {1},
		"@AnnLee, look":                    {2},
		"ann":                              nil,
		"@anna":                            nil,
		"@ann_x":                           nil,
		"@ann2":                            nil,
		"@ann.smith":                       nil,
		"@ann-sophie":                      nil,
		"@ann.":                            {1, 2},
		"@ann's":                           {1, 2},
		"(@ann)":                           {1, 2},
		"Done.@ann":                        {1, 2},
		"@ann@example.test":                {1},
		"@ann@example.test.":               {1},
		"@ann@example.testing":             nil,
		"@ann@example.test.org":            nil,
		"@lee@EXAMPLE.test and @ann@other": {2},
		"ann@example.test":                 nil,
		"mail bob@ann or x+@ann, %@ann":    nil,
		"bob_@ann":                         nil,
		"ö@ann":                            nil,
		"https://example.test/@ann":        nil,
		"@@ann":                            nil,
		"@\tann":                           nil,
		"@örjan":                           {3},
		"@ÖRJAN!":                          {3},
		"@o.berg+sett@example.test":        {3},
		"@nameless":                        nil,
		"@nameless@example.test":           {4},
		"@anne-marie":                      {5},
		"@anne":                            nil,
		"@anne-marieo'neil":                {5},
		"@annsmith\n@ÖRJAN @annsmith @am":  {1, 3},
		"@annsmith@annlee":                 nil,
		"@annlee/@annsmith":                {2},
		"\xff@ann\xff":                     {1, 2},
	} {
		if got := Mentions(text, people); !slices.Equal(got, want) {
			t.Errorf("%q names %v, want %v", text, got, want)
		}
	}
	if got := Mentions("@ann", nil); got != nil {
		t.Errorf("of nobody: %v", got)
	}
	if got := Mentions("@ann", []Person{{ID: 1, Name: "Ann"}, {ID: 1, Name: "Ann"}}); !slices.Equal(got, []int64{1}) {
		t.Errorf("twice the same: %v", got)
	}
	long := strings.Repeat("@a'", longestComment/3)
	if got := Mentions(long+" @annsmith", people); !slices.Equal(got, []int64{1}) {
		t.Errorf("at the end of a long text: %v", got)
	}
}
