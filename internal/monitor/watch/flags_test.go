package watch

import (
	"testing"

	"sett/internal/sett/accounts"
)

// Agents call all the time, in a form of their own, and show their token to the handler, not to the table.
func TestFlagsOfRoutes(t *testing.T) {
	t.Parallel()
	routes := new(Sites).Routes()
	for _, rt := range routes {
		if rt.Method != "POST" || !rt.Quiet || !rt.Raw || rt.Permission != accounts.Public || rt.NoHead || rt.Reads || rt.Body == nil || rt.Result == nil || rt.Status != 0 {
			t.Errorf("%s %s: %+v", rt.Method, rt.Path, rt)
		}
	}
	if len(routes) != 2 {
		t.Errorf("there are %d routes", len(routes))
	}
}
