package e2e

import (
	"strconv"
	"strings"
	"testing"
)

// jsNotice is what the JavaScript client says of a notice that it has made; see js/shop.js.
type jsNotice struct {
	ID        string
	Name      string
	Backtrace []struct {
		File   string
		Method string
		Number int
		Column int
		Source map[string]string
	}
	PID     int
	Failure string
}

// frames are how the notice's frames must be shown.
func (n jsNotice) frames() (all, app []frame) {
	for _, f := range n.Backtrace {
		shown := frame{Number: strconv.Itoa(f.Number), Column: f.Column, File: f.File, Method: f.Method, Source: f.Source, Context: "all"}
		name, ofProject := strings.CutPrefix(f.File, "[PROJECT_ROOT]/")
		if ofProject {
			shown.Context = "app"
		}
		all = append(all, shown)
		if ofProject {
			shown.ApplicationFile = name
			app = append(app, shown)
		}
	}
	return all, app
}

// onlyDelivered returns the one notice that was delivered, after those that were held back.
func onlyDelivered(t testing.TB, made []jsNotice, heldBack ...string) jsNotice {
	t.Helper()
	if len(made) != len(heldBack)+1 {
		t.Fatalf("the client made %d notices, want %d: %+v", len(made), len(heldBack)+1, made)
	}
	for i, name := range heldBack {
		if made[i].Name != name || made[i].Failure == "" {
			t.Errorf("the client made %+v, want %s held back", made[i], name)
		}
	}
	last := made[len(heldBack)]
	if last.Failure != "" || last.ID == "" {
		t.Fatalf("the client could not report: %+v", last)
	}
	return last
}
