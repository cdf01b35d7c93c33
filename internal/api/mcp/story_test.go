package mcp_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"sett/internal/sett/signin"
	"sett/internal/setttest"
	"sett/internal/store/accountdb"
)

// object is a body.
type object = map[string]any

// fault reports an error, and returns its address.
func fault(t testing.TB, s *setttest.Server) string {
	t.Helper()
	s.Client.Post("/v1/notices", object{
		"error":  object{"class": "Boom", "message": "is broken", "backtrace": []any{object{"number": "7", "file": "a.rb", "method": "run", "context": "app", "source": object{"6": "x", "7": "y"}}}},
		"server": object{"environment_name": "production", "revision": "4f2a9c1"},
	}).Want(201)
	var list struct{ Results []struct{ URL string } }
	s.Get(fmt.Sprintf("/v2/projects/%d/faults?order=recent", s.Setup.ProjectID)).Into(&list)
	return list.Results[0].URL
}

func TestFromAnErrorToItsFix(t *testing.T) {
	t.Parallel()
	s := setttest.Start(t, "sqlite")
	address := fault(t, s)
	has := func(text string, wants ...string) {
		t.Helper()
		for _, want := range wants {
			if !strings.Contains(text, want) {
				t.Errorf("%q is missing in\n%s", want, text)
			}
		}
	}
	reader := withScopes(t, s, signin.ReadScopes()...)
	has(reader.does("whoami", nil), "Can change something: no", fmt.Sprintf("id=%d", s.Setup.ProjectID))
	has(reader.does("search_errors", object{"project": s.Setup.ProjectID}), "notices_count=1", "klass=Boom")
	has(reader.does("search_errors", object{"project": address, "q": "is:resolved"}), "None.")
	has(reader.does("get_error", object{"error": address}), "# Error 1 of project", "a.rb:7 in run", "> 7  y", "State: unresolved")
	has(reader.does("get_error", object{"error": address + ".md?notice="}), "# Error 1 of project")
	events := reader.does("get_event", object{"error": address})
	_, id, _ := strings.Cut(events, "id=")
	has(reader.does("get_event", object{"event": id[:36]}), "a.rb:7 in run (app)", "4f2a9c1")
	has(reader.does("get_event", object{"event": address + "/" + id[:36]}), "a.rb:7 in run (app)")
	has(reader.does("get_error", object{"error": s.App.BaseURL() + "/notice/" + id[:36]}), "# Error 1 of project")

	reader.refused("update_error", object{"error": address, "resolved": true}, "lacks the scope faults:write")
	reader.refused("comment_on_error", object{"error": address, "body": "x"}, "lacks the scope faults:write")
	unscoped := reader
	unscoped.token = s.Setup.AuthToken // of a user who may do everything
	has(unscoped.does("whoami", nil), "Can change something: no")
	unscoped.refused("update_error", object{"error": address, "resolved": true}, "lacks the scope faults:write")

	writer := withScopes(t, s, "faults:read", "faults:write")
	has(writer.does("comment_on_error", object{"error": address, "body": "The cause is y."}), "Done.")
	has(writer.does("update_error", object{"error": 1, "project": s.Setup.ProjectID, "snooze": "hour", "assignee_id": s.Setup.UserID}), "is paused", "Olga Owner")
	has(writer.does("get_error", object{"error": address}), "State: paused", "Olga Owner")
	has(writer.does("update_error", object{"error": "#1", "project": s.Setup.ProjectID, "resolved": "true", "snooze": "end", "assignee_id": 0}), "is resolved")
	has(writer.does("get_error", object{"error": address}), "The cause is y.", "State: resolved")

	robot := withGrant(t, s, s.Setup.UserID, signin.Grant{AccountID: s.Setup.AccountID, Scopes: []string{"faults:read", "faults:write"}, OfAccount: true})
	robot.refused("comment_on_error", object{"error": address, "body": "x"}, "Only a person can write comments")

	var log struct {
		Results []struct{ Action, Token string }
	}
	s.Get("/v2/accounts/" + s.Setup.AccountID + "/audit_log?action=updateFault").Into(&log)
	if len(log.Results) != 2 || log.Results[0].Token != "Robot (agent Test b agent 1.0)" {
		t.Errorf("the audit log has %+v", log.Results)
	}

	body := fmt.Sprintf(`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"comment_on_error","arguments":{"error":%q,"body":"Old."}}}`, address)
	has(writer.send(body, "MCP-Protocol-Version", "2025-11-25").text, "Done.")
	s.Get("/v2/accounts/" + s.Setup.AccountID + "/audit_log?action=createComment").Into(&log)
	if len(log.Results) != 2 || log.Results[0].Token != "Robot (agent unnamed)" {
		t.Errorf("of an agent of an older revision, the audit log has %+v", log.Results)
	}

	has(writer.does("update_error", object{"error": address, "resolved_in": "4f2a9c1"}), "is resolved.", "resolved_in=", "4f2a9c1")
	has(writer.does("get_error", object{"error": address}), "State: resolved\n- Resolved in release:", "4f2a9c1")
	writer.refused("update_error", object{"error": address, "resolved_in": "4f2a9c2"}, "must be the version of a release of this project")
}

