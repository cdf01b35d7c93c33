//go:build walk

package walk

import (
	"testing"

	"github.com/oapi-codegen/nullable"

	"sett/e2e/clients/walk/client"
)

func TestMergedFaults(t *testing.T) {
	w := newWalker(t)
	p := w.project("Merges")
	w.report(p, "EmptyTill")
	merged := w.fault(p)
	w.report(p, "FullTill")
	listed := must(w.ListFaultsWithResponse(w.ctx, p.Id, nil)).JSON200.Results
	into := listed[0]
	must(w.MergeFaultWithResponse(w.ctx, p.Id, merged.Id, client.FaultMerge{IntoId: into.Id}))
	same(t, "where a merged fault leads", into.Id, must(w.GetFaultWithResponse(w.ctx, p.Id, merged.Id)).JSON200.Id)
	parts := must(w.GetFaultGroupingWithResponse(w.ctx, p.Id, into.Id)).JSON200.Parts
	if len(parts) != 2 || parts[1].FaultId != merged.Id || parts[1].Klass != "EmptyTill" {
		t.Errorf("the parts are %+v", parts)
	}
	must(w.SplitFaultWithResponse(w.ctx, p.Id, merged.Id))
	same(t, "a fault that was split off", merged.Id, must(w.GetFaultWithResponse(w.ctx, p.Id, merged.Id)).JSON200.Id)
}

func TestSharedFaults(t *testing.T) {
	w := newWalker(t)
	p := w.project("Shares")
	w.report(p, "EmptyTill")
	f := w.fault(p)
	made := must(w.ShareFaultWithResponse(w.ctx, p.Id, f.Id)).JSON201
	known := must(w.GetFaultShareWithResponse(w.ctx, p.Id, f.Id)).JSON200
	if made.Url == "" || made.FaultId != f.Id || !known.CreatedAt.Equal(made.CreatedAt) {
		t.Errorf("the link is %+v, then %+v", made, known)
	}
	must(w.UnshareFaultWithResponse(w.ctx, p.Id, f.Id))
}

func TestSavedSearches(t *testing.T) {
	w := newWalker(t)
	p := w.project("Searches")
	var body client.CreateSavedSearchBody
	body.Search.Name = "Open"
	body.Search.Q = nullable.NewNullableWithValue("-is:resolved")
	made := must(w.CreateSavedSearchWithResponse(w.ctx, p.Id, body)).JSON201
	listed := *must(w.ListSavedSearchesWithResponse(w.ctx, p.Id)).JSON200
	if len(listed) != 1 || listed[0].Id != made.Id || made.Q != "-is:resolved" {
		t.Errorf("made %+v, listed %+v", made, listed)
	}
	must(w.DeleteSavedSearchWithResponse(w.ctx, p.Id, made.Id))
}

func TestManyFaults(t *testing.T) {
	w := newWalker(t)
	p := w.project("Many")
	w.report(p, "EmptyTill")
	w.report(p, "FullTill")
	result := must(w.ChangeFaultsWithResponse(w.ctx, p.Id, &client.ChangeFaultsParams{Q: new("is:unresolved")}, client.BulkChange{
		Action: client.BulkChangeActionResolve,
	})).JSON200
	same(t, "changed", 2, result.Count)
}
