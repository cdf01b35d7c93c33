package fault_test

import (
	"strings"
	"testing"
)

// Small things of the page of an error that are easily lost.
func TestDetailsOfTheErrorPage(t *testing.T) {
	t.Parallel()
	o := open(t)
	f := o.report(`{"error":{"class":"Boom","message":"مرحبا"},"breadcrumbs":{"enabled":true,"trail":[{"message":"one","timestamp":"2026-11-18T10:00:00Z"},
		{"category":"query","message":"two","timestamp":"2026-11-18T10:00:01Z"}]},"server":{"environment_name":"production"}}`)
	o.member.Post(o.path(f)+"/comments", "body", "Mine.").Leads(o.path(f) + "?done=commented")
	page := o.member.Get(o.path(f)).CheckPage().Want(200,
		`dir="auto" tabindex="0">مرحبا</p>`,                    // a message is read in its own direction
		`<span class="chip">query</span>`,                      // a breadcrumb with a category
		`data-go="e" aria-current="page">Errors`,               // the entry of the navigation
		`<button popovertarget="side">More</button>`,           // leads to all entries on phones
		`popovertargetaction="hide">Cancel</button>`,           // in popovers
		`data-copies>Copy</a>`, `data-copies>Copy as Markdown`, // of the backtrace
	).Body
	lacks(t, page, `<span class="chip"></span>`)
	if said, remove := strings.Index(page, "Mine."), strings.Index(page, "Delete the comment of"); said < 0 || remove < said {
		t.Errorf("the comment is at %d, the button that deletes it at %d", said, remove)
	}
	for _, path := range []string{"/notices", "/users", "/merge"} { // pages below it belong to the same entry
		o.member.Get(o.path(f)+path).Want(200, `data-go="e" aria-current="page">Errors`)
	}
	popovers := strings.Count(page, ` popover class="sheet" role="dialog"`)
	if ways := strings.Count(page, `popovertargetaction="hide"`); popovers < 3 || ways < popovers {
		t.Errorf("%d popovers have %d buttons that close them", popovers, ways)
	}
}
