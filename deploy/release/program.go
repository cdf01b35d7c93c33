package main

import (
	"context"
	"debug/buildinfo"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
)

// program is a built sett.
type program struct {
	platform
	path string
	info *buildinfo.BuildInfo
}

// base is the beginning of the names of files for the program's platform.
func (p program) base(r *release) string {
	return fmt.Sprintf("sett_%s_%s_%s", r.version(), p.system, p.machine)
}

// buildAll builds the program for each platform of some systems, from a commit without changes.
func (r *release) buildAll(ctx context.Context, systems []string) error {
	wanted := slices.DeleteFunc(slices.Clone(platforms), func(p platform) bool { return !slices.Contains(systems, p.system) })
	r.steps += len(wanted)
	for _, p := range wanted {
		r.say(fmt.Sprintf("building sett for %s/%s", p.system, p.machine))
		built, err := r.build(ctx, p, filepath.Join(r.work, p.system+"-"+p.machine))
		if err != nil {
			return err
		}
		r.built = append(r.built, built)
	}
	if len(r.built) == 0 {
		return fmt.Errorf("none of the systems %v is known; known ones: linux, darwin, windows", systems)
	}
	return nil
}

func (r *release) build(ctx context.Context, p platform, path string) (program, error) {
	cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-buildvcs=true", "-gcflags=all=-dwarf=false", "-ldflags=-s -w -X sett/internal/base/about.released="+r.number, "-o", path, "./cmd/sett")
	cmd.Dir = r.source
	cmd.Env = append(os.Environ(), "GOOS="+p.system, "GOARCH="+p.machine, "CGO_ENABLED=0", "GOFLAGS=", "GOAMD64=v1", "GOARM64=v8.0", "GOEXPERIMENT=", "GOWORK=off")
	if out, err := cmd.CombinedOutput(); err != nil {
		return program{}, fmt.Errorf("build for %s/%s: %w\n%s", p.system, p.machine, err, out)
	}
	info, err := buildinfo.ReadFile(path)
	if err != nil {
		return program{}, fmt.Errorf("read what was built: %w", err)
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.modified" && s.Value == "true" {
			return program{}, fmt.Errorf("the checkout has changes that are not committed: commit or remove them")
		}
	}
	return program{p, path, info}, nil
}
