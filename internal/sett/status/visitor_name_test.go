package status_test

import (
	"testing"

	"sett/internal/sett/status"
)

func TestVisitorName(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"Shop": "Shop", "Shop: checkout": "Shop: checkout", "shop.example.org": "shop.example.org", "api/v2": "api/v2", "": "", "http://": "http://",
		"https://shop.example.org/health": "shop.example.org", "HTTPS://Shop.Example.org:8443": "shop.example.org", "tcp://db.example.org:5432": "db.example.org", "shop.example.org:443": "shop.example.org",
		"http://10.0.0.5:8080": "Website", "http://[fd00::1]:8080/x": "Website", "tcp://db:5432": "Website", "http://localhost": "Website", "10.0.0.5": "Website", "10.0.0.5:80": "Website",
		"https://billing.internal/x": "Website", "http://shop.svc.cluster.local": "Website", "http://203.0.113.7": "Website", "[::1]": "Website", "db:5432": "Website",
	} {
		if got := status.VisitorName(name); got != want {
			t.Errorf("%q is shown as %q, want %q", name, got, want)
		}
	}
}
