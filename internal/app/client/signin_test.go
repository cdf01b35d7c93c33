package client

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
)

// A machine that signs in waits for the answer of a person, and says why there is no token.
func TestASignInThatWaits(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		answers []string // of the server, with 400 unless they have a token
		token   string
		refused bool
	}{
		"allowed at once": {[]string{`{"access_token":"t"}`}, "t", false},
		"allowed later":   {[]string{`{"error":"authorization_pending"}`, `{"access_token":"t"}`}, "t", false},
		"a cut line":      {[]string{`cut`, `{"access_token":"t"}`}, "t", false},
		"not allowed":     {[]string{`{"error":"access_denied"}`}, "", true},
		"too late":        {[]string{`{"error":"expired_token"}`}, "", true},
		"something else":  {[]string{`{"error":"invalid_request","error_description":"It is wrong."}`}, "", false},
		"another server":  {[]string{`<html>`}, "", false},
		"an empty answer": {[]string{`{"access_token":""}`}, "", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			asked := 0
			h := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path == "/oauth/device_authorization" {
					fmt.Fprintf(w, `{"device_code":"d","user_code":"%s","verification_uri_complete":"http://h/"}`, "BC\\u001b[1mDF")
					return
				}
				answer := tt.answers[min(asked, len(tt.answers)-1)]
				if asked++; answer == "cut" {
					panic(http.ErrAbortHandler)
				}
				if answer[2] == 'e' || answer[0] == '<' {
					w.WriteHeader(http.StatusBadRequest)
				}
				fmt.Fprint(w, answer)
			}))
			t.Cleanup(h.Close)
			s := Server{Do: h.Client().Do, Address: h.URL}
			in, err := s.BeginSignIn(t.Context(), "laptop")
			if err != nil || in.Code == "" || in.Code[2] == 0x1b {
				t.Fatalf("%+v, %v", in, err)
			}
			token, err := s.AwaitSignIn(t.Context(), in)
			if _, refused := errors.AsType[NotSignedIn](err); token != tt.token || refused != tt.refused || (err == nil) != (tt.token != "") || asked != len(tt.answers) {
				t.Errorf("token %q, %v after %d questions", token, err, asked)
			}
		})
	}
	h := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(h.Close)
	if _, err := (Server{Do: h.Client().Do, Address: h.URL}).BeginSignIn(t.Context(), "laptop"); !errors.Is(err, ErrNoPage) {
		t.Errorf("a server without the page: %v", err)
	}
}
