package accounts

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sett/internal/sett"
)

func TestEntryOfAnOperator(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 18, 10, 30, 0, 0, time.UTC)
	action := OperatorAction{
		Command: "sett user role", Name: "updateAccountUser", AccountID: "a1", Account: "Acme",
		Target: map[string]string{"user_id": "7"}, Changes: map[string]any{"user": map[string]any{"role": Admin, "password": "hush"}},
	}
	want := AuditEntry{
		AccountID: "a1", At: now, User: sett.Person{Name: "command line"}, Action: "updateAccountUser", Subject: "Acme", UserAgent: "sett user role",
		Target: map[string]string{"user_id": "7"}, Query: json.RawMessage(`{}`), Changes: json.RawMessage(`{"user":{"password":"[hidden]","role":"Admin"}}`),
	}
	if diff := cmp.Diff(want, action.Entry(now)); diff != "" {
		t.Errorf("entry (-want +got):\n%s", diff)
	}
	if bare := (OperatorAction{}).Entry(now); bare.Target == nil || string(bare.Changes) != "{}" {
		t.Errorf("without ids and changes: %v, %s; want objects, as the interface shows", bare.Target, bare.Changes)
	}
}
