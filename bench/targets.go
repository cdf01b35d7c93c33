package bench

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
)

// sitesPerHost is how many of the sites stand on one host.
const sitesPerHost = 50

// targets are sites to be checked, on as many hosts of the loopback network as they need. Some of the hosts hang: they
// take a connection and never answer.
type targets struct {
	urls    []string // of every site
	hanging int      // so many of the first ones
	servers []*http.Server
	deaf    []net.Listener

	mu    sync.Mutex
	visit [][]time.Time // of every site that answers
}

// startTargets starts so many sites, the share of them that hangs first.
func startTargets(sites int, hanging float64) (*targets, error) {
	t := &targets{visit: make([][]time.Time, sites), urls: make([]string, sites)}
	hosts := (sites + sitesPerHost - 1) / sitesPerHost
	t.hanging = min(sites, int(float64(hosts)*hanging)*sitesPerHost)
	for host := range hosts {
		l, err := net.Listen("tcp", fmt.Sprintf("127.1.%d.%d:0", host/250, host%250+1))
		if err != nil {
			return nil, errors.Join(fmt.Errorf("listen on a loopback address of its own: %w", err), t.close())
		}
		for site := host * sitesPerHost; site < min(sites, (host+1)*sitesPerHost); site++ {
			t.urls[site] = fmt.Sprintf("http://%s/%d", l.Addr(), site)
		}
		if host*sitesPerHost < t.hanging {
			t.deaf = append(t.deaf, l)
			go hang(l)
			continue
		}
		server := &http.Server{Handler: http.HandlerFunc(t.answer)}
		t.servers = append(t.servers, server)
		go server.Serve(l) //nolint:errcheck // it ends with close
	}
	return t, nil
}

// hang takes connections and reads what comes, for as long as the listener is open.
func hang(l net.Listener) {
	for {
		conn, err := l.Accept()
		if err != nil {
			return
		}
		go func() {
			defer conn.Close()
			_, _ = io.Copy(io.Discard, conn)
		}()
	}
}

func (t *targets) answer(w http.ResponseWriter, r *http.Request) {
	site, err := strconv.Atoi(strings.TrimPrefix(r.URL.Path, "/"))
	if err != nil || site < 0 || site >= len(t.visit) {
		http.NotFound(w, r)
		return
	}
	t.mu.Lock()
	t.visit[site] = append(t.visit[site], time.Now())
	t.mu.Unlock()
	_, _ = io.WriteString(w, "fine\n")
}

func (t *targets) close() (err error) {
	for _, s := range t.servers {
		err = errors.Join(err, s.Close())
	}
	for _, l := range t.deaf {
		err = errors.Join(err, l.Close())
	}
	return err
}

// take returns when each site that answers was visited since the last call.
func (t *targets) take() [][]time.Time {
	t.mu.Lock()
	defer t.mu.Unlock()
	taken := make([][]time.Time, len(t.visit))
	copy(taken, t.visit)
	clear(t.visit)
	return taken[t.hanging:]
}
