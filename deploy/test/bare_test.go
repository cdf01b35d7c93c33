package test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/goreleaser/nfpm/v2"
	"github.com/goreleaser/nfpm/v2/deb"
	contents "github.com/goreleaser/nfpm/v2/files"
	"github.com/goreleaser/nfpm/v2/rpm"

	"sett/internal/setttest/program"
)

// bare is a system without a service manager.
type bare struct {
	packages []string // of Debian, without a way to create users
	applets  []string // of busybox, which is one program with many names
	lacks    []string // files to delete
	kind     string   // of the package: deb or rpm
	story    string
	want     string // lines that the story prints
}

// With each way to create users that there is, and with none.
var bares = map[string]bare{
	"deb, useradd": {packages: append([]string{"passwd"}, essential...), kind: "deb", story: lifeOfPackage, want: lived + removedDeb},
	"deb, sysusers": {
		packages: append([]string{"passwd", "systemd"}, essential...), lacks: []string{"usr/sbin/useradd"},
		kind: "deb", story: lifeOfPackage, want: lived + removedDeb,
	},
	"deb, none": {packages: essential, lacks: []string{"usr/sbin/useradd"}, kind: "deb", story: noUser, want: installedWithoutUser + "=none\n"},
	"rpm, useradd": {
		packages: []string{"base-files", "base-passwd", "coreutils", "dash", "grep", "passwd", "util-linux"},
		kind:     "rpm", story: lifeOfPackage, want: lived + removedRPM,
	},
	// Busybox is all that this one has but useradd, so that the message names su.
	"rpm, busybox": {
		packages: []string{"base-files", "base-passwd", "dash", "passwd"}, lacks: []string{"usr/bin/setpriv"}, applets: []string{"cat", "chown", "grep", "id", "mkdir", "rmdir", "su"},
		kind: "rpm", story: lifeOfPackage, want: lived + removedRPM,
	},
	"rpm, none": {packages: []string{"base-files", "base-passwd", "coreutils", "dash", "grep"}, kind: "rpm", story: noUser, want: installedWithoutUser + "=none\n"},
}

// root makes the root directory of the system.
func (b bare) root(t *testing.T) string {
	t.Helper()
	root := bareRoot(t, b.packages...)
	for _, name := range b.lacks {
		if err := os.Remove(filepath.Join(root, name)); err != nil && !errors.Is(err, os.ErrNotExist) {
			t.Fatal(err)
		}
	}
	if len(b.applets) > 0 {
		busybox, err := exec.LookPath("busybox")
		if err != nil {
			t.Fatal("install busybox-static: a root directory without other tools is made of it")
		}
		must(t, "", "cp", "-L", busybox, filepath.Join(root, "usr/bin/busybox"))
		for _, name := range b.applets {
			if err := os.Symlink("busybox", filepath.Join(root, "usr/bin", name)); err != nil {
				t.Fatal(err)
			}
		}
	}
	return root
}

// inBare begins each story: the root directory gets what a kernel gives, and there is no network but loopback. The functions do what an
// administrator does with either kind of package.
const inBare = `set -e
cd "$ROOT"
ip link set lo up
mkdir -p proc dev && mount -t proc proc proc && mount -t tmpfs tmpfs dev
for d in null zero full random urandom tty; do touch dev/$d; mount --bind /dev/$d dev/$d; done
inside() { env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin chroot "$ROOT" "$@"; }
case $KIND in
deb)
	install() { inside dpkg --install "/try/$1.deb"; }
	remove() { inside dpkg --remove sett; }
	purge() { inside dpkg --purge sett; }
	audit() { inside dpkg --audit; inside dpkg-query --show --showformat '${db:Status-Status}\n' sett 2>/dev/null || echo none; }
	;;
rpm)
	rpm() { command rpm --root "$ROOT" --dbpath /var/lib/rpm "$@"; }
	install() { rpm --upgrade "$ROOT/try/$1.rpm"; }
	remove() { rpm --erase sett; }
	purge() { :; }
	audit() { rpm --query sett >/dev/null && echo installed || echo none; }
	;;
esac
# Files of tools that create users, and directories of systemd, man and shells, are not the package's.
left() {
	find . \( -path ./proc -o -path ./dev -o -path ./try -o -path ./var/lib/dpkg -o -path ./var/lib/rpm -o -path ./var/log -o -name '.*.lock' \) -prune -o -print |
		grep -vE '^\./(etc/(passwd|group|shadow|gshadow|subuid|subgid)-?|usr/lib/(sysusers\.d|systemd|systemd/system)|usr/share/(man|bash-completion|zsh|fish)(/[a-z_.1-]+)?)$' | sort
	cat etc/passwd etc/group
}
`

