package insight

import (
	"encoding/json"
	"net/url"
	"strconv"
	"strings"
)

func otherFunctions() []function {
	address := func(name, about, example string, of func(u *url.URL) string) function {
		return function{name: name, usage: name + "(url)", about: about, example: example, kind: kindOther, least: 1, most: 1, calc: func(e *env, a []Value) Value {
			e.work += len(a[0].Text)
			u, err := url.Parse(a[0].Text)
			if a[0].Kind != Text || err != nil {
				return Value{}
			}
			return textValue(of(u))
		}}
	}
	return []function{
		address("urlPath", "the path of an address", `fields urlPath(url) as p`, func(u *url.URL) string { return u.Path }),
		address("urlDomain", "the host of an address", `fields urlDomain(url) as host`, func(u *url.URL) string { return u.Hostname() }),
		{name: "urlParameter", usage: `urlParameter(url, "key")`, about: "the value of a parameter of an address", example: `fields urlParameter(url, "page") as page`, kind: kindOther, least: 2, most: 2, calc: func(e *env, a []Value) Value {
			e.work += len(a[0].Text)
			u, err := url.Parse(a[0].Text)
			if a[0].Kind != Text || err != nil || !u.Query().Has(a[1].Text) {
				return Value{}
			}
			return textValue(u.Query().Get(a[1].Text))
		}},
		{name: "json", usage: `json(text, "$.path")`, about: "the text, number, true or false at a place of a JSON text, such as `$.user.id` or `$.items[0].name`", example: `fields json(body, "$.user.id") as id`, kind: kindOther, least: 2, most: 2, read: readJSON},
		{name: "any", usage: "any(condition)", about: "the condition holds of an element of the list that it names with [*]; false without elements", example: `filter any(tags[*] == "slow") | stats count()`, kind: kindOther, least: 1, most: 1, test: true, read: readEach("any", false)},
		{name: "all", usage: "all(condition)", about: "the condition holds of all elements; true without elements", example: `filter all(tags[*] != "slow") | stats count()`, kind: kindOther, least: 1, most: 1, test: true, read: readEach("all", true)},
	}
}

// elements returns the elements of a list. Another value is its only element.
func elements(v Value) (all []Value) {
	if v.Kind == Absent {
		return nil
	}
	if v.Kind != List {
		return []Value{v}
	}
	var parts []json.RawMessage
	if json.Unmarshal([]byte(v.Text), &parts) != nil {
		return []Value{v}
	}
	for _, part := range parts {
		all = append(all, ReadValue(strings.TrimSpace(string(part))))
	}
	return all
}

// readEach reads a condition about each element of a list.
func readEach(name string, every bool) func(p *parser, from int) (*expr, error) {
	return func(p *parser, from int) (*expr, error) {
		args, err := p.arguments(functionByName[name])
		if err != nil {
			return nil, err
		}
		if err := p.mustTest(args[0]); err != nil {
			return nil, err
		}
		if len(args[0].fields) != 1 || args[0].rowly {
			return nil, queryProblem(args[0].at, "%s is about one list, as in %s(tags[*] == \"slow\").", name, name)
		}
		of, key := args[0], args[0].fields[0]
		x, err := p.made(from, func(e *env, _ []Value) Value {
			one := &Column{Values: make([]Value, 1), Index: []int32{0}}
			each := &env{scope: e.scope, f: e.f, columns: map[string]*Column{key: one}}
			for _, v := range elements(e.columns[key].at(e.row)) {
				one.Values[0] = v
				if e.spend(of.size) != nil || of.value(each).isTrue() != every {
					return boolValue(!every)
				}
			}
			return boolValue(every)
		})
		if err == nil {
			x.test, x.fields, x.size = true, of.fields, of.size+1
		}
		return x, err
	}
}

func readJSON(p *parser, from int) (*expr, error) {
	of, err := p.sum()
	if err != nil {
		return nil, err
	}
	f := functionByName["json"]
	if err := p.expect(",", f.says()); err != nil {
		return nil, err
	}
	t := p.peek()
	text, err := p.text()
	if err != nil {
		return nil, err
	}
	path, ok := jsonPath(text)
	if !ok {
		return nil, queryProblem(t.at, "%s is not a place in JSON. Write it as in \"$.user.id\" or \"$.items[0].name\".", t)
	}
	if err := p.expect(")", f.says()); err != nil {
		return nil, err
	}
	return p.made(from, func(e *env, a []Value) Value {
		e.work += 4 * len(a[0].Text)
		if a[0].Kind != Text && a[0].Kind != List {
			return Value{}
		}
		return jsonAt(a[0].Text, path)
	}, of)
}

// jsonPath cuts a place such as $.a.b[0] into its steps.
func jsonPath(text string) (path []string, ok bool) {
	rest, ok := strings.CutPrefix(text, "$")
	for rest != "" && ok {
		if rest[0] == '[' {
			var step string
			step, rest, ok = strings.Cut(rest[1:], "]")
			path = append(path, strings.Trim(step, `"'`))
			continue
		}
		if rest[0] != '.' {
			return nil, false
		}
		rest = rest[1:]
		end := strings.IndexAny(rest, ".[")
		if end < 0 {
			end = len(rest)
		}
		if end == 0 {
			return nil, false
		}
		path, rest = append(path, rest[:end]), rest[end:]
	}
	return path, ok && len(path) <= 2*MaxDepth
}

// jsonAt returns the value at a place of a JSON text; null for objects, lists and what is not there.
func jsonAt(text string, path []string) Value {
	at := json.RawMessage(text)
	for _, step := range path {
		var object map[string]json.RawMessage
		var list []json.RawMessage
		if json.Unmarshal(at, &object) == nil {
			at = object[step]
			continue
		}
		i, err := strconv.Atoi(step)
		if err != nil || json.Unmarshal(at, &list) != nil || i < 0 || i >= len(list) {
			return Value{}
		}
		at = list[i]
	}
	if !json.Valid(at) {
		return Value{}
	}
	v := ReadValue(strings.TrimSpace(string(at)))
	if v.Kind == List {
		return Value{}
	}
	return v
}
