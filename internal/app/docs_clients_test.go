package app_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// clientRow is a row of the table of tested clients: the client, its version and how it is tested.
var clientRow = regexp.MustCompile(`(?m)^\| (.+) \| ([0-9.]+|any) \| (run|recorded|written) \|$`)

// locks are the files that say which version of a client the end-to-end tests run, with what is before the version, by a part of the
// client's row.
var locks = map[string]struct{ file, before string }{
	"`@honeybadger-io/js`": {"rig/js/package-lock.json", `"node_modules/@honeybadger-io/js": { "version": "`},
	"`honeybadger-go`":     {"go.mod", "github.com/honeybadger-io/honeybadger-go v"},
	"Honeybadger for Java": {"../docs/clients.md", "<artifactId>honeybadger-java</artifactId> <version>"},
	"`sentry-sdk`":         {"clients/exporters/sentry/python/locked.txt", "sentry-sdk=="},
	"Django":               {"clients/exporters/sentry/frameworks/locked.txt", "Django=="},
	"Celery":               {"clients/exporters/sentry/frameworks/locked.txt", "celery=="},
	"`raven`":              {"clients/exporters/sentry/raven/locked.txt", "raven=="},
	"`@sentry/node`":       {"clients/exporters/sentry/node/package-lock.json", `"node_modules/@sentry/node": { "version": "`},
	"`@sentry/browser`":    {"clients/exporters/sentry/node/package-lock.json", `"node_modules/@sentry/browser": { "version": "`},
	"`sentry-go`":          {"clients/exporters/sentry/go/go.mod", "github.com/getsentry/sentry-go v"},
	"`io.sentry:sentry`":   {"clients/exporters/sentry/java/pom.xml", "<artifactId>sentry</artifactId> <version>"},
	"Sentry for Rust":      {"clients/exporters/sentry/rust/Cargo.lock", `name = "sentry" version = "`},
	"`opentelemetry-exporter-otlp-proto-http`":  {"clients/exporters/python/locked.txt", "opentelemetry-exporter-otlp-proto-http=="},
	"`@opentelemetry/exporter-logs-otlp-proto`": {"clients/exporters/node/package-lock.json", `"node_modules/@opentelemetry/exporter-logs-otlp-proto": { "version": "`},
	"`@honeybadger-io/webpack`":                 {"clients/exporters/sentry/build/package-lock.json", `"node_modules/@honeybadger-io/webpack": { "version": "`},
	"`@honeybadger-io/rollup-plugin`":           {"clients/exporters/sentry/build/package-lock.json", `"node_modules/@honeybadger-io/rollup-plugin": { "version": "`},
	"`@sentry/cli`":                             {"clients/exporters/sentry/build/package-lock.json", `"node_modules/@sentry/cli": { "version": "`},
	"`@sentry/webpack-plugin`":                  {"clients/exporters/sentry/build/package-lock.json", `"node_modules/@sentry/webpack-plugin": { "version": "`},
	"`@sentry/vite-plugin`":                     {"clients/exporters/sentry/build/package-lock.json", `"node_modules/@sentry/vite-plugin": { "version": "`},
	"`otlptracehttp`":                           {"clients/exporters/go/go.mod", "go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp v"},
	"`opentelemetry-exporter-otlp`":             {"clients/exporters/java/pom.xml", "<artifactId>opentelemetry-exporter-otlp</artifactId> <version>"},
	"`pybrake`":                                 {"clients/exporters/python/locked.txt", "pybrake=="},
	"`@airbrake/node`":                          {"clients/exporters/node/package-lock.json", `"node_modules/@airbrake/node": { "version": "`},
	"`@airbrake/browser`":                       {"clients/exporters/node/package-lock.json", `"node_modules/@airbrake/browser": { "version": "`},
	"`gobrake`":                                 {"clients/exporters/go/go.mod", "github.com/airbrake/gobrake v"},
}

// The manual says which versions of clients are tested: those that the end-to-end tests have locked.
func TestVersionsOfTestedClients(t *testing.T) {
	t.Parallel()
	read := func(file string) string {
		text, err := os.ReadFile(filepath.Join(root, "e2e", file))
		if err != nil {
			t.Fatal(err)
		}
		return strings.Join(strings.Fields(string(text)), " ") + " "
	}
	manual, err := os.ReadFile(filepath.Join(root, "docs", "clients.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(manual), "## Tested clients")
	table, _, _ = strings.Cut(table, "\n## ")
	rows := clientRow.FindAllStringSubmatch(table, -1)
	if lines := strings.Count(table, "\n| "); len(rows) != lines-1 || len(rows) < 25 {
		t.Fatalf("%d of %d rows are a client, its version and how it is tested", len(rows), lines-1)
	}
	run := 0
	for _, row := range rows {
		client, version, how := row[1], row[2], row[3]
		if how != "run" || version == "any" || client == "Honeybadger for Python" { // of which the test installs the newest, as the manual says
			continue
		}
		run++
		known := false
		for part, lock := range locks {
			if client != part && !strings.HasPrefix(client, part+",") && (part[0] != '`' || !strings.Contains(client, part)) {
				continue
			}
			known = true
			rest := read(lock.file)
			i := strings.Index(rest, lock.before)
			if i < 0 || !strings.HasPrefix(rest[i+len(lock.before):], version) || strings.IndexAny(rest[i+len(lock.before)+len(version):][:1], "0123456789.") == 0 {
				t.Errorf("%s %s is in the manual, and another version in e2e/%s", client, version, lock.file)
			}
		}
		if !known {
			t.Errorf("%s is said to be run, and no lock file of the end-to-end tests has it", client)
		}
	}
	if run != len(locks) {
		t.Errorf("%d clients are run, and %d have lock files", run, len(locks))
	}
}
