package triage

import "testing"

func TestColumns(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		chosen []string
		stored string
		shown  string
	}{
		{[]string{"trend", "events", "users", "first_seen", "last_seen"}, "", "trend events users first_seen last_seen"},
		{[]string{"last_seen", "assignee", "assignee", "password", ""}, "assignee,last_seen", "assignee last_seen"},
		{nil, "none", ""},
	} {
		shown := ChosenColumns(c.chosen)
		if got := shown.Text(); got != c.stored {
			t.Errorf("%q is stored as %q, want %q", c.chosen, got, c.stored)
		}
		text := ""
		for _, column := range Columns() {
			if ReadColumns(c.stored).Has(string(column)) {
				text += " " + string(column)
			}
		}
		if text != "" {
			text = text[1:]
		}
		if text != c.shown {
			t.Errorf("%q shows %q, want %q", c.stored, text, c.shown)
		}
	}
	if ReadColumns("none").Has("none") {
		t.Error("none is a column")
	}
}
