package api_test

import (
	"net/http"
	"strings"
	"testing"

	"sett/internal/setttest"
)

func TestIDsOfStatusPagesHaveOneSpelling(t *testing.T) {
	t.Parallel()
	setttest.Each(t, func(t *testing.T, s *setttest.Server) {
		id := createStatusPage(t, s, `"name":"Shop"`).ID
		swapped := strings.Map(func(r rune) rune {
			if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
				return r ^ 0x20
			}
			return r
		}, id)
		for _, other := range []string{"1", "x", id[1:], id + "0", "shop", swapped, strings.Repeat("%C3%B6", 8)} {
			path := statusPagesPath(s, "/"+other)
			for _, r := range []*setttest.Response{
				s.Do("GET", path, nil), s.Put(path, `{"status_page":{}}`), s.Post(path, `{"status_page":{}}`), s.Delete(path), s.Post(path+"/verify_domain", nil),
			} {
				if text := r.Want(http.StatusNotFound).Errors(); text != "Status page not found" {
					t.Errorf("%s: %s", other, text)
				}
			}
		}
	})
}

func TestIDsHaveOneSpelling(t *testing.T) {
	t.Parallel()
	setttest.Each(t, func(t *testing.T, s *setttest.Server) {
		for _, id := range []string{"+1", "01", "1.0", "0x1", "-1", "99999999999999999999"} {
			s.Do("GET", "/v2/projects/"+id, nil).Want(http.StatusNotFound)
		}
		id := createSite(t, s).ID
		s.Get(sitesPath(s, "/"+id))
		for _, other := range []string{
			"1", "x", id[1:], id + "0", strings.ReplaceAll(id, "-", ""), "{" + id + "}", "urn:uuid:" + id, "g" + id[1:],
			"00000000-0000-0000-0000-000000000000", strings.Repeat("%C3%B6", 18),
		} {
			for _, path := range []string{"", "/outages", "/uptime_checks", "/uptime"} {
				if text := s.Do("GET", sitesPath(s, "/"+other+path), nil).Want(http.StatusNotFound).Errors(); text != "Site not found" {
					t.Errorf("%s: %s", other, text)
				}
			}
			s.Put(sitesPath(s, "/"+other), `{"site":{"name":"x"}}`).Want(http.StatusNotFound)
			s.Delete(sitesPath(s, "/"+other)).Want(http.StatusNotFound)
		}
	})
}
