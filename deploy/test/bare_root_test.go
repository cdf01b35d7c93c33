package test

import (
	"bytes"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"sett/internal/setttest/program"
)

// essential are the packages that each Debian has, as debootstrap --variant=minbase installs them, without apt.
var essential = []string{
	"base-files", "base-passwd", "bash", "bsdutils", "coreutils", "dash", "debianutils", "diffutils", "dpkg", "findutils", "grep", "gzip", "hostname", "init-system-helpers",
	"libc-bin", "login", "ncurses-base", "ncurses-bin", "perl-base", "sed", "sysvinit-utils", "tar", "util-linux",
}

// What dpkg notes while something changes the packages of this machine; in the root directory nothing does.
var (
	statusLine = regexp.MustCompile(`(?m)^Status: .*`)
	pending    = regexp.MustCompile(`(?m)^Triggers-(Pending|Awaited): .*\n`)
)

// bareRoot makes a root directory that has some packages of this machine and what they depend on, with a dpkg that knows them. It takes no
// network, and a twentieth of the time of debootstrap.
func bareRoot(t *testing.T, packages ...string) string {
	t.Helper()
	root, names := newDir(t), withDependencies(t, packages)
	paths := bytes.NewBufferString("./usr\n./usr/bin\n./usr/sbin\n./usr/lib\n./usr/lib64\n./bin\n./sbin\n./lib\n./lib64\n") // where the last four are links, what they lead to comes first
	for path := range strings.Lines(must(t, "", "dpkg-query", append([]string{"--listfiles"}, names...)...)) {
		if strings.HasPrefix(path, "/") && !unread(path) {
			paths.WriteString("." + path)
		}
	}
	copied := program.Bounded("sh", "-c", `set -e; tar --create --no-recursion --ignore-failed-read --directory / --files-from - | tar --extract --directory "$ROOT"`)
	copied.Env, copied.Stdin = append(os.Environ(), "ROOT="+root), paths
	if out, err := copied.CombinedOutput(); err != nil {
		t.Fatalf("copy the files of %q: %v\n%s", names, err, out)
	}
	for _, file := range []string{"passwd", "group"} { // as base-passwd begins them
		if err := os.WriteFile(filepath.Join(root, "etc", file), read(t, "/usr/share/base-passwd", file+".master"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	status := pending.ReplaceAllString(must(t, "", "dpkg-query", append([]string{"--status"}, names...)...), "")
	status = statusLine.ReplaceAllString(status, "Status: install ok installed")
	for _, dir := range []string{"var/lib/dpkg/info", "var/lib/dpkg/updates", "var/lib/dpkg/triggers", "try"} {
		if err := os.MkdirAll(filepath.Join(root, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	// Without a list of triggers, dpkg believes that it was upgraded from a version without them.
	err := errors.Join(os.WriteFile(filepath.Join(root, "var/lib/dpkg/status"), []byte(status), 0o644), os.WriteFile(filepath.Join(root, "var/lib/dpkg/triggers/Unincorp"), nil, 0o644))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		info, _ := filepath.Glob("/var/lib/dpkg/info/" + name + "[.:]*")
		for _, from := range info {
			if err := os.WriteFile(filepath.Join(root, "var/lib/dpkg/info", filepath.Base(from)), read(t, from), 0o755); err != nil {
				t.Fatal(err)
			}
		}
	}
	return root
}

// unread reports whether a file is only for people, or for programs that are not tried.
func unread(path string) bool {
	return slices.ContainsFunc([]string{"/usr/share/doc/", "/usr/share/man/", "/usr/share/locale/", "/usr/share/info/", "/usr/lib/x86_64-linux-gnu/gconv/", "/usr/share/zoneinfo/"},
		func(dir string) bool { return strings.HasPrefix(path, dir) })
}

// withDependencies adds the packages that some need, of those that this machine has.
func withDependencies(t *testing.T, packages []string) []string {
	t.Helper()
	needs := map[string]string{}
	for line := range strings.Lines(must(t, "", "dpkg-query", "--show", "--showformat", "${Package}\t${Pre-Depends}, ${Depends}\n")) {
		name, all, _ := strings.Cut(strings.TrimSpace(line), "\t")
		needs[name] = all
	}
	found := map[string]bool{}
	for todo := packages; len(todo) > 0; todo = todo[1:] {
		all, ok := needs[todo[0]]
		if !ok || found[todo[0]] {
			continue // a virtual package, one that is not chosen, or a second time
		}
		found[todo[0]] = true
		for _, one := range strings.FieldsFunc(all, func(r rune) bool { return r == ',' || r == '|' }) {
			if name, _, _ := strings.Cut(strings.TrimSpace(one), " "); name != "" {
				name, _, _ = strings.Cut(name, ":")
				todo = append(todo, name)
			}
		}
	}
	return slices.Sorted(maps.Keys(found))
}
