package app_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"sett/internal/setttest/example"
)

// readersVariables are the variables of examples, for what a reader has: CONTRIBUTING.md lists them. None is a setting of sett, so that a shell may
// export all of them. The API reference has names of the same form.
var readersVariables = []string{"TOKEN", "KEY", "AGENT_TOKEN", "PROJECT_ID", "ACCOUNT_ID", "SITE_ID", "VERSION"}

// othersVariables are those that other programs define.
var othersVariables = []string{"AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "USER"}

var (
	usedVariable = regexp.MustCompile(`\$\{?([A-Z][A-Z_]+)\b`)
	setVariable  = regexp.MustCompile(`(?m)(?:^|  )([A-Z][A-Z_]*_?(?:TOKEN|KEY|ID|ADDRESS|PROJECT|ACCOUNT|SITE))=`)
	// blank is what a reader would have to find out for themselves.
	blank = regexp.MustCompile(`YOUR_[A-Z_]+|=\.\.\.|=…|<[a-z]+-[a-z]+>`)
	// host is a name with a domain; those of examples are below example.org.
	host = regexp.MustCompile(`(?://|@)([a-z0-9-]+(?:\.[a-z0-9-]+)+)`)
)

// fromElsewhere are hosts of examples that exist, or that a page needs for what it explains.
var fromElsewhere = []string{"127.0.0.1", "registry.npmjs.org", "github.com", "app.honeybadger.io"}

// Examples call the same thing by the same name on all pages.
func TestVariablesOfExamples(t *testing.T) {
	t.Parallel()
	pages, used := documents(t), map[string]bool{}
	for page, text := range pages {
		if strings.HasPrefix(page, "docs/decisions") {
			continue
		}
		for _, b := range example.Blocks([]byte(text)) {
			if b.Language != "sh" && b.Language != "" {
				continue
			}
			for _, of := range []*regexp.Regexp{usedVariable, setVariable} {
				for _, m := range of.FindAllStringSubmatch(b.Text, -1) {
					used[m[1]] = true
					if !slices.Contains(readersVariables, m[1]) && !slices.Contains(othersVariables, m[1]) && !strings.Contains(m[1], "POSTGRES_") && !strings.HasPrefix(m[1], "SETT_") {
						t.Errorf("%s:%d: %s is not a variable of examples; CONTRIBUTING.md lists them", page, b.Line, m[1])
					}
				}
			}
			if found := blank.FindString(b.Text); found != "" {
				t.Errorf("%s:%d: %q is left to the reader; use a variable of examples", page, b.Line, found)
			}
			for _, m := range host.FindAllStringSubmatch(b.Text, -1) {
				if !strings.HasSuffix(m[1], "example.org") && !slices.Contains(fromElsewhere, m[1]) {
					t.Errorf("%s:%d: the host %s is not below example.org", page, b.Line, m[1])
				}
			}
		}
	}
	for _, name := range readersVariables {
		if !used[name] || !strings.Contains(pages["CONTRIBUTING.md"], "`$"+name+"`") {
			t.Errorf("no example uses $%s, or CONTRIBUTING.md does not list it", name)
		}
	}
}
