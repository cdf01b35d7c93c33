package prober

import "net/url"

// mostPerHost is the maximum number of concurrent checks of one host. There is no other limit: one that slow hosts could use
// up would delay the checks of all others.
const mostPerHost = 100

// hosts keeps count of the checks that run, by host. It is used by one goroutine at a time.
type hosts struct {
	running map[string]int
	waiting map[string][]*entry
}

// enter reports whether a check of the entry's host may begin; otherwise a later leave returns it.
func (h *hosts) enter(e *entry) bool {
	if h.running == nil {
		h.running, h.waiting = map[string]int{}, map[string][]*entry{}
	}
	e.host = hostOf(e.Request.URL)
	if h.running[e.host] >= mostPerHost {
		h.waiting[e.host] = append(h.waiting[e.host], e)
		return false
	}
	h.running[e.host]++
	return true
}

// leave says that a check has ended, and returns an entry of the same host whose check may begin now, or nil.
func (h *hosts) leave(e *entry) *entry {
	host := e.host
	if queue := h.waiting[host]; len(queue) > 0 {
		h.waiting[host] = queue[1:]
		return queue[0]
	}
	delete(h.waiting, host)
	if h.running[host]--; h.running[host] == 0 {
		delete(h.running, host)
	}
	return nil
}

func hostOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return address
	}
	return u.Host
}
