package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// asCode runs the commands of configuration as code against a server, in a directory of its own.
type asCode struct {
	t       *testing.T
	dir     string
	environ []string
}

func newAsCode(t *testing.T) asCode {
	t.Helper()
	s := startServer(t)
	return asCode{t, t.TempDir(), []string{"SETT_SERVER=http://" + s.addr, "SETT_AUTH_TOKEN=" + s.token, "HOOK=https://example.org/hook"}}
}

func (c asCode) write(name, text string) string {
	c.t.Helper()
	path := filepath.Join(c.dir, name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		c.t.Fatal(err)
	}
	return path
}

// do runs a command that is to end with a status, and returns all that it prints.
func (c asCode) do(status int, args ...string) string {
	c.t.Helper()
	got, stdout, stderr := try(c.environ, args...)
	if got != status {
		c.t.Fatalf("%v: status %d, want %d\n%s%s", args, got, status, stdout, stderr)
	}
	return stdout + stderr
}

const shopFile = `
projects:
  web:
    name: Web
    sites:
      front: {name: Front, url: "https://shop.example.org/", frequency: 1}
      old: {name: Old, url: "https://old.example.org/"}
    channels:
      hook: {type: WebHook, options: {url: {env: HOOK}}, sites: [front]}
`

// A plan has another status when something differs, and things keep their ids when their names change.
func TestFilesAreAppliedOnce(t *testing.T) {
	t.Parallel()
	c := newAsCode(t)
	file := c.write("shop.yaml", shopFile)
	if said := c.do(2, "plan", "-f", file); !containsAll(said, "+ project web (Web)", "+ site web/front (Front)", "    frequency: 1", "options: {url: (secret)}", "4 to create, 0 to change, 0 to delete.") || strings.Contains(said, "hook:") && strings.Contains(said, "example.org/hook") {
		t.Errorf("the plan: %s", said)
	}
	c.do(0, "apply", "-f", file)
	if said := c.do(0, "plan", "-f", file); said != "Nothing to do: the server agrees with the files.\n" {
		t.Errorf("after it was applied: %s", said)
	}
	file = c.write("shop.yaml", strings.NewReplacer("name: Web", "name: Store", "name: Front", "name: Home", ", frequency: 1", "").Replace(shopFile))
	if said := c.do(2, "plan", "-f", file); !containsAll(said, "~ project web (Store)\n    name: Web → Store", "~ site web/front (Home)\n    name: Front → Home\n    frequency: 1 → its default", "0 to create, 2 to change") {
		t.Errorf("new names: %s", said)
	}
	c.do(0, "apply", "-f", file)
	if said := c.do(0, "export", "--as-code"); !containsAll(said, "  web:\n    name: Store", "front:\n        name: Home\n        url: \"https://shop.example.org/\"\n      old:") {
		t.Errorf("exported: %s", said)
	}
	c.environ[2] = "HOOK=https://ann:pw@example.org/hook"
	if said := c.do(2, "plan", "-f", file); !containsAll(said, "~ channel web/hook", "(secret)") || strings.Contains(said, "pw@") {
		t.Errorf("another secret: %s", said)
	}
	c.do(0, "apply", "-f", file)
	c.do(0, "plan", "-f", file)
	c.environ[2] = "HOOK=https://ann:other@example.org/hook"
	if said := c.do(2, "plan", "-f", file); !strings.Contains(said, "options.url: (secret) → (another secret)") {
		t.Errorf("a third secret: %s", said)
	}
}

