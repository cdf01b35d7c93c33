package repo

import (
	"net/url"
	"regexp"
	"strings"
)

// OwnersFiles are the paths at which a host looks for a CODEOWNERS file: the first that exists counts.
func OwnersFiles(h Host) []string {
	switch h {
	case GitHub:
		return []string{".github/CODEOWNERS", "CODEOWNERS", "docs/CODEOWNERS"}
	case GitLab:
		return []string{"CODEOWNERS", "docs/CODEOWNERS", ".gitlab/CODEOWNERS"}
	case Gitea:
		return []string{"CODEOWNERS", "docs/CODEOWNERS", ".gitea/CODEOWNERS", ".forgejo/CODEOWNERS"}
	}
	return []string{".bitbucket/CODEOWNERS"}
}

// Name is how people call the repository, such as acme/shop.
func (r Repository) Name() string { return pathOf(r.URL) }

// PathsOf returns which paths a file of a trace may have in the repository, the most likely first. Which of them exists is not known here.
// root is where the program is on its machine; "" if unknown. A file that is in another place of the machine, or in a gem, has none.
func (r Repository) PathsOf(file, root string) []string {
	file = r.relative(strings.ReplaceAll(file, `\`, "/"), strings.TrimRight(strings.ReplaceAll(root, `\`, "/"), "/"))
	switch {
	case file == "":
		return nil
	case r.Path == "" || strings.HasPrefix(file, r.Path+"/"):
		return []string{file}
	}
	return []string{r.Path + "/" + file, file}
}

// onMachine is the beginning of a path from the root of a machine.
var onMachine = regexp.MustCompile(`^(?:/|[A-Za-z]:|file:|\[GEM_ROOT\])`)

// relative returns a file below the root of the program, or of its repository; "" if it is not known to be there.
func (r Repository) relative(file, root string) string {
	for _, start := range []string{"[PROJECT_ROOT]", "/PROJECT_ROOT", root} {
		if rest, ok := strings.CutPrefix(file, start); ok && start != "" && strings.HasPrefix(rest, "/") && !strings.Contains(start, "://") {
			return Cleaned(rest)
		}
	}
	if onMachine.MatchString(file) {
		return ""
	}
	file = Cleaned(file)
	if u, err := url.Parse(r.URL); err == nil { // Go names a file by its module
		file = strings.TrimPrefix(file, u.Host+"/"+r.Name()+"/")
	}
	return file
}
