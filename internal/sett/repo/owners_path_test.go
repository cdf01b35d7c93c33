package repo_test

import (
	"strings"
	"testing"

	"sett/internal/sett/repo"
)

func TestFilesOfTracesHavePathsInTheirRepository(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ path, file, root, want string }{
		{"", "app/a.rb", "", "app/a.rb"},
		{"", "./app/../app/a.rb", "", "app/a.rb"},
		{"", "[PROJECT_ROOT]/app/a.rb", "/x", "app/a.rb"},
		{"", "/PROJECT_ROOT/app/a.rb", "", "app/a.rb"},
		{"", `C:\shop\app\a.cs`, `C:\shop\`, "app/a.cs"},
		{"", `C:\shop\app\a.cs`, "", ""},
		{"", "file:///srv/a.js", "", ""},
		{"", "/srv/shop/a.rb", "/", ""},
		{"", "https://shop.example.org/src/a.ts?v=1", "https://shop.example.org", "src/a.ts"},
		{"", "webpack:///./src/a.ts", "", "src/a.ts"},
		{"", "github.com/acme/shop/a.go", "", "a.go"},
		{"shop", "a.go", "", "shop/a.go a.go"},
		{"shop", "/srv/shop/a.go", "/srv", "shop/a.go"},
		{"shop", "shopping/a.go", "", "shop/shopping/a.go shopping/a.go"},
		{"shop", "", "", ""},
	} {
		r := repo.Repository{URL: "https://github.com/acme/shop", Path: c.path}
		if got := strings.Join(r.PathsOf(c.file, c.root), " "); got != c.want {
			t.Errorf("%q in %q: %q, want %q", c.file, c.root, got, c.want)
		}
	}
}
