package traffic

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"testing"
)

// What bench sends is what docs/performance.md says that it sends.
func TestNoticesAreAsHardAsTheyAreSaidToBe(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	var sum int
	for _, k := range Kinds(r, 0) {
		text := k.Fill(nil, r)
		var notice struct {
			Error   struct{ Backtrace []any }
			Request struct {
				Context, Params, Session map[string]any
				CGI                      map[string]any `json:"cgi_data"`
			}
		}
		if err := json.Unmarshal(text, &notice); err != nil {
			t.Fatalf("%v in %s", err, text)
		}
		if n := len(notice.Error.Backtrace); n < 25 || n > 40 {
			t.Errorf("%d frames", n)
		}
		v := notice.Request
		if n := values(v.Context) + values(v.Params) + values(v.Session) + values(v.CGI); n < 25 || n > 45 {
			t.Errorf("%d values", n)
		}
		sum += len(text)
	}
	if mean := sum / kinds; mean < 8_000 || mean > 9_500 {
		t.Errorf("%d bytes on average", mean)
	}
}

// values counts what is in an object, at any depth.
func values(object map[string]any) (n int) {
	for _, v := range object {
		if inner, ok := v.(map[string]any); ok {
			n += values(inner)
		} else {
			n++
		}
	}
	return n
}

func TestNoticesFollowFromTheSeed(t *testing.T) {
	t.Parallel()
	a, b, c := Notices(200, 7), Notices(200, 7), Notices(200, 8)
	reporting := map[int]bool{}
	for i := range a {
		if a[i].Project != b[i].Project || !bytes.Equal(a[i].Body, b[i].Body) {
			t.Fatalf("notice %d differs with the same seed", i)
		}
		if bytes.Equal(a[i].Body, c[i].Body) {
			t.Fatalf("notice %d is the same with another seed", i)
		}
		if !json.Valid(a[i].Body) {
			t.Fatalf("notice %d is not JSON: %s", i, a[i].Body)
		}
		reporting[a[i].Project] = true
	}
	if len(reporting) != Projects {
		t.Errorf("%d projects report, want %d", len(reporting), Projects)
	}
}
