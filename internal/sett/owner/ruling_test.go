package owner_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sett/internal/event/payload"
	"sett/internal/sett"
	"sett/internal/sett/owner"
	"sett/internal/sett/repo"
)

// raised is a notice whose application frames are in these files, innermost first, of a program in /srv/shop.
func raised(files ...string) (n payload.Payload) {
	n.Environment.ProjectRoot.Path = "/srv/shop/"
	n.Request.Component = "Carts"
	for _, f := range files {
		n.ApplicationTrace = append(n.ApplicationTrace, payload.Frame{File: f})
	}
	return n
}

func TestOwnRulesDecideBeforeCodeowners(t *testing.T) {
	t.Parallel()
	hub := repo.Repository{ID: 1, Host: repo.GitHub, URL: "https://github.com/acme/shop", Owners: "/app/ @acme/app\n/app/free/\n/lib/*.rb @lib a@example.org\nx b\n"}
	lab := repo.Repository{ID: 2, Host: repo.GitLab, URL: "https://gitlab.example.org/acme/shop", Owners: "[Code] @code\n/app/\n[Ruby] @ruby\n*.rb\n"}
	mono := repo.Repository{ID: 3, Host: repo.GitHub, URL: "https://github.com/acme/all", Path: "services/shop", Owners: "/services/shop/ @shop\n/common/ @common\n/app/ @other\n"}
	every := hub
	every.Owners = "* @all"
	for _, c := range []struct {
		name  string
		rules string
		files []repo.Repository
		raise []string
		want  string // owners, path, line or repository; "" for nothing
	}{
		{"an own rule", "app/ @own", []repo.Repository{hub}, []string{"app/a.rb"}, "@own app/a.rb 1"},
		{"an own rule of the component", "component:C* @own", []repo.Repository{hub}, []string{"app/a.rb"}, "@own app/a.rb 1"},
		{"an own rule of an outer frame", "lib/ @own", []repo.Repository{hub}, []string{"app/a.rb", "lib/a.rb"}, "@own app/a.rb 1"},
		{"an own rule without an owner", "*", []repo.Repository{hub}, []string{"app/a.rb"}, " app/a.rb 1"},
		{"no own rule matches", "web/ @own", []repo.Repository{hub}, []string{"[PROJECT_ROOT]/app/a.rb"}, "@acme/app app/a.rb acme/shop"},
		{"the innermost frame with owners", "", []repo.Repository{hub}, []string{"app/free/a.rb", "web/a.rb", "/srv/shop/lib/a.rb", "app/a.rb"}, "@lib a@example.org lib/a.rb acme/shop"},
		{"another place of the machine, and a gem", "", []repo.Repository{every}, []string{"/usr/lib/a.rb", "[GEM_ROOT]/app/a.rb", "/srv/shopping/a.rb"}, ""},
		{"a module of Go", "", []repo.Repository{hub}, []string{"github.com/acme/shop/app/a.go"}, "@acme/app app/a.go acme/shop"},
		{"sections of GitLab", "", []repo.Repository{lab}, []string{"app/a.rb"}, "@code @ruby app/a.rb acme/shop"},
		{"the path of the program", "", []repo.Repository{mono}, []string{"app/a.rb"}, "@shop services/shop/app/a.rb acme/all"},
		{"a path with that of the program", "", []repo.Repository{mono}, []string{"services/shop/a.rb"}, "@shop services/shop/a.rb acme/all"},
		{"a path beside the program", "", []repo.Repository{{Path: "x", URL: mono.URL, Host: mono.Host, Owners: mono.Owners}}, []string{"common/a.rb"}, "@common common/a.rb acme/all"},
		{"a repository with a path before others", "", []repo.Repository{hub, mono}, []string{"app/a.rb"}, "@shop services/shop/app/a.rb acme/all"},
		{"a repository without the file", "", []repo.Repository{{Host: repo.GitHub, URL: hub.URL}}, []string{"app/a.rb"}, ""},
		{"no repository", "web/ @own", nil, []string{"app/a.rb"}, ""},
		{"too many frames", "", []repo.Repository{hub}, append(strings.Split(strings.Repeat("web/a.rb ", 20), " ")[:20], "app/a.rb"), ""},
	} {
		settings, err := owner.OwnershipChange{Rules: sett.Some(c.rules)}.Apply(owner.Settings{})
		if err != nil {
			t.Fatal(err)
		}
		ruling := settings.With(c.files)
		for range 2 { // the second answer is remembered
			v, ok := ruling.Find(raised(c.raise...))
			got := strings.Join(v.Owners, " ") + " " + v.Path + " " + v.From
			if v.Line > 0 {
				got += "1"
			}
			if !ok {
				got = ""
			}
			if got != c.want {
				t.Errorf("%s: %q, want %q", c.name, got, c.want)
			}
		}
	}
}

// Java names a file without its package, and the class says it.
func TestOwnRulesKnowThePackageOfAClass(t *testing.T) {
	t.Parallel()
	n := payload.Payload{Backtrace: []payload.Frame{{File: "Cart.java", Class: "com.acme.Cart"}}}
	v, ok := owner.Settings{Rules: "com/acme/ @shop"}.With(nil).Find(n)
	if !ok || v.Path != "com/acme/Cart.java" {
		t.Errorf("%+v %v", v, ok)
	}
}

func TestCodeownersAreReadDespiteMistakes(t *testing.T) {
	t.Parallel()
	at := repo.Repository{Host: repo.GitHub, URL: "https://github.com/acme/shop", Owners: "* @ada @pay\n!x @b\n/app/ @@owner gone@example.org @ada\n"}
	files := owner.Settings{}.With([]repo.Repository{at}).Files()
	if len(files) != 1 || files[0].Rules.Size() != 2 || len(files[0].Problems) != 1 || !strings.HasPrefix(files[0].Problems[0], "Line 2 ") {
		t.Fatalf("%+v", files)
	}
	directory := owner.Directory{Teams: []owner.Team{{ID: 1, Name: "Pay"}, {ID: 2, Name: "Owner"}}, People: []sett.Person{{ID: 3, Name: "ada", Email: "ada@example.org"}}}
	if diff := cmp.Diff([]string{"@ada", "@@owner", "gone@example.org"}, directory.Resolve(files[0].Rules.Names()).Unknown); diff != "" {
		t.Error(diff)
	}
}
