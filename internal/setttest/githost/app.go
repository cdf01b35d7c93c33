package githost

import (
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"net/http"
	"strings"
	"time"
)

const appID = "4711"

// App makes a GitHub App that is installed for the repository, and returns its id with its private key, as people enter them.
func (s *Server) App() string {
	s.t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	key, err := rsa.GenerateKey(rand.Reader, 1024) // which is fast, and enough for a test
	if err != nil {
		s.t.Fatal(err)
	}
	s.app = key
	return appID + "\n" + string(pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(key)}))
}

// Tokens returns how many tokens the App got.
func (s *Server) Tokens() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.tokens
}

// isOfApp reports whether a request has the newest token of the App.
func (s *Server) isOfApp(r *http.Request) bool {
	return s.tokens > 0 && r.Header.Get("Authorization") == fmt.Sprintf("Bearer app-token-%d", s.tokens)
}

// signs reports whether a request has a text that the App signed.
func (s *Server) signs(r *http.Request) bool {
	text, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	end := strings.LastIndexByte(text, '.')
	if s.app == nil || end < 0 {
		return false
	}
	signature, err := base64.RawURLEncoding.DecodeString(text[end+1:])
	sum := sha256.Sum256([]byte(text[:end]))
	if err != nil || rsa.VerifyPKCS1v15(&s.app.PublicKey, crypto.SHA256, sum[:], signature) != nil {
		return false
	}
	_, claims, _ := strings.Cut(text[:end], ".")
	said, err := base64.RawURLEncoding.DecodeString(claims)
	var c struct {
		Iss      string
		Iat, Exp int64
	}
	return err == nil && json.Unmarshal(said, &c) == nil && c.Iss == appID && c.Exp-c.Iat <= 600
}

// routesOfApp adds those at which an App asks for a token. They take no other.
func (s *Server) routesOfApp(at string) {
	s.mux.HandleFunc("GET "+at+"/installation", func(w http.ResponseWriter, r *http.Request) {
		if !s.signs(r) {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		fmt.Fprint(w, `{"id":5}`)
	})
	s.mux.HandleFunc("POST /api/v3/app/installations/5/access_tokens", func(w http.ResponseWriter, r *http.Request) {
		if of := bodyOf[struct{ Repositories []string }](r).Repositories; !s.signs(r) || len(of) != 1 || of[0] != "shop" {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		s.tokens++
		w.WriteHeader(http.StatusCreated)
		fmt.Fprintf(w, `{"token":"app-token-%d","expires_at":%q}`, s.tokens, s.now.Add(time.Hour).Format(time.RFC3339))
	})
}
