package clients

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sett/e2e/rig"
)

// runGoSnippets runs a program that has the snippets in main, and opens the address of the test with the handler that they make.
func runGoSnippets(t *testing.T, modules exporter, imports, configure, test, handler string) {
	t.Helper()
	_, installed := workplaceOf(t, modules)
	dir := filepath.Join(installed, handler+"-snippets")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	writeIn(t, dir, "main.go", "package main", "import (", imports, ")", "func main() {", configure, test,
		"func() { defer func() { _ = recover() }(); "+handler+`.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/sett-test", nil)) }()`, "}")
	rig.RunGo(t, dir, "run", ".")
}

func tryNetHTTP(t *testing.T, configure, test string) {
	runGoSnippets(t, exporter{language: "sentry/go", install: installGo}, `"errors"; "log"; "net/http"; "net/http/httptest"; "time"; "github.com/getsentry/sentry-go"; sentryhttp "github.com/getsentry/sentry-go/http"`, configure, test, "handler")
}

func tryGin(t *testing.T, configure, test string) {
	runGoSnippets(t, exporter{language: "sentry/gin", install: func(*testing.T, string) {}}, `"errors"; "log"; "net/http/httptest"; "time"; "github.com/getsentry/sentry-go"; sentrygin "github.com/getsentry/sentry-go/gin"; "github.com/gin-gonic/gin"`, configure, test, "app")
}

func trySpringBoot(t *testing.T, configure, test string) {
	_, dir := workplaceOf(t, exporter{language: "sentry/spring", install: installJars})
	writeFiles(t, dir, configure)
	writeIn(t, dir, "Shop.java", "package shop;", "import org.springframework.web.bind.annotation.*;", "@RestController", "class Shop {", test, "}")
	runIn(t, dir, "javac", "-nowarn", "-d", "classes", "-cp", "lib/*", "Start.java", "Shop.java")
	runIn(t, dir, "java", "-cp", strings.Join([]string{"lib/*", "classes", "."}, string(filepath.ListSeparator)), "shop.Start")
}