func TestWhatAModelCanActOn(t *testing.T) {
	t.Parallel()
	s := setttest.Start(t, "sqlite")
	address := fault(t, s)
	a := withScopes(t, s, signin.Scopes()...)
	project := s.Setup.ProjectID
	a.refused("get_error", object{}, "error is required: address, or id with project")
	a.refused("get_error", object{"error": 1}, "The tool whoami lists projects")
	a.refused("get_error", object{"error": 99, "project": project}, "not found")
	a.refused("get_error", object{"error": "https://other.example.org/projects/1/faults/1"}, "an address that begins with "+s.App.BaseURL())
	a.refused("get_error", object{"error": s.App.BaseURL() + "/projects/1/sites"}, "this is another page")
	a.refused("update_error", object{"error": address, "project": project + 1, "resolved": true}, "project has another project than another argument")
	a.refused("get_error", object{"error": address, "fields": "all"}, "fields is no argument of get_error")
	a.refused("get_event", object{"event": "x"}, "UUID")
	a.refused("search_errors", object{"project": project, "q": "clas:x"}, "clas")
	a.refused("search_errors", object{"project": project, "order": "random"}, "must be one of recent, frequent")
	a.refused("search_errors", object{"project": project, "limit": "many"}, "must be a whole number")
	a.refused("query_events", object{"project": project, "query": "filter ("}, "")
	a.refused("update_error", object{"error": address}, "Say what to change")
	a.refused("update_error", object{"error": address, "ignored": false, "change_url": "https://other.example.org/1"}, "Before that, updateFault succeeded: do not repeat that.")
	a.refused("get_site", object{"site": "x", "project": project}, "not found")
	a.refused("start_maintenance", object{"project": project, "reason": "x", "ends_at": "soon"}, "ends_at")
	a.refused("list_incidents", object{"page": "none"}, "not found")
}

// A token that is limited to a project, or is of another account, sees and changes nothing else.
func TestStrangersSeeNothing(t *testing.T) {
	t.Parallel()
	s := setttest.Start(t, "sqlite")
	p := plant(t, s)
	account, user, err := s.App.Store().Accounts.CreateAccount(t.Context(), s.Clock.Now(), "Others", accountdb.NewUser{Email: "stranger@example.test", Name: "Stranger"})
	if err != nil {
		t.Fatal(err)
	}
	stranger := withGrant(t, s, user, signin.Grant{AccountID: account, Scopes: signin.Scopes()})
	other := struct{ ID int64 }{}
	s.Post("/v2/projects", object{"project": object{"name": "Other"}}).Into(&other)
	limited := withGrant(t, s, s.Setup.UserID, signin.Grant{AccountID: s.Setup.AccountID, Scopes: signin.Scopes(), Projects: []int64{other.ID}})
	for who, a := range map[string]agent{"a stranger": stranger, "a token of another project": limited} {
		for what, arguments := range p.calls {
			tool, _, _ := strings.Cut(what, " ")
			text, failed := a.call(tool, arguments)
			switch {
			case tool == "whoami":
				if strings.Contains(text, marker) {
					t.Errorf("%s: %s answers %s", who, what, text)
				}
			case tool == "list_incidents" && a == limited: // a status page is of the account
			case !failed || strings.Contains(text, marker):
				t.Errorf("%s: %s answers %s", who, what, text)
			}
		}
	}
	var list struct{ Results []object }
	s.Get(fmt.Sprintf("/v2/projects/%d/faults?q=%s", s.Setup.ProjectID, url.QueryEscape("is:resolved"))).Into(&list)
	if len(list.Results) != 0 {
		t.Errorf("resolved are %v", list.Results)
	}
}
