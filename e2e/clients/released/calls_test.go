package released

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestCallsAreFoundInSource(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	source := `package c

func (c *C) newRequest(ctx any, method, path string) { do(fmt.Sprintf("%s/v2%s", c.base, path)) }

func (c *C) List(id int) {
	path := fmt.Sprintf("/projects/%d/alarms", id)
	if id > 1 {
		path += "?page=2"
	}
	c.newRequest(ctx, "GET", path)
}

func (c *C) Make() { c.newRequest(ctx, "POST", "/teams?account_id=") }

func (c *C) Send(f F) { c.send("v1/" + f.name); c.send("v1/events") }
`
	if err := os.WriteFile(filepath.Join(dir, "c.go"), []byte(source), 0o644); err != nil {
		t.Fatal(err)
	}
	found, err := callsIn(dir)
	if err != nil {
		t.Fatal(err)
	}
	want := []Address{{"*", "/v1/events"}, {"*", "/v1/{}"}, {"GET", "/v2/projects/{}/alarms"}, {"POST", "/v2/teams"}}
	if diff := cmp.Diff(want, found); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	texts := map[Address]bool{}
	script := "get(`${base}/v2/projects/${encode(id)}/check_ins`); post('/v1/notices/js'); x = \"/v1/check_in/%s\" + f\"/v1/deploys/\"; v2.x"
	if err := textOf("dist/a.js", strings.NewReader(script), texts); err != nil {
		t.Fatal(err)
	}
	wantTexts := map[Address]bool{{"*", "/v2/projects/{}/check_ins"}: true, {"*", "/v1/notices/js"}: true, {"*", "/v1/check_in/{}"}: true, {"*", "/v1/deploys"}: true}
	if diff := cmp.Diff(wantTexts, texts); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestUnservedIsNamed(t *testing.T) {
	t.Parallel()
	served := []Address{{"GET", "/v2/projects/{project_id}/faults/summary"}, {"POST", "/v1/notices"}}
	for a, want := range map[Address]int{
		{"GET", "/v2/projects/{}/faults/summary"}:  0,
		{"POST", "/v2/projects/{}/faults/summary"}: 1,
		{"GET", "/v2/projects/{}/faults"}:          1,
		{"*", "/v1/notices"}:                       0,
		{"*", "/v1/{}"}:                            0,
		{"*", "/v2/projects"}:                      0,
		{"*", "/v1/other"}:                         1,
	} {
		if got := Unserved([]Call{{Address: a}}, served); len(got) != want {
			t.Errorf("of %v, %v is not served", a, got)
		}
	}
}
