package app

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net/netip"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"sett/internal/sett/accounts"
)

var comparePrefixes = cmpopts.EquateComparable(netip.Prefix{})

func defaults() Config {
	return Config{
		Data: "./sett-data", MigrationCopy: true, Listen: "127.0.0.1:8080",
		BaseURL: "http://127.0.0.1:8080", ReportURL: "http://127.0.0.1:8080", Location: "Virginia", Egress: "private",
		SignIn:       SignIn{Name: "single sign-on", GroupsClaim: "groups"},
		APIRateLimit: 360, StatusRateLimit: 50, Plan: "self-hosted", LogFormat: "text",
		First:     FirstAccount{Email: "admin@example.com", Name: "Admin", Account: "Sett", Project: "My project", Team: "First team"},
		Job:       Job{Server: "http://127.0.0.1:8080"},
		Client:    Client{Store: "auto"},
		CheckDays: 30,

		SourceMapBytes: 2_000_000_000, InsightBytes: 100_000_000, SpoolBytes: 1 << 30, BlockCacheBytes: 1 << 30, AttachmentBytes: 1_000_000_000,
		Agent: Agent{Spool: "./sett-agent"},
		ACME:  ACME{Directory: "https://acme-v02.api.letsencrypt.org/directory"},
	}
}

func noFiles(name string) ([]byte, error) {
	return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
}

