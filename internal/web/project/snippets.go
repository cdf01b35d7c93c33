package project

import (
	"cmp"
	"strings"

	"sett/internal/serve"
	"sett/internal/web"
)

// language is the setup for apps in one programming language.
type language struct {
	Word, Label string // the default label is the name of the word
	Install     snippet
	Configure   snippet
	Test        snippet
	Note        string
	Blocked     string  // the port that the client reports to instead of that of the URL; "" if it reports to the URL
	DSN, Sentry snippet // for the SDK of Sentry
}

// snippet is text to copy.
type snippet struct {
	ID, Title, Text string
}

// languagesFor returns the languages of the clients, and curl, with the keys of a project – one for servers, one for browsers –
// and the URL that clients report to.
func languagesFor(reportURL string, project int64, key, browserKey string) (all []language) {
	put := strings.NewReplacer("{url}", reportURL, "{key}", key, "{browser key}", browserKey, "{host}", hostOf(reportURL), "{port}", portOf(reportURL), "{secure}", secureOf(reportURL))
	for _, l := range languages {
		l.Label = cmp.Or(l.Label, web.LanguageName(l.Word))
		l.Blocked = ""
		if l.Word == "node" && portOf(reportURL) != ownPort(reportURL) {
			l.Blocked = ownPort(reportURL)
		}
		if l.Word == "ruby" && serve.Prefix(reportURL) != "" {
			l.Note = "This client cannot report to a URL with a path. Ask the operator of this server to set --report-url to one without a path."
		}
		l.Install = snippet{"install", "Install the client", put.Replace(l.Install.Text)}
		l.Configure = snippet{"configure", "Configure it with the API key", put.Replace(l.Configure.Text)}
		l.Test = snippet{"test", "Send a test event", put.Replace(l.Test.Text)}
		dsn := web.SentryDSN(reportURL, key, project)
		if l.Word == "js" {
			dsn = web.SentryDSN(reportURL, browserKey, project)
		}
		l.DSN = snippet{"dsn", "DSN", dsn}
		l.Sentry = snippet{"sentry-sdk", "Configure the SDK and send a test event", strings.ReplaceAll(sentrySnippets[l.Word], "{dsn}", dsn)}
		all = append(all, l)
	}
	return all
}

// hostOf, portOf and secureOf return the parts of a URL, for clients that configure them separately.
func hostOf(address string) string {
	_, rest, _ := strings.Cut(address, "://")
	host, _, _ := strings.Cut(rest, "/")
	if i := strings.LastIndexByte(host, ':'); i > 0 && !strings.HasSuffix(host, "]") {
		host = host[:i]
	}
	return host
}

func portOf(address string) string {
	_, rest, _ := strings.Cut(address, "://")
	host, _, _ := strings.Cut(rest, "/")
	if i := strings.LastIndexByte(host, ':'); i > 0 && !strings.HasSuffix(host, "]") {
		return host[i+1:]
	}
	return ownPort(address)
}

// ownPort returns the port of a URL's scheme.
func ownPort(address string) string {
	if secureOf(address) == "true" {
		return "443"
	}
	return "80"
}

func secureOf(address string) string {
	if strings.HasPrefix(address, "https://") {
		return "true"
	}
	return "false"
}

func text(s string) snippet { return snippet{Text: s} }

