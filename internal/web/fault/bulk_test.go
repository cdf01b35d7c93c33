package fault

import "testing"

func TestGoingText(t *testing.T) {
	t.Parallel()
	for want, got := range map[string]string{
		"1 error is being deleted. It leaves the list soon.": goingText(1, false),
		"11,000 errors are being deleted. They leave the list as they go. Those to which something has happened since the list was drawn stay.": goingText(11_000, true),
	} {
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