func TestLoadConfig(t *testing.T) {
	t.Parallel()
	file := func(text string) func(string) ([]byte, error) {
		return func(string) ([]byte, error) { return []byte(text), nil }
	}
	tests := map[string]struct {
		src  Sources
		want func(*Config)
	}{
		"defaults": {Sources{}, func(*Config) {}},
		"variables of others": {
			Sources{Environ: []string{"HOME=/root", "SETT_TEST_POSTGRES=postgres:///x", "SETTLE=1"}},
			func(*Config) {},
		},
		"flag before variable": {
			Sources{Flags: map[string]string{"data": "/a"}, Environ: []string{"SETT_DATA=/b"}},
			func(c *Config) { c.Data = "/a" },
		},
		"variable before file": {
			Sources{Environ: []string{"SETT_DATABASE=postgres://a/b", "SETT_DATABASE_FILE=/f"}, ReadFile: file("postgres://c/d")},
			func(c *Config) { c.Database = "postgres://a/b" },
		},
		"file before default": {
			Sources{Environ: []string{"SETT_DATABASE_FILE=/f"}, ReadFile: file("postgres://u:p@c/d\n")},
			func(c *Config) { c.Database = "postgres://u:p@c/d" },
		},
		"variable set to nothing": {
			Sources{Environ: []string{"SETT_LISTEN=", "SETT_DATABASE="}},
			func(*Config) {},
		},
		"flag set to nothing": {
			Sources{Flags: map[string]string{"database": ""}, Environ: []string{"SETT_DATABASE=postgres://a/b"}},
			func(*Config) {},
		},
		"addresses follow listen": {
			Sources{Flags: map[string]string{"listen": ":9000"}},
			func(c *Config) {
				c.Listen, c.BaseURL, c.ReportURL = ":9000", "http://localhost:9000", "http://localhost:9000"
			},
		},
		"addresses unknown until listening": {
			Sources{Flags: map[string]string{"listen": "127.0.0.1:0"}},
			func(c *Config) { c.Listen, c.BaseURL, c.ReportURL = "127.0.0.1:0", "", "" },
		},
		"report URL follows base URL": {
			Sources{Environ: []string{"SETT_BASE_URL=https://sett.example.org/"}},
			func(c *Config) {
				c.BaseURL, c.ReportURL = "https://sett.example.org", "https://sett.example.org"
			},
		},
		"everything else": {
			Sources{
				Flags: map[string]string{"json": "true", "log-level": "warn", "report-url": "http://in.example.org:81/x//"},
				Environ: []string{
					"SETT_API_RATE_LIMIT=0", "SETT_MONTHLY_QUOTA=1000", "SETT_PROJECT_THROTTLE=60", "SETT_LOG_FORMAT=json",
					"SETT_LOCATION=Frankfurt", "SETT_PLAN=self-hosted", "SETT_TRUSTED_PROXIES=10.1.2.3/8, ::1, ::ffff:192.0.2.77/120, ::ffff:192.0.2.1",
					"SETT_EGRESS_ALLOW=127.0.0.1", "SETT_EGRESS_DENY=fd00::/8,", "SETT_SMTP_URL=smtps://u:p@mail:465",
					"SETT_MAIL_FROM=Sett <sett@example.org>", "SETT_CANARIES=https://a.example.org/, http://b.example.org",
					"SETT_TLS_LISTEN=:443", "SETT_ACME_EMAIL=Ops <o@b.c>", "SETT_ACME_DIRECTORY=https://ca.example.org/acme/", "SETT_ACME_CA_FILE=/ca",
					"SETT_TOKEN=t", "SETT_CHECK_DAYS=7", "SETT_SOURCE_MAP_BYTES=5000000", "SETT_INSIGHT_BYTES=500 MB", "SETT_SPOOL_BYTES=2gib", "SETT_SPOOL=/var/spool/sett",
					"SETT_EMAIL=a@b.c", "SETT_PASSWORD=x",
					"SETT_OIDC_ISSUER=https://id.example.org/", "SETT_OIDC_CLIENT_ID=sett", "SETT_OIDC_CLIENT_SECRET=y", "SETT_OIDC_NAME=Acme",
					"SETT_CHECK_IN=nightly", "SETT_API_KEY=z", "SETT_SERVER=https://sett.example.org/",
					"SETT_OIDC_GROUPS=roles", "SETT_OIDC_ROLES=cn=ops=Admin, dev=Member,", "SETT_OIDC_ACCOUNT=aB3", "SETT_PROXY_USER_HEADER=remote-email",
				},
			},
			func(c *Config) {
				c.JSON, c.LogLevel, c.ReportURL = true, slog.LevelWarn, "http://in.example.org:81/x"
				c.APIRateLimit, c.MonthlyQuota, c.ProjectThrottle, c.LogFormat = 0, 1000, 60, "json"
				c.Location = "Frankfurt"
				c.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("::1/128"), netip.MustParsePrefix("192.0.2.0/24"), netip.MustParsePrefix("192.0.2.1/32")}
				c.EgressAllow = []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}
				c.EgressDeny = []netip.Prefix{netip.MustParsePrefix("fd00::/8")}
				c.SMTPURL, c.MailFrom = "smtps://u:p@mail:465", "Sett <sett@example.org>"
				c.First.Email, c.First.Password = "a@b.c", "x"
				c.Canaries = []string{"https://a.example.org/", "http://b.example.org"}
				c.CheckDays, c.SourceMapBytes, c.InsightBytes, c.SpoolBytes = 7, 5_000_000, 500_000_000, 2<<30
				c.ACME = ACME{Listen: ":443", Email: "o@b.c", Directory: "https://ca.example.org/acme", CAFile: "/ca"}
				c.Agent = Agent{Token: "t", Spool: "/var/spool/sett"}
				c.Job = Job{CheckIn: "nightly", APIKey: "z", Server: "https://sett.example.org"}
				c.SignIn = SignIn{
					Issuer: "https://id.example.org/", ClientID: "sett", ClientSecret: "y", Name: "Acme", GroupsClaim: "roles",
					Roles:   []accounts.GroupRole{{Group: "cn=ops", Role: accounts.Admin}, {Group: "dev", Role: accounts.Member}},
					Account: "aB3", ProxyHeader: "Remote-Email",
				}
			},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			want := defaults()
			tt.want(&want)
			got, err := LoadConfig(tt.src)
			if err != nil {
				t.Fatalf("LoadConfig: %v", err)
			}
			if diff := cmp.Diff(want, got, comparePrefixes); diff != "" {
				t.Errorf("config (-want +got):\n%s", diff)
			}
		})
	}
}

