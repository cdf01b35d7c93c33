package project

import (
	"slices"
	"strings"

	"sett/internal/web"
)

// framework is the setup for apps of one framework, with the SDK of Sentry for it. TestFrameworkSnippets runs what the page shows, and says of
// which frameworks it cannot.
type framework struct {
	Word, Label, Language    string
	Install, Configure, Test snippet
}

// frameworksFor returns the frameworks of a language, with the DSN of a project: its own key for servers, another for browsers.
func frameworksFor(language, reportURL string, project int64, key, browserKey string) (all []framework) {
	if language == "js" {
		key = browserKey
	}
	put := strings.NewReplacer("{dsn}", web.SentryDSN(reportURL, key, project))
	for _, f := range frameworks {
		if f.Language != language {
			continue
		}
		f.Install = snippet{"install", "Install the SDK", f.Install.Text}
		f.Configure = snippet{"configure", "Configure it with the DSN", put.Replace(f.Configure.Text)}
		f.Test = snippet{"test", "Report a test error", f.Test.Text}
		all = append(all, f)
	}
	return all
}

// languageOf returns the language of a framework, or the word itself.
func languageOf(word string) string {
	for _, f := range frameworks {
		if f.Word == word {
			return f.Language
		}
	}
	return word
}

// frameworks are the snippets, with a placeholder for the DSN.
var frameworks = slices.Concat(tried, known)

// tried are run by the tests as they are.
var tried = []framework{
	{
		Word: "django", Label: "Django", Language: "python", Install: text("pip install sentry-sdk"),
		Configure: text(`# settings.py
import sentry_sdk

sentry_sdk.init(dsn="{dsn}", environment="production")`),
		Test: text(`# urls.py: open /sett-test once, then remove it
from django.urls import path

def sett_test(request):
    raise RuntimeError("Testing sett")

urlpatterns = [path("sett-test", sett_test)]`),
	},
	{
		Word: "flask", Label: "Flask", Language: "python", Install: text("pip install 'sentry-sdk[flask]'"),
		Configure: text(`# app.py
import sentry_sdk
from flask import Flask

sentry_sdk.init(dsn="{dsn}", environment="production")

app = Flask(__name__)`),
		Test: text(`# open /sett-test once, then remove it
@app.get("/sett-test")
def sett_test():
    raise RuntimeError("Testing sett")`),
	},
	{
		Word: "fastapi", Label: "FastAPI", Language: "python", Install: text("pip install 'sentry-sdk[fastapi]'"),
		Configure: text(`# main.py
import sentry_sdk
from fastapi import FastAPI

sentry_sdk.init(dsn="{dsn}", environment="production")

app = FastAPI()`),
		Test: text(`# open /sett-test once, then remove it
@app.get("/sett-test")
async def sett_test():
    raise RuntimeError("Testing sett")`),
	},
	{
		Word: "celery", Label: "Celery", Language: "python", Install: text("pip install 'sentry-sdk[celery]'"),
		Configure: text(`# tasks.py
import sentry_sdk
from celery import Celery

sentry_sdk.init(dsn="{dsn}", environment="production")

app = Celery("tasks")
app.config_from_object("celeryconfig")  # your broker`),
		Test: text(`# run it once: python -c "import tasks; tasks.sett_test.delay()"
@app.task
def sett_test():
    raise RuntimeError("Testing sett")`),
	},
	{
		Word: "express", Label: "Express", Language: "node", Install: text("npm install @sentry/node"),
		Configure: text(`// instrument.js; start your app with: node --require ./instrument.js app.js
const Sentry = require("@sentry/node");

Sentry.init({ dsn: "{dsn}", environment: "production" });`),
		Test: text(`// app.js, after your routes; open /sett-test once, then remove the route
const Sentry = require("@sentry/node");

app.get("/sett-test", () => {
  throw new Error("Testing sett");
});
Sentry.setupExpressErrorHandler(app);`),
	},
	{
		Word: "net-http", Label: "net/http", Language: "golang", Install: text("go get github.com/getsentry/sentry-go"),
		Configure: text(`// import "github.com/getsentry/sentry-go" and sentryhttp "github.com/getsentry/sentry-go/http"
err := sentry.Init(sentry.ClientOptions{Dsn: "{dsn}", Environment: "production"})
if err != nil {
	log.Fatal(err)
}
defer sentry.Flush(2 * time.Second)`),
		Test: text(`// open /sett-test once, then remove the route
mux := http.NewServeMux()
mux.HandleFunc("/sett-test", func(http.ResponseWriter, *http.Request) { panic(errors.New("Testing sett")) })
handler := sentryhttp.New(sentryhttp.Options{}).Handle(mux) // serve this handler`),
	},
	{
		Word: "gin", Label: "Gin", Language: "golang", Install: text("go get github.com/getsentry/sentry-go github.com/getsentry/sentry-go/gin"),
		Configure: text(`// import "github.com/getsentry/sentry-go" and sentrygin "github.com/getsentry/sentry-go/gin"
err := sentry.Init(sentry.ClientOptions{Dsn: "{dsn}", Environment: "production"})
if err != nil {
	log.Fatal(err)
}
defer sentry.Flush(2 * time.Second)`),
		Test: text(`// open /sett-test once, then remove the route
app := gin.Default()
app.Use(sentrygin.New(sentrygin.Options{Repanic: true}))
app.GET("/sett-test", func(*gin.Context) { panic(errors.New("Testing sett")) })`),
	},
}
