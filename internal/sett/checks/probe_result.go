package checks

import (
	"math"
	"time"
)

// ProbeResult is what one look at a site has shown. Its JSON is what agents send to the server.
type ProbeResult struct {
	At          time.Time         `json:"at"`                    // when the check began
	Before      time.Duration     `json:"before_ns,omitempty"`   // of a look that failed before, with the pause after it; 0: this was the first
	Duration    time.Duration     `json:"duration_ns"`           // of all of the look that decided
	Up          bool              `json:"up"`                    // the site is as its match type wants it
	Status      int               `json:"status,omitempty"`      // of HTTP; 0 when there was no response
	Reason      string            `json:"reason,omitempty"`      // why it is not up, for people; "" when it is
	Blocked     bool              `json:"blocked,omitempty"`     // the settings of the location forbid the address: nothing is known of the site
	Headers     map[string]string `json:"headers,omitempty"`     // of the response; names in lower case, repeated ones joined by ", "
	Phases      ProbePhases       `json:"phases"`                // where the time went
	Phase       ProbePhase        `json:"phase,omitempty"`       // in which the time ran out; "" when it did not
	RemoteAddr  string            `json:"remote_addr,omitempty"` // host:port that was connected to; "" when none was
	Body        []byte            `json:"body,omitempty"`        // the beginning of the page, only when it is not up
	Certificate *ProbeCertificate `json:"certificate,omitempty"` // that the site showed; nil when it showed none
}

// ProbePhase is a part of a check.
type ProbePhase string

// The phases, in their order.
const (
	PhaseDNS     ProbePhase = "dns"     // looking the name up
	PhaseConnect ProbePhase = "connect" // making the connection
	PhaseTLS     ProbePhase = "tls"     // agreeing on encryption
	PhaseRequest ProbePhase = "request" // sending the request
	PhaseHeaders ProbePhase = "headers" // waiting for the response and reading its headers
	PhaseBody    ProbePhase = "body"    // reading the page
)

// ProbePhases says how long the parts of a check took; those that it had not, or did not come to, took 0.
type ProbePhases struct {
	DNS       time.Duration `json:"dns_ns"`
	Connect   time.Duration `json:"connect_ns"`
	TLS       time.Duration `json:"tls_ns"`
	FirstByte time.Duration `json:"first_byte_ns"` // from there to the first byte of the response
	Body      time.Duration `json:"body_ns"`       // from there to the last byte that was read
}

// ProbeCertificate is the certificate that a site showed.
type ProbeCertificate struct {
	Fingerprint string    `json:"fingerprint"`         // SHA-256 of the one of its chain that ends first, in hexadecimal
	NotBefore   time.Time `json:"not_before,omitzero"` // of that one; zero: unknown, as from agents up to 0.10
	NotAfter    time.Time `json:"not_after"`
	Subject     string    `json:"subject"` // a distinguished name, as RFC 2253 writes it
	Issuer      string    `json:"issuer"`
	Authority   string    `json:"authority,omitempty"` // the name of the one that ends first; "" when that is the site's own
	Problem     string    `json:"problem,omitempty"`   // why it is not valid, in the words of a reason; "" when it is
}

// lifetime returns for how long the certificate is valid, or longer than any is when that is unknown.
func (c ProbeCertificate) lifetime() time.Duration {
	if c.NotBefore.IsZero() || !c.NotBefore.Before(c.NotAfter) {
		return math.MaxInt64
	}
	return c.NotAfter.Sub(c.NotBefore)
}