// lifeOfPackage: what it prints in lines that begin with = is compared.
const lifeOfPackage = `left >try/before
install old >try/said 2>&1 || { cat try/said; exit 1; }
cat try/said
echo "=$(audit)"
grep '^sett:' etc/passwd | sed -E 's/^sett:[x!]:[0-9]+:[0-9]+:/=the user is /'
stat -c '=%A' var/lib/sett
test "$(stat -c %u:%g var/lib/sett)" = "$(sed -nE 's/^sett:[^:]*:([0-9]+:[0-9]+):.*/\1/p' etc/passwd)" && echo =owned
inside sett version | sed -n '1s/^sett .*/=a version/p'
sed -n 's/^  (/(/p' try/said >try/start
start() { inside sh /try/start & shell=$!; i=0; until inside sett ready; do i=$((i+1)); test $i -lt 2000; done; echo =ready; }
server() { for exe in /proc/[0-9]*/exe; do case $(readlink $exe) in */usr/bin/sett*) p=${exe%/exe}; echo ${p#/proc/};; esac; done; }
stop() { kill $(server); wait $shell; echo "=ended with $?"; }
notice() { curl -s -o /dev/null -w '=%{http_code}\n' -H "X-API-Key: $key" -d '{"error":{"class":"Timeout","message":"late"}}' http://127.0.0.1:8080/v1/notices; }
start
key=$(env -i SETT_DATA=/var/lib/sett /usr/sbin/chroot --userspec=sett:sett "$ROOT" /usr/bin/sett setup --email olga@example.org | sed -n 's/^.*\(sett_p_[A-Za-z0-9_-]*\).*$/\1/p')
notice
test "$(stat -c %u /proc/$(server))" = "$(stat -c %u var/lib/sett)" && echo =it runs as its user
echo SETT_LOG_FORMAT=json >>etc/sett/sett.env
install new >try/said 2>&1 || { cat try/said; exit 1; }
sed -n 's/^sett: /=/p' try/said
echo "=$(audit)"
readlink /proc/$(server)/exe | sed -n 's/.*(deleted)/=the old program runs/p'
notice
stop
start
notice
grep SETT_LOG_FORMAT etc/sett/sett.env | sed 's/^/=/'
stop
remove >try/said 2>&1 || { cat try/said; exit 1; }
sed -n 's/^sett: /=/p' try/said
echo "=$(audit)"
test -e usr/bin/sett || echo =no program
purge >try/said 2>&1 || { cat try/said; exit 1; }
sed -n 's/^sett: /=/p' try/said
echo "=$(audit)"
test -s var/lib/sett/sett.db && grep -q '^sett:' etc/passwd && echo =the data and its owner stay
ls -A etc/sett 2>/dev/null | sed 's/^/=/'
rm -r var/lib/sett; rm -rf etc/sett
install new >/dev/null
remove >/dev/null
purge >/dev/null
left >try/after
diff try/before try/after | sed 's/^/=/'`

// noUser: without a way to create users, the package is installed and says what to do.
const noUser = `left >try/before
install new >try/said 2>&1 || { cat try/said; exit 1; }
sed -n 's/^sett: /=/p' try/said
echo "=$(audit)"
inside sett version | sed -n '1s/^sett .*/=a version/p'
remove
purge
echo "=$(audit)"
left >try/after
diff try/before try/after | sed 's/^/=/'`

const lived = `=installed
=the user is sett error tracking:/var/lib/sett:/usr/sbin/nologin
=drwx------
=owned
=a version
=ready
=201
=it runs as its user
=a server that runs is still the old version. This system does not run systemd, so restart it yourself.
=installed
=the old program runs
=201
=ended with 0
=ready
=201
=SETT_LOG_FORMAT=json
=ended with 0
=if you started a server yourself, stop it: this system does not run systemd.
`

