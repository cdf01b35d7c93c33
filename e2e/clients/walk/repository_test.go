//go:build walk

package walk

import (
	"net/http"
	"testing"

	"github.com/oapi-codegen/nullable"

	"sett/e2e/clients/walk/client"
)

func TestRepositories(t *testing.T) {
	w := newWalker(t)
	p := w.project("Code")
	var body client.RepositoryBody
	body.Repository.Url = nullable.NewNullableWithValue("https://github.com/acme/shop")
	body.Repository.Token = nullable.NewNullableWithValue("a token of the host")
	made := must(w.CreateRepositoryWithResponse(w.ctx, p.Id, body)).JSON201
	if made.Url != "https://github.com/acme/shop" || made.Host != "github" || !made.HasToken || made.WebhookSecret == "" || made.WebhookUrl == "" {
		t.Fatalf("the repository is %+v", made)
	}
	same(t, "repositories", 1, len(must(w.ListRepositoriesWithResponse(w.ctx, p.Id, nil)).JSON200.Results))
	must(w.UpdateRepositoryWithResponse(w.ctx, p.Id, made.Id, client.RepositoryBody{Repository: client.RepositoryChange{Path: nullable.NewNullableWithValue("web")}}))
	same(t, "the folder", "web", must(w.GetRepositoryWithResponse(w.ctx, p.Id, made.Id)).JSON200.Path)

	w.report(p, "CodeError")
	fault := w.fault(p).Id
	must(w.LinkFaultCodeChangeWithResponse(w.ctx, p.Id, fault, client.CodeChangeBody{Url: "https://github.com/acme/shop/pull/12"}))
	changes := must(w.ListFaultCodeChangesWithResponse(w.ctx, p.Id, fault, nil)).JSON200.Results
	if len(changes) != 1 || changes[0].State != "unknown" || !changes[0].Fixes {
		t.Fatalf("the changes are %+v", changes)
	}
	must(w.UnlinkFaultCodeChangeWithResponse(w.ctx, p.Id, fault, made.Id, 12))
	same(t, "changes", 0, len(must(w.ListFaultCodeChangesWithResponse(w.ctx, p.Id, fault, nil)).JSON200.Results))
	_, err := w.GetFaultSuspectCommitWithResponse(w.ctx, p.Id, fault)
	w.refused(http.StatusNotFound, err)
	must(w.DeleteRepositoryWithResponse(w.ctx, p.Id, made.Id))
	_, err = w.GetRepositoryWithResponse(w.ctx, p.Id, made.Id)
	w.refused(http.StatusNotFound, err)
}
