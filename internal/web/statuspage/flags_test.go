package statuspage

import (
	"slices"
	"testing"

	"sett/internal/sett/accounts"
)

// Status pages need no account and are read thousands of times a second: no flag of their routes may let others in, or fill the log.
func TestFlagsOfRoutes(t *testing.T) {
	t.Parallel()
	p := &Pages{}
	all := slices.Concat(p.Routes(), p.table(""))
	for _, rt := range all {
		if !rt.Quiet || rt.Permission != accounts.Public || rt.Raw || rt.NoHead || rt.Reads || rt.Status != 0 || rt.Body != nil || rt.Query != nil {
			t.Errorf("%s %s: %+v", rt.Method, rt.Path, rt)
		}
		if want := "text/html"; rt.Path != checkDomainPath && rt.Media != want {
			t.Errorf("%s %s answers with %q, want %q", rt.Method, rt.Path, rt.Media, want)
		}
	}
	if len(all) != 31 {
		t.Errorf("there are %d routes", len(all))
	}
}
