package main

import (
	"testing"

	"sett/internal/app/client"
)

// A problem is acknowledged by the number of its error or by the address of its page, listed, and taken back.
func TestAcknowledgeFromTheCommandLine(t *testing.T) {
	t.Parallel()
	r := newReader(t)
	r.notice(t, "shop.Refused", "r1")
	r.post(t, "/v2/projects/1/check_ins", map[string]any{"check_in": map[string]any{"slug": "backup", "schedule_type": "simple", "report_period": "1 day"}})
	if none, _ := r.do(t, 0, "ack"); none != "No problem is acknowledged.\n" {
		t.Error(none)
	}
	if said, _ := r.do(t, 0, "ack 1"); !containsAll(said, "You look at shop.Refused", "since 20") {
		t.Error(said)
	}
	if listed, _ := r.do(t, 0, "ack"); !containsAll(listed, "fault shop.Refused", "since 20") {
		t.Error(listed)
	}
	page := r.rows(t, client.Errors())[0]["url"].(string)
	if said, _ := r.do(t, 0, "ack --undo", page); !containsAll(said, "shop.Refused", "taken back") {
		t.Error(said)
	}
	for line, want := range map[string]string{
		"ack 1 --undo": "1 is not acknowledged; sett ack lists what is",
		"ack 99":       "99",
		"ack http://" + r.addr + "/projects/1/deploys/1": "is no address of an error, site, check-in or alarm",
	} {
		if _, said := r.do(t, 1, line); !containsAll(said, want) {
			t.Errorf("%s: %s", line, said)
		}
	}
	if _, said := r.do(t, 2, "ack --undo"); !containsAll(said, "--undo needs") {
		t.Error(said)
	}
}
