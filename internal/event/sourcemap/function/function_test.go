package function

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"sett/internal/event/sourcemap"
)

// Each text has a comment in places, which says what the function around it is called.
func TestFunctionAroundAPlace(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		`/**/ function load(items) { /*load*/ items.forEach(i => { /*load*/ }) } /**/`,
		`const a = x => y => /*a*/ x + y, b = function () { /*b*/ }, c = async z => { /*c*/ }; /**/`,
		`const a = x => ok ? /*a*/ 1 : 2; b = ok ? x => /**/ 1 : /**/ 2 /**/`,
		`const a = function own() { /*own*/ }; x.y.total = function* () { /*total*/ }; x["y"] = function () { /**/ }`,
		"const a = () => /*a*/ 1\nconst b = () => ({ c: /*b*/ 1 })\nfoo(/**/)",
		`class Cart { a = x => b = y => { /*b*/ } } /**/`,
		`class Cart { static #n = 1; items = []; onFail = (e) => { /*Cart.onFail*/ }; constructor() { /*new Cart*/ } get total() { /*Cart.total*/ } static of() { /*Cart.of*/ [].map(() => { /*Cart.of*/ }) } #hide() { /*Cart.#hide*/ } [Symbol.iterator]() { /*Cart*/ } static { /*Cart*/ } } /**/`,
		`export default class extends mixin({ a() { /*a*/ } }) { save() { /*save*/ } }`,
		`var Shop = class { buy() { /*Shop.buy*/ } }; ({ class: "a", style: { paint() { /*paint*/ } } })`,
		`const o = { pay(x) { /*pay*/ }, async *all() { /*all*/ }, "a-b"() { /**/ }, 12: () => { /**/ }, get: function () { /*get*/ }, if(x) { /*if*/ }, ...{ deep: () => { /*deep*/ } } }`,
		`function f() { if (x) { /*f*/ } for (const a of b) { g(() => { /*f*/ }) } switch (x) { case 1: { /*f*/ } default: { h({ i() { /*i*/ } }) } } try { /*f*/ } catch (e) { /*f*/ } finally { /*f*/ } label: { /*f*/ } }`,
		`var z = () => { /*z*/ }, value = function (e) { /**/ }(5), other = (() => { /**/ })(), kind = function () { /**/ }.constructor`,
		"const a = () => { /*a*/ }\n(5, b = function () { /*b*/ })",
		"function f(a = () => /*a*/ 1, { b = function () { /*b*/ } } = {}) { return `x ${[1].map(() => /*f*/ `${2}`)} ` + /*f*/ 1 }",
		`function f(s) { return s.a / 2 / /[/"'{]\/(/.test(s) ? /}/g : s / /*f*/ 3 } function g(a) { if (a) /{/.test(a); /*g*/ } let h = () => a++ / 2 / /*h*/ 1`,
		"#!/usr/bin/env node\nfunction f() { /*f*/ }",
		"import a, { b as c } from 'x'; export { c as d }; export const e = () => /*e*/ 1; export default { f() { /*f*/ } }",
		"const s = 'a\\\n}', f = () => { /*f*/ }, t = '\u2028😀', g = () => { /*g*/ }",
		`a.class = b.function(c => { /**/ }); a?.if(() => { /**/ }); x = a ? { b() { /*b*/ } } : { c: { d() { /*d*/ } } }`,
	} {
		table := Written(text)
		if table == nil {
			t.Errorf("%s\nhas no table", text)
			continue
		}
		for i := range text {
			end := strings.Index(text[i:], "*/")
			if !strings.HasPrefix(text[i:], "/*") || end < 0 {
				continue
			}
			at := place{}.after([]byte(text[:i]))
			if got := table.At(int(at.line)+1, int(at.column)).Text; got != text[i+2:i+end] {
				t.Errorf("%s\nat %q: %q", text, text[i:i+end+2], got)
			}
		}
	}
}

// What is no JavaScript has no table: a wrong one would be worse.
func TestWhatCannotBeReadHasNoTable(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"", "a.b()", "function f() { (] }", "function f() {", "}", "const a = 'b\n'", "function f() { return <p>It's</p> }", "\xc6\x1f\xbc\x03\xc1\x03\x19\x1f",
		"function f() {}" + strings.Repeat("(", mostOpen+1) + strings.Repeat(")", mostOpen+1), strings.Repeat("function f() {}", mostFunctions+1),
		"function f() {}" + strings.Repeat(" ", LargestFile),
	} {
		if table := Written(text); table != nil {
			t.Errorf("%.50q has %+v", text, table.names)
		}
	}
}

func shop(t testing.TB) (text []byte, m *sourcemap.Map) {
	t.Helper()
	text, err := os.ReadFile("../../../ingest/unminify/testdata/shop.js")
	if err != nil {
		t.Fatal(err)
	}
	mapped, err := os.ReadFile("../../../ingest/unminify/testdata/shop.js.map")
	if err != nil {
		t.Fatal(err)
	}
	if m, err = sourcemap.Parse(mapped, sourcemap.Largest); err != nil {
		t.Fatal(err)
	}
	return text, m
}

