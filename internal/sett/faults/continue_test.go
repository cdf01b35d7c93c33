package faults

import "testing"

func known(line, message string, more ...func(*KnownGrouping)) KnownGrouping {
	k := KnownGrouping{Grouping: Grouping{Line: line, Message: message, Method: "pay"}, Late: true}
	for _, change := range more {
		change(&k)
	}
	return k
}

func here(k *KnownGrouping)     { k.Here = true }
func late(k *KnownGrouping)     { k.Late = false }
func minified(k *KnownGrouping) { k.Loose, k.Method = true, "n" }

func source(text string) func(*KnownGrouping)  { return func(k *KnownGrouping) { k.Source = text } }
func callers(text string) func(*KnownGrouping) { return func(k *KnownGrouping) { k.Callers = text } }
func method(name string) func(*KnownGrouping)  { return func(k *KnownGrouping) { k.Method = name } }

func TestEventsContinueAnError(t *testing.T) {
	t.Parallel()
	event := func(revision, line, message string, more ...func(*KnownGrouping)) Grouping {
		g := known(line, message, more...).Grouping
		g.Revision = revision
		return g
	}
	for name, c := range map[string]struct {
		known []KnownGrouping
		event Grouping
		index int
		why   Why
	}{
		"nothing is known":                              {nil, event("2", "31", ""), -1, ""},
		"another line in another revision":              {[]KnownGrouping{known("31", "")}, event("2", "36", ""), 0, LineMoved},
		"another line in the same revision":             {[]KnownGrouping{known("31", "", here)}, event("2", "36", ""), -1, ""},
		"another line, and no revision":                 {[]KnownGrouping{known("31", "")}, event("", "36", ""), -1, ""},
		"another line a day later, and no revision":     {[]KnownGrouping{known("31", "", late)}, event("", "36", ""), 0, LineMoved},
		"another line with the same text":               {[]KnownGrouping{known("31", "", source("a.pay"))}, event("", "36", "", source("a.pay")), 0, LineMoved},
		"another function":                              {[]KnownGrouping{known("31", "", method("refund"))}, event("2", "31", ""), -1, ""},
		"a function without a name on the same line":    {[]KnownGrouping{known("31", "", method(""), here)}, event("2", "31", ""), 0, NamesVary},
		"a function without a name on another line":     {[]KnownGrouping{known("31", "", method(""))}, event("2", "36", ""), -1, ""},
		"a bundler named it anew":                       {[]KnownGrouping{known("", "", minified)}, event("2", "", "", minified, method("c")), 0, NamesVary},
		"two functions of a bundle":                     {[]KnownGrouping{known("", "", minified, here)}, event("2", "", "", minified, method("c")), -1, ""},
		"the error with the same message":               {[]KnownGrouping{known("35", "no name here"), known("20", "no price here")}, event("2", "36", "no price here"), 1, LineMoved},
		"the error with the same text of the line":      {[]KnownGrouping{known("35", "", source("b")), known("20", "", source("a"))}, event("2", "36", "", source("a")), 1, LineMoved},
		"the error that was called from as far away":    {[]KnownGrouping{known("35", "", callers("main 9")), known("20", "", callers("main 40"))}, event("2", "36", "", callers("main 40")), 1, LineMoved},
		"the nearer line":                               {[]KnownGrouping{known("31", ""), known("90", "")}, event("2", "93", ""), 1, LineMoved},
		"lines keep their order":                        {[]KnownGrouping{known("13", ""), known("14", "")}, event("2", "15", ""), 0, LineMoved},
		"lines keep their order, the first is taken":    {[]KnownGrouping{known("13", "", here), known("14", "")}, event("2", "16", ""), 1, LineMoved},
		"an error whose place has failed in it already": {[]KnownGrouping{known("31", "", here), known("60", "", here)}, event("2", "62", ""), -1, ""},
	} {
		if index, why := Continues(c.known, c.event); index != c.index || why != c.why {
			t.Errorf("%s: %d %q, want %d %q", name, index, why, c.index, c.why)
		}
	}
}

func TestMessagesAreAlike(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		a, b                    string
		values, errors, helpers bool
	}{
		{"no price", "no price", true, true, true},
		{"order <number> is gone", "order <id> is gone", true, true, true},
		{"the street is missing", "the currency is missing", true, true, false},
		{"no user ann", "no user bob", true, true, false},
		{"card declined by bank", "template footer not found", false, false, false},
		{"'sku'", "'price'", true, true, true}, // values of one statement
		{"ann smith", "bob", true, false, false},
		{"", "no price", true, false, false},
		{"in callback", "in map", true, false, false},
		{"a property of undefined 'number'", "a property of undefined 'first'", false, false, false},
		{"a property of undefined 'price'", "a property of undefined", true, true, true},
		{"<number>", "<text>", true, true, true},
		{"Müller fehlt im Korb", "Müller fehlt im Lager", true, true, true},
		{"deadlock was detected in the table", "a timeout ended this statement early", false, false, false},
	} {
		for percent, want := range map[int]bool{10: c.values, 34: c.errors, 60: c.helpers} {
			if areAlike(c.a, c.b, percent) != want || areAlike(c.b, c.a, percent) != want {
				t.Errorf("areAlike(%q, %q, %d), or the other way round, is not %v", c.a, c.b, percent, want)
			}
		}
	}
}
