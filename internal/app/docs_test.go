package app_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sett/internal/app"
	"sett/internal/base/about"
	"sett/internal/store"
)

var update = flag.Bool("update", false, "write the generated documents anew")

// configurationPage is docs/configuration.md as the settings describe themselves.
func configurationPage() string {
	var b strings.Builder
	b.WriteString(`# Configuration

<!-- Written by go test ./internal/app -run Configuration -update from the tags of app.Config; edit those. -->

Set each setting by a flag or an environment variable. A *secret* setting can also be read from a file: name the file in the
variable with ` + "`_FILE`" + ` added, such as ` + "`SETT_DATABASE_FILE=/run/secrets/database`" + `. A flag overrides a
variable, which overrides a file, which overrides the default. An empty variable counts as not set.

An unknown variable that begins with ` + "`SETT_`" + `, or an invalid value, prevents the start. sett then lists all problems and
suggests corrections.

A size is a number of bytes with a unit, if you like: ` + "`500MB`, `1GB`, `1GiB`" + `. ` + "`sett serve --help`" + ` lists the same settings in short.
`)
	for _, group := range groups() {
		fmt.Fprintf(&b, "\n## %s\n\n| flag | variable | default | description |\n|---|---|---|---|\n", group)
		for _, s := range app.Settings() {
			if s.Group != group {
				continue
			}
			meaning := s.Describe()
			if s.Secret {
				meaning += " (*secret*)"
			}
			fmt.Fprintf(&b, "| `--%s` | `%s` | %s | %s |\n", s.Flag, s.Env, code(s.Default), meaning)
		}
	}
	b.WriteString("\n## Settings by command\n\n| command | settings |\n|---|---|\n" +
		"| `sett serve`, `sett doctor` | all groups except Setup, Agent, Run, Server and API |\n| `sett setup` | Setup, Storage, PostgreSQL, Object storage |\n| `sett migrate` | Storage, PostgreSQL, Object storage |\n" +
		"| `sett run` | Run, Server |\n| `sett alarms` | API, Server; `--json` |\n| `sett agent` | Server, Agent, Checks, Log |\n" +
		"| `sett ready` | Listening, HTTPS |\n| `sett demo` | Listening, HTTPS, Log |\n" +
		"| the commands of [administration](administration.md) | Storage, PostgreSQL, Object storage; some also `--json` |\n")
	b.WriteString(boundsOfTables())
	return b.String()
}

// boundsOfTables says of every table of the database what keeps it from growing without end.
func boundsOfTables() string {
	var b strings.Builder
	b.WriteString("\n## What is kept, and for how long\n\n" +
		"No table of the database grows without limit. Some tables hold only what users create. Background jobs clear the others;\n" +
		"the [page of jobs](administration.md) shows these jobs.\n\n" +
		"sett keeps events for the retention days of their project (1 to 3650; set them in the *Settings* of the project, or as\n" +
		"`purge_days`), and deletes whole days (UTC). A change of the retention takes effect within an hour. The counts of errors stay.\n\n" +
		"After a purge, an SQLite file shrinks, but keeps a twentieth of its pages free, and at least 16 MiB. A file from before schema\n" +
		"version 0034 reuses its free pages instead; it shrinks only after you restore it from a backup.\n\n" +
		"| table | content | retention | job |\n|---|---|---|---|\n")
	for _, t := range store.Bounds() {
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", t.Table, t.Holds, t.Until, t.By)
	}
	return b.String()
}

// groups are those of the settings, each once.
func groups() (names []string) {
	for _, s := range app.Settings() {
		if !slices.Contains(names, s.Group) {
			names = append(names, s.Group)
		}
	}
	return names
}

func code(text string) string {
	if text == "" {
		return ""
	}
	return "`" + text + "`"
}

