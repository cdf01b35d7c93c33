package mcp_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sett/internal/setttest"
)

// Each session of testdata/sessions is all that a released agent sent while it found, explained and resolved an error. The end-to-end test of
// agents records them. The requests must still lead there.
func TestRecordedSessionsOfAgents(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/sessions/*.jsonl")
	if err != nil || len(files) < 2 {
		t.Fatalf("there are the sessions %v, %v", files, err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".jsonl"), func(t *testing.T) {
			t.Parallel()
			s := setttest.Start(t, "sqlite")
			for _, report := range []string{"deploys", "notices"} {
				s.Client.Post("/v1/"+report, json.RawMessage(read(t, "testdata/sessions/"+report+".json"))).Want(http.StatusCreated)
			}
			replay(t, withScopes(t, s, "faults:read", "faults:write", "deploys:read", "projects:read"), read(t, file))

			fault := fmt.Sprintf("/v2/projects/%d/faults/1", s.Setup.ProjectID)
			var comments struct{ Results []struct{ Body string } }
			if s.Get(fault + "/comments").Into(&comments); !strings.Contains(fmt.Sprint(comments), "`sum * discount.percent`") {
				t.Errorf("the error is explained by %+v", comments)
			}
			if resolved := s.Get(fault).JSON()["resolved"]; resolved != true {
				t.Errorf("resolved is %v", resolved)
			}
		})
	}
}

func read(t testing.TB, file string) []byte {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// replay sends the requests of a session, which must be answered as they were.
func replay(t testing.TB, a agent, session []byte) {
	t.Helper()
	for line := range bytes.Lines(bytes.ReplaceAll(session, []byte("https://sett.example.org"), []byte(a.base))) {
		var was struct {
			Method, Body string
			Header       map[string]string
			Status       int
		}
		if err := json.Unmarshal(line, &was); err != nil {
			t.Fatal(err)
		}
		header := []string{}
		for name, value := range was.Header {
			header = append(header, name, value)
		}
		got := a.request(was.Method, was.Body, header...)
		if got.status != was.Status || strings.Contains(got.text, `"isError":true`) {
			t.Errorf("%s %s is answered with %d and not with %d: %s", was.Method, was.Body, got.status, was.Status, got.text)
		}
	}
}
