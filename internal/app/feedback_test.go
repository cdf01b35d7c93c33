package app_test

import (
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sett/internal/setttest"
)

// as sends a request of a page, without the token of a user, and returns the status, the type and the text of the answer.
func as(t *testing.T, s *setttest.Server, method, target, contentType, body string) (status int, kind, text string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, s.Base+target, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", contentType)
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	said, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, answer.Header.Get("Content-Type"), string(said)
}

const formType = "application/x-www-form-urlencoded"

// What users of an application write is in the history of the error that they met, whatever the form that they wrote it into.
func TestFeedback(t *testing.T) {
	t.Parallel()
	setttest.Each(t, func(t *testing.T, s *setttest.Server) {
		const token = "6f1b5e0a-3c52-4f0e-9d35-0e6f6d0b1a11"
		const eventID, other = "58ad5c2404474ae6b0a2439d0d65462c", "68ad5c2404474ae6b0a2439d0d65462c"
		id, key := s.Setup.ProjectID, s.Setup.APIKey
		envelope := fmt.Sprintf("/api/%d/envelope/?sentry_key=%s", id, key)
		s.Do("POST", "/v1/notices", `{"error":{"class":"Boom","token":"`+token+`"}}`).Want(http.StatusCreated)
		s.Put(fmt.Sprintf("/v2/projects/%d/scrubbing", id), `{"scrubbing":{"patterns":["CUST-\\d+"]}}`)
		for _, c := range []struct {
			method, target, kind, body string
			status                     int
			says                       string
		}{
			{"POST", "/v1/feedback/", formType, url.Values{"token": {token}, "name": {"Ines"}, "email": {"ines@example.test"}, "comment": {"I paid <b>twice</b>.\npassword=hunter2"}}.Encode(), 200, "Thank you"},
			{"POST", "/v1/feedback/", formType, url.Values{"token": {token}, "phone": {"1"}, "comment": {"Buy pills."}}.Encode(), 200, "Thank you"},
			{"POST", "/v1/feedback/", formType, url.Values{"token": {token}, "name": {"CUST-7"}, "comment": {"I am CUST-12."}}.Encode(), 200, "Thank you"}, // by the rules of the project
			{"GET", "/v1/feedback?format=js&" + url.Values{"token": {token}, "comment": {"It hangs."}}.Encode(), "", "", 200, `honeybadgerFeedbackResponse({"result":"OK"});`},
			{"GET", "/v2/feedback?format=js&" + url.Values{"api_key": {key}, "token": {token}, "comment": {"It hangs."}}.Encode(), "", "", 200, `{"result":"OK"}`}, // again
			{"GET", "/v1/feedback?format=js&" + url.Values{"token": {token}, "comment": {" "}}.Encode(), "", "", 200, `{"error":"The feedback has no text.`},
			{"POST", "/v1/feedback", formType, url.Values{"token": {"</script>"}, "comment": {"x"}}.Encode(), 404, "no event with this id"},
			{"GET", "/v2/feedback?format=js&api_key=wrong&comment=x", "", "", 200, `{"error":`},

			{"POST", envelope, "", "{}\n{\"type\":\"event\"}\n{\"event_id\":\"" + eventID + "\",\"exception\":{\"values\":[{\"type\":\"Crash\",\"value\":\"x\"}]}}", 200, eventID},
			{"POST", envelope, "", "{}\n{\"type\":\"user_report\"}\n{\"event_id\":\"" + eventID + "\",\"name\":\"Olaf\",\"email\":\"o@example.test\",\"comments\":\"From the old call.\"}", 200, "{"},
			{"POST", envelope, "", "{}\n{\"type\":\"feedback\"}\n{\"type\":\"feedback\",\"contexts\":{\"feedback\":{\"message\":\"From the widget.\",\"contact_email\":\"w@example.test\",\"associated_event_id\":\"" + eventID + "\",\"url\":\"https://shop.test/\"}}}", 200, "{"},
			{"POST", envelope, "", "{}\n{\"type\":\"event\"}\n{\"type\":\"feedback\",\"contexts\":{\"feedback\":{\"message\":\"About nothing.\",\"name\":\"Ann\"}}}", 200, "{"},
			{"POST", envelope, "", "{}\n{\"type\":\"feedback\"}\n{\"contexts\":{\"feedback\":{}}}", 200, "{"},
			{"POST", envelope, "", "{\"event_id\":\"" + other + "\"}\n{\"type\":\"user_report\"}\n{\"event_id\":\"" + other + "\",\"comments\":\"Before its event.\"}\n" +
				"{\"type\":\"event\"}\n{\"exception\":{\"values\":[{\"type\":\"Later\",\"value\":\"x\"}]}}", 200, other},
			{"GET", "/api/embed/error-page/?dsn=x&name=</script>", "", "", 200, "showModal"},
			{"POST", "/api/embed/error-page/?" + url.Values{"dsn": {fmt.Sprintf("http://%s@host/%d", key, id)}, "eventId": {eventID}}.Encode(), formType, "name=Dora&email=d%40example.test&comments=From+the+dialog.", 200, "{"},
			{"POST", "/api/embed/error-page/?dsn=nothing", formType, "comments=x", 400, "not a DSN"},
			{"POST", "/api/embed/error-page/?dsn=http://wrong@host/1", formType, "comments=x", 403, ""},
		} {
			if status, _, text := as(t, s, c.method, c.target, c.kind, c.body); status != c.status || !strings.Contains(text, c.says) {
				t.Errorf("%s %s is answered %d %s, want %d and %q", c.method, c.target, status, text, c.status, c.says)
			}
		}
		if _, kind, text := as(t, s, "GET", "/api/embed/error-page/?dsn=x&name=hostile", "", ""); !strings.HasPrefix(kind, "text/javascript") || strings.Contains(text, "hostile") {
			t.Errorf("the dialog is %s, with what the page sent: %v", kind, strings.Contains(text, "hostile"))
		}

		var list struct {
			Results []struct {
				ID            int64
				Klass         string
				Message       string
				CommentsCount int64 `json:"comments_count"`
			}
		}
		faults := fmt.Sprintf("/v2/projects/%d/faults", id)
		s.Get(faults).Want(http.StatusOK).Into(&list)
		got := map[string][]string{}
		for _, f := range list.Results {
			var comments struct {
				Results []struct{ Source, Author, Body string }
			}
			s.Get(fmt.Sprintf("%s/%d/comments", faults, f.ID)).Want(http.StatusOK).Into(&comments)
			got[f.Klass] = []string{}
			for _, c := range comments.Results {
				got[f.Klass] = append(got[f.Klass], c.Source+" "+c.Author+": "+c.Body)
			}
			if f.CommentsCount != int64(len(comments.Results)) {
				t.Errorf("%s counts %d comments of %d", f.Klass, f.CommentsCount, len(comments.Results))
			}
		}
		want := map[string][]string{
			"Boom":          {"user Ines: I paid <b>twice</b>.\npassword=[FILTERED]\n\nines@example.test", "user [FILTERED]: I am [FILTERED].", "user a user: It hangs."},
			"Crash":         {"user Olaf: From the old call.\n\no@example.test", "user w@example.test: From the widget.\n\nhttps://shop.test/", "user Dora: From the dialog.\n\nd@example.test"},
			"Later":         {"user a user: Before its event."},
			"User feedback": {},
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("comments (-want +got):\n%s", diff)
		}
	})
}