const removedDeb = `=the settings in /etc/sett and the data in /var/lib/sett stay. To delete the settings: dpkg --purge sett
=config-files
=no program
=the data and the user sett that owns it in /var/lib/sett stay. To delete them: rm -r /var/lib/sett
=none
=the data and its owner stay
`

const removedRPM = `=your files in /etc/sett stay. To delete them: rm -r /etc/sett
=the data and the user sett that owns it in /var/lib/sett stay. To delete them: rm -r /var/lib/sett
=none
=no program
=none
=the data and its owner stay
=sett.env.rpmsave
`

func TestPackagesWithoutServiceManager(t *testing.T) {
	t.Parallel()
	needRoot(t)
	old := olderPackages(t)
	for name, b := range bares {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			root := b.root(t)
			for from, to := range map[string]string{old + "/old." + b.kind: "old", packageOf(b.kind): "new"} {
				if err := os.Link(from, filepath.Join(root, "try", to+"."+b.kind)); err != nil {
					t.Fatal(err)
				}
			}
			cmd := program.Bounded("unshare", "--mount", "--propagation", "private", "--pid", "--fork", "--kill-child", "--mount-proc", "--ipc", "--uts", "--net", "sh", "-c", inBare+b.story)
			cmd.Env = append(os.Environ(), "ROOT="+root, "KIND="+b.kind, "LC_ALL=C")
			cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
			out, err := cmd.CombinedOutput()
			var got strings.Builder
			for line := range strings.Lines(string(out)) {
				if strings.HasPrefix(line, "=") {
					got.WriteString(line)
				}
			}
			if diff := compare(b.want, got.String()); diff != "" || err != nil {
				t.Errorf("%v\n%s\nall:\n%s", err, diff, out)
			}
		})
	}
}

const installedWithoutUser = `=the user sett is missing, and this system has neither systemd-sysusers nor useradd to create it.
=this system does not run systemd. Write your settings to /etc/sett/sett.env. Then start the server as root, or have your init do it:
=installed
=a version
`

// packageOf returns the file of the release for this machine.
func packageOf(kind string) string {
	return filepath.Join(dist, map[string]string{"deb": "sett_" + version + "_amd64.deb", "rpm": "sett-" + version + "-1.x86_64.rpm"}[kind])
}

// olderPackages makes packages with the files and the scripts of the release, and a lower version. Their program differs in its last byte.
func olderPackages(t *testing.T) (dir string) {
	t.Helper()
	dir, unpacked := newDir(t), installDeb(t)
	sett := filepath.Join(unpacked, "usr/bin/sett")
	if err := os.WriteFile(sett, append(read(t, sett), 0), 0o755); err != nil {
		t.Fatal(err)
	}
	list := contents.Contents{}
	for name := range installed {
		kind := contents.TypeFile
		if name == "etc/sett/sett.env" {
			kind = contents.TypeConfigNoReplace
		}
		list = append(list, &contents.Content{Source: filepath.Join(unpacked, name), Destination: "/" + name, Type: kind})
	}
	for kind, by := range map[string]nfpm.Packager{"deb": deb.Default, "rpm": rpm.DefaultRPM} {
		info := nfpm.WithDefaults(&nfpm.Info{
			Name: "sett", Arch: "amd64", Platform: "linux", Version: "0.9.0", Maintainer: "release <release@example.org>", Description: "sett", DisableGlobbing: true,
			Overridables: nfpm.Overridables{
				Contents: list, RPM: nfpm.RPM{Compression: "gzip:1"}, Deb: nfpm.Deb{Compression: "none"},
				Scripts: nfpm.Scripts{PostInstall: "package/installed.sh", PreRemove: "package/removing.sh", PostRemove: "package/removed.sh"},
			},
		})
		if err := nfpm.PrepareForPackager(info, kind); err != nil {
			t.Fatal(err)
		}
		file, err := os.Create(filepath.Join(dir, "old."+kind))
		if err == nil {
			err = errors.Join(by.Package(info, file), file.Close())
		}
		if err != nil {
			t.Fatalf("make an older %s: %v", kind, err)
		}
	}
	return dir
}
