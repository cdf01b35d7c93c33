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
	"etc/sett/sett.env": "-rw-------", "usr/share/doc/sett/copyright": "-rw-r--r--",
}

func TestDeb(t *testing.T) {
	t.Parallel()
	dir := installDeb(t)
	for name, mode := range installed {
		if info, err := os.Stat(filepath.Join(dir, name)); err != nil || info.Mode().String() != mode {
			t.Errorf("%s: %v, want %s", name, info, mode)
		}
	}
	for _, machine := range []string{"amd64", "arm64"} {
		about := must(t, "", "dpkg-deb", "--info", filepath.Join(dist, "sett_"+version+"_"+machine+".deb"))
		for _, want := range []string{" Package: sett\n", " Version: " + version + "\n", " Architecture: " + machine + "\n", "conffiles", "postinst", "prerm", "postrm"} {
			if !strings.Contains(about, want) {
				t.Errorf("the package for %s does not say %q:\n%s", machine, want, about)
			}
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
