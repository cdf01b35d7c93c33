package test

import (
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// The administrator installs the package, starts the service, creates the first account, and upgrades. What it prints in lines that begin
// with = is compared.
const administrator = `ip link set lo up
dpkg --install /try/sett.deb
systemctl is-active sett.service || echo =it waits for its settings
systemd-analyze verify --man=no sett.service 2>&1 | sed -n 's/^\(.*sett.service.*\)/=\1/p'
echo SETT_LOG_FORMAT=json >>/etc/sett/sett.env
systemctl enable --now sett.service
ready() { i=0; until sett ready; do i=$((i+1)); test $i -lt 2000; done; echo =ready; }
ready
systemd-run --quiet --pipe --wait --uid=sett --property=EnvironmentFile=/etc/sett/sett.env --setenv=SETT_DATA=/var/lib/sett sett setup --email olga@example.org | sed -n 's/^.*\(sett_p_\).*$/=a key \1/p'
grep -a -h -E '^(CapEff|NoNewPrivs|Seccomp):' /proc/$(systemctl show --value -p MainPID sett.service)/status | sed 's/^/=/'
stat -c '=%U %a' /var/lib/sett /var/lib/sett/sett.db
before=$(systemctl show --value -p MainPID sett.service)
dpkg --install /try/sett.deb
ready
test "$before" != "$(systemctl show --value -p MainPID sett.service)" && echo =upgraded
grep SETT_LOG_FORMAT /etc/sett/sett.env | sed 's/^/=/'
systemctl stop sett.service
systemctl show -p Result -p ExecMainStatus -p NRestarts sett.service | sed 's/^/=/'
systemctl start sett.service
ready
dpkg --remove sett
systemctl is-active sett.service || echo =removed
dpkg --purge sett
ls /etc/sett /etc/systemd/system/multi-user.target.wants/sett.service 2>/dev/null || echo =purged
stat -c '=%U %a' /var/lib/sett/sett.db`

const seen = `=it waits for its settings
=ready
=a key sett_p_
=CapEff:	0000000000000400
=NoNewPrivs:	1
=Seccomp:	2
=sett 700
=sett 600
=ready
=upgraded
=SETT_LOG_FORMAT=json
=Result=success
=NRestarts=0
=ExecMainStatus=0
=ready
=removed
=purged
=sett 600
`

func TestServiceOfThePackage(t *testing.T) {
	t.Parallel()
	needRoot(t)
	all, err := onMachine(t, map[string]string{"sett.deb": filepath.Join(dist, "sett_"+version+"_amd64.deb")}, administrator)
	var got strings.Builder
	for line := range strings.Lines(all) {
		if strings.HasPrefix(line, "=") {
			got.WriteString(line)
		}
	}
	if diff := compare(seen, got.String()); diff != "" || err != nil {
		t.Errorf("systemd ends with %v\n%s\nall:\n%s", err, diff, all)
	}
}

// The service reaches what it needs and little else.
func TestExposureOfTheService(t *testing.T) {
	t.Parallel()
	out := must(t, "", "systemd-analyze", "security", "--offline=true", "--no-pager", filepath.Join(installDeb(t), "usr/lib/systemd/system/sett.service"))
	found := regexp.MustCompile(`Overall exposure level for sett.service: ([0-9.]+)`).FindStringSubmatch(out)
	if found == nil {
		t.Fatalf("systemd-analyze security: %s", out)
	}
	if exposure, err := strconv.ParseFloat(found[1], 64); err != nil || exposure > 2 {
		t.Errorf("the exposure of the service is %s, at most 2.0 is wanted:\n%s", found[1], out)
	}
}
