package fault_test

import (
	"net/http"
	"testing"
)

// HEAD of a stream says what there is, and does not listen for ten minutes.
func TestHeadOfAStream(t *testing.T) {
	t.Parallel()
	o := open(t)
	got := o.member.Do(http.MethodHead, o.list()+"/live", nil).Want(200)
	if got.Header.Get("Content-Type") != "text/event-stream" || got.Body != "" {
		t.Errorf("%v %q", got.Header, got.Body)
	}
}
