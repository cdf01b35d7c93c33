package githost

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// commit is a commit of the repository.
type commit struct {
	sha, author, email, message string
	at                          time.Time
	parents                     []string
	status                      []fileStatus // read by withFiles
}

// fileStatus is a file that a commit touches.
type fileStatus struct{ kind, path, old string }

// command is a run of git in the repository.
func (s *Server) command(args ...string) *exec.Cmd {
	c := exec.Command("git", args...)
	c.Dir = s.dir
	date := s.now.Format(time.RFC3339)
	c.Env = append(os.Environ(), "GIT_AUTHOR_NAME=Ada Mensah", "GIT_AUTHOR_EMAIL=ada@example.org", "GIT_COMMITTER_NAME=Ada Mensah",
		"GIT_COMMITTER_EMAIL=ada@example.org", "GIT_AUTHOR_DATE="+date, "GIT_COMMITTER_DATE="+date, "GIT_CONFIG_GLOBAL=/dev/null",
		"GIT_CONFIG_NOSYSTEM=1", "GIT_EDITOR=true", "TZ=UTC")
	return c
}

// try runs git.
func (s *Server) try(args ...string) (string, error) {
	out, err := s.command(args...).Output()
	return string(out), err
}

// git runs git, which must not fail.
func (s *Server) git(args ...string) string {
	s.t.Helper()
	out, err := s.try(args...)
	if err != nil {
		s.t.Errorf("git %s: %v", strings.Join(args, " "), err)
	}
	return strings.TrimSuffix(out, "\n")
}

// tick moves the clock on.
func (s *Server) tick() { s.now = s.now.Add(time.Minute) }

// Commit makes a commit on a branch and returns its id. A branch that does not exist begins at main. files are the texts of files by path;
// nil deletes one.
func (s *Server) Commit(branch, message string, files map[string]*string) string {
	s.t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tick()
	s.checkout(branch)
	for path, text := range files {
		file := filepath.Join(s.dir, filepath.FromSlash(path))
		if text == nil {
			s.git("rm", "--quiet", path)
			continue
		}
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			s.t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(*text), 0o644); err != nil {
			s.t.Fatal(err)
		}
	}
	s.git("add", "--all")
	s.git("commit", "--quiet", "--allow-empty", "-m", message)
	return s.git("rev-parse", "HEAD")
}

// Many makes so many commits on a branch, each a file of its own, and before them one with as many files. It is fast.
func (s *Server) Many(branch string, n int) {
	s.t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	var b strings.Builder
	one := func(message, from string) {
		s.tick()
		const form = "commit refs/heads/%s\ncommitter Ada Mensah <ada@example.org> %d +0000\ndata %d\n%s\n%s"
		fmt.Fprintf(&b, form, branch, s.now.Unix(), len(message), message, from)
	}
	one("Many files", "from refs/heads/main^0\n")
	for i := range n {
		fmt.Fprintf(&b, "M 100644 inline many/%d.txt\ndata 0\n", i)
	}
	for i := range n {
		one(fmt.Sprintf("Step %d", i), "")
		fmt.Fprintf(&b, "M 100644 inline step/%d.txt\ndata 0\n", i)
	}
	c := s.command("fast-import", "--quiet")
	c.Stdin = strings.NewReader(b.String())
	if out, err := c.CombinedOutput(); err != nil {
		s.t.Errorf("git fast-import: %v: %s", err, out)
	}
}

// Text is the text of a file, for Commit.
func Text(lines ...string) *string {
	text := strings.Join(lines, "\n") + "\n"
	return &text
}

func (s *Server) checkout(branch string) {
	if s.exists("HEAD") == "" { // the first commit
		return
	}
	if s.exists("refs/heads/"+branch) == "" {
		s.git("checkout", "--quiet", "-b", branch, "main")
		return
	}
	s.git("checkout", "--quiet", branch)
}

// exists returns the id of a commit with a name; "" for none.
func (s *Server) exists(name string) string {
	if s.commits[name].sha != "" {
		return name
	}
	out, err := s.try("rev-parse", "--verify", "--quiet", "--end-of-options", name+"^{commit}")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(out)
}

