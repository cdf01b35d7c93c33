package flow

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"

	"github.com/chromedp/chromedp"

	"sett/e2e/rig"
	"sett/internal/setttest/program"
)

// agent connects an agent that has only the address: with the SDK of the protocol, it asks where to sign in, its person allows triage on a page of
// sett, and it resolves an error. The person ends it on the page of tokens.
func (w *walker) agent() {
	dir := rig.InstallCopy(w.t, "agent")
	list, _ := w.faults("Agents", "Broken")
	w.open(list)
	w.follow(rows + " a")
	fault := w.here()

	codes := make(chan string, 1)
	callback := httptest.NewServer(http.HandlerFunc(func(a http.ResponseWriter, r *http.Request) {
		a.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(a, `<!doctype html><html lang="en"><title>Agent</title><link rel="icon" href="data:,"><main>The agent has heard from you.</main></html>`)
		if code := r.URL.Query().Get("code"); code != "" {
			codes <- code
		}
	}))
	w.t.Cleanup(callback.Close)
	cmd := program.Bounded("node", filepath.Join(dir, "agent.mjs"), w.s.Base+"/mcp", callback.URL+"/callback", w.s.Base+fault)
	var said bytes.Buffer
	cmd.Stderr = &said
	in, err := cmd.StdinPipe()
	if err != nil {
		w.t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		w.t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, 1<<20)
	next := func(into any) {
		w.t.Helper()
		if !lines.Scan() || json.Unmarshal(lines.Bytes(), into) != nil {
			w.t.Fatalf("the agent says %q, %s", lines.Bytes(), &said)
		}
	}

	var begun struct{ Page string }
	next(&begun)
	w.open(begun.Page)
	w.read("Agent of the story asks to use sett for you", "sett cannot check who made it", strings.TrimPrefix(callback.URL, "http://"))
	w.run(chromedp.Click(chromedp.CSS("#level-triage")))
	w.press("Allow")
	w.await(shows("main", "The agent has heard from you"))
	fmt.Fprintln(in, <-codes)

	var did struct {
		Tools                 []string
		Scope, Resolved, Read string
		Renewed, Failed       bool
	}
	next(&did)
	if did.Scope != "read triage" || !did.Renewed || did.Failed || !strings.Contains(did.Read, "State: resolved") {
		w.t.Errorf("the agent did %+v", did)
	}
	if !slices.Contains(did.Tools, "update_error") || slices.Contains(did.Tools, "report_incident") {
		w.t.Errorf("the agent, which may triage, has the tools %v", did.Tools)
	}
	w.open(fault)
	w.read("Resolved")
	w.open("/me/tokens")
	w.read("Agent of the story", "connected program, until")
	w.lead(chromedp.Click(chromedp.CSS(`button[aria-label="Revoke Agent of the story"]`)))
	w.want(`!` + shows("main", "Agent of the story"))
}
