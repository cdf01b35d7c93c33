package about

import (
	"regexp"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestRead(t *testing.T) {
	t.Parallel()
	git := func(tag string, modified string) *debug.BuildInfo {
		return &debug.BuildInfo{GoVersion: "go1.26", Main: debug.Module{Version: tag}, Settings: []debug.BuildSetting{
			{Key: "vcs.revision", Value: "abc"}, {Key: "vcs.time", Value: "2026-11-20T10:00:00Z"}, {Key: "vcs.modified", Value: modified},
		}}
	}
	without := &debug.BuildInfo{GoVersion: "go1.26", Main: debug.Module{Version: "(devel)"}}
	const noCommit = "$Format:%H %cI %(describe:tags)$"
	tests := map[string]struct {
		given recorded
		info  *debug.BuildInfo
		want  Build
	}{
		"outside of version control": {recorded{source: "0.11.0", archived: noCommit}, without, Build{Version: "0.11.0-dev"}},
		"an archive of a forge":      {recorded{source: "0.11.0", archived: "def 2026-11-21T10:00:00+01:00"}, without, Build{Version: "0.11.0-dev", Commit: "def", Date: "2026-11-21T10:00:00+01:00"}},
		"an archive of a tag":        {recorded{source: "0.11.0", archived: "def 2026-11-21T10:00:00+01:00 v0.11.0"}, without, Build{Version: "0.11.0", Commit: "def", Date: "2026-11-21T10:00:00+01:00"}},
		"an archive after a tag":     {recorded{source: "0.11.0", archived: "def 2026-11-21T10:00:00+01:00 v0.10.0-5-gdef"}, without, Build{Version: "0.11.0-dev", Commit: "def", Date: "2026-11-21T10:00:00+01:00"}},
		"a commit":                   {recorded{source: "0.11.0", archived: noCommit}, git("v0.10.1-0.20261120100000-abcabcabcabc", "false"), Build{Version: "0.11.0-dev", Commit: "abc", Date: "2026-11-20T10:00:00Z"}},
		"a commit before any tag":    {recorded{source: "0.11.0", archived: noCommit}, git("v0.0.0-20261120100000-abcabcabcabc", "false"), Build{Version: "0.11.0-dev", Commit: "abc", Date: "2026-11-20T10:00:00Z"}},
		"a commit with a tag":        {recorded{source: "0.11.0", archived: noCommit}, git("v0.11.0", "false"), Build{Version: "0.11.0", Commit: "abc", Date: "2026-11-20T10:00:00Z"}},
		"a tag of a candidate":       {recorded{source: "0.11.0", archived: noCommit}, git("v0.11.0-rc.1", "false"), Build{Version: "0.11.0-rc.1", Commit: "abc", Date: "2026-11-20T10:00:00Z"}},
		"a tag and changes":          {recorded{source: "0.11.0", archived: noCommit}, git("v0.11.0+dirty", "true"), Build{Version: "0.11.0-dev", Commit: "abc", Date: "2026-11-20T10:00:00Z", Changed: true}},
		"a release":                  {recorded{released: "0.12.0", source: "0.11.0", archived: noCommit}, git("v0.11.0", "false"), Build{Version: "0.12.0", Commit: "abc", Date: "2026-11-20T10:00:00Z"}},
	}
	for name, tt := range tests {
		tt.want.Go, tt.want.OS, tt.want.Arch = "go1.26", runtime.GOOS, runtime.GOARCH
		if diff := cmp.Diff(tt.want, read(tt.given, tt.info)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// The source says which version it becomes, and a program that is not of a release never passes for one.
func TestCurrent(t *testing.T) {
	t.Parallel()
	if !regexp.MustCompile(`^\d+\.\d+\.\d+\n$`).MatchString(source) {
		t.Errorf("VERSION has %q, want a line such as 0.11.0", source)
	}
	if got := Current(); got.Version != strings.TrimSpace(source)+"-dev" || got.Go != runtime.Version() {
		t.Errorf("this program is %+v", got)
	}
}
