package fault

import "testing"

func TestGoingText(t *testing.T) {
	t.Parallel()
	for want, got := range map[string]string{
		"Deleting 1 error. It disappears from the list shortly.":                                                         deletingText(1, false),
		"Deleting 11,000 errors. They disappear from the list one by one. Errors that have changed since then are kept.": deletingText(11_000, true),
		"The server is still changing 11,000 errors, also if you leave this page.":                                       changingText(11_000),
	} {
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