func TestLoadConfigRefuses(t *testing.T) {
	t.Parallel()
	tests := map[string]string{
		"SETT_LISTNE=:80":                        `SETT_LISTNE is not a setting; did you mean SETT_LISTEN?`,
		"SETT_API_RATELIMIT=1":                   `SETT_API_RATELIMIT is not a setting; did you mean SETT_API_RATE_LIMIT?`,
		"SETT_DATABASEFILE=/f":                   `SETT_DATABASEFILE is not a setting; did you mean SETT_DATABASE_FILE?`,
		"SETT_QQQQQQQQQQQQQQQQQQ=1":              `SETT_QQQQQQQQQQQQQQQQQQ is not a setting; sett serve --help lists those of the server`,
		"SETT_LISTEN_FILE=/f":                    `SETT_LISTEN_FILE is not a setting; did you mean SETT_LISTEN?`,
		"SETT_API_RATE_LIMIT=lots":               `SETT_API_RATE_LIMIT="lots" is not a whole number; write one such as 360, or 0 for no limit`,
		"SETT_SPOOL_BYTES=1 sack":                `SETT_SPOOL_BYTES="1 sack" is not a size; write one such as 500MB, 1GB or 1GiB, or a number of bytes`,
		"SETT_SPOOL_BYTES=-1":                    `SETT_SPOOL_BYTES="-1" is not a size; write one such as 500MB, 1GB or 1GiB, or a number of bytes`,
		"SETT_SPOOL_BYTES=10EB":                  `SETT_SPOOL_BYTES="10EB" is not a size; write one such as 500MB, 1GB or 1GiB, or a number of bytes`,
		"SETT_MONTHLY_QUOTA=-1":                  `SETT_MONTHLY_QUOTA="-1" is not a whole number; write one such as 360, or 0 for no limit`,
		"SETT_LISTEN=8080":                       `SETT_LISTEN="8080" is not an address to listen on; write host:port, such as 127.0.0.1:8080 or :8080`,
		"SETT_LISTEN=a:99999":                    `SETT_LISTEN="a:99999" is not an address to listen on; write host:port, such as 127.0.0.1:8080 or :8080`,
		"SETT_BASE_URL=sett.example.org":         `SETT_BASE_URL="sett.example.org" is not a web address; write one such as https://sett.example.org`,
		"SETT_BASE_URL=ftp://a":                  `SETT_BASE_URL="ftp://a" is not a web address; write one such as https://sett.example.org`,
		"SETT_BASE_URL=http://a//sett":           `--base-url (SETT_BASE_URL) has a path with an empty segment, a dotted segment or an escaped slash: write it like https://example.org/sett`,
		"SETT_REPORT_URL=http://a/x/../sett":     `--report-url (SETT_REPORT_URL) has a path with an empty segment, a dotted segment or an escaped slash: write it like https://example.org/sett`,
		"SETT_BASE_URL=https://a/v1":             `--base-url (SETT_BASE_URL) has a path that begins like the API: remove /v1, or choose another path such as /sett`,
		"SETT_BASE_URL=http://a?b=c":             `SETT_BASE_URL="http://a?b=c" has more than a host and a path; write it like https://sett.example.org`,
		"SETT_LOCATION=Viginia":                  `SETT_LOCATION="Viginia" is not one of Virginia, Oregon, Frankfurt, Singapore, London, none; did you mean Virginia?`,
		"SETT_LOCATION=Mars":                     `SETT_LOCATION="Mars" is not one of Virginia, Oregon, Frankfurt, Singapore, London, none; write one of them`,
		"SETT_LOG_FORMAT=JSON":                   `SETT_LOG_FORMAT="JSON" is not one of text, json; did you mean json?`,
		"SETT_LOG_LEVEL=loud":                    `SETT_LOG_LEVEL="loud" is not one of debug, info, warn, error; write one of them`,
		"SETT_JSON=perhaps":                      `SETT_JSON="perhaps" must be true or false`,
		"SETT_EGRESS_DENY=10.0.0.0/8,ten":        `SETT_EGRESS_DENY="10.0.0.0/8,ten" has "ten", which is not a network; write networks such as 10.0.0.0/8, separated by commas`,
		"SETT_DATABASE=mysql://u:hush@h/d":       `SETT_DATABASE is not a PostgreSQL URL; write postgres://user:password@host:5432/name, with special characters of the password percent-encoded, or remove it for SQLite`,
		"SETT_SMTP_URL=mail:hush":                `SETT_SMTP_URL is not the URL of a mail server; write smtp://user:password@host:587, smtps:// for implicit TLS, or stdout: to print emails`,
		"SETT_SMTP_URL=smtp://u:hush@h?tls=none": `SETT_SMTP_URL would send the password unencrypted; remove ?tls=none, or the user and password`,
		"SETT_MAIL_FROM=sett":                    `SETT_MAIL_FROM="sett" is not an email sender; write sett@example.org, or Sett <sett@example.org>`,
		"SETT_MAIL_FROM=a@b.c, d@e.f":            `SETT_MAIL_FROM="a@b.c, d@e.f" is not an email sender; write sett@example.org, or Sett <sett@example.org>`,
		"SETT_OIDC_ISSUER=id.example.org":        `SETT_OIDC_ISSUER="id.example.org" is not an issuer; write its exact issuer URL, such as https://id.example.org/realms/main`,
		"SETT_OIDC_ISSUER=https://u:p@id":        `SETT_OIDC_ISSUER="https://u:p@id" is not an issuer; write its exact issuer URL, such as https://id.example.org/realms/main`,
		"SETT_OIDC_ISSUER=https://id":            `--oidc-issuer (SETT_OIDC_ISSUER) needs --oidc-client-id (SETT_OIDC_CLIENT_ID): set the client ID of sett at the issuer`,
		"SETT_OIDC_CLIENT_ID=sett":               `--oidc-issuer (SETT_OIDC_ISSUER) is missing, but other OIDC settings are present`,
		"SETT_OIDC_CLIENT_SECRET=hush":           `--oidc-issuer (SETT_OIDC_ISSUER) is missing, but other OIDC settings are present`,
		"SETT_OIDC_ROLES=ops=Admin":              `--oidc-issuer (SETT_OIDC_ISSUER) is missing, but other OIDC settings are present`,
		"SETT_OIDC_ROLES=ops=Admin,dev=Boss":     `SETT_OIDC_ROLES="ops=Admin,dev=Boss" has "dev=Boss", which does not assign a role to a group; write group=Role, where Role is one of Member, Billing, Admin, Owner`,
		"SETT_OIDC_ROLES==Admin":                 `SETT_OIDC_ROLES="=Admin" has "=Admin", which does not assign a role to a group; write group=Role, where Role is one of Member, Billing, Admin, Owner`,
		"SETT_OIDC_ROLES=Admin":                  `SETT_OIDC_ROLES="Admin" has "Admin", which does not assign a role to a group; write group=Role, where Role is one of Member, Billing, Admin, Owner`,
		"SETT_PROXY_USER_HEADER=Remote Email":    `SETT_PROXY_USER_HEADER="Remote Email" is not a header name; write one such as Remote-Email`,
		"SETT_PROXY_USER_HEADER=Remote-Email":    `--proxy-user-header (SETT_PROXY_USER_HEADER) needs --trusted-proxies (SETT_TRUSTED_PROXIES): the header is accepted only from trusted proxies`,
		"SETT_TLS_LISTEN=443":                    `SETT_TLS_LISTEN="443" is not an address to listen on; write host:port, such as 127.0.0.1:8080 or :8080`,
		"SETT_TLS_LISTEN=127.0.0.1:8080":         `--tls-listen (SETT_TLS_LISTEN) and --listen (SETT_LISTEN) have the same address: choose different ports, such as :443 and :80`,
		"SETT_ACME_EMAIL=ops":                    `SETT_ACME_EMAIL="ops" is not an email address; write one such as ops@example.org`,
		"SETT_ACME_EMAIL=ops@example.org":        `--tls-listen (SETT_TLS_LISTEN) is missing, but certificate settings are present; without it no certificates are issued`,
		"SETT_ACME_CA_FILE=/ca":                  `--tls-listen (SETT_TLS_LISTEN) is missing, but certificate settings are present; without it no certificates are issued`,
		"SETT_ACME_DIRECTORY=https://ca/acme":    `--tls-listen (SETT_TLS_LISTEN) is missing, but certificate settings are present; without it no certificates are issued`,
		"SETT_ACME_DIRECTORY=http://ca/acme":     `SETT_ACME_DIRECTORY="http://ca/acme" is not an ACME directory; write its URL with https://, such as https://ca.example.org/directory`,
		"SETT_DATABASE_FILE=/run/db":             `SETT_DATABASE_FILE="/run/db" cannot be read: file does not exist`,
	}
	for variable, want := range tests {
		t.Run(variable, func(t *testing.T) {
			t.Parallel()
			_, err := LoadConfig(Sources{Environ: []string{variable}, ReadFile: noFiles})
			if err == nil {
				t.Fatal("LoadConfig took it")
			}
			if diff := cmp.Diff(want, err.Error()); diff != "" {
				t.Errorf("error (-want +got):\n%s", diff)
			}
		})
	}
}

