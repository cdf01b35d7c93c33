package statusadmin_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"strings"
	"testing"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/checks"
	"sett/internal/sett/status"
	"sett/internal/setttest/markup"
)

// packed is how many bytes a page takes over the wire.
func packed(t *testing.T, body string) int {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write([]byte(body)); err != nil || z.Close() != nil {
		t.Fatal(err)
	}
	return b.Len()
}

// A status page that shows as much as one may, of an account that has five times as much, can be looked at and edited:
// what its screens cost is within bounds.
func TestThePageWithAllThatOneMayShow(t *testing.T) {
	t.Parallel()
	v := newScene(t)
	var shown []status.StatusSiteChange
	var form []string
	for i := range 500 {
		site, err := v.s.App.Store().Uptime.CreateSite(t.Context(), v.s.Clock.Now(), v.s.Setup.ProjectID, checks.SiteChange{
			Name: sett.Some(fmt.Sprintf("Component number %d of very many", i)), URL: sett.Some(fmt.Sprintf("https://n%d.example.org/", i)), Active: sett.Some(false),
		})
		if err != nil {
			t.Fatal(err)
		}
		if len(shown) < 100 {
			said := status.StatusEntry{Description: sett.Some("This is one of very many components that a page has")}
			shown = append(shown, status.StatusSiteChange{SiteID: sett.Some(site.ID.String()), StatusEntry: said})
		}
		form = append(form, "component", "site:"+site.ID.String(), "display_name", "", "description", "")
	}
	v.Post(v.base+"/components", form...).Want(422, "too many (maximum is 100").CheckPage()
	v.s.Put("/v2"+v.base, statusBody(shown)).Want(204)
	v.s.Clock.Push(time.Minute)
	for path, most := range map[string]struct{ bytes, packed, nodes int }{
		v.base:                    {200 << 10, 12 << 10, 1500},
		v.base + "/edit":          {200 << 10, 25 << 10, 2500},
		v.base + "/incidents/new": {60 << 10, 10 << 10, 1000},
		v.list:                    {20 << 10, 6 << 10, 400},
	} {
		body := v.Get(path).Want(200).CheckPage().Body
		nodes, wire := markup.Check(t, path, body), packed(t, body)
		t.Logf("%s: %d bytes, %d compressed, %d elements", path, len(body), wire, nodes)
		if len(body) > most.bytes || wire > most.packed || nodes > most.nodes {
			t.Errorf("%s takes %d bytes, %d compressed, and has %d elements; want at most %+v", path, len(body), wire, nodes, most)
		}
	}
	public := v.Get("/status/acme").Want(200, "Component number 99 of").Body
	t.Logf("what everybody sees: %d bytes, %d compressed", len(public), packed(t, public))
	if len(public) > 100<<10 || packed(t, public) > 12<<10 {
		t.Errorf("what everybody sees takes %d bytes, %d compressed", len(public), packed(t, public))
	}
}

// statusBody is the body of a request that has a page show sites.
func statusBody(shown []status.StatusSiteChange) string {
	var sites []string
	for _, s := range shown {
		sites = append(sites, fmt.Sprintf(`{"site_id":%q,"description":%q}`, s.SiteID.Value, s.Description.Value))
	}
	return `{"status_page":{"name":"Acme","sites":[` + strings.Join(sites, ",") + `]}}`
}
