package fault_test

import (
	"fmt"
	"strings"
	"testing"
)

// The list says how many errors match: above it, or in the tab that shows them, and then below it if there are more pages.
func TestListSaysHowManyMatch(t *testing.T) {
	t.Parallel()
	o := open(t)
	for i := range 27 {
		o.report(plain(fmt.Sprintf("E%02d", i)))
	}
	const above, below = `<span class="quiet" id="total">`, `<span class="quiet">`
	for q, want := range map[string]struct{ has, lacks []string }{
		"":                           {[]string{">Unresolved 27</a>", below + "25 of 27</span>", "all 27 that match", `data-say="25 of 27 errors"`}, []string{above}},
		"?q=class%3AE*":              {[]string{above + "27 errors</span>", "all 27 that match"}, []string{" of 27</span>"}},
		"?q=class%3AE1*":             {[]string{above + "10 errors</span>"}, []string{"that match<"}},
		"?q=class%3AE07":             {[]string{above + "1 error</span>"}, nil},
		"?q=class%3AX":               {[]string{"No matching errors"}, []string{above}},
		"?q=is%3Aresolved":           {[]string{"No matching errors"}, []string{above}},
		"?q=class%3AE*&order=newest": {[]string{above + "27 errors</span>"}, nil},
		"?q=class%3AE*&view=compact": {[]string{above + "27 errors</span>"}, []string{"that match<"}},
	} {
		page := o.member.Get(o.list()+q).Want(200, want.has...).CheckPage()
		lacks(t, page.Body, want.lacks...)
		if n := strings.Count(page.Body, ">27 errors<"); n > 1 {
			t.Errorf("%s: the total is shown %d times", q, n)
		}
	}
}