// Only what files made is deleted, after a question, and projects only by a word of their own.
func TestFilesDeleteWhatTheyMade(t *testing.T) {
	t.Parallel()
	c := newAsCode(t)
	c.do(0, "apply", "-f", c.write("shop.yaml", shopFile))
	file := c.write("shop.yaml", regexp.MustCompile(`.*old: .*\n`).ReplaceAllString(shopFile, ""))
	if said := c.do(0, "plan", "-f", file); !strings.Contains(said, "left alone; --prune deletes these: site web/old\n") {
		t.Errorf("without --prune: %s", said)
	}
	if said := c.do(2, "plan", "-f", file, "--prune"); !containsAll(said, "- site web/old (Old)", "1 to delete") {
		t.Errorf("with it: %s", said)
	}
	if said := c.do(1, "apply", "-f", file, "--prune"); !containsAll(said, "- site web/old", "nothing was changed", "add --yes") {
		t.Errorf("without a terminal: %s", said)
	}
	c.do(0, "apply", "-f", file, "--prune", "--yes")
	if said := c.do(0, "plan", "-f", file, "--prune"); !strings.HasPrefix(said, "Nothing to do") {
		t.Errorf("afterwards: %s", said)
	}
	none := c.write("shop.yaml", "teams:\n  night: {name: Night}\n")
	if said := c.do(0, "apply", "-f", none, "--prune"); !containsAll(said, "+ team night", "0 to delete", "--prune-projects deletes these with all their events: project web") {
		t.Errorf("a project: %s", said)
	}
	c.do(0, "apply", "-f", none, "--prune", "--prune-projects", "--yes")
	if said := c.do(0, "export", "--as-code"); strings.Contains(said, "web:") || !strings.Contains(said, "night:") {
		t.Errorf("what is left: %s", said)
	}
	other := c.write("other.yaml", "teams:\n  day: {name: Day}\n")
	if said := c.do(2, "plan", "-f", other, "--prune", "--set", "other"); !containsAll(said, "+ team day", "0 to delete") || strings.Contains(said, "night") {
		t.Errorf("files of another name: %s", said)
	}
	if said := c.do(1, "plan", "-f", none, "--set", "other"); !strings.Contains(said, "team night is set by files without --set") {
		t.Errorf("a thing of other files: %s", said)
	}
}

// What is wrong with files is said with its place and what to do, before anything changes.
func TestFilesSayWhatIsWrong(t *testing.T) {
	t.Parallel()
	c := newAsCode(t)
	for _, tt := range []struct{ file, want string }{
		{"projekts: {}", ":1:1: projekts is no part of the file; did you mean projects?"},
		{"projects:\n  web:\n    name: Web\n    site:\n      a: {url: x}", ":4:5: site is no part of project web; did you mean sites?"},
		{"projects:\n  web:\n    name: Web\n    purge_days: soon", ":4:17: purge_days of project web must be a whole number"},
		{"projects:\n  web:\n    purge_days: 30", ":2:3: project web has no name; add name: Shop"},
		{"projects:\n  web:\n    name: Web\n    name: Shop", ":4:5: name is here twice, first in line 3; keep one of them"},
		{"projects:\n  web:\n    name: Web\n    teams: [nigth]\nteams:\n  night: {name: Night}", ":4:12: teams of project web names nigth, which the files do not have; did you mean night?"},
		{"projects:\n  web shop: {name: Web}", `:2:3: the key "web shop" must have only letters`},
		{"projects:\n web:\n  name: a\n   b: c", ":4:1: this is not YAML: "},
		{"projects:\n  web:\n    name: Web\n    language: rubi", ":4:15: language of project web cannot be rubi; did you mean ruby?"},
		{"projects:\n  web:\n    name: Web\n    sites:\n      a: {url: 'https://ann:pw@example.org/'}", ":5:16: url of site web/a has a secret; write where it is, as in {env: WEB_SITES_A_URL} or {file: secret.txt}"},
		{"projects:\n  web:\n    name: Web\n    channels:\n      a: {type: PagerDutyV2, options: {routing_key: abc}}", ":5:39: options.routing_key of channel web/a has a secret; write where it is, as in {env: WEB_CHANNELS_A_OPTIONS_ROUTING_KEY}"},
		{"projects:\n  web:\n    name: Web\n    channels:\n      a: {type: Slak}", ":5:17: Slak is no part of the types of channels; did you mean Slack?"},
		{"projects:\n  web:\n    name: Web\n    channels:\n      a: {type: WebHook, options: {addres: x}}", "addres is no part of the options of channel web/a; there are"},
		{"projects:\n  web:\n    name: Web\n    sites:\n      a: {url: {env: NONE}}", ":5:16: the variable NONE is not set; set it to the secret"},
		{"projects:\n  web:\n    name: Web\n    sites:\n      a: {url: {file: none.txt}}", "the file of the secret cannot be read"},
		{"projects:\n  web:\n    name: Web\n    alarms:\n      a: {name: a, query: b, evaluation_period: 5m, when: about 3}", ":5:59: when of alarm web/a must be a comparison"},
		{"status_pages:\n  p: {name: P, sites: [{site: front}]}", ":2:23: sites of status page p must be a mapping with site: the key of the project, a slash"},
	} {
		if said := c.do(1, "plan", "-f", c.write("wrong.yaml", tt.file)); !strings.Contains(said, tt.want) {
			t.Errorf("%s\n\ngot  %swant %s", tt.file, said, tt.want)
		}
	}
	refused := c.write("refused.yaml", "projects:\n  web:\n    name: Web\n    sites:\n      a: {url: 'ftp://example.org'}\n")
	if said := c.do(1, "apply", "-f", refused); !containsAll(said, "refused.yaml:5:7: site web/a: ", "url", "1 of 2 steps are done; run the command again when this is corrected") {
		t.Errorf("what the server refuses: %s", said)
	}
	c.do(0, "apply", "-f", c.write("refused.yaml", "projects:\n  web:\n    name: Web\n    sites:\n      a: {url: 'https://example.org'}\n"))
	if said := c.do(1, "plan"); !strings.Contains(said, "-f is missing") {
		t.Errorf("without -f: %s", said)
	}
	if said := c.do(1, "plan", "-f", c.dir+"/none"); !strings.Contains(said, "check the path in -f") {
		t.Errorf("no such file: %s", said)
	}
}

