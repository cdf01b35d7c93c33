package idp

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"time"
)

// sighting is what a response says before anything of it is believed.
type sighting struct {
	issued time.Time // of the response; zero if it does not say
	signed bool      // it has a signature, which may be wrong
	// encrypted says that the assertion is encrypted: all refusals of such a response look the same.
	encrypted bool
}

// The namespaces of SAML 2.0.
const (
	protocolSpace  = "urn:oasis:names:tc:SAML:2.0:protocol"
	assertionSpace = "urn:oasis:names:tc:SAML:2.0:assertion"
)

// look reads a response superficially. One with more than one assertion, wherever they are, is refused: no provider sends such, and attacks
// that wrap signatures need them.
func look(text []byte) (s sighting, err error) {
	assertions, first := 0, true
	for decoder := xml.NewDecoder(bytes.NewReader(text)); ; {
		token, err := decoder.Token()
		switch {
		case errors.Is(err, io.EOF):
			if assertions != 1 {
				return s, fmt.Errorf("the response has %d assertions", assertions)
			}
			return s, nil
		case err != nil:
			return s, fmt.Errorf("read response: %w", err)
		}
		switch element := token.(type) {
		case xml.Directive:
			return s, errors.New("the response has a document type")
		case xml.StartElement:
			if first && (element.Name.Space != protocolSpace || element.Name.Local != "Response") {
				return s, fmt.Errorf("a response is expected, not %.40q", element.Name.Local)
			}
			if first {
				s.issued = issuedAt(element)
			}
			first = false
			s.signed = s.signed || element.Name.Local == "Signature"
			s.encrypted = s.encrypted || element.Name.Space == assertionSpace && element.Name.Local == "EncryptedAssertion"
			if element.Name.Space == assertionSpace && (element.Name.Local == "Assertion" || element.Name.Local == "EncryptedAssertion") {
				assertions++
			}
		}
	}
}

func issuedAt(element xml.StartElement) time.Time {
	for _, a := range element.Attr {
		if a.Name.Local == "IssueInstant" {
			at, _ := time.Parse(time.RFC3339Nano, a.Value)
			return at
		}
	}
	return time.Time{}
}