func TestTableIsStored(t *testing.T) {
	t.Parallel()
	table := Of(shop(t))
	encoded := table.Encode()
	again, err := Decode(encoded)
	if err != nil || !slices.Equal(again.marks, table.marks) || !slices.Equal(again.names, table.names) || again.Bytes() < len(encoded) {
		t.Errorf("%v: %+v became %+v", err, table, again)
	}
	if got := again.At(1, 183); got.Text != "totalOfCart" || again.At(1, 0) != (Name{}) || again.At(5, 0).Text != "" {
		t.Errorf("found %+v", got)
	}
	for end := range encoded {
		if _, err := Decode(encoded[:end]); err == nil {
			t.Errorf("the first %d of %d bytes are a table", end, len(encoded))
		}
	}
}

// Names without a position in the map are those of the bundler. The functions in them have no name rather than that of another one.
func TestNamesOfTheOriginalProgram(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ mapped, want string }{
		{`{"version":3,"sources":["a.ts"],"names":["load"],"mappings":"SAAAA"}`, "load"},
		{`{"version":3,"sources":["a.ts"],"names":[],"sourcesContent":["load()"],"mappings":"SAAA"}`, "load"},
		{`{"version":3,"sources":["a.ts"],"names":[],"sourcesContent":["\nfunction load()"],"mappings":"SACA"}`, ""},
		{`{"version":3,"sources":["a.ts"],"names":[],"mappings":"SAAA"}`, ""},
		{`{"version":3,"sources":["a.ts"],"names":["Cart"],"sourcesContent":["Cart"],"mappings":"SAAAA"}`, "Cart"},
		{`{"version":3,"sources":["a.ts"],"names":["_Cart"],"sourcesContent":["Cart"],"mappings":"SAAAA"}`, "Cart"},
		{`{"version":3,"sources":["a.ts"],"names":["load"],"mappings":"AAAAA"}`, ""}, // that of a place before
		{`{"version":3,"sources":["a.ts"],"names":["a.b c"],"mappings":"SAAAA"}`, ""},
		{`{"version":3,"sources":[],"names":[],"mappings":""}`, ""},
	} {
		m, err := sourcemap.Parse([]byte(c.mapped), sourcemap.Largest)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		if table := Of([]byte("function a(){b(()=>1)}"), m); table != nil {
			got = table.At(1, 18).Text
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", c.mapped, got, c.want)
		}
	}
}

// Files and maps of strangers cost no more than others: names have a bound in all, and so have the lines of original files.
func TestHostileTables(t *testing.T) {
	t.Parallel()
	const functions = 50_000
	var names []string
	for i := range functions {
		names = append(names, fmt.Sprintf(`"%s%d"`, strings.Repeat("n", longestName-10), i))
	}
	mappings := "AAAAA" + strings.Repeat(",OAAAC", functions-1) // seven columns on, the next name
	m, err := sourcemap.Parse([]byte(`{"version":3,"sources":["a"],"names":[`+strings.Join(names, ",")+`],"mappings":"`+mappings+`"}`), sourcemap.Largest)
	if err != nil {
		t.Fatal(err)
	}
	if table := Of([]byte(strings.Repeat("a=x=>y;", functions)), m); table != nil {
		t.Errorf("the table has %d bytes", table.Bytes())
	}
	m, err = sourcemap.Parse([]byte(`{"version":3,"sources":["a"],"names":[],"sourcesContent":["load`+strings.Repeat(`\n`, mostLines)+`"],"mappings":"SAAA"}`), sourcemap.Largest)
	if err != nil {
		t.Fatal(err)
	}
	if table := Of([]byte("function a(){b(()=>1)}"), m); table != nil {
		t.Errorf("a file with too many lines is read: %+v", table.names)
	}
}

// FuzzOf has files of strangers read, and tables of strangers.
func FuzzOf(f *testing.F) {
	text, _ := shop(f)
	f.Add(text)
	f.Add([]byte("class A{a=()=>`${{b(){}}}`;constructor(){}}x=y=>z?1:2,function*q(){}"))
	_, m := shop(f)
	f.Fuzz(func(t *testing.T, text []byte) {
		for _, table := range []*Table{Of(text, m), Written(string(text))} {
			if table == nil {
				continue
			}
			if !slices.IsSortedFunc(table.marks, func(a, b mark) int { return a.compare(b.place) }) {
				t.Errorf("%q: %v", text, table.marks)
			}
			if again, err := Decode(table.Encode()); err != nil || !slices.Equal(again.marks, table.marks) {
				t.Errorf("%q: %v", text, err)
			}
		}
		if table, err := Decode(text); err == nil {
			table.At(1, 1)
		}
	})
}
