package test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// installDeb unpacks the package into a new root directory.
func installDeb(t *testing.T) string {
	t.Helper()
	dir := newDir(t)
	must(t, "", "dpkg-deb", "--extract", filepath.Join(dist, "sett_"+version+"_amd64.deb"), dir)
	return dir
}

// installed are the files of a package.
var installed = map[string]string{
	"usr/bin/sett": "-rwxr-xr-x", "usr/lib/systemd/system/sett.service": "-rw-r--r--", "usr/lib/sysusers.d/sett.conf": "-rw-r--r--",
	"etc/sett/sett.env": "-rw-------", "usr/share/doc/sett/copyright": "-rw-r--r--", "usr/share/man/man1/sett.1.gz": "-rw-r--r--",
	"usr/share/bash-completion/completions/sett": "-rw-r--r--", "usr/share/fish/vendor_completions.d/sett.fish": "-rw-r--r--",
}

func TestDeb(t *testing.T) {
	t.Parallel()
	dir := installDeb(t)
	for name, mode := range installed {
		if info, err := os.Stat(filepath.Join(dir, name)); err != nil || info.Mode().String() != mode {
			t.Errorf("%s: %v, want %s", name, info, mode)
		}
	}
	forTerminals(t, dir, "usr/share/zsh/vendor-completions/_sett")
	for _, machine := range []string{"amd64", "arm64"} {
		about := must(t, "", "dpkg-deb", "--info", filepath.Join(dist, "sett_"+version+"_"+machine+".deb"))
		for _, want := range []string{" Package: sett\n", " Version: " + version + "\n", " Architecture: " + machine + "\n", "conffiles", "postinst", "prerm", "postrm"} {
			if !strings.Contains(about, want) {
				t.Errorf("the package for %s does not say %q:\n%s", machine, want, about)
			}
		}
	}
}

// forTerminals checks that man and shells read what the package in a directory has for them.
func forTerminals(t *testing.T, dir, ofZsh string) {
	t.Helper()
	page := must(t, "", "sh", "-c", `zcat "$1" | MANWIDTH=100 man -l -`, "sh", filepath.Join(dir, "usr/share/man/man1/sett.1.gz"))
	if !strings.Contains(page, "sett "+version) || !strings.Contains(page, "sett serve") {
		t.Errorf("the manual page is\n%.400s", page)
	}
	// A shell asks the program for the words: here a function that answers as it does.
	script := `sett() { echo serve; echo :4; }; . "$1"; COMP_WORDS=(sett ser); COMP_CWORD=1; COMP_LINE='sett ser'; COMP_POINT=8; COMP_TYPE=9
_get_comp_words_by_ref() { cur=ser prev=sett words=("${COMP_WORDS[@]}") cword=1; }; __ltrim_colon_completions() { :; }; compopt() { :; }
__start_sett; echo "${COMPREPLY[@]}"`
	if got := must(t, "", "bash", "-c", script, "bash", filepath.Join(dir, "usr/share/bash-completion/completions/sett")); strings.TrimSpace(got) != "serve" {
		t.Errorf("bash completes sett ser by %q", got)
	}
	for file, begins := range map[string]string{ofZsh: "#compdef sett\n", "usr/share/fish/vendor_completions.d/sett.fish": "# fish completion for sett "} {
		if text := string(read(t, dir, file)); !strings.HasPrefix(text, begins) {
			t.Errorf("%s begins with %.40q", file, text)
		}
	}
}

func TestRPM(t *testing.T) {
	t.Parallel()
	for machine, name := range map[string]string{"amd64": "x86_64", "arm64": "aarch64"} {
		file := filepath.Join(dist, "sett-"+version+"-1."+name+".rpm")
		must(t, "", "rpm", "--checksig", file)
		if got := must(t, "", "rpm", "--query", "--package", "--queryformat", "%{NAME} %{VERSION} %{ARCH} %{LICENSE}", file); got != "sett "+version+" "+name+" Apache-2.0" {
			t.Errorf("the package for %s says %q", machine, got)
		}
		listed := must(t, "", "rpm", "--query", "--package", "--queryformat", "[%{FILEMODES:perms} %{FILEUSERNAME} %{FILENAMES}\n]", file)
		if path := "-rw-r--r-- root /usr/share/zsh/site-functions/_sett\n"; !strings.Contains(listed, path) || strings.Contains(listed, "vendor-completions") {
			t.Errorf("the package for %s has completions for zsh elsewhere:\n%s", machine, listed)
		}
		for path, mode := range installed {
			if !strings.Contains(listed, mode+" root /"+path+"\n") {
				t.Errorf("the package for %s does not have %s %s:\n%s", machine, mode, path, listed)
			}
		}
		scripts := must(t, "", "rpm", "--query", "--package", "--scripts", "--configfiles", file)
		for _, want := range []string{"postinstall scriptlet", "preuninstall scriptlet", "postuninstall scriptlet", "systemd-sysusers", "/etc/sett/sett.env"} {
			if !strings.Contains(scripts, want) {
				t.Errorf("the package for %s has no %s:\n%s", machine, want, scripts)
			}
		}
	}
}
