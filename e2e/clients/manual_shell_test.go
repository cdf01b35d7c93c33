package clients

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"sett/e2e/rig"
	"sett/internal/setttest/example"
	"sett/internal/setttest/program"
)

// notRun are the documents, and the first lines of what in them is not run by TestShellOfTheManual, each with the reason.
var notRun = map[string]string{
	"docs/administration.md": "cmd/sett runs it all (TestAdministrationPage)",
	"docs/backup.md":         "deploy/test runs it all, with the files of a release (TestManual)",
	"docs/installing.md":     "the same",
	"docs/clients.md":        "TestClientsOfTheManual runs it",

	"sett import sentry --url ht":  "it needs a Sentry server: cmd/sett runs it with another (TestImportSaysWhatCameAndWhatDidNot)",
	"sett import honeybadger --u":  "it needs an account of Honeybadger: internal/app/movein imports from another sett (TestNewNoticesLandInErrorsOfHoneybadger)",
	"sett import bugsink --url ":   "it needs a Bugsink: TestMoveFromBugsink imports from one",
	"bugsink-manage create_auth":   "it is a command of Bugsink: TestMoveFromBugsink has one",
	"sett import kuma /var/lib/u":  "it needs the file of an Uptime Kuma: cmd/sett runs it with another (TestImportFromKuma)",
	"sett import healthchecks --":  "it needs a project of Healthchecks: internal/app/movein/fromhealthchecks reads a server that answers like one",
	"sett import gatus /etc/gat":   "internal/app/movein/fromgatus reads such files",
	"sett import openstatus ope":   "internal/app/movein/fromopenstatus reads such files",
	"sett export acme.zip":         "internal/app/operate exports a demo, and imports it again (TestExportOfTheDemo)",
	"sett import sett acme.zip":    "the same",
	"unzip -p acme.zip":            "it reads such a file",
	"sett errors resolve 123 124":  "there are no such errors: cmd/sett runs it with others (TestErrorsFromTheCommandLine)",
	"sett deploy --project SETT_P": "its gate takes ten minutes: cmd/sett runs one that takes none (TestGates)",
	"go run ./cmd/sett serve    ":  "other tests do: the server and the demo with flags that end them, and make test is what CI runs",
	"bin/sett serve --listen :8":   "the ports and the database are those of a real installation",
}

// place is a server whose owner follows the documents: variables that they use are set, and sett is installed.
type place struct {
	*rig.Server
	dir  string // where they work, with what is installed
	site string // the id of a site
}

func newPlace(t *testing.T) *place {
	p := &place{Server: rig.Start(t, ""), dir: t.TempDir()}
	curl, err := exec.LookPath("curl")
	if err != nil {
		t.Fatal("curl is missing; install it: apt-get install curl")
	}
	writeIn(t, p.dir, "curl", "#!/bin/sh", "exec "+curl+` --silent --show-error --fail-with-body "$@"`, "") // so that a refusal fails the script
	writeIn(t, p.dir, "backup", "#!/bin/sh", "echo 3 files", "")
	for _, name := range []string{"curl", "backup"} {
		if err := os.Chmod(filepath.Join(p.dir, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(rig.Binary, filepath.Join(p.dir, "sett")); err != nil {
		t.Fatal(err)
	}
	p.site = p.Manage(t).NewSite(p.Server, "https://shop.example.test/").ID
	return p
}

// fill puts what differs from place to place into the lines of a document.
func (p *place) fill(lines string) string {
	return strings.NewReplacer(
		"SETT_ADDRESS", p.Base, "https://sett.example.org", p.Base, readmeAddress, p.Base, "SETT_KEY", p.APIKey, "SETT_PROJECT", strconv.FormatInt(p.ProjectID, 10),
		"/usr/local/bin/backup", "backup", "go run ./cmd/sett", "sett",
	).Replace(readmeCredentials.ReplaceAllString(lines, "PROJECT_ID=1"))
}

// run runs lines as a user types them in at the place, and returns what they print.
func (p *place) run(lines string) (out []byte, err error) {
	cmd := program.Bounded("sh", "-euc", lines)
	cmd.Dir = p.dir
	cmd.Env = append(rig.Environment(), "PATH="+p.dir+":"+os.Getenv("PATH"), "TOKEN="+p.AuthToken, "KEY="+p.APIKey, "ACCOUNT_ID="+p.AccountID, "SITE_ID="+p.site, "SETT_DATA="+p.Data,
		"SETT_SERVER="+p.Base, "SETT_AUTH_TOKEN="+p.AuthToken) // as as-code.md exports them
	return cmd.CombinedOutput()
}

// Every command in the README and the manual works, or is listed above with the reason why it is not tried.
func TestShellOfTheManual(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(rig.Repository + "/docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	p, ran, used := newPlace(t), 0, map[string]bool{}
	for _, file := range append(files, rig.Repository+"/README.md") {
		name := strings.TrimPrefix(filepath.ToSlash(file), rig.Repository+"/")
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, block := range example.Shell(text) {
			if reason := whyNotRun(name, block, used); reason != "" {
				t.Logf("%s: %.40q is not run: %s", name, block, reason)
				continue
			}
			ran++
			if out, err := p.run(p.fill(block)); err != nil {
				t.Errorf("%s: %v of\n%s\n%s", name, err, block, out)
			} else if json.Valid(out) && strings.Contains(string(out), `"errors":`) && !strings.Contains(string(out), `"errors":false`) {
				t.Errorf("%s: refused:\n%s\n%s", name, block, out)
			}
		}
	}
	p.wantDone(t)
	if ran < 9 {
		t.Errorf("only %d blocks were run", ran)
	}
	for reason := range notRun {
		if !used[reason] {
			t.Errorf("nothing is left out because of %q any more", reason)
		}
	}
}

// wantDone fails the test unless the documents' lines have left behind what they say.
func (p *place) wantDone(t *testing.T) {
	m := p.Manage(t)
	var jobs struct {
		Results []struct{ Slug, State string }
	}
	m.Get(p.Project()+"/check_ins", &jobs)
	if len(jobs.Results) != 1 || jobs.Results[0].Slug != "backup" || jobs.Results[0].State != "reporting" {
		t.Errorf("the jobs are %+v", jobs.Results)
	}
	var deploys, sites struct{ Results []any }
	var integrations []any
	m.Get(p.Project()+"/deploys", &deploys)
	m.Get(p.Project()+"/sites", &sites)
	m.Get(p.Project()+"/integrations", &integrations)
	if len(deploys.Results) != 1 || len(sites.Results) != 3 || len(integrations) != 1 || len(p.Faults(m)) != 2 {
		t.Errorf("there are %d deploys, %d sites, %d integrations and %d faults", len(deploys.Results), len(sites.Results), len(integrations), len(p.Faults(m)))
	}
	m.Do("GET", "/status/shop-status", nil, 200)
}

// whyNotRun returns the reason why a block is not run, or "".
func whyNotRun(file, block string, used map[string]bool) string {
	for of, reason := range notRun {
		if of == file || strings.HasPrefix(block, of) {
			used[of] = true
			return reason
		}
	}
	return ""
}
