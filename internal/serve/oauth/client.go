package oauth

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"
)

// Client is a program that asks for a token.
type Client struct {
	ID        string
	Name      string // as it calls itself
	Host      string // where its description was read, which proves who it is; "" for a registered one, which proves nothing
	Redirects []string
}

// Registration is what a program says of itself to be registered (RFC 7591), and its description at a client ID (a client ID metadata document).
type Registration struct {
	ClientID  string   `json:"client_id,omitempty"`
	Name      string   `json:"client_name,omitempty"`
	Redirects []string `json:"redirect_uris"`
	Auth      string   `json:"token_endpoint_auth_method,omitempty"`
	Grants    []string `json:"grant_types,omitempty"`
	Responses []string `json:"response_types,omitempty"`
	Self      string   `json:"registration_client_uri,omitempty"`
}

// The bounds of what a program says of itself, in characters.
const (
	longestName     = 80
	longestRedirect = 500
	mostRedirects   = 10
	longestID       = 2000
	longestDocument = 16 << 10
)

// registered is how the IDs of registered programs begin. The rest is the registration itself: it is stored by who has it, so that no flood of
// registrations fills the database, and there is nothing in it that is secret or trusted.
const registered = "registered."

// Register returns the client of a registration. The error names what is wrong with it.
func Register(r Registration) (Client, error) {
	r.Name = cleanName(r.Name)
	if err := checkRedirects(r.Redirects); err != nil {
		return Client{}, err
	}
	if r.Auth != "" && r.Auth != "none" && r.Auth != "client_secret_post" && r.Auth != "client_secret_basic" {
		return Client{}, refuse(invalidMetadata, "token_endpoint_auth_method must be none: programs have no secret here, and use PKCE")
	}
	text, err := json.Marshal(Registration{Name: r.Name, Redirects: r.Redirects})
	if err != nil {
		return Client{}, fmt.Errorf("write registration: %w", err)
	}
	id := registered + base64.RawURLEncoding.EncodeToString(text)
	if len(id) > longestID {
		return Client{}, refuse(invalidMetadata, "client_name and redirect_uris are too long; register fewer or shorter ones")
	}
	return Client{ID: id, Name: r.Name, Redirects: r.Redirects}, nil
}

// cleanName returns what a program calls itself without what could fool a reader, and cut.
func cleanName(name string) string {
	name = strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return -1
		}
		return r
	}, name)
	if runes := []rune(strings.TrimSpace(name)); len(runes) > longestName {
		return string(runes[:longestName])
	}
	if name = strings.TrimSpace(name); name != "" {
		return name
	}
	return "A program without a name"
}

func checkRedirects(all []string) error {
	if len(all) == 0 || len(all) > mostRedirects {
		return refuse(invalidRedirect, "redirect_uris must have 1 to %d addresses", mostRedirects)
	}
	for _, address := range all {
		if why := unfit(address); why != "" {
			return refuse(invalidRedirect, "redirect_uris has %.100q, which %s", address, why)
		}
	}
	return nil
}

// privateScheme is one that a program has registered with the system, such as cursor or com.example.app.
var privateScheme = regexp.MustCompile(`^[a-z][a-z0-9+.-]{1,60}$`)

// unsafeSchemes run or show what follows them, or lead to another protocol of the browser.
var unsafeSchemes = []string{"javascript", "data", "file", "vbscript", "blob", "about", "view-source", "filesystem", "ftp", "ws", "wss", "mailto", "tel", "sms", "intent"}

// unfit returns why a code may not be sent to an address; "" if it may.
func unfit(address string) string {
	u, err := url.Parse(address)
	switch {
	case err != nil || len(address) > longestRedirect || strings.ContainsFunc(address, func(r rune) bool { return r <= ' ' || r == 0x7f || r == '\\' }):
		return "is not an address"
	case strings.Contains(address, "#"):
		return "has a fragment; leave out # and what follows"
	case u.User != nil:
		return "has a user; leave it out"
	case u.Scheme == "https" && u.Hostname() != "":
		return ""
	case u.Scheme == "http" && loopback(u):
		return ""
	case u.Scheme == "http", u.Scheme == "https":
		return "must begin with https:// and a host; http:// is for 127.0.0.1, [::1] and localhost"
	case !privateScheme.MatchString(u.Scheme) || slices.Contains(unsafeSchemes, u.Scheme):
		return "has a scheme that is not allowed"
	}
	return ""
}

