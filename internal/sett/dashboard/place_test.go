package dashboard_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"sett/internal/sett"
	"sett/internal/sett/dashboard"
)

// board returns a dashboard with widgets a, b, … at the places.
func board(places ...dashboard.Grid) (s dashboard.Settings) {
	for i, g := range places {
		s.Widgets = append(s.Widgets, dashboard.Widget{ID: string(rune('a' + i)), Type: dashboard.Errors, Grid: g})
	}
	return s
}

func shown(s dashboard.Settings) string {
	var all []string
	for _, w := range s.Widgets {
		all = append(all, fmt.Sprintf("%s:%d,%d,%d,%d", w.ID, w.Grid.X, w.Grid.Y, w.Grid.W, w.Grid.H))
	}
	return strings.Join(all, " ")
}

func TestWidgetsSettle(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		s    dashboard.Settings
		held string
		want string
	}{
		{"it closes upward", board(dashboard.Grid{0, 5, 6, 3}, dashboard.Grid{0, 20, 6, 2}), "", "a:0,0,6,3 b:0,3,6,2"},
		{"what overlaps moves down", board(dashboard.Grid{0, 0, 12, 3}, dashboard.Grid{3, 1, 6, 3}), "", "a:0,0,12,3 b:3,3,6,3"},
		{"all at one place, as clients may send them", board(dashboard.Grid{0, 0, 12, 3}, dashboard.Grid{0, 0, 12, 3}), "", "a:0,0,12,3 b:0,3,12,3"},
		{"the held one stays, others give way", board(dashboard.Grid{0, 0, 6, 3}, dashboard.Grid{0, 0, 6, 3}, dashboard.Grid{6, 0, 6, 3}), "b", "a:0,3,6,3 b:0,0,6,3 c:6,0,6,3"},
		{"beside one another", board(dashboard.Grid{6, 0, 6, 3}, dashboard.Grid{0, 0, 6, 5}, dashboard.Grid{6, 9, 6, 1}), "", "a:6,0,6,3 b:0,0,6,5 c:6,3,6,1"},
		{"what is out of the page comes back", board(dashboard.Grid{11, 2000, 40, 999}, dashboard.Grid{-3, -3, 0, 0}), "", "a:0,1,12,24 b:0,0,1,1"},
	} {
		if tt.s.Settle(tt.held); shown(tt.s) != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, shown(tt.s), tt.want)
		}
	}
}

// Whatever is sent, nothing overlaps, nothing has room above it, ids stay, and to settle again changes nothing.
func TestSettledWidgetsNeverOverlap(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	for range 500 {
		var places []dashboard.Grid
		for range 1 + r.IntN(20) {
			places = append(places, dashboard.Grid{r.IntN(14) - 1, r.IntN(20), r.IntN(15), r.IntN(30)})
		}
		s := board(places...)
		s.Settle("b")
		for i, a := range s.Widgets {
			if a.ID != string(rune('a'+i)) || a.Grid.X < 0 || a.Grid.X+a.Grid.W > dashboard.Columns {
				t.Fatalf("%s is wrong", shown(s))
			}
			rests := a.Grid.Y == 0
			for j, b := range s.Widgets {
				beside := a.Grid.X+a.Grid.W <= b.Grid.X || b.Grid.X+b.Grid.W <= a.Grid.X
				if i != j && !beside && a.Grid.Y < b.Grid.Y+b.Grid.H && b.Grid.Y < a.Grid.Y+a.Grid.H {
					t.Fatalf("%s: %s and %s overlap", shown(s), a.ID, b.ID)
				}
				rests = rests || !beside && b.Grid.Y+b.Grid.H == a.Grid.Y
			}
			if !rests {
				t.Fatalf("%s: nothing is above %s", shown(s), a.ID)
			}
		}
		for _, p := range dashboard.Places(s.Widgets) {
			if p.Row > 2*dashboard.MostWidgets || p.Rows < 1 || p.Rows > p.H {
				t.Fatalf("%s: the page has no such place: %+v", shown(s), p)
			}
		}
		again := dashboard.Settings{Widgets: slices.Clone(s.Widgets)}
		if again.Settle(""); shown(again) != shown(s) {
			t.Fatalf("%s becomes %s", shown(s), shown(again))
		}
	}
}

func TestWidgetsStep(t *testing.T) {
	t.Parallel()
	s := board(dashboard.Grid{0, 0, 12, 3}, dashboard.Grid{0, 3, 6, 2}, dashboard.Grid{6, 3, 6, 4})
	for _, tt := range []struct {
		id   string
		by   int
		want string
	}{
		{"a", -1, "a:0,0,12,3 b:0,3,6,2 c:6,3,6,4"}, // it is the first
		{"a", 1, "a:0,4,12,3 b:0,0,6,2 c:6,0,6,4"},
		{"a", 1, "a:0,4,12,3 b:0,0,6,2 c:6,0,6,4"}, // it is the last
		{"b", 1, "a:0,4,12,3 b:0,7,6,2 c:6,0,6,4"},
		{"nothing", 1, "a:0,4,12,3 b:0,7,6,2 c:6,0,6,4"},
		{"b", -1, "a:0,4,12,3 b:0,0,6,2 c:6,0,6,4"},
	} {
		if s.Step(tt.id, tt.by); shown(s) != tt.want {
			t.Errorf("%s by %d: %s, want %s", tt.id, tt.by, shown(s), tt.want)
		}
	}
}

func TestArrange(t *testing.T) {
	t.Parallel()
	s := board(dashboard.Grid{0, 0, 12, 3}, dashboard.Grid{0, 3, 6, 2})
	if err := s.Arrange("b:0,0,4,5 a:4,0,8,5"); err != nil || shown(s) != "a:4,0,8,5 b:0,0,4,5" {
		t.Errorf("%s, %v", shown(s), err)
	}
	for _, text := range []string{"", "a", "a:", "a:1,2,3", "a:1,2,3,x", "a:-1,0,3,3", "z:0,0,1,1", "a:0,0,1,1,1", "a:0,0,99999999999,1", strings.Repeat("a:0,0,1,1 ", 51)} {
		if err := s.Arrange(text); sett.CodeOf(err) != sett.Invalid {
			t.Errorf("%q: %v", text, err)
		}
	}
}
