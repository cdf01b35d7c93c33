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
