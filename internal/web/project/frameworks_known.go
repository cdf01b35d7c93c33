package project

// known are frameworks whose snippets no test runs: their registry is not reached from where the tests run, or they need a phone.
var known = []framework{
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
