package recording

import (
	"slices"
	"strings"
	"testing"
)

// A request that came in chunks is there without them, and compressed as it was sent.
func TestCaptures(t *testing.T) {
	t.Parallel()
	all := Captures(t, "otlp-node-json")
	if len(all) != 2 || all[0].Name != "otlp-node-json/01" || all[0].Method != "POST" || all[0].Target != "/v1/logs" {
		t.Fatalf("the requests are %+v", all)
	}
	if all[0].Header.Get("X-Api-Key") != "k" || !strings.HasPrefix(string(all[0].Body), `{"resourceLogs":`) || !strings.HasSuffix(string(all[0].Body), "]}]}]}") {
		t.Errorf("the first is %v %s", all[0].Header, all[0].Body)
	}
	if gzipped := Captures(t, "otlp-node-proto")[1]; gzipped.Header.Get("Content-Encoding") != "gzip" || !strings.HasPrefix(string(gzipped.Body), "\x1f\x8b") {
		t.Errorf("%s is %v %q", gzipped.Name, gzipped.Header, gzipped.Body[:8])
	}
}

func TestMutations(t *testing.T) {
	t.Parallel()
	var all []string
	for doc := range Mutations(t, []byte(`{"a":[1,"b"]}`)) {
		all = append(all, string(doc))
	}
	if want := 4*len(swaps) + len(`{"a":[1,"b"]}`); len(all) != want {
		t.Errorf("%d documents, want %d", len(all), want)
	}
	for _, want := range []string{`null`, `{"a":true}`, `{"a":[7,"b"]}`, `{"a":[1,{}]}`, `{"a":[1,"`, ``} {
		if !slices.Contains(all, want) {
			t.Errorf("%s is not among them", want)
		}
	}
}
