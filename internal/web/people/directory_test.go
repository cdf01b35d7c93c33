package people_test

import (
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"

	"sett/internal/app"
	"sett/internal/setttest/nameserver"
)

// metadata is that of an identity provider, with the certificate of no one.
const metadata = `<EntityDescriptor xmlns="urn:oasis:names:tc:SAML:2.0:metadata" entityID="https://id.example.test/idp">
<IDPSSODescriptor protocolSupportEnumeration="urn:oasis:names:tc:SAML:2.0:protocol"><KeyDescriptor use="signing"><KeyInfo xmlns="http://www.w3.org/2000/09/xmldsig#">
<X509Data><X509Certificate>MIIB</X509Certificate></X509Data></KeyInfo></KeyDescriptor>
<SingleSignOnService Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect" Location="https://id.example.test/sso"/></IDPSSODescriptor></EntityDescriptor>`

// An owner verifies a domain, lets a directory in, maps a group and sets the identity provider.
func TestDirectoryStory(t *testing.T) {
	t.Parallel()
	var record atomic.Value
	record.Store("")
	dns := nameserver.Listen(t, func(name string) nameserver.Answer {
		if text := record.Load().(string); strings.TrimSuffix(name, ".") == "_sett.acme.test" && text != "" {
			return nameserver.Answer{TXT: []string{"v=other", text}}
		}
		return nameserver.Answer{}
	})
	h := open(t, func(c *app.Config) { c.Resolver = dns })
	page := h.root + "/directory"
	h.admin.Get(page).Want(http.StatusForbidden)
	h.member.Post(page+"/token", "password", password).Want(http.StatusForbidden)
	h.owner.Get(page).Want(http.StatusOK, h.App.BaseURL()+"/scim/v2", "/auth/saml/"+h.Setup.AccountID+"/acs").Lacks("Require single sign-on").CheckPage()

	h.owner.Post(page+"/domains", "domain", "127.0.0.1").Want(http.StatusUnprocessableEntity, "must be a domain of email addresses")
	h.owner.Post(page+"/domains", "domain", "@Acme.test").Leads(page + "?done=domain_added")
	proof := regexp.MustCompile(`sett-verification=\w+`).FindString(h.owner.Get(page).Want(http.StatusOK, "_sett.acme.test", "not verified").Body)
	h.owner.Post(page+"/domains/acme.test/verify").Want(http.StatusUnprocessableEntity, "has no TXT record with this text yet")
	record.Store(proof)
	h.owner.Post(page + "/domains/acme.test/verify").Leads(page + "?done=domain_verified")

	h.owner.Post(page+"/token", "password", "wrong").Want(http.StatusUnprocessableEntity).Lacks("sett_d_")
	made := h.owner.Post(page+"/token", "password", password).Want(http.StatusOK, "it will not be shown again")
	token := regexp.MustCompile(`sett_d_\w+`).FindString(made.Body)
	h.owner.Get(page).Lacks(token)
	group := h.scim(token, "POST", "/Groups", `{"schemas":["urn:ietf:params:scim:schemas:core:2.0:Group"],"displayName":"Ops"}`, http.StatusCreated)
	id := regexp.MustCompile(`"id":"([^"]+)"`).FindStringSubmatch(group)[1]
	h.scim(token, "POST", "/Users", `{"schemas":["urn:ietf:params:scim:schemas:core:2.0:User"],"userName":"zoe@acme.test"}`, http.StatusCreated)
	h.owner.Post(page+"/groups/"+id, "role", "Emperor").Want(http.StatusUnprocessableEntity)
	h.owner.Post(page+"/groups/"+id, "role", "Admin", "team_id", "").Leads(page + "?done=saved")
	h.owner.Post(page+"/rules", "default_role", "Owner").Want(http.StatusUnprocessableEntity, "must be Member, Billing or Admin")
	h.owner.Post(page+"/rules", "default_role", "Billing", "just_in_time", "true").Leads(page + "?done=saved")
	h.owner.Get(page).Want(http.StatusOK, "Ops", "checked").CheckPage()
	h.owner.Get(h.root+"/audit").Want(http.StatusOK, "<b>The directory</b> added zoe@acme.test to the directory", "mapped the group Ops")

	h.owner.Post(page+"/required", "password", password, "required", "true").Want(http.StatusUnprocessableEntity, "needs an identity provider")
	h.owner.Post(page+"/saml", "password", password, "metadata", "<a/>").Want(http.StatusUnprocessableEntity, "is not the SAML metadata")
	h.owner.Post(page+"/saml", "metadata", metadata).Want(http.StatusUnprocessableEntity)
	h.owner.Post(page+"/saml", "password", password, "metadata", metadata).Leads(page + "?done=saml_saved")
	h.owner.Get(page).Want(http.StatusOK, "https://id.example.test/idp", "Turn off SAML", "Require single sign-on").CheckPage()
	h.owner.Post(page+"/required", "required", "true").Want(http.StatusUnprocessableEntity)
	h.owner.Post(page+"/required", "password", password, "required", "true").Leads(page + "?done=saved")
	h.owner.Get(h.root+"/audit").Want(http.StatusOK, "changed whether single sign-on is required", `{&#34;required&#34;:true}`)
	const on = `name="required" type="checkbox" value="true" checked`
	h.owner.Get(page).Want(http.StatusOK, on)
	h.owner.Post(page+"/rules", "default_role", "Billing").Leads(page + "?done=saved")
	h.owner.Get(page).Want(http.StatusOK, on)
	h.owner.Post(page + "/saml/off").Leads(page + "?done=saml_dropped")
	h.owner.Get(page).Want(http.StatusOK).Lacks(on)
	provider := httptest.NewServer(http.NotFoundHandler())
	defer provider.Close()
	h.owner.Post(page+"/saml", "password", password, "metadata_url", provider.URL).Want(http.StatusUnprocessableEntity, "cannot be read")

	h.owner.Post(page + "/token/revoke").Leads(page + "?done=token_revoked")
	h.scim(token, "GET", "/Users", "", http.StatusUnauthorized)
	h.owner.Post(page + "/domains/acme.test/remove").Leads(page + "?done=domain_removed")
}

// scim asks as a directory, and returns the body of the answer.
func (h *house) scim(token, method, path, body string, status int) string {
	h.t.Helper()
	r, err := http.NewRequestWithContext(h.t.Context(), method, h.App.BaseURL()+"/scim/v2"+path, strings.NewReader(body))
	if err != nil {
		h.t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+token)
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		h.t.Fatal(err)
	}
	defer answer.Body.Close()
	var text strings.Builder
	if err := answer.Write(&text); err != nil || answer.StatusCode != status {
		h.t.Fatalf("%s %s: %v %s", method, path, err, text.String())
	}
	return text.String()
}
