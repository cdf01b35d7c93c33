// Package forward decides what a project that moves to sett passes on to the service that it moves from. An address and a key go in, and so
// does each report as a client has sent it; out come the target and the request for it, or the reason why there is none. Nothing is sent
// here, and nothing is kept.
package forward

import (
	"net/url"
	"strconv"
	"strings"
	"time"

	"sett/internal/sett"
)

// Service is a protocol that reports are forwarded in: the one that they came in.
type Service string

// The services. Whatever speaks their protocols can be a target.
const (
	Sentry      Service = "sentry"
	Honeybadger Service = "honeybadger"
)

// Target is where the reports of a project go on to.
type Target struct {
	Service Service
	Base    string // scheme, host and the path before the paths of the protocol; no trailing slash
	Project string // of Sentry
	Key     string
}

// HoneybadgerAddress is where reports go if a key is given without an address.
const HoneybadgerAddress = "https://api.honeybadger.io"

// The bounds of what users enter, in characters.
const (
	mostAddress = 500
	mostKey     = 128
)

// How many days reports are forwarded: by default, and at most.
const (
	DefaultDays = 30
	MostDays    = 90
)

// ForwardingChange is what a user says of forwarding. It replaces what was said before.
type ForwardingChange struct {
	Address sett.Optional[string] `json:"address,omitzero" doc:"DSN of the project at Sentry or a service that speaks its protocol, or the address of Honeybadger's intake API. Without it, Honeybadger's own." example:"https://examplePublicKey@o0.ingest.sentry.io/42"`
	Key     sett.Optional[string] `json:"key,omitzero" doc:"API key of the project at Honeybadger. A DSN has its key in it." example:"hbp_0123456789"`
	Days    sett.Optional[int64]  `json:"days,omitzero" doc:"Days until it ends by itself. Default 30." range:"1,90" example:"30"`
}

// Read returns the target of a change and when it ends, or an Invalid error that names what is wrong.
func (c ForwardingChange) Read(now time.Time) (t Target, end time.Time, err error) {
	var p sett.Problems
	var address, key string
	var days int64 = DefaultDays
	sett.SetField(&p, "address", c.Address, &address, "")
	sett.SetField(&p, "key", c.Key, &key, "")
	sett.SetField(&p, "days", c.Days, &days, DefaultDays)
	if days < 1 || days > MostDays {
		p.Add("days", "must be between 1 and %d", MostDays)
	}
	t = parse(&p, strings.TrimSpace(address), strings.TrimSpace(key))
	return t, now.AddDate(0, 0, int(days)), p.Refusal()
}

// parse reads what users copy from the settings of the other service.
func parse(p *sett.Problems, address, key string) (t Target) {
	if address == "" && key == "" {
		p.Add("address", "is missing: enter the DSN of the project at the other service, or the key of the project at Honeybadger")
		return t
	}
	if address == "" {
		address = HoneybadgerAddress
	}
	u, err := url.Parse(address)
	switch {
	case len(address) > mostAddress:
		p.Add("address", "can have at most %d characters", mostAddress)
		return t
	case err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Hostname() == "":
		p.Add("address", "must be a URL, such as https://KEY@o0.ingest.sentry.io/42 or %s", HoneybadgerAddress)
		return t
	}
	t.Service, t.Key = Honeybadger, key
	path := strings.Trim(u.Path, "/")
	if u.User != nil {
		path = t.readDSN(p, u.User.Username(), path, key)
	}
	if u.Path = ""; path != "" {
		u.Path = "/" + strings.TrimSuffix(path, "/")
	}
	u.User, u.RawPath, u.RawQuery, u.Fragment = nil, "", "", ""
	t.Base = u.String()
	switch {
	case t.Key == "":
		p.Add("key", "is missing: an address without a key in it, as in a DSN, needs the API key of the project there")
	case len(t.Key) > mostKey || strings.ContainsFunc(t.Key, func(c rune) bool { return c <= ' ' || c > '~' }):
		p.Add("key", "must be the API key of the project at the other service")
	}
	return t
}

// readDSN reads the key and the path of a DSN, and returns the path before the project.
func (t *Target) readDSN(p *sett.Problems, user, path, key string) (prefix string) {
	t.Service, t.Key = Sentry, user
	if key != "" {
		p.Add("key", "must be left out for a DSN, which has its own")
	}
	if i := strings.LastIndexByte(path, '/'); i >= 0 {
		prefix, path = path[:i], path[i+1:]
	}
	if _, err := strconv.ParseUint(path, 10, 63); err != nil {
		p.Add("address", "must end in the number of the project, as in the DSN that the other service shows")
	}
	t.Project = path
	return prefix
}

// Text returns the target as it is stored, with its key: as a DSN if the service is Sentry, and as an address of that form without a
// project otherwise.
func (t Target) Text() string {
	u, err := url.Parse(t.Base)
	if err != nil {
		return ""
	}
	u.User = url.User(t.Key)
	if t.Service == Sentry {
		u.Path += "/" + t.Project
	}
	return string(t.Service) + " " + u.String()
}

// Stored returns the target of a text of Text; the zero value if it is none.
func Stored(text string) (t Target) {
	service, address, _ := strings.Cut(text, " ")
	u, err := url.Parse(address)
	if err != nil || u.User == nil {
		return Target{}
	}
	t.Service, t.Key = Service(service), u.User.Username()
	if t.Service == Sentry {
		i := strings.LastIndexByte(u.Path, '/')
		u.Path, t.Project = u.Path[:max(i, 0)], u.Path[i+1:]
	}
	u.User = nil
	t.Base = u.String()
	return t
}

// Shown returns the address as users see it, without the key.
func (t Target) Shown() string {
	if t.Service == Sentry {
		return t.Base + "/" + t.Project
	}
	return t.Base
}

// Name is what the service is called.
func (t Target) Name() string {
	if t.Service == Sentry {
		return "Sentry"
	}
	return "Honeybadger"
}
