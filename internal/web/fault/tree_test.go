package fault

import (
	"strings"
	"testing"
)

// treesIn counts the branches of a tree and its depth.
func treesIn(b branch) (n, deep int) {
	for _, leaf := range b.Leaves {
		inner, below := treesIn(leaf)
		n, deep = n+1+inner, max(deep, below+1)
	}
	return n, deep
}

func TestTreesOfValues(t *testing.T) {
	t.Parallel()
	context := map[string]any{
		"cart": map[string]any{"items": []any{map[string]any{"price": 3.5, "odd name": "x"}}, "secret": "[FILTERED]"}, "plan": "gold", "none": nil, "empty": map[string]any{}, "": []any{"a"},
	}
	values := []section{{ID: "context", Values: valuesOf(context)}}
	growTrees(values)
	var text strings.Builder
	var walk func(b branch)
	walk = func(b branch) {
		text.WriteString(b.Path + "=" + b.Text + "\n")
		for _, leaf := range b.Leaves {
			walk(leaf)
		}
	}
	for _, v := range values[0].Values {
		if v.Tree != nil {
			walk(*v.Tree)
		}
	}
	want := `context[""]=["a"]
context[""][0]=a
context.cart={"items":[{"odd name":"x","price":3.5}],"secret":"[FILTERED]"}
context.cart.items=[{"odd name":"x","price":3.5}]
context.cart.items[0]={"odd name":"x","price":3.5}
context.cart.items[0]["odd name"]=x
context.cart.items[0].price=3.5
context.cart.secret=[FILTERED]
`
	if text.String() != want {
		t.Errorf("%s\nwant\n%s", text.String(), want)
	}
}

// However much a client sends, a page has so many branches and levels, and says what is missing.
func TestTreesAreBounded(t *testing.T) {
	t.Parallel()
	var deep any = "x"
	for range 100 {
		deep = []any{deep}
	}
	wide := make([]any, 100_000)
	values := []section{{ID: "params", Values: valuesOf(map[string]any{"a": deep, "b": wide, "c": wide})}}
	growTrees(values)
	all := 0
	for _, v := range values[0].Values {
		if v.Tree == nil {
			continue
		}
		n, levels := treesIn(*v.Tree)
		if all += n; levels > mostLevels {
			t.Errorf("%s has %d levels", v.Name, levels)
		}
	}
	if all > mostBranches || values[0].Values[1].Tree.Fewer < 99_000 || values[0].Values[2].Tree != nil {
		t.Errorf("%d branches, %d fewer", all, values[0].Values[1].Tree.Fewer)
	}
}
