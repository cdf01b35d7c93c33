package main

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"sett/internal/api"
)

// The commands of alarms do with a real server what they say, for a user who has one project.
func TestAlarmsFromTheCommandLine(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	environ := []string{"SETT_SERVER=http://" + s.addr, "SETT_AUTH_TOKEN=" + s.token}
	do := func(args ...string) string {
		t.Helper()
		status, stdout, stderr := try(environ, append([]string{"alarms"}, args...)...)
		if status != 0 || stderr != "" {
			t.Fatalf("%v: status %d, stderr %q", args, status, stderr)
		}
		return stdout
	}
	created := do("create", "Failing payments", "--query", "filter status::int >= 500", "--when", "> 10", "--period", "5m", "--lag", "1m", "--description", "Call Ada.", "--stream", "default")
	id := strings.TrimSpace(created)
	if shown := do("show", id); !containsAll(shown, id, "Failing payments", "Call Ada.", "initial", "more than 10 rows in 5 minutes", "filter status::int >= 500", "/insights/alarms/"+id) {
		t.Errorf("show: %s", shown)
	}
	if changed := do("update", id, "--when", "lte 3", "--name", "Payments"); !containsAll(changed, "Payments", "at most 3 rows in 5 minutes", "Call Ada.") {
		t.Errorf("update: %s", changed)
	}
	var listed []api.Alarm
	if err := json.Unmarshal([]byte(do("list", "--json")), &listed); err != nil || len(listed) != 1 || listed[0].ID != id || len(listed[0].StreamIDs) != 1 {
		t.Errorf("list: %v %+v", err, listed)
	}
	if table := do("list"); !containsAll(table, "ID", "STATE", id, "initial", "at most 3 rows in 5 minutes", "never") {
		t.Errorf("list: %s", table)
	}
	if history := do("history", id); !containsAll(history, "AT", "STATE") {
		t.Errorf("history: %s", history)
	}
	if said := do("delete", id); said != "The alarm "+id+" and its history are deleted.\n" {
		t.Errorf("delete: %q", said)
	}
	if list := do("list", "--json"); list != "[]\n" {
		t.Errorf("list of none: %q", list)
	}
}

func containsAll(text string, parts ...string) bool {
	return !slices.ContainsFunc(parts, func(part string) bool { return !strings.Contains(text, part) })
}

// What the server refuses, what is missing and what is no answer of sett is said with what to do about it.
func TestCommandsThatAskAServerSayWhatIsWrong(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	strange := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "<html>", http.StatusBadGateway) }))
	t.Cleanup(strange.Close)
	server, token := "SETT_SERVER=http://"+s.addr, "SETT_AUTH_TOKEN="+s.token
	create := []string{"create", "A", "--query", "filter a::int > 1", "--when", "> 1", "--period", "5m"}
	for _, tt := range []struct {
		environ []string
		args    []string
		want    string
	}{
		{[]string{server}, []string{"list"}, "--auth-token (SETT_AUTH_TOKEN) is missing"},
		{[]string{server, "SETT_AUTH_TOKEN=wrong"}, []string{"list"}, "; check --auth-token (SETT_AUTH_TOKEN)"},
		{[]string{"SETT_SERVER=http://127.0.0.1:1", token}, []string{"list"}, "check its address in --server (SETT_SERVER)"},
		{[]string{"SETT_SERVER=" + strange.URL, token}, []string{"list"}, "did not answer as sett does, with status 502"},
		{[]string{server, token}, []string{"show", "nothing"}, "not found"},
		{[]string{server, token, "SETT_PROJECT_ID=77"}, []string{"list"}, "not found"},
		{[]string{server, token}, []string{"update", "nothing"}, "nothing to change"},
		{[]string{server, token}, append(create, "--when", "about 3"), "is no comparison"},
		{[]string{server, token}, append(create, "--stream", "inner"), "the project has default, internal"},
		{[]string{server, token}, append(create, "--period", "5 minutes"), "evaluation_period"},
		{[]string{server, token}, append(create, "--query", "filtre a"), "filter"},
		{[]string{server, token}, []string{"create", "A"}, "can't be blank"},
	} {
		status, stdout, stderr := try(tt.environ, append([]string{"alarms"}, tt.args...)...)
		wanted := 1
		if strings.Contains(tt.want, "SETT_AUTH_TOKEN") {
			wanted = 4
		}
		if status != wanted || stdout != "" || !strings.Contains(strings.ToLower(stderr), strings.ToLower(tt.want)) {
			t.Errorf("%v: status %d, stdout %q, stderr %q; want %q", tt.args, status, stdout, stderr, tt.want)
		}
	}
}

// Who has several projects is shown them instead of a guess.
func TestCommandsThatAskAServerAskForTheProject(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	r, err := http.NewRequest(http.MethodPost, "http://"+s.addr+"/v2/projects", strings.NewReader(`{"project": {"name": "Warehouse"}}`))
	if err != nil {
		t.Fatal(err)
	}
	r.SetBasicAuth(s.token, "")
	r.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(r)
	if err != nil || response.StatusCode != http.StatusCreated {
		t.Fatal(response, err)
	}
	response.Body.Close()
	environ := []string{"SETT_SERVER=http://" + s.addr, "SETT_AUTH_TOKEN=" + s.token}
	if status, _, stderr := try(environ, "alarms", "list"); status != 1 || !containsAll(stderr, "--project-id (SETT_PROJECT_ID) is missing", "(Warehouse)", "(My project)") {
		t.Errorf("status %d, stderr %q", status, stderr)
	}
	if status, stdout, stderr := try(environ, "alarms", "list", "--project-id", "1"); status != 0 || stderr != "" {
		t.Errorf("status %d, stdout %q, stderr %q", status, stdout, stderr)
	}
}