func loopback(u *url.URL) bool {
	host := u.Hostname()
	address, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && address.IsLoopback()
}

// mayReturn reports whether a code may be sent to an address: to one that the client has registered, as it was written. On this machine any port
// is right, as programs take one that is free (RFC 8252, section 7.3).
func (c Client) mayReturn(address string) bool {
	return unfit(address) == "" && slices.ContainsFunc(c.Redirects, func(known string) bool {
		return known == address || withoutPort(known) != "" && withoutPort(known) == withoutPort(address)
	})
}

// withoutPort returns an address on this machine without its port; "" for any other address.
func withoutPort(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" || !loopback(u) {
		return ""
	}
	u.Host = strings.TrimSuffix(u.Host, ":"+u.Port())
	if u.Path == "" {
		u.Path = "/"
	}
	return u.String()
}

// knownClient returns a client that was registered, of its ID.
func knownClient(id string) (Client, error) {
	var r Registration
	rest, ok := strings.CutPrefix(id, registered)
	text, err := base64.RawURLEncoding.DecodeString(rest)
	if ok && err == nil && len(id) <= longestID && json.Unmarshal(text, &r) == nil {
		if c, err := Register(r); err == nil {
			c.ID = id
			return c, nil
		}
	}
	return Client{}, refuse(invalidClient, "client_id is not one that this server has given; register again")
}

// client returns the client with an ID. An ID that is an address is where the client describes itself.
func (d *Desk) client(ctx context.Context, id string) (Client, error) {
	if strings.HasPrefix(id, registered) {
		return knownClient(id)
	}
	u, err := url.Parse(id)
	if err != nil || u.Scheme != "https" || u.Host == "" || u.Path == "" || u.Path == "/" || u.User != nil || u.Fragment != "" || len(id) > longestRedirect {
		return Client{}, refuse(invalidClient, "client_id must be one that this server has given, or an https address with a path where the program describes itself")
	}
	return d.described(ctx, id, u.Host)
}

// described reads the description of a client at its ID.
func (d *Desk) described(ctx context.Context, id, host string) (Client, error) {
	var r Registration
	err := d.fetch(ctx, id, &r)
	if errors.Is(err, errUnreachable) {
		d.unreachable.Store(d.Now().UnixNano())
		return Client{}, refuse(HostUnreachable, "sett cannot reach %.200s, where this program describes itself", host)
	}
	if err != nil {
		return Client{}, refuse(invalidClient, "the program's description at %.200s cannot be read: %v", id, err)
	}
	if r.ClientID != id {
		return Client{}, refuse(invalidClient, "the program's description at %.200s is that of another client_id", id)
	}
	if err := checkRedirects(r.Redirects); err != nil {
		return Client{}, err
	}
	return Client{ID: id, Name: cleanName(r.Name), Host: host, Redirects: r.Redirects}, nil
}

// errUnreachable is that the host of a description does not answer, or may not be asked.
var errUnreachable = errors.New("no answer")

// HostUnreachable is the code of a refusal because the host of a description does not answer: it may be that this server reaches no host.
const HostUnreachable = "temporarily_unavailable"

// documentsRest is for how long programs are asked to register, and not to describe themselves, after a description could not be read.
const documentsRest = time.Hour

// readsDocuments reports whether this server can read what programs say of themselves at an address, as far as it knows.
func (d *Desk) readsDocuments() bool {
	return d.Now().Sub(time.Unix(0, d.unreachable.Load())) > documentsRest
}

func (d *Desk) fetch(ctx context.Context, address string, into any) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return errors.New("it is not an address")
	}
	request.Header.Set("Accept", "application/json")
	response, err := d.Do(request)
	if err != nil {
		return errUnreachable
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("the answer has status %d", response.StatusCode)
	}
	text, err := io.ReadAll(io.LimitReader(response.Body, longestDocument+1))
	switch {
	case err != nil:
		return errors.New("the answer was cut off")
	case len(text) > longestDocument:
		return fmt.Errorf("it is longer than %d bytes", longestDocument)
	case json.Unmarshal(text, into) != nil:
		return errors.New("it is not JSON of that form")
	}
	return nil
}