// Head returns the newest commit of a branch.
func (s *Server) Head(branch string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.exists("refs/heads/" + branch)
}

// Revert takes a commit of main back, and returns the commit that does.
func (s *Server) Revert(sha string) string {
	s.t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tick()
	s.checkout("main")
	args := []string{"revert", "--no-edit", sha}
	if len(s.one(sha).parents) > 1 {
		args = append(args, "--mainline", "1")
	}
	s.git(args...)
	return s.git("rev-parse", "HEAD")
}

// Force moves a branch to a commit, whatever is lost.
func (s *Server) Force(branch, sha string) {
	s.t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.checkout(branch)
	s.git("reset", "--quiet", "--hard", sha)
}

const format = "--format=%H%x00%an%x00%ae%x00%ct%x00%P%x00%B%x01"

// log returns the commits of a range, the newest first.
func (s *Server) log(args ...string) (commits []commit) {
	out, err := s.try(append([]string{"log", format}, args...)...)
	if err != nil {
		return nil
	}
	for one := range strings.SplitSeq(out, "\x01") {
		parts := strings.Split(strings.TrimLeft(one, "\n"), "\x00")
		if len(parts) != 6 {
			continue
		}
		seconds, _ := strconv.ParseInt(parts[3], 10, 64)
		commits = append(commits, commit{
			sha: parts[0], author: parts[1], email: parts[2], at: time.Unix(seconds, 0).UTC(), parents: strings.Fields(parts[4]), message: parts[5],
		})
	}
	return commits
}

// one returns a commit; its sha is "" if there is none.
func (s *Server) one(name string) commit {
	sha := s.exists(name)
	if sha == "" {
		return commit{}
	}
	if s.commits[sha].sha == "" {
		s.commits[sha] = s.log("-1", sha)[0]
	}
	return s.commits[sha]
}

// withFiles returns a commit with the files that it touches.
func (s *Server) withFiles(c commit) commit {
	if known := s.commits[c.sha]; known.status != nil {
		return known
	}
	out := s.git("diff-tree", "--root", "-r", "-m", "--first-parent", "-M", "--no-commit-id", "--name-status", c.sha)
	for line := range strings.Lines(out) {
		parts := strings.Split(strings.TrimSpace(line), "\t")
		switch {
		case len(parts) == 3:
			c.status = append(c.status, fileStatus{"R", parts[2], parts[1]})
		case len(parts) == 2:
			c.status = append(c.status, fileStatus{parts[0], parts[1], parts[1]})
		}
	}
	s.commits[c.sha] = c
	return c
}

func (s *Server) file(sha, path string) ([]byte, bool) {
	out, err := s.try("cat-file", "blob", sha+":"+path)
	return []byte(out), err == nil
}

func (s *Server) tree(sha string) []string {
	return strings.Split(s.git("ls-tree", "-r", "--name-only", sha), "\n")
}

// run is some lines of a file that a commit changed last.
type run struct {
	from, to int
	lines    []string
	commit
}

func (s *Server) blame(sha, path string, from, to int) (runs []run) {
	args := []string{"blame", "--line-porcelain"}
	if from > 0 {
		args = append(args, fmt.Sprintf("-L%d,%d", from, to))
	}
	out, err := s.try(append(args, sha, "--", path)...)
	if err != nil {
		return nil
	}
	id, number := "", 0
	for line := range strings.Lines(out) {
		if text, ok := strings.CutPrefix(line, "\t"); ok {
			if end := len(runs) - 1; end >= 0 && runs[end].sha == id {
				runs[end].to, runs[end].lines = number, append(runs[end].lines, strings.TrimSuffix(text, "\n"))
				continue
			}
			runs = append(runs, run{number, number, []string{strings.TrimSuffix(text, "\n")}, s.one(id)})
			continue
		}
		if words := strings.Fields(line); len(words) >= 3 && len(words[0]) == 40 {
			id = words[0]
			number, _ = strconv.Atoi(words[2])
		}
	}
	return runs
}