// A directory merges, and standard input is a file like others.
func TestFilesOfADirectoryAndStandardInput(t *testing.T) {
	t.Parallel()
	c := newAsCode(t)
	if err := os.MkdirAll(filepath.Join(c.dir, "sett/sites"), 0o700); err != nil {
		t.Fatal(err)
	}
	c.write("sett/web.yaml", "projects:\n  web: {name: Web}\n")
	c.write("sett/sites/web.yml", "projects:\n  web:\n    sites:\n      front: {name: Front, url: 'https://shop.example.org/'}\n")
	c.write("sett/.draft.yaml", "projects:\n  draft: {name: Draft}\n")
	c.write("sett/notes.txt", "no YAML: at: all")
	dir := filepath.Join(c.dir, "sett")
	if said := c.do(2, "plan", "-f", dir); !containsAll(said, "+ project web", "+ site web/front", "2 to create") {
		t.Errorf("the plan of a directory: %s", said)
	}
	c.do(0, "apply", "-f", dir)
	piped := func(status int, text string, args ...string) string {
		t.Helper()
		got, stdout, stderr := tryWith(text, c.environ, args...)
		if got != status {
			t.Errorf("%v: status %d, want %d", args, got, status)
		}
		return stdout + stderr
	}
	whole := "projects:\n  web:\n    name: Web\n    sites:\n      front: {name: Front, url: 'https://shop.example.org/'}\n"
	if said := piped(0, whole, "plan", "-f", "-"); !strings.HasPrefix(said, "Nothing to do") {
		t.Errorf("the same on standard input: %s", said)
	}
	piped(0, strings.Replace(whole, "Front", "Home", 1), "apply", "-f", "-")
	if said := c.do(2, "plan", "-f", dir); !strings.Contains(said, "name: Home → Front") {
		t.Errorf("after it was applied: %s", said)
	}
	if said := piped(1, "projekts: {}", "plan", "-f", "-"); !strings.Contains(said, "standard input:1:1: projekts is no part of the file") {
		t.Errorf("what is wrong on standard input: %s", said)
	}
	if said := piped(1, whole+strings.Repeat("#", longestFile), "apply", "-f", "-"); !strings.Contains(said, "standard input is larger than 16 MiB") {
		t.Errorf("a part of standard input is applied: %s", said)
	}
	c.write("sett/more.yaml", "projects:\n  web: {name: Shop}\n")
	if said := c.do(1, "plan", "-f", dir); !containsAll(said, "more.yaml:2:", "web.yaml:2:", "name") {
		t.Errorf("a field in two files: %s", said)
	}
}
