package browser

import (
	"testing"

	"sett/e2e/rig"
)

// AxePath is the checker of accessibility, as npm installs it.
const AxePath = rig.JS + "/node_modules/axe-core/axe.min.js"

// What axe checks: everything, also how large targets are; in the dark, where only colors differ, these; and what differs between two widths.
const (
	CheckAll    = `{resultTypes: ["violations"], preload: false, rules: {"target-size": {enabled: true}}}`
	CheckColors = `{resultTypes: ["violations"], preload: false, runOnly: ["color-contrast", "link-in-text-block"]}`
	CheckSizes  = `{resultTypes: ["violations"], preload: false, runOnly: ["target-size", "scrollable-region-focusable"]}`
	CheckLayout = `{resultTypes: ["violations"], preload: false, runOnly: ["color-contrast", "link-in-text-block", "target-size", "scrollable-region-focusable"]}`
)

// WantAccessible fails the test when axe finds a violation, or the page is wider than the window.
func (b *Tab) WantAccessible(t testing.TB, axe, where string) {
	t.Helper()
	options := CheckAll
	if b.scheme == "dark" {
		options = CheckColors
	}
	b.WantNothingFound(t, axe, options, where)
}

// WantNothingFound is wantAccessible for some of what axe checks.
func (b *Tab) WantNothingFound(t testing.TB, axe, options, where string) {
	t.Helper()
	if !Evaluate[bool](t, b, `"axe" in window`) { // a look before this one of the same page loads it
		Evaluate[bool](t, b, axe+"; true")
	}
	check := `axe.run(` + options + `).then(r => r.violations.map(v => v.id + ": " + v.help + ": " + v.nodes.map(n => n.html).join(" ")))`
	for _, violation := range Evaluate[[]string](t, b, check) {
		t.Errorf("%s: axe: %s", where, violation)
	}
	b.wantNoWider(t, where)
}
