package project

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
	{
		Word: "nest", Label: "NestJS", Language: "node", Install: text("npm install @sentry/nestjs"),
		Configure: text(`// instrument.ts; import it first in main.ts: import "./instrument";
import * as Sentry from "@sentry/nestjs";

Sentry.init({ dsn: "{dsn}", environment: "production" });

// app.module.ts
import { Module } from "@nestjs/common";
import { APP_FILTER } from "@nestjs/core";
import { SentryGlobalFilter, SentryModule } from "@sentry/nestjs/setup";

@Module({
  imports: [SentryModule.forRoot()],
  providers: [{ provide: APP_FILTER, useClass: SentryGlobalFilter }],
})
export class AppModule {}`),
		Test: text(`// in a controller; open /sett-test once, then remove it
@Get("sett-test")
settTest() {
  throw new Error("Testing sett");
}`),
	},
	{
		Word: "next", Label: "Next.js", Language: "node", Install: text("npm install @sentry/nextjs"),
		Configure: text(`// instrumentation.js
import * as Sentry from "@sentry/nextjs";

export function register() {
  Sentry.init({ dsn: "{dsn}", environment: "production" });
}

export const onRequestError = Sentry.captureRequestError;`),
		Test: text(`// app/sett-test/route.js; open /sett-test once, then remove the file
export const dynamic = "force-dynamic";

export function GET() {
  throw new Error("Testing sett");
}`),
	},
	{
		Word: "react", Label: "React", Language: "js", Install: text("npm install @sentry/react"),
		Configure: text(`// main.jsx, before anything else
import * as Sentry from "@sentry/react";
import { createRoot } from "react-dom/client";

Sentry.init({ dsn: "{dsn}", environment: "production" });

createRoot(document.getElementById("root"), {
  onUncaughtError: Sentry.reactErrorHandler(),
  onCaughtError: Sentry.reactErrorHandler(),
  onRecoverableError: Sentry.reactErrorHandler(),
}).render(<App />);`),
		Test: text(`<button onClick={() => { throw new Error("Testing sett"); }}>Test</button>`),
	},
	{
		Word: "vue", Label: "Vue", Language: "js", Install: text("npm install @sentry/vue"),
		Configure: text(`// main.js
import { createApp } from "vue";
import * as Sentry from "@sentry/vue";
import App from "./App.vue";

const app = createApp(App);
Sentry.init({ app, dsn: "{dsn}", environment: "production" });
app.mount("#app");`),
		Test: text(`// in a component
onMounted(() => {
  throw new Error("Testing sett");
});`),
	},
	{
		Word: "angular", Label: "Angular", Language: "js", Install: text("npm install @sentry/angular"),
		Configure: text(`// main.ts
import * as Sentry from "@sentry/angular";

Sentry.init({ dsn: "{dsn}", environment: "production" });

// app.config.ts
import * as Sentry from "@sentry/angular";
import { ErrorHandler } from "@angular/core";

export const appConfig = {
  providers: [{ provide: ErrorHandler, useValue: Sentry.createErrorHandler() }],
};`),
		Test: text(`// in a component
ngOnInit() {
  throw new Error("Testing sett");
}`),
	},
	{
		Word: "spring-boot", Label: "Spring Boot", Language: "java",
		Install: text("<dependency>\n  <groupId>io.sentry</groupId>\n  <artifactId>sentry-spring-boot-4-starter</artifactId> <!-- Spring Boot 3: sentry-spring-boot-starter-jakarta -->\n  <version>8.51.0</version>\n</dependency>"),
		Configure: text(`# application.properties
sentry.dsn={dsn}
sentry.environment=production`),
		Test: text(`// in a controller; open /sett-test once, then remove it
@GetMapping("/sett-test")
String settTest() {
  throw new RuntimeException("Testing sett");
}`),
	},
}
