//go:build walk

package walk

import (
	"net/http"
	"testing"

	"sett/e2e/clients/walk/client"
)

// The account has no directory: a group comes from one, or from a sign-in by SAML.
func TestDirectory(t *testing.T) {
	w := newWalker(t)
	d := must(w.GetDirectoryWithResponse(w.ctx, *account)).JSON200
	same(t, "default role", client.DirectoryDefaultRole("Member"), d.DefaultRole)
	same(t, "token for SCIM", false, d.Scim.Token)
	same(t, "groups", 0, len(*must(w.ListDirectoryGroupsWithResponse(w.ctx, *account)).JSON200))
	_, err := w.GetDirectoryGroupWithResponse(w.ctx, *account, "none")
	w.refused(http.StatusNotFound, err)
	_, err = w.UpdateDirectoryGroupWithResponse(w.ctx, *account, "none", client.DirectoryGroupBody{})
	w.refused(http.StatusNotFound, err)
}
