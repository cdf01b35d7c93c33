package owner_test

import (
	"strings"
	"testing"

	"sett/internal/sett/owner"
	"sett/internal/sett/repo"
)

func TestOwnersAreThoseOfTheHost(t *testing.T) {
	t.Parallel()
	hub := `* @acme/all
# a comment
*.js @js # and another
/build/logs/ @logs
docs/* docs@example.org
apps/ @acme/apps
/apps/github
**/deep @deep
/lib/**/x.go @x
with\ blank @blank
/a/b?.txt @q
`
	lab := `* @all
/docs @docs-file
/build/ @build
any/ @any
*.md @md
!/build/skip.md
/build/skip.md @again

[Database][2] @db
/db/
/db/own.sql @own
^[docs] @writers
*.md
[DATABASE]
more.sql
`
	tea := `.*\\.go @go @acme/core # both
docs/(a|b)/.*\\.md @docs
!src/.* @outside
with\ blank @blank
`
	bucket := "CODEOWNERS.destination_branch main\n* a@example.org\n*.scala @acme/group:random(2) @ben:least_busy(1)\n"
	for _, c := range []struct {
		host repo.Host
		text string
		path string
		want string
	}{
		{repo.GitHub, hub, "x.go", "@acme/all"},
		{repo.GitHub, hub, "/x.go", "@acme/all"},
		{repo.GitHub, hub, "web/x.js", "@js"},
		{repo.GitHub, hub, "build/logs/a/b.txt", "@logs"},
		{repo.GitHub, hub, "x/build/logs/b.txt", "@acme/all"},
		{repo.GitHub, hub, "docs/a.md", "docs@example.org"},
		{repo.GitHub, hub, "docs/b/a.md", "@acme/all"},
		{repo.GitHub, hub, "x/docs/a.md", "@acme/all"},
		{repo.GitHub, hub, "x/apps/a.md", "@acme/apps"},
		{repo.GitHub, hub, "apps/github/a.md", ""},
		{repo.GitHub, hub, "a/deep/b", "@deep"},
		{repo.GitHub, hub, "deep", "@deep"},
		{repo.GitHub, hub, "lib/x.go", "@x"},
		{repo.GitHub, hub, "lib/a/b/x.go", "@x"},
		{repo.GitHub, hub, "lib/a/bx.go", "@acme/all"},
		{repo.GitHub, hub, "with blank", "@blank"},
		{repo.GitHub, hub, "a/bc.txt", "@q"},
		{repo.GitHub, hub, "a/b/.txt", "@acme/all"},
		{repo.GitHub, hub, "", ""},
		{repo.GitHub, hub, strings.Repeat("a/", 2_000), ""},
		{repo.GitLab, lab, "x.go", "@all"},
		{repo.GitLab, lab, "docs", "@docs-file"},
		{repo.GitLab, lab, "docs/a", "@all"},
		{repo.GitLab, lab, "build/a/b.c", "@build"},
		{repo.GitLab, lab, "x/build/a", "@all"},
		{repo.GitLab, lab, "x/any/a", "@any"},
		{repo.GitLab, lab, "x/README.md", "@md @writers"},
		{repo.GitLab, lab, "build/skip.md", "@writers"},
		{repo.GitLab, lab, "db/a.sql", "@all @db"},
		{repo.GitLab, lab, "db/own.sql", "@all @own"},
		{repo.GitLab, lab, "x/more.sql", "@all @db"},
		{repo.Gitea, tea, "src/a.go", "@go @acme/core"},
		{repo.Gitea, tea, "a.go", "@go @acme/core @outside"},
		{repo.Gitea, tea, "src/docs/a/x.md", ""},
		{repo.Gitea, tea, "docs/b/x.md", "@docs @outside"},
		{repo.Gitea, tea, "with blank", "@outside @blank"},
		{repo.Bitbucket, bucket, "a.go", "a@example.org"},
		{repo.Bitbucket, bucket, "x/a.scala", "@acme/group @ben"},
	} {
		owners, problems := owner.ParseCodeowners(c.host, c.text)
		if got := strings.Join(owners.Owners(c.path), " "); got != c.want || problems != nil {
			t.Errorf("%s: %.40s is of %q, want %q; %v", c.host, c.path, got, c.want, problems)
		}
	}
}

func TestWrongLinesAreNamed(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		host repo.Host
		text string
		want string // in the problem
		path string
		left string // who owns it without the line
	}{
		{repo.GitHub, "* @a\n!x @b", "Line 2 negates", "x", "@a"},
		{repo.GitHub, "* @a\n[ab] @b", "Line 2 has a range", "a", "@a"},
		{repo.GitHub, "* @a\nx b", `Line 2 names "b"`, "x", "@a"},
		{repo.GitHub, "* @a\n" + strings.Repeat("*a", 21) + " @b", "Line 2 has more than 20", "x", "@a"},
		{repo.GitHub, "* @a\n" + strings.Repeat("a", 2_001), "Line 2 is longer", "x", "@a"},
		{repo.GitHub, strings.Repeat("a", 512<<10+1), "longer than", "x", ""},
		{repo.GitHub, "\xff", "UTF-8", "x", ""},
		{repo.GitHub, strings.Repeat("* @a\n", 5_001), "Line 5001 and those behind it", "x", "@a"},
		{repo.GitHub, "*" + strings.Repeat(" @a", 51), "more than 50 owners", "x", "@a"},
		{repo.GitLab, "* @a b", `Line 1 names "b"`, "x", "@a"},
		{repo.Gitea, "a( @a", "Line 1 has a regular expression", "a(", ""},
		{repo.Gitea, "a", "Line 1 names no owner", "a", ""},
		{repo.Gitea, ".* @a\n" + strings.Repeat(strings.Repeat("a{1000}", 40)+" @b\n", 20) + ".* @c", "Line 2 and those behind it are not read", "x", "@a"},
		{repo.Gitea, ".* @a\n" + strings.Repeat(strings.Repeat(`\pL`, 600)+" @b\n", 20) + ".* @c", "those behind it are not read", "x", "@a"},
	} {
		owners, problems := owner.ParseCodeowners(c.host, c.text)
		if !strings.Contains(strings.Join(problems, "\n"), c.want) {
			t.Errorf("%s %.30q: %q, want %q", c.host, c.text, problems, c.want)
		}
		if got := strings.Join(owners.Owners(c.path), " "); got != c.left {
			t.Errorf("%s %.30q: %s is of %q, want %q", c.host, c.text, c.path, got, c.left)
		}
	}
}

func FuzzOwners(f *testing.F) {
	f.Add("[a] @b\n/x/**/*.go @c\n!y\n", "x/y/z.go")
	f.Fuzz(func(t *testing.T, text, path string) {
		for _, h := range repo.Hosts {
			owners, _ := owner.ParseCodeowners(h, text)
			for _, o := range owners.Owners(path) {
				if !strings.Contains(o, "@") {
					t.Errorf("%s: %q is an owner of %q in %q", h, o, path, text)
				}
			}
		}
	})
}