// languages are the snippets, with placeholders for the URL and the key. They are for the released client libraries.
var languages = []language{
	{
		Word: "js", Install: text("npm install @honeybadger-io/js"),
		Configure: text("import Honeybadger from \"@honeybadger-io/js\";\n\nHoneybadger.configure({\n  apiKey: \"{browser key}\",\n  endpoint: \"{url}\",\n  appEndpoint: \"{url}\",\n  environment: \"production\",\n});"),
		Test:      text("Honeybadger.notify(new Error(\"Testing sett\"));"),
	},
	{
		Word: "node", Install: text("npm install @honeybadger-io/js"),
		Configure: text("const Honeybadger = require(\"@honeybadger-io/js\");\n\nHoneybadger.configure({\n  apiKey: \"{key}\",\n  endpoint: \"{url}\",\n  appEndpoint: \"{url}\",\n  environment: process.env.NODE_ENV || \"production\",\n});"),
		Test:      text("Honeybadger.notify(new Error(\"Testing sett\"));"),
	},
	{
		Word: "ruby", Install: text("bundle add honeybadger"),
		Configure: text("# config/honeybadger.yml\napi_key: \"{key}\"\nconnection:\n  host: \"{host}\"\n  port: {port}\n  secure: {secure}"),
		Test:      text("bundle exec honeybadger test"),
	},
	{
		Word: "python", Install: text("pip install honeybadger"),
		Configure: text("from honeybadger import honeybadger\n\nhoneybadger.configure(\n    api_key=\"{key}\",\n    endpoint=\"{url}\",\n    environment=\"production\",\n)"),
		Test:      text("honeybadger.notify(error_class=\"Test\", error_message=\"Testing sett\")"),
	},
	{
		Word: "golang", Install: text("go get github.com/honeybadger-io/honeybadger-go"),
		Configure: text("import \"github.com/honeybadger-io/honeybadger-go\"\n\nfunc main() {\n\thoneybadger.Configure(honeybadger.Configuration{\n\t\tAPIKey:   \"{key}\",\n\t\tEndpoint: \"{url}\",\n\t\tEnv:      \"production\",\n\t})\n\tdefer honeybadger.Monitor()\n}"),
		Test:      text("honeybadger.Notify(\"Testing sett\")\nhoneybadger.Flush()"),
	},
	{
		Word: "php", Install: text("composer require honeybadger-io/honeybadger-php"),
		Configure: text("$honeybadger = Honeybadger\\Honeybadger::new([\n    'api_key' => '{key}',\n    'endpoint' => '{url}/',\n    'environment_name' => 'production',\n]);"),
		Test:      text("$honeybadger->notify(new Exception('Testing sett'));"),
	},
	{
		Word: "elixir", Install: text("# mix.exs\n{:honeybadger, \"~> 0.29\"}"),
		Configure: text("# config/config.exs\nconfig :honeybadger,\n  api_key: \"{key}\",\n  origin: \"{url}\",\n  environment_name: :prod"),
		Test:      text("Honeybadger.notify(%RuntimeError{message: \"Testing sett\"})"),
	},
	{
		Word: "java", Install: text("<dependency>\n  <groupId>io.honeybadger</groupId>\n  <artifactId>honeybadger-java</artifactId>\n  <version>2.1.2</version>\n</dependency>"),
		Configure: text("java -DENV=production -Dhoneybadger.api_key={key} \\\n  -Dhoneybadger.url={url} -jar app.jar"),
		Test:      text("NoticeReporter reporter = new HoneybadgerReporter();\nreporter.reportError(new RuntimeException(\"Testing sett\"));"),
		Note:      "Set both values as properties. With the key in HONEYBADGER_API_KEY, this client reports to Honeybadger’s own service.",
	},
	{
		Word: "other", Label: "curl", Install: text("# nothing to install: any HTTP client can report"),
		Configure: text("ADDRESS={url}\nKEY={key}"),
		Test:      text("curl {url}/v1/notices \\\n  -H 'X-API-Key: {key}' -H 'Content-Type: application/json' \\\n  -d '{\"error\": {\"class\": \"Test\", \"message\": \"Testing sett\"}, \"server\": {\"environment_name\": \"production\"}}'"),
		Note:      "The same request works from any language. Client libraries take the key and the URL in their configuration.",
	},
}

// moreSnippets are the snippets for deploys and check-ins.
func moreSnippets(reportURL, key string) []snippet {
	put := strings.NewReplacer("{url}", reportURL, "{key}", key)
	return []snippet{
		{"deploys", "Deploys", put.Replace("curl {url}/v1/deploys -H 'X-API-Key: {key}' -H 'Content-Type: application/json' \\\n  -d \"{\\\"deploy\\\": {\\\"environment\\\": \\\"production\\\", \\\"revision\\\": \\\"$(git rev-parse HEAD)\\\", \\\"local_username\\\": \\\"$USER\\\"}}\"")},
		{"check-ins", "Check-ins", put.Replace("# when the job succeeds; create the check-in first\n0 3 * * * /usr/local/bin/backup && curl -fsS {url}/v1/check_in/{key}/nightly-backup")},
	}
}
