package clients

import (
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"

	"sett/e2e/rig/browser"
)

func tryExpress(t *testing.T, configure, test string) {
	dir, installed := workplaceOf(t, exporter{language: "sentry/node", install: installSentryNode})
	writeIn(t, dir, "instrument.js", configure)
	writeIn(t, dir, "app.js", "const app = require(\"express\")();", test, `
const server = app.listen(0, "127.0.0.1", async () => {
  await fetch("http://127.0.0.1:" + server.address().port + "/sett-test");
  await Sentry.flush(20000);
  process.exit(0);
});`)
	runIn(t, dir, "env", "NODE_PATH="+filepath.Join(installed, "node_modules"), "node", "--require", "./instrument.js", "app.js")
}

func tryNest(t *testing.T, configure, test string) {
	_, dir := workplaceOf(t, exporter{language: "sentry/nest", install: installNPM})
	writeFiles(t, dir, configure)
	writeIn(t, dir, "shop.ts", `import { Controller, Get } from "@nestjs/common";`, "@Controller()", "export class Shop {", test, "}")
	runIn(t, dir, "sh", "-euc", "node_modules/.bin/esbuild *.ts --outdir=built --format=cjs --log-level=warning && node built/start.js")
}

func tryNext(t *testing.T, configure, test string) {
	_, dir := workplaceOf(t, exporter{language: "sentry/next", install: installNPM})
	writeFiles(t, dir, configure+test)
	runIn(t, dir, "env", "NEXT_TELEMETRY_DISABLED=1", "node", "start.js")
}

func tryReact(t *testing.T, configure, test string) {
	dir := forBrowsers(t)
	writeIn(t, dir, "react/main.jsx", configure, `import App from "./App";`)
	writeIn(t, dir, "react/App.jsx", "export default function App() {", "return (", test, "); }")
	openBuilt(t, dir, "react", chromedp.Click(chromedp.CSS("button")))
}

func tryVue(t *testing.T, configure, test string) {
	dir := forBrowsers(t)
	writeIn(t, dir, "vue/main.js", configure)
	writeIn(t, dir, "vue/App.vue", "<script setup>", `import { onMounted } from "vue";`, test, "</script>", "<template><p>The shop</p></template>")
	openBuilt(t, dir, "vue")
}

func tryAngular(t *testing.T, configure, test string) {
	dir := forBrowsers(t)
	writeFiles(t, filepath.Join(dir, "angular"), configure+`// main.ts
import { bootstrapApplication } from "@angular/platform-browser";
import { App } from "./app";
import { appConfig } from "./app.config";

bootstrapApplication(App, appConfig);
`)
	writeIn(t, dir, "angular/app.ts", `import { Component } from "@angular/core";`, `@Component({ selector: "app-root", template: "<p>The shop</p>" })`, "export class App {", test, "}")
	openBuilt(t, dir, "angular")
}

// forBrowsers returns where the frameworks for browsers are installed, with a bundler.
func forBrowsers(t *testing.T) (dir string) {
	t.Helper()
	_, dir = workplaceOf(t, exporter{language: "sentry/web", install: installNPM})
	return dir
}

// openBuilt bundles the app in a folder, opens it in a browser and waits until its SDK has sent something.
func openBuilt(t *testing.T, dir, folder string, more ...chromedp.Action[chromedp.Void]) {
	t.Helper()
	runIn(t, dir, "node_modules/.bin/vite", "build", folder, "--config", "vite.config.js")
	server := httptest.NewServer(http.FileServer(http.Dir(filepath.Join(dir, folder, "dist"))))
	t.Cleanup(server.Close)
	b := browser.Open(t)
	b.Do(t, append([]chromedp.Action[chromedp.Void]{chromedp.Navigate(server.URL)}, more...)...)
	if !browser.Wait[bool](t, b, "performance.getEntriesByType('resource').some((r) => r.name.includes('/envelope/') && r.responseStatus === 200)") {
		t.Error("the SDK has sent nothing")
	}
}
