// Command release writes what is published of a version into one directory: programs, archives, container images, packages, the Helm chart,
// an SBOM, licenses, notes and checksums with a signature. The same commit and version give the same bytes on any machine with the same Go.
// It publishes nothing.
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

	"sett/deploy/licenses"
)

// platforms are those that a release has programs for. Only Linux has images and packages.
var platforms = []platform{{"linux", "amd64"}, {"linux", "arm64"}, {"darwin", "amd64"}, {"darwin", "arm64"}, {"windows", "amd64"}}

type platform struct{ system, machine string }

// release is what a run works on.
type release struct {
	source  string // the checkout
	out     string
	work    string    // a temporary directory
	number  string    // the version, such as 0.11.0
	at      time.Time // of the commit: the time of every file
	owner   owner
	modules []licenses.Module
	built   []program
	before  []string // what must be done by hand before the release is published

	step, steps int // the one that was begun last, and how many there are
}

// say says which step of the release begins.
func (r *release) say(what string) {
	r.step++
	fmt.Fprintf(os.Stderr, "release: %d of %d: %s\n", r.step, r.steps, what)
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	source := flag.String("source", "..", "checkout to release")
	out := flag.String("out", "../dist", "directory to write; what it contains is deleted")
	systems := flag.String("systems", "linux,darwin,windows", "operating systems to build for")
	number := flag.String("version", "", "version to release, such as 0.11.0 (default: what "+versionFile+" says)")
	onlyLicenses := flag.Bool("licenses", false, "only write "+licensesFile+" anew")
	flag.Parse()
	var err error
	if *onlyLicenses {
		err = writeLicenses(ctx, *source)
	} else {
		err = run(ctx, &release{source: *source, out: *out, number: *number}, strings.Split(*systems, ","))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, r *release, systems []string) (err error) {
	if r.work, err = os.MkdirTemp("", "sett-release-"); err != nil {
		return err
	}
	defer os.RemoveAll(r.work)
	if err := r.begin(ctx); err != nil {
		return err
	}
	writes := []struct {
		what  string
		write func() error
	}{
		{"archives", r.writeArchives},
		{"container images", r.writeImages},
		{"packages", func() error { return r.writePackages(ctx) }},
		{"the Helm chart", r.writeChart},
		{"the list of components (SBOM)", r.writeSBOM},
		{"the release notes", r.writeNotes},
		{"checksums and their signature", func() error { return r.sign(ctx) }},
	}
	r.steps = len(writes)
	if err := r.buildAll(ctx, systems); err != nil {
		return err
	}
	for _, step := range writes {
		r.say("writing " + step.what)
		if err := step.write(); err != nil {
			return err
		}
	}
	fmt.Fprintf(os.Stderr, "release: %s has version %s\n", r.out, r.number)
	for _, what := range r.before {
		fmt.Fprintf(os.Stderr, "release: before you publish it: %s\n", what)
	}
	return nil
}

// begin reads what the release is of, and empties the output directory.
func (r *release) begin(ctx context.Context) (err error) {
	if err := r.choose(ctx); err != nil {
		return err
	}
	if r.owner, err = readOwner(r.file(ownerFile)); err != nil {
		return err
	}
	if missing := r.owner.placeholders(); len(missing) > 0 {
		r.before = append(r.before, fmt.Sprintf("fill in %s in %s, which are placeholders", strings.Join(missing, ", "), ownerFile))
	}
	if r.modules, err = readLicenses(ctx, r.source); err != nil {
		return err
	}
	text, err := r.git(ctx, "log", "-1", "--format=%ct")
	if err != nil {
		return err
	}
	seconds, err := strconv.ParseInt(text, 10, 64)
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

// git returns what git says of the checkout.
func (r *release) git(ctx context.Context, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.Dir = r.source
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("git %s: %w", strings.Join(args, " "), err)
	}
	return strings.TrimSpace(string(out)), nil
}

// version is that of the release, as it is in the names of files.
func (r *release) version() string { return r.number }

// file returns the path of a file of the checkout.
func (r *release) file(name string) string { return filepath.Join(r.source, filepath.FromSlash(name)) }
