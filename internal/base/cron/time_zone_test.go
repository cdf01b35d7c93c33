package cron

import (
	"archive/zip"
	"flag"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the names of time zones anew")

func TestTimeZones(t *testing.T) {
	t.Parallel()
	summer := time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC)
	for name, want := range map[string]string{
		"":                             "12:00 UTC UTC",
		"UTC":                          "12:00 UTC UTC",
		"Europe/Berlin":                "14:00 CEST Europe/Berlin",
		"America/Argentina/San_Juan":   "09:00 -03 America/Argentina/San_Juan",
		"Eastern Time (US & Canada)":   "08:00 EDT America/New_York",
		"Nuku'alofa":                   "01:00 +13 Pacific/Tongatapu",
		"Kyiv":                         "15:00 EEST Europe/Kiev",
		"International Date Line West": "00:00 -12 Etc/GMT+12",
		"Singapore":                    "20:00 +08 Singapore", // IANA's own, another name of Asia/Singapore
	} {
		zone, err := TimeZone(name)
		if err != nil {
			t.Errorf("%q: %v", name, err)
		} else if got := summer.In(zone).Format("15:04 MST ") + zone.String(); got != want {
			t.Errorf("%q: %s, want %s", name, got, want)
		}
	}
}

func TestTimeZonesRefused(t *testing.T) {
	t.Parallel()
	const form = "write a name of IANA's such as Europe/Berlin or America/New_York"
	const follows = " A city such as Europe/Berlin follows daylight saving time"
	for name, advice := range map[string]string{
		"europe/berlin":                "did you mean Europe/Berlin?",
		"Europe/Berlni":                "did you mean Europe/Berlin?",
		"America/NewYork":              "did you mean America/New_York?",
		"New York":                     "did you mean America/New_York?",
		"los angeles":                  "did you mean America/Los_Angeles?",
		"Eastern Time (US and Canada)": "did you mean Eastern Time (US & Canada)?",
		" UTC":                         "did you mean UTC?",
		"GMT+2":                        "did you mean Etc/GMT-2, which is 2 hours ahead of UTC all year?" + follows,
		"UTC+02:00":                    "did you mean Etc/GMT-2, which is 2 hours ahead of UTC all year?" + follows,
		"+0200":                        "did you mean Etc/GMT-2, which is 2 hours ahead of UTC all year?" + follows,
		"gmt -1":                       "did you mean Etc/GMT+1, which is 1 hour behind UTC all year?" + follows,
		"UTC-05":                       "did you mean Etc/GMT+5, which is 5 hours behind UTC all year?" + follows,
		"UTC+14":                       "did you mean Etc/GMT-14, which is 14 hours ahead of UTC all year?" + follows,
		"Etc/UTC-5":                    "did you mean Etc/GMT+5, which is 5 hours behind UTC all year?" + follows,
		"etc/gmt+5":                    "did you mean Etc/GMT+5, which is 5 hours behind UTC all year?" + follows,
		"UTC+0":                        "did you mean UTC?",
		"UTC+15":                       "write a name of IANA's such as Europe/Berlin: no zone has that offset",
		"GMT+5:30":                     "write the name of a city with that time, such as Asia/Kolkata for +05:30",
		"PST":                          "did you mean America/Los_Angeles?",
		"CEST":                         "did you mean Europe/Berlin?",
		"XYZT":                         form,
		"Mars/Olympus Mons":            form,
		"Local":                        form,
		"localtime":                    form,
		"Factory":                      form,
		"posix/Europe/Berlin":          "did you mean Europe/Berlin?",
		"/etc/passwd":                  form,
		"../../../../etc/localtime":    form,
		"Europe":                       form,
		"\n":                           form,
		"UTC\nEurope/Berlin":           "did you mean Europe/Berlin?",
		"\xff\xfe":                     form,
		strings.Repeat("x", 100_000):   form,
	} {
		_, err := TimeZone(name)
		if err == nil || !strings.HasSuffix(err.Error(), " is no time zone; "+advice) || len(err.Error()) > 300 {
			t.Errorf("%.40q: %.400v", name, err)
		}
	}
}

// Every name that is accepted leads to a zone, on machines without time zones too.
func TestTimeZonesExist(t *testing.T) {
	t.Parallel()
	for _, name := range slices.Concat(strings.Fields(zoneNames), slices.Collect(maps.Keys(railsZones))) {
		if _, err := TimeZone(name); err != nil {
			t.Error(err)
		}
	}
	if len(railsZones) < 150 {
		t.Errorf("only %d names of Rails", len(railsZones))
	}
}

// A new Go may bring new zones: go test ./internal/base/cron -run ZoneNames -update.
func TestZoneNamesAreThoseOfGo(t *testing.T) {
	t.Parallel()
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Skipf("there is no go to ask: %v", err)
	}
	data, err := zip.OpenReader(filepath.Join(strings.TrimSpace(string(root)), "lib/time/zoneinfo.zip"))
	if err != nil {
		t.Skipf("Go's own time zones are not here: %v", err)
	}
	defer data.Close()
	var names []string
	for _, f := range data.File {
		if !strings.HasSuffix(f.Name, "/") && f.Name != "Factory" {
			names = append(names, f.Name)
		}
	}
	slices.Sort(names)
	if *update {
		if err := os.WriteFile("time_zones.txt", []byte(strings.Join(names, "\n")+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	missing := slices.DeleteFunc(slices.Clone(names), isZone)
	if len(missing) > 0 {
		t.Errorf("run go test ./internal/base/cron -run ZoneNames -update; Go knows these zones too: %s", cmp.Diff([]string(nil), missing))
	}
}

// A zone is read once, however it is called; what is no zone leaves nothing behind.
func TestTimeZonesAreKept(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"Asia/Kathmandu", "Kathmandu"} {
		first, err := TimeZone(name)
		if err != nil {
			t.Fatal(err)
		}
		if again, _ := TimeZone(name); again != first {
			t.Errorf("%s was read twice", name)
		}
	}
	for _, name := range []string{"Mars/Olympus", "asia/kathmandu", "localtime"} {
		_, _ = TimeZone(name)
		if _, ok := zones.Load(name); ok {
			t.Errorf("%s is kept", name)
		}
	}
}
