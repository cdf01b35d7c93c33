// Command release writes what is published of a version into one directory: programs, archives, container images, packages, the Helm chart,
// an SBOM and checksums with a signature. The tag of the checkout is the version. The same commit gives the same bytes on any machine with
// the same Go. It publishes nothing.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// platforms are those that a release has programs for. Only Linux has images and packages.
var platforms = []platform{{"linux", "amd64"}, {"linux", "arm64"}, {"darwin", "amd64"}, {"darwin", "arm64"}}

type platform struct{ system, machine string }

// release is what a run works on.
type release struct {
	source string // the checkout
	out    string
	work   string    // a temporary directory
	at     time.Time // of the commit: the time of every file
	built  []program
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	source := flag.String("source", "..", "checkout to release")
	out := flag.String("out", "../dist", "directory to write; what it contains is deleted")
	systems := flag.String("systems", "linux,darwin", "operating systems to build for")
	flag.Parse()
	if err := run(ctx, *source, *out, strings.Split(*systems, ",")); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, source, out string, systems []string) error {
	work, err := os.MkdirTemp("", "sett-release-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	r := &release{source: source, out: out, work: work}
	if err := r.begin(ctx); err != nil {
		return err
	}
	if err := r.buildAll(ctx, systems); err != nil {
		return err
	}
	for _, step := range []struct {
		what  string
		write func() error
	}{
		{"archives", r.writeArchives},
		{"container images", r.writeImages},
		{"packages", r.writePackages},
		{"the Helm chart", r.writeChart},
		{"the list of components (SBOM)", r.writeSBOM},
		{"checksums and their signature", func() error { return r.sign(ctx) }},
	} {
		fmt.Fprintf(os.Stderr, "release: writing %s\n", step.what)
		if err := step.write(); err != nil {
			return err
		}
	}
	fmt.Fprintf(os.Stderr, "release: %s has version %s\n", r.out, r.version())
	return nil
}

// begin empties the output directory and reads the time of the commit.
func (r *release) begin(ctx context.Context) error {
	cmd := exec.CommandContext(ctx, "git", "log", "-1", "--format=%ct")
	cmd.Dir = r.source
	text, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("read the time of the commit: %w", err)
	}
	seconds, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
	if err != nil {
		return fmt.Errorf("read the time of the commit: %w", err)
	}
	r.at = time.Unix(seconds, 0).UTC()
	if r.out, err = filepath.Abs(r.out); err != nil {
		return err
	}
	if err := os.RemoveAll(r.out); err != nil {
		return err
	}
	return os.MkdirAll(r.out, 0o755)
}

// version is that of the programs, without the v of its tag.
func (r *release) version() string { return strings.TrimPrefix(r.built[0].info.Main.Version, "v") }

// file returns the path of a file of the checkout.
func (r *release) file(name string) string { return filepath.Join(r.source, filepath.FromSlash(name)) }
