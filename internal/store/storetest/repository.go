package storetest

import (
	"fmt"

	"sett/internal/sett"
	"sett/internal/sett/repo"
)

// Repository creates a repository of a project, with a change and a commit about its first fault.
func (d *Desk) Repository(project int64) repo.Repository {
	d.T.Helper()
	at, err := d.Repos.Create(d.T.Context(), Noon, project, repo.RepositoryChange{URL: sett.Some("https://github.com/acme/shop"), Token: sett.Some("token of a host")})
	if err != nil {
		d.T.Fatal(err)
	}
	named := fmt.Sprintf("Fixes SETT-%d", d.FaultsOf(project)[0])
	for _, w := range []repo.Delivery{
		{Trunk: "main", Push: &repo.Push{Branch: "main", After: "c1", Commits: []repo.Commit{{SHA: "c1", Message: named}}}},
		{Change: &repo.Change{Number: 1, Body: named, State: repo.Open, UpdatedAt: Noon}},
	} {
		if err := d.RecordDelivery(d.T.Context(), Noon, at, w, "https://sett.example.org"); err != nil {
			d.T.Fatal(err)
		}
	}
	if err := d.Repos.SetSuspect(d.T.Context(), repo.Finding{FaultID: d.FaultsOf(project)[0], ProjectID: project, FoundAt: Noon}); err != nil {
		d.T.Fatal(err)
	}
	d.Run(`INSERT INTO repository_work (kind, subject_id, project_id, due_at, tries) VALUES ('fault', $1, $2, 0, 0)`, d.FaultsOf(project)[0], project)
	return at
}