func TestLoadConfigNamesEverythingThatIsWrong(t *testing.T) {
	t.Parallel()
	_, err := LoadConfig(Sources{
		Flags:   map[string]string{"listen": "", "plan": "gold"},
		Environ: []string{"SETT_DTAA=/a", "SETT_API_RATE_LIMIT=1.5"},
	})
	want := strings.Join([]string{
		`SETT_DTAA is not a setting; did you mean SETT_DATA?`,
		`--listen="" is empty; remove it for 127.0.0.1:8080`,
		`SETT_API_RATE_LIMIT="1.5" is not a whole number; write one such as 360, or 0 for no limit`,
		`--plan="gold" is not one of self-hosted, developer, team, business, enterprise; write one of them`,
	}, "\n")
	if err == nil {
		t.Fatal("LoadConfig took it")
	}
	if diff := cmp.Diff(want, err.Error()); diff != "" {
		t.Errorf("error (-want +got):\n%s", diff)
	}
}

func TestConfigShowsNoSecret(t *testing.T) {
	t.Parallel()
	c := defaults()
	c.Database, c.SMTPURL, c.First.Password, c.SignIn.ClientSecret = "postgres://u:hush@h/d", "smtp://u:hush@h", "hush", "hush"
	var log strings.Builder
	slog.New(slog.NewJSONHandler(&log, nil)).Info("start", "config", c)
	shown := map[string]string{
		"%v": fmt.Sprintf("%v", c), "%+v": fmt.Sprintf("%+v", c), "%#v": fmt.Sprintf("%#v", c), "%s": c.String(), "slog": log.String(),
	}
	for how, text := range shown {
		if strings.Contains(text, "hush") {
			t.Errorf("%s shows a secret: %s", how, text)
		}
		if !strings.Contains(text, "database=[secret]") || !strings.Contains(text, "listen=127.0.0.1:8080") {
			t.Errorf("%s does not list the settings: %s", how, text)
		}
	}
}

