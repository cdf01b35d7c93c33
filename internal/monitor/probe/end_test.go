package probe_test

import (
	"context"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"sync"
	"syscall"
	"testing"
	"time"

	"sett/internal/base/dial"
	"sett/internal/monitor/probe"
	"sett/internal/sett/checks"
	"sett/internal/setttest/target"
)

// A look that is called off says nothing about the site.
func TestCheckCalledOff(t *testing.T) {
	t.Parallel()
	site := target.Start(t, target.Options{})
	for _, path := range []string{"/slow-headers", "/slow-body"} {
		ctx, cancel := context.WithCancel(t.Context())
		site.At(path, func(v *target.Visit) {
			_, _ = io.WriteString(v, map[string]string{"/slow-body": "HTTP/1.1 200 OK\r\n\r\nthe"}[path])
			cancel()
			target.Silent(v)
		})
		r, err := open().Check(ctx, checks.ProbeRequest{URL: site.URL + path, MatchType: checks.MatchInclude, Match: "end"})
		if !errors.Is(err, context.Canceled) || r.Reason != "" {
			t.Errorf("%s: %+v, %v", path, r, err)
		}
	}
}

// late is a context whose deadline has passed, but which is not canceled yet.
type late struct{ context.Context }

func (late) Deadline() (time.Time, bool) { return time.Unix(1, 0), true }

// A timeout of the caller says nothing about the site, wherever it is noticed first.
func TestCheckCallerIsInAHurry(t *testing.T) {
	t.Parallel()
	site := target.Start(t, target.Options{})
	ctx, cancel := context.WithTimeout(t.Context(), brief)
	defer cancel()
	for _, ctx := range []context.Context{ctx, late{t.Context()}} {
		r, err := open().Check(ctx, checks.ProbeRequest{URL: site.URL + "/slow-headers", MatchType: checks.MatchSuccess})
		if !errors.Is(err, context.DeadlineExceeded) || r.Reason != "" {
			t.Errorf("%+v, %v", r, err)
		}
	}
}

// A machine without means to connect has no opinion.
func TestCheckWithoutMeans(t *testing.T) {
	t.Parallel()
	h := open(func(o *probe.Options) {
		o.Dialer = dial.New(dial.Policy{}, dial.WithResolver(&net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) {
			return nil, os.NewSyscallError("socket", syscall.EMFILE)
		}}))
	})
	r, err := h.Check(t.Context(), checks.ProbeRequest{URL: "http://site.test.", MatchType: checks.MatchSuccess})
	if err == nil || r.Reason != "" {
		t.Errorf("%+v, %v", r, err)
	}
}

// Nothing is left of looks, however they end: no goroutine and no connection. The test runs while no other does.
func TestCheckLeavesNothing(t *testing.T) { // it counts what the whole process has
	lookAround(t, 1) // what is made once is there from now on
	goroutines, files := runtime.NumGoroutine(), openFiles(t)
	lookAround(t, 50)
	for patience := time.Now().Add(10 * time.Second); runtime.NumGoroutine() > goroutines && time.Now().Before(patience); {
		runtime.Gosched()
	}
	if now := runtime.NumGoroutine(); now > goroutines {
		t.Errorf("%d goroutines are left, %d were before", now, goroutines)
	}
	if now := openFiles(t); now > files {
		t.Errorf("%d files are open, %d were before", now, files)
	}
}

// lookAround lets so many look, 20 times each, at sites that end looks in every way.
func lookAround(t *testing.T, lookers int) {
	t.Helper()
	authority := target.NewAuthority()
	h := trusting(authority.Roots)
	var urls []string
	for _, o := range []target.Options{{}, {TLS: authority.Config(target.Certificate{})}} {
		site, deaf, rude := target.Start(t, o), target.Start(t, o), target.Start(t, o)
		defer site.Close()
		defer deaf.Close()
		defer rude.Close()
		deaf.Greet(target.Deaf)
		rude.Greet(target.Say("SSH-2.0-OpenSSH_9.9\r\n"))
		urls = append(urls, deaf.URL, rude.URL)
		for _, path := range []string{"/", "/slow-headers", "/slow-body", "/reset", "/reset-body", "/close", "/garbage", "/endless", "/huge-headers"} {
			urls = append(urls, site.URL+path)
		}
	}
	two, stop := hanging2(authority)
	defer stop()
	urls = append(urls, two)
	var done sync.WaitGroup
	for looker := range lookers {
		done.Go(func() {
			for n := range 20 {
				_, _ = h.Check(t.Context(), checks.ProbeRequest{URL: urls[(looker+n)%len(urls)], MatchType: checks.MatchSuccess, Timeout: brief})
			}
		})
	}
	done.Wait()
}

// hanging2 starts a site that speaks HTTP/2 and answers half.
func hanging2(authority *target.Authority) (url string, stop func()) {
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		begin(w)
		<-r.Context().Done()
	}))
	server.TLS, server.EnableHTTP2 = authority.Config(target.Certificate{}), true
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.StartTLS()
	return server.URL, server.Close
}

func openFiles(t *testing.T) int {
	t.Helper()
	files, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Skip("this system does not say which files are open")
	}
	return len(files)
}
