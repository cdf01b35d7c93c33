package test

import (
	"os"
	"regexp"
	"syscall"
	"time"
)

// work is what a page says in words before a block, and a text that the block prints.
type work struct {
	before func(r *reader)
	says   string
}

// doneInWords is that work, by how the block begins.
var doneInWords = map[string]work{
	"ssh-keygen -Y verify": {func(r *reader) {
		r.write("signers", "release@sett "+string(mustRead(r, "/try/key.pub")))
	}, ": OK"},
	"docker load -i ":       {nil, "Loaded image: sett:" + version},
	"docker exec sett sett": {nil, "ready\n"},
	"helm install ":         {nil, "sett"},
	"kubectl create secret generic sett-database": {func(r *reader) {
		r.must("helm uninstall sett") // the other way
	}, "create the first one"},
	"apt install ./": {func(r *reader) {
		r.must("docker stop sett") // another way
	}, "Setting up sett"},
	"systemd-run --quiet": {func(r *reader) {
		r.must("until journalctl -u sett | grep -q 'link='; do sleep 0.1; done")
		r.must("systemd-run --quiet --pipe --wait --uid=sett --property=EnvironmentFile=/etc/sett/sett.env --setenv=SETT_DATA=/var/lib/sett sett setup")
	}, "admin@example.com"},
	"sett serve --data": {func(r *reader) {
		r.must("systemctl stop sett; mv /var/lib/sett /var/lib/sett-of-package; /usr/local/bin/sett --version")
	}, ""},
	"apt purge": {func(r *reader) {
		r.must("mv /var/lib/sett /var/lib/sett-of-program; mv /var/lib/sett-of-package /var/lib/sett")
	}, ""},
	"rm /usr/local/bin/sett": {func(r *reader) {
		r.must("test ! -e /etc/sett -a ! -e /usr/bin/sett; mv /var/lib/sett-of-program /var/lib/sett")
	}, ""},
	"curl SETT_ADDRESS/v1/notices": {func(r *reader) {
		r.serve()
	}, `"id":`},
	"curl SETT_ADDRESS/v1/check_in/": {func(r *reader) {
		r.must(`curl -u "$WORDS_TOKEN:" SETT_ADDRESS/v2/projects/1/check_ins -H 'Content-Type: application/json' -d '{"check_in": {"name": "backup", "slug": "backup", "report_period": "1 day"}}'`)
	}, ""},
	"sett backup sett.backup\n": {func(r *reader) {
		r.must("sett setup")
	}, "to sett.backup:"},
	"30 3 * * *": {func(r *reader) {
		r.must("mkdir -p /backup; sett setup --data /var/lib/sett")
	}, "to /backup/sett-"},
	"sett restore sett.backup --data": {nil, "in restored"},
	"sett backup sett.backup --database": {func(r *reader) {
		r.databases("sett", "empty")
		r.must("sett setup --database postgres://sett@db.example.org:5432/sett")
	}, "Restored"},
	"pg_restore ": {func(r *reader) {
		r.databases("sett")
	}, ""},
	"sett backup before.backup": {nil, "The schema is up to date"},
	"bin/sett serve": {func(r *reader) {
		r.databases("sett")
		r.must("systemctl stop sett; mkdir bin; cp \"$(command -v sett)\" bin/") // as make build does
	}, ""},
}

// apiToken matches a personal token, and apiKey the key of a project.
var (
	apiToken = regexp.MustCompile(`sett_u_\w+`)
	apiKey   = regexp.MustCompile(`sett_p_\w+`)
)

// serve sets sett up, and runs a server until the page ends.
func (r *reader) serve() {
	r.t.Helper()
	said := r.must("sett setup")
	r.key = apiKey.FindString(said)
	r.servers.more[r.page] = append(r.servers.more[r.page], "WORDS_TOKEN="+apiToken.FindString(said))
	cmd, out := r.command("exec sett serve")
	ready := out.until("sett is ready")
	if err := cmd.Start(); err != nil {
		r.t.Fatal(err)
	}
	select {
	case <-ready:
	case <-time.After(time.Minute):
		r.t.Errorf("%s: the server does not become ready\n%s", r.page, out)
	}
	r.servers.ends = append(r.servers.ends, func() {
		if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
			r.t.Error(err)
		}
		if err := cmd.Wait(); err != nil {
			r.t.Errorf("the server ends with %v\n%s", err, out)
		}
	})
}

// databases makes databases anew.
func (r *reader) databases(names ...string) {
	r.t.Helper()
	for _, name := range names {
		for _, statement := range []string{"drop database if exists " + name, "create database " + name} {
			if out, err := command("", "psql", "--quiet", "--command="+statement, r.servers.cluster.DSN()); err != nil {
				r.t.Fatal(err, out)
			}
		}
	}
}

func mustRead(r *reader, file string) []byte {
	r.t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		r.t.Fatal(err)
	}
	return text
}
