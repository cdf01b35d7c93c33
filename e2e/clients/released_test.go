package clients

import (
	"encoding/json"
	"flag"
	"net/http"
	"os"
	"strings"
	"testing"

	"sett/e2e/clients/recorded"
	"sett/e2e/clients/released"
	"sett/e2e/rig"
)

var watchFlag = flag.Bool("watch", false, "look up the newest clients in their registries, and record what they call")

const callsFile = "released/testdata/calls.txt"

// What released clients call, and what recorded programs send, is in the documents of the API: a route that is removed or renamed fails here.
func TestReleasedClients(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(callsFile)
	if err != nil {
		t.Fatal(err)
	}
	calls := released.Parse(string(text))
	if *watchFlag {
		var problems []error
		calls, problems = released.Look(t.Context(), t.TempDir(), calls, t.Output())
		for _, p := range problems {
			t.Error(p)
		}
		if err := os.WriteFile(callsFile, []byte(released.Format(calls)), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if len(calls) < 80 {
		t.Errorf("only %d calls are recorded", len(calls))
	}
	programs, err := recorded.Programs()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range programs {
		for _, play := range p.Plays {
			for _, c := range play.Calls {
				path, _, _ := strings.Cut(c.Path, "?")
				if strings.HasPrefix(path, "/resources/") { // texts are not of the API
					continue
				}
				calls = append(calls, released.Call{Client: p.Name, Version: play.Command, Address: released.Address{Method: c.Method, Path: path}})
			}
		}
	}
	s := rig.Start(t, "")
	served := append(documented(t, s, "/openapi.json"), documented(t, s, "/v3/openapi.json")...)
	served = append(served, released.Address{Method: http.MethodGet, Path: "/v2/feedback"}) // of the form of clients; no document has it
	for _, c := range released.Unserved(calls, served) {
		t.Errorf("%s %s calls %s %s, which sett does not serve", c.Client, c.Version, c.Method, c.Path)
	}
}

// documented lists the requests that a document of the API has.
func documented(t testing.TB, s *rig.Server, path string) (all []released.Address) {
	t.Helper()
	answer, err := http.Get(s.Base + path)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	var document struct {
		Servers []struct{ URL string }
		Paths   map[string]map[string]json.RawMessage
	}
	if err := json.NewDecoder(answer.Body).Decode(&document); err != nil {
		t.Fatal(err)
	}
	prefix := ""
	if len(document.Servers) > 0 && strings.HasSuffix(document.Servers[0].URL, "/v3") {
		prefix = "/v3"
	}
	for path, methods := range document.Paths {
		for method := range methods {
			all = append(all, released.Address{Method: strings.ToUpper(method), Path: prefix + path})
		}
	}
	if len(all) == 0 {
		t.Fatalf("%s has no paths", path)
	}
	return all
}
