package statusdb_test

import (
	"bytes"
	"encoding/base64"
	"image"
	"image/png"
	"testing"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/status"
	"sett/internal/sett/status/locale"
	"sett/internal/store"
	"sett/internal/store/storetest"
)

// picture returns a PNG in base64.
func picture(t *testing.T, width int) string {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewNRGBA(image.Rect(0, 0, width, 10))); err != nil {
		t.Fatal(err)
	}
	return base64.StdEncoding.EncodeToString(b.Bytes())
}

// The logo of a page stays until it is replaced or removed, and is deleted with the page. Language and groups are kept with it.
func TestTheLookOfAPage(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		site, night := d.Site(d.ProjectID), d.CheckIn(d.ProjectID, storetest.Hourly("night"))
		change := storetest.Showing(site, night)
		change.Name, change.Language, change.Logo = sett.Some("Shop"), sett.Some("de"), sett.Some(picture(t, 20))
		change.Sites.Value[0].Group, change.CheckIns.Value[0].Group = sett.Some("Europe"), sett.Some("Europe")
		made, err := s.Status.CreateStatusPage(t.Context(), storetest.Noon, d.AccountID, status.StatusPageRules{}, change.Prepare())
		if err != nil {
			t.Fatal(err)
		}
		page := made.StatusPage
		first := page.Logo.Name
		if page.Language != locale.German || page.Logo.Width != 20 || page.Components[0].Group != "Europe" || page.Components[1].Group != "Europe" {
			t.Errorf("created is %+v", page)
		}
		logo := func() int {
			t.Helper()
			body, err := s.Status.StatusLogo(t.Context(), page.ID)
			if err != nil {
				t.Fatal(err)
			}
			return len(body)
		}
		was := logo()
		for _, c := range []status.StatusPageChange{
			{Name: sett.Some("Store")}, {Logo: sett.Some("bm9uZQ==")}, {Logo: sett.Some("no base64!")}, {Language: sett.Some("xx")},
		} {
			_ = d.changePage(storetest.Noon.Add(time.Hour), page, c.Prepare())
			if now := d.pageNow(page); now.Logo.Name != first || logo() != was || now.Language != locale.German {
				t.Errorf("%+v changes the logo or the language", c)
			}
		}
		if err := d.changePage(storetest.Noon, page, status.StatusPageChange{Logo: sett.Some(picture(t, 30)), Language: sett.Optional[string]{Sent: true, Null: true}}.Prepare()); err != nil {
			t.Fatal(err)
		}
		if now := d.pageNow(page); now.Logo.Name == first || now.Logo.Width != 30 || now.Language != "" || now.Components[0].Group != "Europe" {
			t.Errorf("changed is %+v", now.StatusPage)
		}
		if err := d.changePage(storetest.Noon, page, status.StatusPageChange{Logo: sett.Optional[string]{Sent: true, Null: true}}); err != nil {
			t.Fatal(err)
		}
		if now := d.pageNow(page); now.Logo.Name != "" || logo() != 0 {
			t.Errorf("removed is %+v with %d bytes", now.Logo, logo())
		}
		if err := d.changePage(storetest.Noon, page, status.StatusPageChange{Logo: sett.Some(picture(t, 30))}.Prepare()); err != nil {
			t.Fatal(err)
		}
		if err := s.Status.DeleteStatusPage(t.Context(), d.AccountID, page.ID); err != nil || logo() != 0 {
			t.Errorf("a deleted page has a logo of %d bytes: %v", logo(), err)
		}
		if n := d.Count("SELECT count(*) FROM status_logos"); n != 0 {
			t.Errorf("%d logos are left", n)
		}
	})
}
