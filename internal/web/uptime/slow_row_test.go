package uptime_test

import (
	"testing"
	"time"

	"sett/internal/sett/accounts"
)

func TestASlowSiteIsShown(t *testing.T) {
	t.Parallel()
	d := newDesk(t, accounts.Member, true)
	d.Post(d.sitePath, siteForm("url", "https://shop.example.test/health", "name", "Shop", "frequency", "1", "slow_after", "30000")...).Want(422, "Alert when slower than (ms) must be from 1 to 29999").CheckPage()
	d.Post(d.sitePath, siteForm("url", "https://shop.example.test/health", "name", "Shop", "frequency", "1", "slow_checks", "x")...).Want(422, "Slow checks in a row must be a whole number").CheckPage()
	d.Post(d.sitePath, siteForm("url", "https://shop.example.test/health", "name", "Shop", "frequency", "1", "slow_after", "800", "slow_checks", "2")...).Leads(d.sitePath + "?done=saved")
	d.checked(2)
	d.Get(d.sitePath).Want(200, "Up</span>", "Slow when 2 checks in a row take over 800 ms.").Lacks("Slow responses", `class="limit"`).CheckPage()
	d.took = 900 * time.Millisecond
	d.checked(3)
	d.Get(d.sitePath).Want(200, "Slow</span>", "slow for 2 min", "Slow responses", "Still slow", "<title>Limit: 800 ms</title>", `data-label="Response time">900 ms`).CheckPage()
	d.Get(d.sites).Want(200, "Slow</span>").CheckPage()
	d.Get("/").Lacks("Down</span>")
	d.took = 90 * time.Millisecond
	d.checked(2)
	d.Get(d.sitePath).Want(200, "Up</span>", "Fast again").Lacks("Still slow", "slow for").CheckPage()
	d.Get("/projects/1/timeline?kind=uptime").Want(200, "Slow</span>", "over 800 ms", "Fast again</span>", "after 4 min").Lacks("Down</span>").CheckPage()
}
