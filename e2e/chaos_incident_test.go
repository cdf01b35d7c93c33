package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"testing"
	"time"
)

// newChaosIncidents makes a status page, and what posts updates of its incidents.
func newChaosIncidents(t testing.TB, s *server) *statusNews {
	t.Helper()
	pages := "/v2/accounts/" + s.AccountID + "/status_pages"
	var page struct{ ID string }
	body := s.manage(t).do(http.MethodPost, pages, map[string]any{"status_page": map[string]any{"name": "Acme", "slug": "acme"}}, http.StatusCreated)
	if err := json.Unmarshal(body, &page); err != nil {
		t.Fatal(err)
	}
	return &statusNews{s: s, path: pages + "/" + page.ID + "/incidents", web: &http.Client{Timeout: 20 * time.Second}, pause: time.Second}
}

// proveStored checks that each update that was accepted is stored, and none of them twice, in their order.
func (n *statusNews) proveStored(t testing.TB) {
	t.Helper()
	type incident struct {
		ID      int64
		Updates []struct{ Message string }
	}
	var wrong problems
	times := map[int]int{}
	for _, i := range list[incident](n.s.manage(t), n.path) {
		var serials []int
		for _, u := range slices.Backward(i.Updates) { // the newest is the first
			var serial int
			if _, err := fmt.Sscanf(u.Message, "News %d.", &serial); err != nil {
				wrong.add("incident %d has the update %q", i.ID, u.Message)
			}
			serials = append(serials, serial)
			times[serial]++
		}
		if !slices.IsSorted(serials) {
			wrong.add("the updates of incident %d are in the order %v", i.ID, serials)
		}
	}
	for serial, stored := range times {
		if stored > 1 {
			wrong.add("update %d is stored %d times", serial, stored)
		}
	}
	for _, serial := range n.promised {
		if times[serial] == 0 {
			wrong.add("update %d was accepted and is not stored", serial)
		}
	}
	if len(n.promised) == 0 {
		wrong.add("no update of an incident was accepted")
	}
	wrong.report(t)
}
