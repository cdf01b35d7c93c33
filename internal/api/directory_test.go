package api_test

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sett/internal/api"
	"sett/internal/sett/accounts"
	"sett/internal/sett/directory"
	"sett/internal/setttest"
)

// Owners read the directory of their account without its secrets, and map its groups.
func TestDirectory(t *testing.T) {
	t.Parallel()
	s := setttest.Start(t, "sqlite")
	store, account, ctx, now := s.App.Store().Accounts, s.Setup.AccountID, t.Context(), s.Clock.Now()
	path := "/v2/accounts/" + account + "/directory"
	if err := store.AddDomain(ctx, account, directory.Domain{Name: "acme.test", Proof: "sett-verification=p"}); err != nil {
		t.Fatal(err)
	}
	if err := store.SetDirectoryToken(ctx, now, account, []byte("hash")); err != nil {
		t.Fatal(err)
	}
	err := store.ChangeDirectory(ctx, account, func(d *directory.Settings) error {
		d.Metadata, d.ReadAt = `<EntityDescriptor xmlns="urn:oasis:names:tc:SAML:2.0:metadata" entityID="https://id.test"/>`, now
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	var got api.Directory
	s.Get(path).Into(&got)
	want := api.Directory{
		Domains: []api.DirectoryDomain{{Name: "acme.test", RecordName: "_sett.acme.test", Record: "sett-verification=p"}}, DefaultRole: accounts.Member,
		SCIM: api.DirectorySCIM{Token: true, CreatedAt: &now}, SAML: api.DirectorySAML{Provider: "https://id.test", ReadAt: &now},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the directory (-want +got):\n%s", diff)
	}

	made, _, err := store.CreateDirectoryGroup(ctx, now, account, directory.Group{Name: "Ops", ExternalID: "7"})
	if err != nil {
		t.Fatal(err)
	}
	team, err := store.CreateTeam(ctx, now, account, "Crew", nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	one := path + "/groups/" + made.ID
	s.Put(one, fmt.Sprintf(`{"group":{"role":"Admin","team_id":%d}}`, team)).Want(http.StatusNoContent)
	s.Put(one, `{"group":{"role":null}}`).Want(http.StatusNoContent)
	var group api.DirectoryGroup
	s.Get(one).Into(&group)
	wanted := api.DirectoryGroup{ID: made.ID, Name: "Ops", ExternalID: "7", Source: "scim", TeamID: &team, CreatedAt: now, UpdatedAt: now}
	if diff := cmp.Diff(wanted, group); diff != "" {
		t.Errorf("the group (-want +got):\n%s", diff)
	}
	var groups []api.DirectoryGroup
	s.Get(path + "/groups").Into(&groups)
	if diff := cmp.Diff([]api.DirectoryGroup{wanted}, groups); diff != "" {
		t.Errorf("the groups (-want +got):\n%s", diff)
	}

	for body, status := range map[string]int{
		`{"group":{"role":"Emperor"}}`: http.StatusUnprocessableEntity, `{"group":{"team_id":99}}`: http.StatusNotFound,
		`{"group":{"members":[]}}`: http.StatusUnprocessableEntity, `{"group":{"team_id":-1}}`: http.StatusNotFound,
	} {
		s.Do("PUT", one, body).Want(status)
	}
	admin, _ := s.AddUser(t, "admin@example.test", accounts.Admin)
	for _, p := range []string{path, path + "/groups", one} {
		admin.Do("GET", p, nil).Want(http.StatusForbidden)
	}
	s.Do("GET", path+"/groups/other", nil).Want(http.StatusNotFound)
}