// A project takes so much feedback in a minute, and no more.
func TestFloodOfFeedback(t *testing.T) {
	t.Parallel()
	s := setttest.Start(t, "sqlite")
	s.Do("POST", "/v1/notices", `{"error":{"class":"Boom","token":"6f1b5e0a-3c52-4f0e-9d35-0e6f6d0b1a11"}}`).Want(http.StatusCreated)
	send := func(n int) int {
		form := url.Values{"api_key": {s.Setup.APIKey}, "token": {"6f1b5e0a-3c52-4f0e-9d35-0e6f6d0b1a11"}, "comment": {fmt.Sprint("number ", n)}}
		status, _, _ := as(t, s, "POST", "/v1/feedback/", formType, form.Encode())
		return status
	}
	taken := 0
	for n := range 70 {
		if status := send(n); status == http.StatusOK {
			taken++
		} else if status != http.StatusTooManyRequests {
			t.Fatalf("feedback %d is answered %d", n, status)
		}
	}
	if taken != 60 {
		t.Errorf("%d were taken in a minute, want 60", taken)
	}
	for _, body := range []string{"{\"type\":\"feedback\"}\n{\"contexts\":{\"feedback\":{\"message\":\"x\"}}}", "{\"type\":\"user_report\"}\n{\"comments\":\"x\"}"} {
		answer := ofPage(t, s, "POST", fmt.Sprintf("/api/%d/envelope/?sentry_key=%s", s.Setup.ProjectID, s.Setup.APIKey), "{}\n"+body)
		if answer.StatusCode != http.StatusOK {
			t.Errorf("an envelope beyond the limit is answered %d", answer.StatusCode)
		}
		wantLimit(t, body, answer, "feedback")
		wantLimit(t, body, answer, "user_report_v2")
	}
}

// Made-up ids count for no project: strangers cannot turn feedback off. Feedback with the id of an event and without a key counts for its project.
func TestMadeUpFeedbackCountsForNoProject(t *testing.T) {
	t.Parallel()
	s := setttest.Start(t, "sqlite")
	const token = "6f1b5e0a-3c52-4f0e-9d35-0e6f6d0b1a11"
	s.Do("POST", "/v1/notices", `{"error":{"class":"Boom","token":"`+token+`"}}`).Want(http.StatusCreated)
	send := func(token string, n int) int {
		form := url.Values{"token": {token}, "comment": {fmt.Sprint("number ", n)}}
		status, _, _ := as(t, s, "POST", "/v1/feedback/", formType, form.Encode())
		return status
	}
	for n := range 70 {
		if status := send(fmt.Sprintf("6f1b5e0a-3c52-4f0e-9d35-%012d", n), n); status != http.StatusNotFound {
			t.Fatalf("made-up feedback %d is answered %d", n, status)
		}
	}
	taken := 0
	for n := range 70 {
		if send(token, n) == http.StatusOK {
			taken++
		}
	}
	if taken != 60 {
		t.Errorf("%d were taken in a minute, want 60", taken)
	}
}
