package payload

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The most certain mark that a client uses decides which frames are the application's.
func TestMarkApp(t *testing.T) {
	t.Parallel()
	bare := Frame{File: "/srv/shop/main.rb"}
	project := Frame{File: "[PROJECT_ROOT]/main.rb"}
	marked := Frame{File: "main.rb", Context: "app"}
	gem := Frame{File: "[GEM_ROOT]/rack.rb"}
	for _, c := range []struct {
		name   string
		frames []Frame
		want   []string // application files
	}{
		{"nothing", nil, nil},
		{"only libraries", []Frame{gem, gem}, nil},
		{"bare paths", []Frame{gem, bare, bare}, []string{"/srv/shop/main.rb", "/srv/shop/main.rb"}},
		{"project paths win", []Frame{bare, project, gem}, []string{"main.rb"}},
		{"marks win", []Frame{bare, project, marked}, []string{"main.rb"}},
	} {
		frames := append([]Frame(nil), c.frames...)
		var got []string
		for _, f := range markApp(frames) {
			got = append(got, f.ApplicationFile)
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s: application files (-want +got):\n%s", c.name, diff)
		}
		app := 0
		for _, f := range frames {
			if f.ApplicationFile != "" || f.Context != "app" && f.Context != "all" {
				t.Errorf("%s: frame %+v", c.name, f)
			}
			if f.Context == "app" {
				app++
			}
		}
		if app != len(c.want) {
			t.Errorf("%s: %d frames are marked app, want %d", c.name, app, len(c.want))
		}
	}
}
