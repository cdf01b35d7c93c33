package insight

import (
	"slices"
	"strings"
	"unicode/utf8"

	"sett/internal/base/phrase"
)

func textFunctions() []function {
	one := func(name, about, example string, calc func(text string) string) function {
		return function{name: name, usage: name + "(text)", about: about, example: example, kind: kindText, least: 1, most: 1, calc: func(e *env, a []Value) Value {
			if a[0].Kind == Absent {
				return Value{}
			}
			e.work += len(a[0].Text)
			return textValue(calc(e.said(a[0])))
		}}
	}
	return []function{
		{name: "concat", usage: "concat(a, b, …)", about: "the texts one after another", example: `fields concat(event_type, " ", path) as said`, kind: kindText, least: 1, most: maxTests, calc: calcConcat},
		one("lowercase", "the text in small letters", `fields lowercase(path) as p`, strings.ToLower),
		one("uppercase", "the text in capital letters", `fields uppercase(event_type) as kind`, strings.ToUpper),
		one("trim", "the text without spaces around it", `fields trim(" a ") as a`, strings.TrimSpace),
		{name: "length", usage: "length(text)", about: "characters of a text, or elements of a list", example: `fields length(path) as n`, kind: kindText, least: 1, most: 1, calc: func(e *env, a []Value) Value {
			e.work += len(a[0].Text)
			switch a[0].Kind {
			case Absent:
				return Value{}
			case List:
				return NumberValue(float64(len(elements(a[0]))))
			}
			return NumberValue(float64(utf8.RuneCountInString(e.said(a[0]))))
		}},
		{name: "substring", usage: "substring(text, from[, length])", about: "a part of the text; the first character is 1", example: `fields substring(path, 2, 3) as part`, kind: kindText, least: 2, most: 3, calc: calcSubstring},
		{name: "replace", usage: `replace(text, "a" or /a/, "b")`, about: "the text with each place replaced; `$1` in the last argument is what a group of the pattern has found", example: `fields replace(path, /[0-9]+/, "N") as route`, kind: kindText, least: 3, most: 3, read: readReplace("replace", -1)},
		{name: "replaceFirst", usage: `replaceFirst(text, "a" or /a/, "b")`, about: "the text with the first place replaced", example: `fields replaceFirst(path, "/", "") as p`, kind: kindText, least: 3, most: 3, read: readReplace("replaceFirst", 1)},
		{name: "toHumanString", usage: `toHumanString(n[, number])`, about: "the number for people: as `number`, `bytes`, `short`, `milliseconds` or `microseconds`", example: `fields toHumanString(duration, milliseconds) as lasts`, kind: kindText, least: 1, most: 2, read: readHuman},
	}
}

func calcConcat(e *env, a []Value) Value {
	var b strings.Builder
	for _, v := range a {
		if b.Len() > MaxText {
			break
		}
		b.WriteString(e.said(v))
	}
	e.work += b.Len()
	return textValue(b.String())
}

func calcSubstring(e *env, a []Value) Value {
	from, ok := a[1].number()
	if !ok || a[0].Kind == Absent {
		return Value{}
	}
	text := []rune(e.said(a[0]))
	e.work += len(text)
	start := int(min(max(from-1, 0), float64(len(text))))
	end := len(text)
	if len(a) == 3 {
		n, ok := a[2].number()
		if !ok {
			return Value{}
		}
		end = start + int(min(max(n, 0), float64(len(text)-start)))
	}
	return textValue(string(text[start:end]))
}

// readReplace reads the arguments of replace and replaceFirst.
func readReplace(name string, times int) func(p *parser, from int) (*expr, error) {
	return func(p *parser, from int) (*expr, error) {
		f := functionByName[strings.ToLower(name)]
		of, err := p.sum()
		if err != nil {
			return nil, err
		}
		if err := p.expect(",", f.says()); err != nil {
			return nil, err
		}
		t := p.next()
		var found *pattern
		switch t.kind {
		case textToken:
		case regexToken:
			if found, err = p.regex(t, t.text); err != nil {
				return nil, err
			}
		default:
			return nil, queryProblem(t.at, "a text in quotes or a regular expression is expected, not %s. %s", t, f.says())
		}
		if err := p.expect(",", f.says()); err != nil {
			return nil, err
		}
		with, err := p.text()
		if err != nil {
			return nil, err
		}
		if err := p.expect(")", f.says()); err != nil {
			return nil, err
		}
		return p.made(from, func(e *env, a []Value) Value {
			if a[0].Kind == Absent {
				return Value{}
			}
			return textValue(replaced(e, e.said(a[0]), t.text, found, with, times))
		}, of)
	}
}

// replaced replaces a text or what a pattern finds, and stops where the result is as long as a text may be.
func replaced(e *env, text, part string, found *pattern, with string, times int) string {
	if part == "" {
		return text
	}
	if found != nil && !e.afford(found, text) {
		return ""
	}
	var b []byte
	rest, at := text, 0
	e.work += len(text)
	for ; times != 0 && len(b) < MaxText; times-- {
		if found == nil {
			i := strings.Index(rest, part)
			if i < 0 {
				break
			}
			b = append(append(b, rest[:i]...), with...)
			rest = rest[i+len(part):]
			continue
		}
		m := found.FindStringSubmatchIndex(text[at:])
		if m == nil || !e.afford(found, text[at:at+m[1]]) {
			break
		}
		b = append(b, text[at:at+m[0]]...)
		b = found.ExpandString(b, with, text[at:], m)
		end := at + m[1]
		if m[0] == m[1] { // an empty place
			_, n := utf8.DecodeRuneInString(text[end:])
			if n == 0 {
				rest = ""
				break
			}
			b, end = append(b, text[end:end+n]...), end+n
		}
		at, rest = end, text[end:]
	}
	return string(append(b, rest...))
}

var humanForms = []string{"number", "bytes", "short", "milliseconds", "microseconds"}

func readHuman(p *parser, from int) (*expr, error) {
	of, err := p.sum()
	if err != nil {
		return nil, err
	}
	as := humanForms[0]
	if p.accept(",") {
		t := p.next()
		if as = strings.ToLower(t.text); !slices.Contains(humanForms, as) {
			return nil, queryProblem(t.at, "%s is no form of a number. There are: %s.%s", t, phrase.And(humanForms), t.meant(humanForms))
		}
	}
	if err := p.expect(")", functionByName["tohumanstring"].says()); err != nil {
		return nil, err
	}
	return p.made(from, func(_ *env, a []Value) Value {
		n, ok := a[0].number()
		if !ok {
			return Value{}
		}
		return textValue(human(n, as))
	}, of)
}
