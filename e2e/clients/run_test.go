package clients

import (
	"bytes"
	"fmt"
	"net/http"
	"testing"

	"sett/e2e/rig"
	"sett/internal/setttest/program"
)

// checkInEvent is a line of a check-in's history.
type checkInEvent struct {
	Event   string
	Payload *struct {
		Status, Stdout, Stderr string
		ExitCode               int `json:"exit_code"`
		Duration               int64
	}
}

// sett reports a job that it runs to its check-in, by its id and by its slug, and the job ends as it would alone.
func TestRunReportsToACheckIn(t *testing.T) {
	t.Parallel()
	s := rig.Start(t, "")
	m := s.Manage(t)
	path := fmt.Sprintf("/v2/projects/%d/check_ins", s.ProjectID)
	m.Do(http.MethodPost, path, map[string]any{"check_in": map[string]any{"slug": "backup", "report_period": "1 day"}}, http.StatusCreated)
	id := rig.List[struct{ ID string }](m, path)[0].ID

	for _, job := range []struct {
		flags  []string
		script string
		status int
	}{
		{[]string{"--check-in", id}, "echo out; echo err >&2; exit 3", 3},
		{[]string{"--check-in", "backup", "--api-key", s.APIKey}, "echo fine", 0},
	} {
		cmd := program.Bounded(rig.Binary, append(append([]string{"run", "--server", s.Base}, job.flags...), "--", "/bin/sh", "-c", job.script)...)
		cmd.Env = rig.Environment()
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		out, _ := cmd.Output()
		if cmd.ProcessState.ExitCode() != job.status {
			t.Fatalf("%v ended with %v: %s%s", job.flags, cmd.ProcessState, out, stderr.Bytes())
		}
	}
	events := rig.List[checkInEvent](m, path+"/"+id+"/events")
	if len(events) != 3 || events[0].Event != "reporting" || events[1].Payload == nil || events[2].Payload == nil {
		t.Fatalf("the history is %+v, want two pings and that the job is well again", events)
	}
	if p := events[1].Payload; p.Status != "success" || p.Stdout != "fine\n" || p.ExitCode != 0 {
		t.Errorf("the second job is reported as %+v", p)
	}
	if p := events[2].Payload; p.Status != "error" || p.Stdout != "out\n" || p.Stderr != "err\n" || p.ExitCode != 3 {
		t.Errorf("the first job is reported as %+v", p)
	}
}
