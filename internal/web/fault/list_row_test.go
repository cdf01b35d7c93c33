package fault_test

import (
	"strings"
	"testing"
)

// A row is two lines: class and message, and then all that says where the error happens.
func TestRowIsTwoLines(t *testing.T) {
	t.Parallel()
	o := open(t)
	o.report(rich)
	o.report(`{"error":{"class":"Bang","message":"no component","backtrace":[{"number":"41","file":"[PROJECT_ROOT]/jobs/sync.rb","method":"run","context":"app"}]},"server":{"environment_name":"staging"}}`)
	page := o.member.Get(o.list()).Want(200, `</strong> it broke for bob@example.test</a></p>`).CheckPage().Body
	for class, second := range map[string][]string{
		"Boom": {`<span class="phone">1 event · `, `<span class="quiet">CartsController#show</span>`, `<span class="chip">production</span>`, `<span class="chip">checkout</span>`},
		"Bang": {`jobs/sync.rb:41">sync.rb:41</span>`, `<span class="chip">staging</span>`},
	} {
		_, row, _ := strings.Cut(page, "<strong>"+class+"</strong>")
		row, _, _ = strings.Cut(row, "</td>")
		if lines := strings.Count(row, "</p>"); lines != 2 {
			t.Errorf("%s takes %d lines: %s", class, lines, row)
		}
		_, row, _ = strings.Cut(row, "</p>")
		for _, text := range second {
			if !strings.Contains(row, text) {
				t.Errorf("the second line of %s lacks %s: %s", class, text, row)
			}
		}
	}
}

// All that changes how the list looks is in one menu, and the filters are behind a button.
func TestListHasOneMenuForItsLook(t *testing.T) {
	t.Parallel()
	o := open(t)
	o.report(plain("Boom"))
	o.report(strings.Replace(plain("Boom"), "production", "staging", 1))
	page := o.member.Get(o.list()).Want(200, `<summary class="button">Filters</summary>`).CheckPage()
	page.Lacks("others count events", "Columns</summary>", `<span class="export">`)
	_, menu, _ := strings.Cut(page.Body, `<summary class="button">View</summary>`)
	menu, _, _ = strings.Cut(menu, "</details>")
	for _, text := range []string{">Compact</a>", ">Show columns</button>", "/faults/environments", "/faults.csv?q=-is%3Aresolved", "/faults.json?q="} {
		if !strings.Contains(menu, text) || strings.Count(page.Body, text) != 1 {
			t.Errorf("%s is not in the menu alone", text)
		}
	}
}
