package project

// sentrySnippets are how to set up the SDK of each language, with a placeholder for the DSN.
var sentrySnippets = map[string]string{
	"js": `// npm install @sentry/browser, or the package of your framework
import * as Sentry from "@sentry/browser";

Sentry.init({ dsn: "{dsn}", environment: "production" });

Sentry.captureException(new Error("Testing sett"));`,
	"node": `// npm install @sentry/node; load this file first
const Sentry = require("@sentry/node");

Sentry.init({ dsn: "{dsn}", environment: process.env.NODE_ENV || "production" });

Sentry.captureException(new Error("Testing sett"));`,
	"python": `# pip install sentry-sdk
import sentry_sdk

sentry_sdk.init(dsn="{dsn}", environment="production")

sentry_sdk.capture_exception(RuntimeError("Testing sett"))`,
	"ruby": `# bundle add sentry-ruby, and sentry-rails for Rails
Sentry.init do |config|
  config.dsn = "{dsn}"
  config.environment = "production"
end

Sentry.capture_exception(RuntimeError.new("Testing sett"))`,
	"golang": `// go get github.com/getsentry/sentry-go
err := sentry.Init(sentry.ClientOptions{Dsn: "{dsn}", Environment: "production"})
if err != nil {
	log.Fatal(err)
}
defer sentry.Flush(2 * time.Second)

sentry.CaptureException(errors.New("Testing sett"))`,
	"php": `// composer require sentry/sentry
\Sentry\init(['dsn' => '{dsn}', 'environment' => 'production']);

\Sentry\captureException(new Exception('Testing sett'));`,
	"java": `// io.sentry:sentry; for Spring Boot 4 io.sentry:sentry-spring-boot-4-starter, for 3 io.sentry:sentry-spring-boot-starter-jakarta
Sentry.init(options -> {
  options.setDsn("{dsn}");
  options.setEnvironment("production");
});

Sentry.captureException(new RuntimeException("Testing sett"));`,
	"elixir": `# add :sentry to mix.exs
# config/config.exs
config :sentry, dsn: "{dsn}", environment_name: :prod

Sentry.capture_message("Testing sett")`,
	"other": `# sentry-cli; the SDKs for .NET, Rust, Swift, Kotlin and others take the same DSN
export SENTRY_DSN={dsn}
sentry-cli send-event -m "Testing sett" --no-environ`,
}
