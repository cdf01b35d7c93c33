package test

import (
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"sett/internal/setttest/program"
)

// boot starts a second systemd in namespaces of its own: its root directory is that of this machine under an overlay that is thrown away, it
// has no network, and of its services only one runs, which then ends it.
const boot = `set -e
mount -t tmpfs tmpfs "$DIR/over" && mkdir "$DIR/over/upper" "$DIR/over/work"
mount -t overlay overlay -o "lowerdir=/,upperdir=$DIR/over/upper,workdir=$DIR/over/work" "$DIR/root"
cd "$DIR/root"
mount -t proc proc proc && mount -t sysfs sysfs sys && mount -t cgroup2 cgroup2 sys/fs/cgroup && mount -t tmpfs tmpfs run && mount -t tmpfs tmpfs dev
for d in null zero full random urandom tty; do touch dev/$d; mount --bind /dev/$d dev/$d; done
mkdir dev/pts dev/shm try && mount -t devpts -o newinstance,ptmxmode=0666 devpts dev/pts && ln -s pts/ptmx dev/ptmx
mount --bind "$DIR/try" try
rm -f etc/systemd/system/*.wants/*
cp try/try.service etc/systemd/system/
exec env -i container=other PATH=/usr/sbin:/usr/bin:/sbin:/bin chroot . /lib/systemd/systemd --system --unit=try.service --log-target=null`

const tryService = `[Unit]
After=basic.target
Requires=basic.target
SuccessAction=exit-force
FailureAction=exit-force
[Service]
Type=oneshot
ExecStart=/bin/sh -ex /try/script
StandardOutput=file:/try/output
StandardError=inherit
`

// onMachine runs a script as the only service of such a systemd, in a directory /try with some files, and returns what it prints.
func onMachine(t *testing.T, files map[string]string, script string) (output string, err error) {
	t.Helper()
	dir := newDir(t)
	try := filepath.Join(dir, "try")
	for _, name := range []string{"over", "root", "try"} {
		if err := os.Mkdir(filepath.Join(dir, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for name, from := range files {
		if os.Link(from, filepath.Join(try, name)) != nil {
			must(t, "", "cp", from, filepath.Join(try, name))
		}
	}
	for name, text := range map[string]string{"script": script, "try.service": tryService} {
		if err := os.WriteFile(filepath.Join(try, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	cmd := program.Bounded("unshare", "--mount", "--propagation", "private", "--pid", "--fork", "--kill-child", "--cgroup", "--ipc", "--uts", "--net", "sh", "-c", boot)
	cmd.Env = append(os.Environ(), "DIR="+dir)
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if out, failed := cmd.CombinedOutput(); failed != nil {
		err = fmt.Errorf("%w %s", failed, out)
	}
	return string(read(t, try, "output")), err
}
