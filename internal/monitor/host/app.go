package host

import (
	"context"
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
	"regexp"
	"strings"
	"sync"
	"time"
)

// app is a GitHub App that is installed for a repository. It signs a text with its key, and gets a token for it that lasts an hour
// (docs.github.com/apps, authenticating as a GitHub App installation).
type app struct {
	api
	id   string
	key  *rsa.PrivateKey
	root string // address of the API

	mu    sync.Mutex
	token string
	until time.Time
}

var idOfApp = regexp.MustCompile(`^[A-Za-z0-9._-]{1,100}$`)

// newApp reads the id of an App and the private key behind it.
func newApp(a api, token string) (*app, error) {
	start := strings.Index(token, "-----BEGIN")
	one := &app{api: a, id: strings.Trim(token[:start], " \r\n\t:"), root: a.base[:strings.LastIndex(a.base, "/repos/")]}
	if !idOfApp.MatchString(one.id) {
		return nil, &Error{Kind: Refused, text: "Enter the ID of the GitHub App, and behind it its private key, as the file with it says."}
	}
	wrong := &Error{Kind: Refused, text: "The private key of the GitHub App cannot be read. Enter the whole text of its file, from BEGIN to END."}
	block, _ := pem.Decode([]byte(token[start:]))
	if block == nil {
		return nil, wrong
	}
	if key, err := x509.ParsePKCS1PrivateKey(block.Bytes); err == nil {
		one.key = key
		return one, nil
	}
	key, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if one.key, _ = key.(*rsa.PrivateKey); err != nil || one.key == nil {
		return nil, wrong
	}
	return one, nil
}

// bearer returns a token that is valid for at least some minutes.
func (a *app) bearer(ctx context.Context) (string, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.token != "" && a.now().Add(5*time.Minute).Before(a.until) {
		return a.token, nil
	}
	signed, err := a.signed()
	if err != nil {
		return "", err
	}
	header := http.Header{"Authorization": {"Bearer " + signed}}
	var installed struct{ ID int64 }
	if _, err := a.read(ctx, ask{path: "/installation", header: header}, &installed); err != nil {
		return "", a.refused(err)
	}
	_, name, _ := strings.Cut(a.label, "/")
	var got struct {
		Token string
		Until time.Time `json:"expires_at"`
	}
	in := map[string][]string{"repositories": {name}}
	path := fmt.Sprintf("%s/app/installations/%d/access_tokens", a.root, installed.ID)
	if _, err := a.read(ctx, ask{method: http.MethodPost, path: path, header: header, in: in}, &got); err != nil {
		return "", a.refused(err)
	}
	if got.Token == "" {
		return "", a.strange("no token")
	}
	a.token, a.until = got.Token, got.Until
	return a.token, nil
}

// refused says what people can do when GitHub does not know the App, or the App not the repository.
func (a *app) refused(err error) error {
	if KindOf(err) != Refused {
		return err
	}
	const text = "GitHub does not accept the key of the App, or the App is not installed for %s. Check its ID and key, and install it for the repository."
	return &Error{Kind: Refused, text: fmt.Sprintf(text, a.label)}
}

// signed is a JSON Web Token of the App, for ten minutes at most.
func (a *app) signed() (string, error) {
	now := a.now()
	claims, err := json.Marshal(map[string]any{"iss": a.id, "iat": now.Add(-time.Minute).Unix(), "exp": now.Add(8 * time.Minute).Unix()})
	if err != nil {
		return "", fmt.Errorf("encode claims of an App: %w", err)
	}
	encode := base64.RawURLEncoding.EncodeToString
	text := encode([]byte(`{"alg":"RS256","typ":"JWT"}`)) + "." + encode(claims)
	sum := sha256.Sum256([]byte(text))
	signature, err := rsa.SignPKCS1v15(rand.Reader, a.key, crypto.SHA256, sum[:])
	if err != nil {
		return "", &Error{Kind: Refused, text: "The private key of the GitHub App cannot sign. Create a new one, and enter it."}
	}
	return text + "." + encode(signature), nil
}
