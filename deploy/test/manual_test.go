package test

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sett/internal/base/about"
	"sett/internal/setttest/example"
)

// insideVariable is set on the machine where the manual is followed.
const insideVariable = "SETT_FOLLOWS_MANUAL"

// pages are those whose every command is run, in this order. e2e/clients runs the commands of the other pages.
var pages = []string{"docs/installing.md", "docs/quick-start.md", "docs/backup.md", "README.md"}

// followScript follows the manual with this program, on a machine that has the names of its examples and no network.
const followScript = `ip link set lo up
for name in sett db minio registry; do echo "127.0.0.1 $name.example.org"; done >>/etc/hosts
echo '127.0.0.1 vault s3.amazonaws.com backups.s3.amazonaws.com backups.s3.dualstack.us-east-1.amazonaws.com' >>/etc/hosts
cd /try
` + insideVariable + `=1 TMPDIR=/tmp HOME=/root ./follow -test.run '^TestManual$' -test.v`

// TestManual runs each command of the blocks of the pages, unchanged, on a machine of its own with systemd and the files of the release. What that
// machine does not have, such as a cluster, is replaced by what standIns lists.
func TestManual(t *testing.T) {
	if os.Getenv(insideVariable) != "" {
		follow(t)
		return
	}
	t.Parallel()
	needRoot(t)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{"follow": self, "key.pub": filepath.Join(temp, "key.pub"), "CHANGELOG.md": "../CHANGELOG.md"}
	dir, next := newDir(t), strings.TrimSuffix(about.Current().Version, "-dev")
	for _, page := range pages {
		name := filepath.Base(page)
		files[name] = filepath.Join(dir, name)
		text := strings.ReplaceAll(string(read(t, "..", page)), next, version) // as a release with another version names its files
		if err := os.WriteFile(files[name], []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	published, err := os.ReadDir(dist)
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range published {
		files["release-"+file.Name()] = filepath.Join(dist, file.Name())
	}
	out, err := onMachine(t, files, followScript)
	if err != nil || !strings.Contains(out, "--- PASS: TestManual") {
		t.Errorf("the manual cannot be followed: %v\n%s", err, out)
	}
	t.Log(out)
}

// follow runs the blocks of all pages.
func follow(t *testing.T) {
	servers := startServers(t)
	for _, page := range pages {
		text, err := os.ReadFile(filepath.Base(page))
		if err != nil {
			t.Fatal(err)
		}
		r := newReader(t, page, servers)
		blocks := example.Blocks(text)
		if len(blocks) == 0 {
			t.Errorf("%s has no block", page)
		}
		for _, b := range blocks {
			r.do(b)
		}
		r.leave()
	}
	checkFirstCommands(t)
	checkUpgradeNotes(t)
	for _, begins := range slices.Concat(slices.Collect(maps.Keys(doneInWords)), slices.Collect(maps.Keys(notHere))) {
		if !servers.used[begins] {
			t.Errorf("no block begins with %q any more", begins)
		}
	}
}
