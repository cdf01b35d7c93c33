package checks

import (
	"net/url"
	"strings"

	"sett/internal/sett"
)

// SiteAuthor is who changes a site, as far as that matters to its settings. The zero SiteAuthor is sett itself.
type SiteAuthor struct {
	Blind    bool   // they see neither the values of secret headers nor the request body
	Identity string // header in which a proxy in front of sett names users; "" for none
}

// By returns the change as one that an author makes.
func (c SiteChange) By(author SiteAuthor) SiteChange {
	c.author = author
	return c
}

// Shown returns the settings as users see them who do not edit them: without the user, password and secret parameters of
// the address. Unless values is true, also without the values of secret headers and without the request body.
func (s SiteSettings) Shown(values bool) SiteSettings {
	s.URL = ShownAddress(s.URL)
	return s.Editable(SiteAuthor{Blind: !values})
}

// Editable returns the settings as a form shows them to an author.
func (s SiteSettings) Editable(author SiteAuthor) SiteSettings {
	if author.Blind {
		s.Headers = maskedHeaders(s.Headers)
		if s.Body != "" {
			s.Body = SecretMask
		}
	}
	return s
}

func maskedHeaders(headers []ProbeHeader) (masked []ProbeHeader) {
	for _, h := range headers {
		if IsSecretHeader(h.Key) {
			h.Value = SecretMask
		}
		masked = append(masked, h)
	}
	return masked
}

// unmask puts back what was sent masked, as it was in the settings old.
func (c SiteChange) unmask(p *sett.Problems, s *SiteSettings, old SiteSettings) {
	switch {
	case s.URL == ShownAddress(old.URL):
		s.URL = old.URL
	case c.URL.Sent && ShownAddress(s.URL) == s.URL && strings.Contains(s.URL, SecretMask):
		p.Add("url", "has %s in place of a secret that is not shown; write the user, password or parameter itself", SecretMask)
	}
	headers, body := c.unmaskHeaders(p, s, old), c.unmaskBody(p, s, old)
	if !c.author.Blind || originOf(s.URL) == originOf(old.URL) {
		return
	}
	if headers {
		p.Add("request_headers", "have secrets that you cannot see and that are for %s; write their values again, or remove them, to check another host", originOf(old.URL))
	}
	if body {
		p.Add("request_body", "is one that you cannot see and that is for %s; write it again, or remove it, to check another host", originOf(old.URL))
	}
}

// unmaskBody does so for the request body, and reports whether one stays that its author may not know.
func (c SiteChange) unmaskBody(p *sett.Problems, s *SiteSettings, old SiteSettings) (kept bool) {
	masked := c.RequestBody.Sent && s.Body == SecretMask
	if masked {
		if s.Body = old.Body; s.Body == "" {
			p.Add("request_body", "is %s, and none is kept; write the body", SecretMask)
		}
	}
	return (masked || !c.RequestBody.Sent) && s.Body != ""
}

// unmaskHeaders does so for headers, and reports whether a secret stays that its author may not know.
func (c SiteChange) unmaskHeaders(p *sett.Problems, s *SiteSettings, old SiteSettings) (kept bool) {
	headers, used := make([]ProbeHeader, 0, len(s.Headers)), make([]bool, len(old.Headers))
	for _, h := range s.Headers {
		secret := IsSecretHeader(h.Key)
		kept = kept || secret && (!c.RequestHeaders.Sent || h.Value == SecretMask)
		if secret && c.RequestHeaders.Sent && h.Value == SecretMask && !restore(&h, old.Headers, used) {
			p.Add("request_headers", "have %s in place of the value of %s, and none is kept; write the value", SecretMask, h.Key)
		}
		headers = append(headers, h)
	}
	if len(headers) > 0 {
		s.Headers = headers
	}
	return kept
}

// restore gives a header the value that one of its name had which was not used yet.
func restore(h *ProbeHeader, old []ProbeHeader, used []bool) bool {
	for i, before := range old {
		if !used[i] && strings.EqualFold(before.Key, h.Key) {
			h.Value, used[i] = before.Value, true
			return true
		}
	}
	return false
}

// originOf is where the secrets of a check are sent.
func originOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return strings.ToLower(u.Scheme + "://" + u.Host)
}

// checkReserved refuses headers that say who a request is from. Those that a site already has stay until they are changed.
func (c SiteChange) checkReserved(p *sett.Problems, s SiteSettings) {
	if !c.RequestHeaders.Sent {
		return
	}
	for _, h := range s.Headers {
		if isReservedHeader(h.Key, c.author.Identity) {
			p.Add("request_headers", "must not have %s: proxies say with it who a request is from", h.Key)
		}
	}
}