func TestConfigurationPageIsCurrent(t *testing.T) {
	t.Parallel()
	file := filepath.Join(root, "docs/configuration.md")
	if *update {
		if err := os.WriteFile(file, []byte(configurationPage()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(configurationPage(), string(text)); diff != "" {
		t.Errorf("docs/configuration.md is stale; run go test ./internal/app -run Configuration -update (-want +got):\n%s", diff)
	}
}

// documents returns the text of every page that people read.
func documents(t *testing.T) map[string]string {
	t.Helper()
	pages := map[string]string{}
	for _, pattern := range []string{"*.md", "docs/*.md", "docs/*/*.md"} {
		files, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			pages[strings.TrimPrefix(filepath.ToSlash(file), root+"/")] = string(text)
		}
	}
	for _, must := range []string{"README.md", "CONTRIBUTING.md", "docs/architecture.md"} {
		if pages[must] == "" {
			t.Errorf("%s is missing", must)
		}
	}
	return pages
}

// The first two commands that the README shows set up everything on a new machine: one starts the product, one passes the tests.
func TestFirstCommandsOfTheReadme(t *testing.T) {
	t.Parallel()
	text := documents(t)["README.md"]
	_, block, _ := strings.Cut(text, "```sh\n")
	var commands []string
	for line := range strings.Lines(block) {
		command, _, _ := strings.Cut(line, "#")
		commands = append(commands, strings.TrimSpace(command))
	}
	if want := []string{"go run ./cmd/sett serve", "make test"}; len(commands) < 2 || !slices.Equal(commands[:2], want) {
		t.Errorf("the README begins with %q, want %q", commands[:min(len(commands), 2)], want)
	}
	if strings.Index(text, "```") != strings.Index(text, "```sh") {
		t.Error("a block of the README is above its first commands")
	}
}

// A change is one line of the changelog, and each version begins with what users must do.
func TestChangelogIsALinePerChange(t *testing.T) {
	t.Parallel()
	versions := strings.Split(documents(t)["CHANGELOG.md"], "\n## ")[1:]
	for _, version := range versions {
		name, changes, _ := strings.Cut(version, "\n")
		if !strings.HasPrefix(changes, "\n### What you must do\n") {
			t.Errorf("%s does not begin with what you must do", name)
		}
		if !strings.Contains(changes, "\n\n### Going back\n") && !strings.HasPrefix(name, "0.9.0 ") {
			t.Errorf("%s does not say what earlier versions cannot read, and how to go back", name)
		}
		for line := range strings.Lines(changes) {
			line = strings.TrimSuffix(line, "\n")
			if line != "" && !strings.HasPrefix(line, "### ") && !strings.HasPrefix(line, "- ") || len(line) > 190 {
				t.Errorf("%s: this is not a change in one short line: %s", name, line)
			}
		}
	}
	if len(versions) < 3 {
		t.Errorf("the changelog has only %d versions: are they still found?", len(versions))
	}
}

var (
	codeSpan = regexp.MustCompile("`[^`\n]+`")
	ourPath  = regexp.MustCompile(`^(cmd|internal|docs|deploy|e2e|\.ci)/`)
)

// pathsIn returns the paths of this repository that a text names in backticks. A word with < is a pattern for what
// does not exist yet.
func pathsIn(text string) (paths []string) {
	for _, span := range codeSpan.FindAllString(text, -1) {
		for word := range strings.FieldsSeq(strings.Trim(span, "`")) {
			word = strings.TrimRight(strings.TrimPrefix(word, "./"), ".,;:/")
			if ourPath.MatchString(word) && !strings.Contains(word, "<") {
				paths = append(paths, strings.TrimSuffix(word, "/..."))
			}
		}
	}
	return paths
}

func TestPathsThatDocumentsNameExist(t *testing.T) {
	t.Parallel()
	named := 0
	for page, text := range documents(t) {
		for _, p := range pathsIn(text) {
			named++
			if found, err := filepath.Glob(filepath.Join(root, p)); err != nil || len(found) == 0 {
				t.Errorf("%s names `%s`, which does not exist", page, p)
			}
		}
	}
	if named < 10 {
		t.Errorf("the documents name only %d paths: are they still found?", named)
	}
}

func TestPathsIn(t *testing.T) {
	t.Parallel()
	got := pathsIn("see `internal/store/`, `go run ./cmd/sett serve`, `internal/api/<noun>.go`, docs/plain.md and `docs/a.md`.")
	if diff := cmp.Diff([]string{"internal/store", "cmd/sett", "docs/a.md"}, got); diff != "" {
		t.Errorf("paths (-want +got):\n%s", diff)
	}
}

// marks stand in examples for what differs from reader to reader (internal/web/manual).
var marks = []string{"SETT_ADDRESS", "SETT_HOST", "SETT_PORT", "SETT_SECURE", "SETT_KEY", "SETT_PROJECT", "SETT_DSN"}

var variable = regexp.MustCompile(`\bSETT_[A-Z_]*[A-Z]\b`)

// Every variable that a document names exists, and every one that exists is documented.
func TestVariablesThatDocumentsName(t *testing.T) {
	t.Parallel()
	var known []string
	pages := documents(t)
	for _, s := range app.Settings() {
		known = append(known, s.Env)
		if s.Secret {
			known = append(known, s.Env+"_FILE")
		}
		if !strings.Contains(pages["docs/configuration.md"], "`"+s.Env+"`") {
			t.Errorf("%s is not in docs/configuration.md", s.Env)
		}
	}
	for page, text := range pages {
		for _, name := range variable.FindAllString(text, -1) {
			if !slices.Contains(known, name) && !slices.Contains(marks, name) && !strings.HasPrefix(name, "SETT_TEST_") && name != "SETT_SOME_THING" {
				t.Errorf("%s names %s, which is no setting", page, name)
			}
		}
	}
}

// namedFile matches the names that files and images of a release have.
var namedFile = regexp.MustCompile(`\bsett(?:_|-chart-|-|:|:\$\{SETT_VERSION:-)(\d+\.\d+\.\d+)`)

// Documents and compose files name the files of the version that the source becomes. It stands in one file, from which programs and releases take it.
func TestDocumentsNameTheNextVersion(t *testing.T) {
	t.Parallel()
	next := strings.TrimSuffix(about.Current().Version, "-dev")
	pages := documents(t)
	for _, file := range []string{"deploy/compose/sqlite.yaml", "deploy/compose/postgres.yaml", "deploy/image/Dockerfile", "Makefile"} {
		text, err := os.ReadFile(filepath.Join(root, file))
		if err != nil {
			t.Fatal(err)
		}
		pages[file] = string(text)
	}
	named := 0
	for page, text := range pages {
		for _, name := range namedFile.FindAllStringSubmatch(text, -1) {
			named++
			if name[1] != next {
				t.Errorf("%s names %s, and internal/base/about/VERSION has %s", page, name[0], next)
			}
		}
	}
	if named < 20 {
		t.Errorf("the documents name only %d files of a release: are they still found?", named)
	}
}
