package probe_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"sett/internal/monitor/probe"
	"sett/internal/sett/status"
	"sett/internal/setttest/nameserver"
)

func TestDomain(t *testing.T) {
	t.Parallel()
	const own, host = "status.example.org", "sett.example.com"
	type zone map[string]nameserver.Answer
	proof := nameserver.Answer{TXT: []string{"v=spf1", "sett-domain-verification=secret"}}
	server := nameserver.Is("192.0.2.1")
	cname := func(to string) nameserver.Answer {
		a := nameserver.Is("192.0.2.1")
		a.CNAME = to
		return a
	}
	fails, silent := nameserver.Answer{Fails: true}, nameserver.Answer{Silent: true}
	for name, tt := range map[string]struct {
		zone zone
		host string
		want string // proof, "unsure", or what the problem says
	}{
		"TXT":                    {zone{"_sett." + own: proof}, host, "txt"},
		"TXT and addresses":      {zone{"_sett." + own: proof, own: server}, host, "txt"},
		"TXT and CNAME":          {zone{"_sett." + own: proof, own: cname(host)}, host, "txt"},
		"TXT, the rest is away":  {zone{"_sett." + own: proof, own: fails}, host, "txt"},
		"TXT for an IP address":  {zone{"_sett." + own: proof}, "192.0.2.1", "txt"},
		"CNAME":                  {zone{own: cname(host)}, host, "cname"},
		"CNAME in capitals":      {zone{own: cname("SETT.Example.COM")}, "Sett.example.com.", "cname"},
		"CNAME, TXT is away":     {zone{own: cname(host), "_sett." + own: fails}, host, "cname"},
		"CNAME of a CNAME":       {zone{own: cname("lb.example.net"), host: cname("lb.example.net")}, host, "cname"},
		"CNAME without address":  {zone{own: {CNAME: host}}, host, "cname"},
		"nothing":                {zone{}, host, "status.example.org has no CNAME to sett.example.com and no TXT record _sett.status.example.org yet."},
		"nothing, an IP address": {zone{}, "192.0.2.1", "There is no TXT record _sett.status.example.org yet."},
		"points elsewhere":       {zone{own: cname("shop.example.net"), host: server}, host, "status.example.org points to shop.example.net, not to sett.example.com."},
		"has addresses":          {zone{own: server, host: server}, host, "status.example.org has addresses, but neither a CNAME to sett.example.com nor a TXT record"},
		"another TXT":            {zone{"_sett." + own: {TXT: []string{"sett-domain-verification=other"}}}, host, "The TXT record _sett.status.example.org has the wrong value."},
		"lookup fails":           {zone{own: fails}, host, "unsure"},
		"TXT lookup fails":       {zone{own: server, "_sett." + own: fails}, host, "unsure"},
		"no answer":              {zone{own: silent, "_sett." + own: silent}, host, "unsure"},
		"our own host is away":   {zone{own: cname("lb.example.net"), host: fails}, host, "unsure"},
		"localhost":              {zone{own: cname("localhost")}, "localhost", "There is no TXT record"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			patience := time.Minute
			if tt.zone[own].Silent {
				patience = 50 * time.Millisecond
			}
			ctx, cancel := context.WithTimeout(t.Context(), patience)
			defer cancel()
			dns := nameserver.Resolver(func(name string) nameserver.Answer { return tt.zone[name] })
			got := probe.Domain(ctx, dns, status.StatusDomain{Name: own, Secret: "secret"}, tt.host)
			said := string(got.Proof)
			if got.Unsure {
				said = "unsure"
			}
			if said == "" {
				said = got.Problem
			}
			if !strings.HasPrefix(said, tt.want) || tt.want == "unsure" && got.Problem == "" || strings.Contains(got.Problem, "secret") {
				t.Errorf("got %+v, want %s", got, tt.want)
			}
		})
	}
}
