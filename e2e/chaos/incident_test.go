package chaos

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"testing"
	"time"

	"sett/e2e/rig"
	"sett/e2e/rig/load"
)

// newChaosIncidents makes a status page, and what posts updates of its incidents.
func newChaosIncidents(t testing.TB, s *rig.Server) *load.StatusNews {
	t.Helper()
	pages := "/v2/accounts/" + s.AccountID + "/status_pages"
	var page struct{ ID string }
	body := s.Manage(t).Do(http.MethodPost, pages, map[string]any{"status_page": map[string]any{"name": "Acme", "slug": "acme"}}, http.StatusCreated)
	if err := json.Unmarshal(body, &page); err != nil {
		t.Fatal(err)
	}
	return &load.StatusNews{S: s, Path: pages + "/" + page.ID + "/incidents", Web: &http.Client{Timeout: 20 * time.Second}, Pause: time.Second}
}

// proveStored checks that each update that was accepted is stored, and none of them twice, in their order.
func proveStored(t testing.TB, n *load.StatusNews) {
	t.Helper()
	type incident struct {
		ID      int64
		Updates []struct{ Message string }
	}
	var wrong load.Problems
	times := map[int]int{}
	for _, i := range rig.List[incident](n.S.Manage(t), n.Path) {
		var serials []int
		for _, u := range slices.Backward(i.Updates) { // the newest is the first
			var serial int
			if _, err := fmt.Sscanf(u.Message, "News %d.", &serial); err != nil {
				wrong.Add("incident %d has the update %q", i.ID, u.Message)
			}
			serials = append(serials, serial)
			times[serial]++
		}
		if !slices.IsSorted(serials) {
			wrong.Add("the updates of incident %d are in the order %v", i.ID, serials)
		}
	}
	for serial, stored := range times {
		if stored > 1 {
			wrong.Add("update %d is stored %d times", serial, stored)
		}
	}
	for _, serial := range n.Promised {
		if times[serial] == 0 {
			wrong.Add("update %d was accepted and is not stored", serial)
		}
	}
	if len(n.Promised) == 0 {
		wrong.Add("no update of an incident was accepted")
	}
	wrong.Report(t)
}
