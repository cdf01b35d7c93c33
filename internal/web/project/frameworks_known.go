package project

// known are frameworks whose snippets no test runs: their registry is not reached from where the tests run, or they need a build that takes minutes.
var known = []framework{
	{
		Word: "nest", Label: "NestJS", Language: "node", Install: text("npm install @sentry/nestjs"),
		Configure: text(`// instrument.ts; import it first in main.ts: import "./instrument";
import * as Sentry from "@sentry/nestjs";

Sentry.init({ dsn: "{dsn}", environment: "production" });

// app.module.ts
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
		Word: "react-native", Label: "React Native", Language: "js", Install: text("npm install @sentry/react-native"),
		Configure: text(`// App.js
import * as Sentry from "@sentry/react-native";

Sentry.init({ dsn: "{dsn}", environment: "production" });

export default Sentry.wrap(App);`),
		Test: text(`Sentry.captureException(new Error("Testing sett"));`),
	},
	{
		Word: "rails", Label: "Rails", Language: "ruby", Install: text("bundle add sentry-ruby sentry-rails"),
		Configure: text(`# config/initializers/sentry.rb
Sentry.init do |config|
  config.dsn = "{dsn}"
  config.environment = Rails.env
end`),
		Test: text(`bin/rails runner 'Sentry.capture_exception(RuntimeError.new("Testing sett"))'`),
	},
	{
		Word: "sidekiq", Label: "Sidekiq", Language: "ruby", Install: text("bundle add sentry-ruby sentry-sidekiq"),
		Configure: text(`# config/initializers/sentry.rb
Sentry.init do |config|
  config.dsn = "{dsn}"
  config.environment = "production"
end`),
		Test: text(`class SettTest
  include Sidekiq::Job
  sidekiq_options retry: false

  def perform
    raise "Testing sett"
  end
end

SettTest.perform_async`),
	},
	{
		Word: "laravel", Label: "Laravel", Language: "php", Install: text("composer require sentry/sentry-laravel"),
		Configure: text(`# .env
SENTRY_LARAVEL_DSN={dsn}

# bootstrap/app.php
->withExceptions(function (Exceptions $exceptions) {
    \Sentry\Laravel\Integration::handles($exceptions);
})`),
		Test: text("php artisan sentry:test"),
	},
	{
		Word: "symfony", Label: "Symfony", Language: "php", Install: text("composer require sentry/sentry-symfony"),
		Configure: text(`# .env
SENTRY_DSN={dsn}

# config/packages/sentry.yaml
sentry:
  dsn: "%env(SENTRY_DSN)%"
  options:
    environment: "%kernel.environment%"`),
		Test: text(`// in a controller; open /sett-test once, then remove it
#[Route("/sett-test")]
public function settTest(): Response
{
    throw new \RuntimeException("Testing sett");
}`),
	},
	{
		Word: "spring-boot", Label: "Spring Boot", Language: "java",
		Install: text("<dependency>\n  <groupId>io.sentry</groupId>\n  <artifactId>sentry-spring-boot-starter-jakarta</artifactId>\n  <version>8.62.0</version>\n</dependency>"),
		Configure: text(`# application.properties
sentry.dsn={dsn}
sentry.environment=production`),
		Test: text(`// in a controller; open /sett-test once, then remove it
@GetMapping("/sett-test")
String settTest() {
  throw new RuntimeException("Testing sett");
}`),
	},
	{
		Word: "phoenix", Label: "Phoenix", Language: "elixir", Install: text(`# mix.exs
{:sentry, "~> 11.0"},
{:hackney, "~> 1.8"}`),
		Configure: text(`# config/config.exs
config :sentry, dsn: "{dsn}", environment_name: :prod

# lib/my_app_web/endpoint.ex, above "use Phoenix.Endpoint"
use Sentry.PlugCapture`),
		Test: text("mix sentry.send_test_event"),
	},
	{
		Word: "dotnet", Label: "ASP.NET Core", Language: "other", Install: text("dotnet add package Sentry.AspNetCore"),
		Configure: text(`// Program.cs
var builder = WebApplication.CreateBuilder(args);
builder.WebHost.UseSentry(options =>
{
    options.Dsn = "{dsn}";
    options.Environment = "production";
});`),
		Test: text(`// open /sett-test once, then remove it
app.MapGet("/sett-test", string () => throw new Exception("Testing sett"));`),
	},
	{
		Word: "flutter", Label: "Flutter", Language: "other", Install: text("flutter pub add sentry_flutter"),
		Configure: text(`// main.dart
import 'package:sentry_flutter/sentry_flutter.dart';

Future<void> main() async {
  await SentryFlutter.init((options) {
    options.dsn = '{dsn}';
    options.environment = 'production';
  }, appRunner: () => runApp(const MyApp()));
}`),
		Test: text(`await Sentry.captureException(Exception('Testing sett'));`),
	},
}
