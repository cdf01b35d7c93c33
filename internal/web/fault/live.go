package fault

import (
	"fmt"
	"net/url"
	"time"
)

// liveAddress is where the list is told how many faults have got new events.
func (p *pages) liveAddress(v *list) string {
	query := url.Values{"q": {v.Asked.Q}, "since": {v.Now.UTC().Format(time.RFC3339Nano)}}
	if v.Asked.Environment != "" {
		query.Set("environment", v.Asked.Environment)
	}
	return p.At(fmt.Sprintf("/projects/%d/faults/live", v.ProjectID)) + "?" + query.Encode()
}
