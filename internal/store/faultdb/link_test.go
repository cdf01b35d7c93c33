package faultdb_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/triage"
	"sett/internal/store"
	"sett/internal/store/storetest"
)

// addIntegration adds an integration of the type to the project and returns its id.
func (d *desk) addIntegration(kind string) (id int64) {
	d.T.Helper()
	err := d.Write.QueryRowContext(d.T.Context(), `INSERT INTO integrations
(project_id, type, active, events, site_ids, options, excluded_environments, filters, created_at)
VALUES ($1, $2, true, '[]', '[]', '{}', '[]', '[]', 0) RETURNING id`, d.ProjectID, kind).Scan(&id)
	if err != nil {
		d.T.Fatal(err)
	}
	return id
}

func TestLinkFault(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		d.Record(storetest.Noon, accounts.Limits{}, d.Report("E"))
		github, id := d.addIntegration("Github"), d.FaultID("E")
		link := func(integration int64, data string) error {
			var parsed triage.LinkData
			if err := json.Unmarshal([]byte(data), &parsed); err != nil {
				t.Fatal(err)
			}
			return d.Faults.LinkFault(t.Context(), storetest.Noon.Add(time.Minute), d.ProjectID, id, integration, parsed)
		}
		if err := d.Faults.LinkFault(t.Context(), storetest.Noon, d.ProjectID, id, github, triage.LinkData{"number": json.RawMessage(`1`)}); err != nil {
			t.Fatal(err)
		}
		if err := link(github, `{"number": 2, "title": "Später"}`); err != nil {
			t.Fatal(err)
		}
		want := []triage.FaultLink{{
			IntegrationID: github, Type: "Github", CreatedAt: storetest.Noon, UpdatedAt: storetest.Noon.Add(time.Minute),
			Data: triage.LinkData{"number": json.RawMessage(`2`), "title": json.RawMessage(`"Später"`)},
		}}
		got, err := d.Faults.FaultLinks(t.Context(), d.ProjectID, id)
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("%v\n%s", err, diff)
		}
		if err := link(github, `{"number": "two"}`); sett.CodeOf(err) != sett.Invalid || err.Error() != "Please correct: data.number must be a positive integer." {
			t.Errorf("data of another shape: %v", err)
		}
		if err := link(github+1, `{}`); sett.CodeOf(err) != sett.Invalid || err.Error() != "Please correct: channel_id must be the id of an integration of this project." {
			t.Errorf("no integration of this project: %v", err)
		}
		for range 2 {
			if err := d.Faults.UnlinkFault(t.Context(), d.ProjectID, id, github); err != nil {
				t.Fatal(err)
			}
		}
		if got, err := d.Faults.FaultLinks(t.Context(), d.ProjectID, id); err != nil || len(got) > 0 {
			t.Errorf("after unlinking: %+v, %v", got, err)
		}
	})
}
