package api_test

import (
	"net/http"
	"testing"

	"sett/internal/setttest"
)

func TestIDsHaveOneSpelling(t *testing.T) {
	t.Parallel()
	setttest.Each(t, func(_ *testing.T, s *setttest.Server) {
		for _, id := range []string{"+1", "01", "1.0", "0x1", "-1", "99999999999999999999"} {
			s.Do("GET", "/v2/projects/"+id, nil).Want(http.StatusNotFound)
		}
	})
}
