package watch

import (
	"testing"

	"sett/internal/sett/faults"
	"sett/internal/sett/repo"
)

// A deploy is compared with the repository that it names, however it writes the address, and with all if it names none of them.
func TestADeployIsOfTheRepositoryThatItNames(t *testing.T) {
	t.Parallel()
	all := []repo.Repository{{ID: 1, URL: "https://github.com/acme/shop"}, {ID: 2, URL: "https://github.com/acme/web"}}
	for named, want := range map[string]int64{
		"https://github.com/acme/web": 2, "git@github.com:acme/shop.git": 1, "https://GitHub.com/Acme/Web.git": 2, "": 0, "https://github.com/acme/other": 0,
	} {
		got := deployed(all, faults.Deploy{Repository: named})
		if want == 0 && len(got) != 2 || want > 0 && (len(got) != 1 || got[0].ID != want) {
			t.Errorf("a deploy of %q is of %+v", named, got)
		}
	}
}
