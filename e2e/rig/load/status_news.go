package load

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"time"

	"sett/e2e/rig"
)

// StatusNews are updates of incidents of a page, one after the other.
type StatusNews struct {
	S        *rig.Server
	Path     string // of the incidents of the page
	Web      *http.Client
	next     int
	Promised []int         // serials of what the server has accepted
	Pause    time.Duration // between two of them, at most
}

// Begin posts updates until end is called, of a new incident now and then.
func (n *StatusNews) Begin(base string) (end func()) {
	stop, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		incident := int64(0)
		for {
			select {
			case <-stop:
				return
			case <-time.After(rand.N(n.Pause)):
			}
			if incident = n.post(base, incident); rand.IntN(10) == 0 {
				incident = 0
			}
		}
	}()
	return func() { close(stop); <-ended }
}

// post posts the next update of an incident, or a new incident for 0, and returns which it was.
func (n *StatusNews) post(base string, incident int64) int64 {
	n.next++
	path, body := n.Path, fmt.Sprintf(`{"incident":{"name":"Slow","message":"News %d."}}`, n.next)
	if incident != 0 {
		path, body = fmt.Sprintf("%s/%d/updates", n.Path, incident), fmt.Sprintf(`{"update":{"message":"News %d."}}`, n.next)
	}
	r, err := http.NewRequest(http.MethodPost, base+path, strings.NewReader(body))
	if err != nil {
		return 0
	}
	r.Header.Set("Content-Type", "application/json")
	r.SetBasicAuth(n.S.AuthToken, "")
	answer, err := n.Web.Do(r)
	if err != nil {
		return 0
	}
	defer answer.Body.Close()
	var made struct{ ID int64 }
	if answer.StatusCode != http.StatusCreated {
		return 0
	}
	n.Promised = append(n.Promised, n.next)
	if err := json.NewDecoder(answer.Body).Decode(&made); err != nil || incident != 0 {
		return incident
	}
	return made.ID
}
