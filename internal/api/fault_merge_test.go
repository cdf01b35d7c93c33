package api_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"sett/internal/api"
	"sett/internal/setttest"
)

func faultPathOf(s *setttest.Server, fault int64, more string) string {
	return fmt.Sprintf("/v2/projects/%d/faults/%d%s", s.Setup.ProjectID, fault, more)
}

// unfollowed asks without going where the answer sends.
func unfollowed(t *testing.T, s *setttest.Server, path string) (r *http.Response, body string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), "GET", s.Base+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	request.SetBasicAuth(s.Client.Token, "")
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	if r, err = client.Do(request); err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	read, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return r, string(read)
}

// Whatever can be read of a fault is said to be elsewhere once the fault was merged, by the document and by the answers.
func TestTheDocumentDescribesMergedFaults(t *testing.T) {
	t.Parallel()
	s := setttest.Start(t, "sqlite")
	a, b := notify(t, s, "A", "production").ID, notify(t, s, "B", "production").ID
	s.Post(faultPathOf(s, a, "/merge"), fmt.Sprintf(`{"into_id":%d}`, b)).Want(http.StatusOK)
	var doc struct {
		Paths map[string]struct {
			Get *struct {
				Responses map[string]struct{ Headers map[string]any }
			}
		}
	}
	published, err := http.Get(s.Base + "/openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	defer published.Body.Close()
	if err := json.NewDecoder(published.Body).Decode(&doc); err != nil {
		t.Fatal(err)
	}
	seen := 0
	for path, of := range doc.Paths {
		_, rest, ok := strings.Cut(path, "/faults/{fault_id}")
		if !ok || of.Get == nil || !strings.HasPrefix(path, "/v2/") {
			continue
		}
		seen++
		if moved, ok := of.Get.Responses["301"]; !ok || moved.Headers["Location"] == nil {
			t.Errorf("%s is not said to move", path)
		}
		answer, _ := unfollowed(t, s, faultPathOf(s, a, regexp.MustCompile(`\{\w+\}`).ReplaceAllString(rest, "1")))
		if answer.StatusCode != http.StatusMovedPermanently || !strings.Contains(answer.Header.Get("Location"), faultPathOf(s, b, "")) {
			t.Errorf("%s answers %d to %q", path, answer.StatusCode, answer.Header.Get("Location"))
		}
	}
	if seen < 8 {
		t.Errorf("the document has %d ways to read something of a fault", seen)
	}
}

func TestMergingFaults(t *testing.T) {
	t.Parallel()
	setttest.Each(t, func(t *testing.T, s *setttest.Server) {
		a, b := notify(t, s, "A", "production").ID, notify(t, s, "B", "production").ID
		stranger := s.AddStranger(t, "stranger@example.test")
		for body, sentence := range map[string]string{
			`{}`: "into_id must be an integer", `{"into_id":"x"}`: "into_id must be an integer", fmt.Sprintf(`{"into_id":%d}`, a): "another fault than this one",
			`{"into_id":999999}`: "another fault of this project",
		} {
			if text := s.Post(faultPathOf(s, a, "/merge"), body).Want(http.StatusUnprocessableEntity).Errors(); !strings.Contains(text, sentence) {
				t.Errorf("%s: %s", body, text)
			}
		}
		s.Post(faultPathOf(s, a, "/split"), nil).Want(http.StatusConflict)
		s.Post(faultPathOf(s, a, "/merge"), fmt.Sprintf(`{"into_id":%d}`, b)).Want(http.StatusOK)

		for path, there := range map[string]string{"": "", "/notices?limit=2": "/notices?limit=2", "/comments": "/comments", "/occurrences?period=day": "/occurrences?period=day"} {
			moved, text := unfollowed(t, s, faultPathOf(s, a, path))
			if moved.StatusCode != http.StatusMovedPermanently {
				t.Errorf("%s: %d", path, moved.StatusCode)
			}
			if got := moved.Header.Get("Location"); !strings.HasSuffix(got, faultPathOf(s, b, there)) {
				t.Errorf("%s is at %s", path, got)
			}
			if !strings.Contains(text, fmt.Sprintf("merged into fault %d", b)) {
				t.Error(text)
			}
			if got := moved.Header.Get("Cache-Control"); got != "no-store" {
				t.Errorf("the answer may be kept: %q", got)
			}
		}
		stranger.Do("GET", faultPathOf(s, a, ""), nil).Want(http.StatusNotFound)
		if text := s.Put(faultPathOf(s, a, ""), `{"fault":{"resolved":true}}`).Want(http.StatusNotFound).Errors(); !strings.Contains(text, fmt.Sprintf("merged into fault %d", b)) {
			t.Error(text)
		}
		var grouping api.FaultGrouping
		s.Get(faultPathOf(s, b, "/grouping")).Into(&grouping)
		if len(grouping.Parts) != 2 || grouping.Parts[0].FaultID != b || grouping.Parts[0].MergedAt != nil || grouping.Parts[1].FaultID != a ||
			grouping.Parts[1].MergedBy == nil || len(grouping.Parts[1].Reasons) == 0 || len(grouping.Parts[1].Key) != 32 || grouping.Parts[1].Inputs.Klass != "A" {
			t.Errorf("grouping %+v", grouping)
		}
		var f api.Fault
		if s.Get(faultPathOf(s, b, "")).Into(&f); f.NoticesCount != 2 {
			t.Errorf("the survivor has %d notices", f.NoticesCount)
		}
		s.Post(faultPathOf(s, a, "/split"), nil).Want(http.StatusOK)
		s.Get(faultPathOf(s, a, ""))
	})
}

func TestSharingAFault(t *testing.T) {
	t.Parallel()
	setttest.Each(t, func(t *testing.T, s *setttest.Server) {
		path := faultPathOf(s, notify(t, s, "A", "production").ID, "/share")
		s.Do("GET", path, nil).Want(http.StatusNotFound)
		var made api.CreatedFaultShare
		s.Post(path, nil).Want(http.StatusCreated).Into(&made)
		if _, token, _ := strings.Cut(made.URL, "/share/"); len(token) != 43 {
			t.Errorf("the link is %s", made.URL)
		}
		var share api.FaultShare
		if s.Get(path).Into(&share); share.MadeBy == nil || share.Disabled || share.CreatedAt.IsZero() {
			t.Errorf("the link is %+v", share)
		}
		s.Put(fmt.Sprintf("/v2/projects/%d", s.Setup.ProjectID), `{"project":{"disable_public_links":true}}`).Want(http.StatusNoContent)
		if text := s.Post(path, nil).Want(http.StatusForbidden).Errors(); !strings.Contains(text, "does not allow public links") {
			t.Error(text)
		}
		if s.Get(path).Into(&share); !share.Disabled {
			t.Error("the link is said to work")
		}
		s.Delete(path).Want(http.StatusNoContent)
		s.Delete(path).Want(http.StatusNotFound)
	})
}

func TestSavingSearches(t *testing.T) {
	t.Parallel()
	setttest.Each(t, func(t *testing.T, s *setttest.Server) {
		path := fmt.Sprintf("/v2/projects/%d/searches", s.Setup.ProjectID)
		for body, sentence := range map[string]string{
			`{}`: "search must be an object", `{"search":{}}`: "name can't be blank", `{"search":{"name":"x","order":"best"}}`: "order must be recent or frequent",
		} {
			if text := s.Post(path, body).Want(http.StatusUnprocessableEntity).Errors(); !strings.Contains(text, sentence) {
				t.Errorf("%s: %s", body, text)
			}
		}
		var made api.SavedSearch
		s.Post(path, `{"search":{"name":"Open","q":"-is:resolved","shared":true}}`).Want(http.StatusCreated).Into(&made)
		var list []api.SavedSearch
		if s.Get(path).Into(&list); len(list) != 1 || list[0].ID != made.ID || !made.Shared || made.Q != "-is:resolved" || made.Environment != nil {
			t.Errorf("made %+v, listed %+v", made, list)
		}
		s.Delete(fmt.Sprint(path, "/", made.ID)).Want(http.StatusNoContent)
		s.Delete(fmt.Sprint(path, "/", made.ID)).Want(http.StatusNotFound)
	})
}

func TestChangingManyFaults(t *testing.T) {
	t.Parallel()
	setttest.Each(t, func(t *testing.T, s *setttest.Server) {
		a, b := notify(t, s, "A", "production").ID, notify(t, s, "B", "production").ID
		path := fmt.Sprintf("/v2/projects/%d/faults/bulk", s.Setup.ProjectID)
		for _, refused := range []struct{ query, body, sentence string }{
			{"", `{"action":"resolve"}`, "Send either fault_ids"},
			{"?q=", fmt.Sprintf(`{"action":"resolve","fault_ids":[%d]}`, a), "Send either fault_ids"},
			{"?q=", `{"action":"burn"}`, "action must be one of"},
			{"?q=", `{}`, "action must be"},
			{"?q=", `{"action":"assign"}`, "assignee_id must be"},
			{"?q=", `{"action":"pause"}`, `Send either {"time": "hour"}`},
			{"?q=is:nonsense", `{"action":"resolve"}`, "q "},
			{"?q=&as_of=x", `{"action":"resolve"}`, "as_of must be"},
		} {
			if text := s.Post(path+refused.query, refused.body).Want(http.StatusUnprocessableEntity).Errors(); !strings.Contains(text, refused.sentence) {
				t.Errorf("%s %s: %s", refused.query, refused.body, text)
			}
		}
		count := func(query, body string) int64 {
			t.Helper()
			var result api.BulkResult
			s.Post(path+query, body).Want(http.StatusOK).Into(&result)
			return result.Count
		}
		got := []int64{
			count("?q=class:A", `{"action":"resolve"}`), count("", fmt.Sprintf(`{"action":"ignore","fault_ids":[%d,%d]}`, a, b)),
			count("?q=&as_of=1000", `{"action":"delete"}`), count("", `{"action":"delete","fault_ids":[]}`), count("?q=", `{"action":"delete"}`),
		}
		if fmt.Sprint(got) != "[1 2 0 0 2]" {
			t.Errorf("changed %v", got)
		}
	})
}
