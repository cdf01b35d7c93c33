package sett

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// faultChange reads a FaultChange as it arrives.
func faultChange(t *testing.T, body string) FaultChange {
	t.Helper()
	var c FaultChange
	if err := json.Unmarshal([]byte(body), &c); err != nil {
		t.Fatal(err)
	}
	return c
}

func TestFaultChangeApplies(t *testing.T) {
	t.Parallel()
	resolved, ignored, pending := FaultState{Resolved: true}, FaultState{Ignored: true}, FaultState{ResolveOnDeploy: true}
	for body, c := range map[string]struct{ have, want FaultState }{
		`{}`:                         {pending, pending},
		`{"resolved":true}`:          {pending, resolved},
		`{"resolved":false}`:         {resolved, FaultState{}},
		`{"resolved":null}`:          {resolved, FaultState{}},
		`{"ignored":true}`:           {pending, ignored},
		`{"ignored":null}`:           {FaultState{Resolved: true, Ignored: true}, resolved},
		`{"resolve_on_deploy":true}`: {FaultState{}, pending},
		`{"resolve_on_deploy":null}`: {pending, FaultState{}},
		`{"resolved":null,"ignored":null,"resolve_on_deploy":null,"assignee_id":null}`: {FaultState{Resolved: true, Ignored: true, PausedCount: 7}, FaultState{PausedCount: 7}},
		`{"resolved":true,"resolve_on_deploy":true}`:                                   {FaultState{}, resolved},
		`{"resolve_on_deploy":true,"ignored":null}`:                                    {ignored, pending},
	} {
		change := faultChange(t, body)
		if err := change.Validate(); err != nil {
			t.Errorf("%s: %v", body, err)
		}
		if diff := cmp.Diff(c.want, c.have.Change(change)); diff != "" {
			t.Errorf("%s of %+v (-want +got):\n%s", body, c.have, diff)
		}
	}
}

func TestFaultChangeNamesEveryFieldThatIsWrong(t *testing.T) {
	t.Parallel()
	err := faultChange(t, `{"resolved":"yes","ignored":1,"resolve_on_deploy":[],"assignee_id":"me"}`).Validate()
	want := Errorf(Invalid, "Please correct: resolved must be true or false; ignored must be true or false; "+
		"resolve_on_deploy must be true or false; assignee_id must be an integer.")
	if diff := cmp.Diff(error(want), errors.Unwrap(err)); diff != "" {
		t.Error(diff)
	}
}