// A value that cannot be used is never repeated when it is a secret, whichever source it came from.
func TestSecretsAreNotInErrors(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		secret := "x" + rapid.StringMatching(`[a-z0-9:/@%# ]{8,30}`).Draw(t, "secret")
		for _, src := range []Sources{
			{Flags: map[string]string{"database": secret}},
			{Environ: []string{"SETT_DATABASE=" + secret}},
			{Environ: []string{"SETT_SMTP_URL_FILE=/f"}, ReadFile: func(string) ([]byte, error) { return []byte(secret), nil }},
		} {
			_, err := LoadConfig(src)
			if err == nil {
				t.Fatalf("LoadConfig took %q", secret)
			}
			if strings.Contains(err.Error(), secret) {
				t.Fatalf("the error shows the secret: %v", err)
			}
		}
	})
}

func TestUnreadableFileKeepsItsCause(t *testing.T) {
	t.Parallel()
	_, err := LoadConfig(Sources{Environ: []string{"SETT_PASSWORD_FILE=/p"}, ReadFile: noFiles})
	if !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("error = %v, want it to wrap fs.ErrNotExist", err)
	}
}

func TestSettingsAreWhole(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, s := range Settings() {
		if s.Flag == "" || s.Group == "" || s.Help == "" || seen[s.Flag] {
			t.Errorf("setting %+v lacks a name, a group or a help text, or is there twice", s)
		}
		seen[s.Flag] = true
		if _, err := s.parse(s.Default); err != nil {
			t.Errorf("the default of --%s %v", s.Flag, err)
		}
	}
}
