package job

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// line is a server at the end of a wire that a test holds.
type line struct {
	answer func(attempt int, r *http.Request) (*http.Response, error)
	at     []time.Duration // of the attempts, since began
	began  time.Time
}

func (l *line) RoundTrip(r *http.Request) (*http.Response, error) {
	l.at = append(l.at, time.Since(l.began))
	return l.answer(len(l.at), r)
}

// status is an answer with an error in it.
func status(code int, header ...string) (*http.Response, error) {
	w := httptest.NewRecorder()
	for i := 0; i < len(header); i += 2 {
		w.Header().Set(header[i], header[i+1])
	}
	w.WriteHeader(code)
	_, _ = io.WriteString(w, `{"error":"So it is.","errors":"So it is."}`)
	return w.Result(), nil
}

func reporterOf(l *line) Reporter {
	l.began = time.Now()
	return Reporter{
		Do:     (&http.Client{Transport: l, Timeout: 15 * time.Second, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}).Do,
		Server: "https://sett.test", CheckIn: "aB3",
	}
}

func TestReport(t *testing.T) {
	t.Parallel()
	refused := errors.New("connection refused")
	for name, tt := range map[string]struct {
		answer   func(attempt int, r *http.Request) (*http.Response, error)
		attempts int
		took     time.Duration
		want     string
	}{
		"taken": {func(int, *http.Request) (*http.Response, error) { return status(200) }, 1, 0, ""},
		"back after some seconds": {func(n int, _ *http.Request) (*http.Response, error) {
			if n < 4 {
				return nil, refused
			}
			return status(200)
		}, 4, 7 * time.Second, ""},
		"away": {func(int, *http.Request) (*http.Response, error) { return nil, refused }, 8, time.Minute, "https://sett.test cannot be reached (connection refused)"},
		"full": {func(int, *http.Request) (*http.Response, error) { return status(503) }, 8, time.Minute, `https://sett.test returned 503: "So it is."`},
		"silent": {func(_ int, r *http.Request) (*http.Response, error) {
			<-r.Context().Done()
			return nil, r.Context().Err()
		}, 4, 67 * time.Second, "https://sett.test does not respond"},
		"unknown": {func(int, *http.Request) (*http.Response, error) { return status(404) }, 1, 0, "https://sett.test has no check-in with this id; correct --check-in, or use --api-key with a slug"},
		"refused": {func(int, *http.Request) (*http.Response, error) { return status(403) }, 1, 0, `https://sett.test returned 403: "So it is."`},
		"moved": {func(int, *http.Request) (*http.Response, error) {
			return status(301, "Location", "https://new.test/v1/check_in/aB3")
		}, 1, 0, `https://sett.test redirects reports (301); set --server to "https://new.test"`},
		"asked to": {func(n int, _ *http.Request) (*http.Response, error) {
			if n == 1 {
				return status(429, "Retry-After", "20")
			}
			return status(200)
		}, 2, 20 * time.Second, ""},
		"asked for too much": {func(int, *http.Request) (*http.Response, error) { return status(503, "Retry-After", "3600") }, 1, 0, `https://sett.test returned 503: "So it is."`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				l := &line{answer: tt.answer}
				err := reporterOf(l).Report(t.Context(), Outcome{})
				if got := text(err); got != tt.want {
					t.Errorf("error %q, want %q", got, tt.want)
				}
				if took := time.Since(l.began); len(l.at) != tt.attempts || took != tt.took {
					t.Errorf("%d attempts at %v, %v in all; want %d in %v", len(l.at), l.at, took, tt.attempts, tt.took)
				}
			})
		})
	}
}

// Every try takes some time, and the last still comes when the minute is over.
func TestTheLastReportIsTriedAtTheEndOfTheMinute(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := &line{answer: func(int, *http.Request) (*http.Response, error) {
			time.Sleep(10 * time.Millisecond)
			return nil, errors.New("refused")
		}}
		_ = reporterOf(l).Report(t.Context(), Outcome{})
		if last := l.at[len(l.at)-1]; last != time.Minute {
			t.Errorf("tried at %v", l.at)
		}
	})
}

func text(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

func TestReportEndsWithItsContext(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(2*time.Second, cancel)
		l := &line{answer: func(int, *http.Request) (*http.Response, error) { return status(500) }}
		err := reporterOf(l).Report(ctx, Outcome{})
		if took := time.Since(l.began); took != 2*time.Second || text(err) != `https://sett.test returned 500: "So it is."` {
			t.Errorf("after %v: %v", took, err)
		}
		again, cancelAgain := context.WithCancel(t.Context())
		time.AfterFunc(2*time.Second, cancelAgain)
		worse := &line{answer: func(n int, r *http.Request) (*http.Response, error) {
			if n == 1 {
				return status(500)
			}
			<-r.Context().Done()
			return nil, r.Context().Err()
		}}
		if err := reporterOf(worse).Report(again, Outcome{}); text(err) != `https://sett.test returned 500: "So it is."` {
			t.Errorf("in the midst of the second: %v", err)
		}
		silent := &line{answer: func(_ int, r *http.Request) (*http.Response, error) {
			<-r.Context().Done()
			return nil, r.Context().Err()
		}}
		if err := reporterOf(silent).Report(ctx, Outcome{}); text(err) != "a signal arrived before https://sett.test responded" {
			t.Errorf("in the midst of it: %v", err)
		}
	})
}

func TestReportGoesToTheCheckIn(t *testing.T) {
	t.Parallel()
	var got []string
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		got = append(got, r.Method+" "+r.RequestURI+" "+r.Header.Get("Content-Type")+" "+string(body))
	}))
	t.Cleanup(server.Close)
	for _, r := range []Reporter{{CheckIn: "aB3"}, {CheckIn: "nightly", Key: "sett_p_x"}, {CheckIn: "a/b?c d", Key: "%"}} {
		r.Do, r.Server = server.Client().Do, server.URL
		if err := r.Report(t.Context(), Outcome{Duration: time.Second, Stdout: "ok"}); err != nil {
			t.Error(err)
		}
	}
	const body = ` application/json {"check_in":{"status":"success","duration":1000,"stdout":"ok","stderr":"","exit_code":0}}` + "\n"
	want := "POST /v1/check_in/aB3" + body + "POST /v1/check_in/sett_p_x/nightly" + body + "POST /v1/check_in/%25/a%2Fb%3Fc%20d" + body
	if strings.Join(got, "") != want {
		t.Errorf("sent %q\nwant %q", got, want)
	}
}

// The id and the key are secrets; cron mails what is written to stderr.
func TestReportShowsNoSecret(t *testing.T) {
	t.Parallel()
	for _, server := range []string{"http://127.0.0.1:1", "http://[::1]:namedport", "no://where"} {
		r := Reporter{Do: http.DefaultClient.Do, Server: server, CheckIn: "hushID", Key: "hushKey"}
		ctx, cancel := context.WithCancel(t.Context())
		_, again, err := r.try(ctx, nil)
		cancel()
		if err == nil || strings.Contains(err.Error(), "hush") {
			t.Errorf("%s: again %t, error %v", server, again, err)
		}
	}
}
