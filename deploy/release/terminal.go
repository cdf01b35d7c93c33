package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"

	"github.com/goreleaser/nfpm/v2/files"
)

// forTerminals are what a program prints for the shells and the pages of man of those who install its package: by the arguments of the
// command, where the kinds of packages have it. The empty kind is any.
var forTerminals = []struct{ args, kind, path string }{
	{"man", "", "/usr/share/man/man1/sett.1.gz"},
	{"bash", "", "/usr/share/bash-completion/completions/sett"},
	{"zsh", "deb", "/usr/share/zsh/vendor-completions/_sett"},
	{"zsh", "rpm", "/usr/share/zsh/site-functions/_sett"},
	{"fish", "", "/usr/share/fish/vendor_completions.d/sett.fish"},
}

// writeForTerminals writes the files for terminals, which a program for this machine prints. All machines print the same.
func (r *release) writeForTerminals(ctx context.Context) error {
	here := platform{runtime.GOOS, runtime.GOARCH}
	i := slices.IndexFunc(r.built, func(p program) bool { return p.platform == here })
	if i < 0 {
		return fmt.Errorf("no program for %s/%s was built, which prints the manual page: name this system with -systems", here.system, here.machine)
	}
	for _, f := range forTerminals {
		args := []string{f.args}
		if f.args != "man" {
			args = []string{"completion", f.args}
		}
		cmd := exec.CommandContext(ctx, r.built[i].path, args...)
		cmd.Env = []string{} // no setting
		text, err := cmd.Output()
		if err == nil && f.args == "man" {
			text, err = gzipped(text)
		}
		if err == nil {
			err = os.WriteFile(r.forTerminal(f.args), text, 0o600)
		}
		if err != nil {
			return fmt.Errorf("print sett %s: %w", f.args, err)
		}
	}
	return nil
}

func (r *release) forTerminal(name string) string { return filepath.Join(r.work, "terminal-"+name) }

// terminalContents are the files for terminals in a package.
func (r *release) terminalContents(place func(source, destination, kind string, mode os.FileMode) *files.Content) (all files.Contents) {
	for _, f := range forTerminals {
		one := place(r.forTerminal(f.args), f.path, files.TypeFile, 0o644)
		one.Packager = f.kind
		all = append(all, one)
	}
	return all
}
