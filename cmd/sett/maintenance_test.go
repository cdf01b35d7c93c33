package main

import (
	"regexp"
	"strings"
	"testing"
)

func TestMaintenanceCommands(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	if id := o.do("maintenance", "start", "--project", "1", "--for", "90m", "--reason", "Upgrade"); id != "1\n" {
		t.Errorf("printed %q, want the id", id)
	}
	var made map[string]any
	o.read(&made, "maintenance", "start", "--project", "1", "--errors", "--json")
	if made["state"] != "active" || made["until_ended"] != true || made["errors"] != true {
		t.Errorf("made %v", made)
	}
	listed := tight(o.do("maintenance", "list", "--project", "1"))
	if !regexp.MustCompile(`^ID STATE STARTS ENDS HELD SENT REASON\n2 active \S+Z open 0 0 -\n1 active \S+Z \S+Z 0 0 Upgrade\n$`).MatchString(listed) {
		t.Errorf("list:\n%s", listed)
	}
	if got := o.do("maintenance", "end", "--project", "1", "2"); !strings.HasPrefix(got, "The maintenance window 2 has ended after ") {
		t.Errorf("ended: %q", got)
	}
	var windows []map[string]any
	if o.read(&windows, "maintenance", "list", "--project", "1", "--json"); len(windows) != 2 || windows[0]["state"] != "ended" {
		t.Errorf("as JSON: %v", windows)
	}
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"start"}, "--project can't be blank: the URL of a project ends with its id"},
		{[]string{"start", "--project", "7"}, "--project 7 is not the id of a project: the URL of a project ends with its id"},
		{[]string{"start", "--project", "1", "--for", "800h", "--at", "noon"}, "--at must be a time such as 2026-12-01T22:00:00Z; --for must be at most 720h, which is 30 days"},
		{[]string{"start", "--project", "1", "--at", "2226-12-01T22:00:00Z"}, "Please correct: starts_at must be at most a year ahead."},
		{[]string{"start", "--project", "1", "--site", "x"}, `Please correct: site_ids must be ids of sites of this project; "x" is none.`},
		{[]string{"end", "--project", "1", "x"}, `"x" is not the id of a maintenance window: ids are numbers, shown by sett maintenance list`},
		{[]string{"end", "--project", "1", "2"}, "This maintenance window has ended already."},
		{[]string{"end", "--project", "1", "9"}, "Maintenance window not found"},
	} {
		if status, stdout, stderr := try(o.environ, append([]string{"maintenance"}, c.args...)...); status != 1 || stdout != "" || stderr != "sett: "+c.want+"\n" {
			t.Errorf("sett maintenance %q: status %d, stdout %q, stderr\n%swant\n%s", c.args, status, stdout, stderr, c.want)
		}
	}
}
