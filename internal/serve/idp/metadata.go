package idp

import (
	"context"
	"encoding/xml"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/crewjam/saml"

	"sett/internal/sett"
	"sett/internal/sett/directory"
)

// When the metadata of a provider is read again: once a day, and when a signature is wrong, at most once a minute.
const (
	rereadAfter = 24 * time.Hour
	rereadWrong = time.Minute
)

// longestMetadata bounds a document, in bytes. That of Entra ID has 20 KB.
const longestMetadata = 512 << 10

// ParseMetadata reads the document of an identity provider. An Invalid error says what is wrong with it.
func ParseMetadata(text string) (*saml.EntityDescriptor, error) {
	invalid := func(format string, args ...any) error { return sett.Refuse("metadata", format, args...) }
	if len(text) > longestMetadata {
		return nil, invalid("is longer than %d KB; use the metadata of one application", longestMetadata>>10)
	}
	var found saml.EntityDescriptor
	if err := xml.Unmarshal([]byte(text), &found); err != nil {
		return nil, fmt.Errorf("%w: %w", invalid("is not the SAML metadata of an identity provider: an XML document that begins with EntityDescriptor"), err)
	}
	if found.EntityID == "" || len(found.IDPSSODescriptors) == 0 {
		return nil, invalid("has no IDPSSODescriptor with an entity ID: take the metadata of the identity provider, not that of sett")
	}
	sp := saml.ServiceProvider{IDPMetadata: &found}
	location := sp.GetSSOBindingLocation(saml.HTTPRedirectBinding)
	if u, err := url.Parse(location); err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" {
		return nil, invalid("has no address to sign in with the binding HTTP-Redirect")
	}
	for _, d := range found.IDPSSODescriptors {
		for _, key := range d.KeyDescriptors {
			if (key.Use == "" || key.Use == "signing") && len(key.KeyInfo.X509Data.X509Certificates) > 0 {
				return &found, nil
			}
		}
	}
	return nil, invalid("has no certificate with which responses are signed")
}

// CheckURL returns an Invalid error for a text that is no address of metadata.
func CheckURL(text string) error {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Hostname() == "" || u.User != nil || u.Fragment != "" {
		return sett.Refuse("metadata_url", "must be an address such as https://id.example.org/metadata")
	}
	return nil
}

// fetchLasts is how long a provider may take to send its metadata.
const fetchLasts = 10 * time.Second

// Fetch reads the metadata of a provider at an address. Its error is Invalid, and says why the document cannot be used.
func (d *Desk) Fetch(ctx context.Context, address string) (text string, err error) {
	if err := CheckURL(address); err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(ctx, fetchLasts)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return "", fmt.Errorf("make request: %w", err)
	}
	answer, err := d.Do(r)
	if err != nil {
		return "", fmt.Errorf("%w: %w", sett.Refuse("metadata_url", "cannot be read: the connection failed. Check the address, or paste the document"), err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(io.LimitReader(answer.Body, longestMetadata+1))
	switch {
	case err != nil:
		return "", fmt.Errorf("%w: %w", sett.Refuse("metadata_url", "cannot be read: the connection broke. Try again, or paste the document"), err)
	case answer.StatusCode != http.StatusOK:
		return "", sett.Refuse("metadata_url", "cannot be read: the answer is %d. Check the address, or paste the document", answer.StatusCode)
	}
	text = strings.ToValidUTF8(string(body), "")
	_, err = ParseMetadata(text)
	return text, err
}

// reread reads the metadata of an account's provider again, and stores it. A document of another provider is not taken: only an owner may
// change which one it is.
func (d *Desk) reread(ctx context.Context, s directory.Settings) (*saml.EntityDescriptor, error) {
	now := d.Now()
	text, err := d.Fetch(ctx, s.MetadataURL)
	var found *saml.EntityDescriptor
	if err == nil {
		found, err = ParseMetadata(text)
	}
	if before, failed := ParseMetadata(s.Metadata); err == nil && failed == nil && before.EntityID != found.EntityID {
		err = sett.Refuse("metadata_url", "now has the metadata of another identity provider, %q. Save it on this page if that is right", found.EntityID)
	}
	stored := d.Accounts.ChangeDirectory(ctx, s.AccountID, func(is *directory.Settings) error {
		if is.MetadataURL != s.MetadataURL {
			return nil
		}
		is.ReadAt, is.Problem = now, ""
		if err != nil {
			is.Problem = err.Error()
			if e := sett.ProblemsOf(err); len(e) > 0 {
				is.Problem = e.Refusal().Error()
			}
			return nil
		}
		is.Metadata = text
		return nil
	})
	if err == nil {
		err = stored
	}
	return found, err
}
