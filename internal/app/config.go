package app

import (
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"path"
	"reflect"
	"strings"

	"sett/internal/serve"
)

// Config is everything that an operator decides. LoadConfig fills it; flags, variables, help texts and
// docs/configuration.md are all drawn from its tags (see Setting).
type Config struct {
	Data     string `flag:"data" is:"text" default:"./sett-data" group:"Storage" help:"directory of the embedded SQLite database and the file secret.key; with PostgreSQL, of that file only; created when missing"`
	Database string `flag:"database" is:"postgres" group:"Storage" secret:"yes" help:"URL of a PostgreSQL database, such as postgres://user:password@host:5432/name; empty for SQLite in the data directory"`
	Direct   string `flag:"database-direct" is:"postgres" group:"Storage" secret:"yes" help:"URL of the same PostgreSQL database without a pooler, if --database leads to a pooler that shares sessions, such as PgBouncer in transaction mode; used for locks, notifications and changes of the schema, up to three connections per server"`
	Replica  string `flag:"database-read" is:"postgres" group:"Storage" secret:"yes" help:"URL of a read replica of the PostgreSQL database, or of several; pages and API requests that only read use it while it has all that the primary had when they began, and the primary otherwise; empty: all read from the primary"`
	KeyFile  string `flag:"secret-key-file" is:"text" group:"Storage" help:"file with the key that encrypts secrets in the database, created when missing if its directory exists; all servers of one database need the same key; empty for secret.key in the data directory"`

	SpoolBytes int64 `flag:"spool-bytes" is:"count" default:"1073741824" group:"Storage" help:"with PostgreSQL, bytes of reports kept in spool.db in the data directory while the database does not respond, until it does; beyond that, reports are refused with status 503; 0: reports are never kept"`

	Blocks          string `flag:"blocks" is:"objects" group:"Storage" help:"address of S3-compatible object storage for what was sent with older events, such as s3://bucket/prefix, or s3://bucket/prefix?endpoint=https://host:port&region=name&path-style=true; credentials are those of AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, of ~/.aws/credentials or of the machine; all servers of one database need the same address; empty to keep everything in the database"`
	BlockCacheBytes int64  `flag:"block-cache-bytes" is:"count" default:"1073741824" group:"Storage" help:"with --blocks, bytes of what was read last from object storage that are kept in the directory block-cache of the data directory; 0: everything is read from object storage"`

	MigrationCopy bool `flag:"migration-copy" is:"switch" default:"true" group:"Storage" help:"copy the SQLite database, in the same directory, before a new version of sett changes its schema; the last two copies are kept"`

	Listen    string `flag:"listen" is:"address" default:"127.0.0.1:8080" group:"Addresses" help:"host and port to listen on; with port 0, any free port"`
	BaseURL   string `flag:"base-url" is:"url" group:"Addresses" help:"URL at which users and clients reach sett; empty for http:// and the address of --listen"`
	ReportURL string `flag:"report-url" is:"url" group:"Addresses" help:"URL that clients report to, if it differs; empty for the base URL"`

	APIRateLimit    int64  `flag:"api-rate-limit" is:"count" default:"360" group:"Limits" help:"requests to the API (/v2) per user and hour; 0 for no limit"`
	MonthlyQuota    int64  `flag:"monthly-quota" is:"count" default:"0" group:"Limits" help:"events stored per account and calendar month (UTC); 0 for no limit"`
	ProjectThrottle int64  `flag:"project-throttle" is:"count" default:"0" group:"Limits" help:"events stored per project and minute; 0 for no limit"`
	StatusRateLimit int64  `flag:"status-rate-limit" is:"count" default:"50" group:"Limits" help:"status page requests per IP address and second, with bursts of four times as many; 0 for no limit"`
	SourceMapBytes  int64  `flag:"source-map-bytes" is:"count" default:"2000000000" group:"Limits" help:"bytes that all source maps may take in the database, compressed; beyond that, the least recently used ones of the project with most are deleted; 0 for no limit"`
	AttachmentBytes int64  `flag:"attachment-bytes" is:"count" default:"1000000000" group:"Limits" help:"bytes that all files attached to events may take in the database, compressed, one project at most half of them; beyond that, further ones are dropped; 0: none are stored"`
	InsightBytes    int64  `flag:"insight-bytes" is:"count" default:"100000000" group:"Limits" help:"bytes of structured events (Insights) stored per project and day (UTC), as JSON, before compression; beyond that they are rejected until midnight; 0: sett accepts them and stores none"`
	Plan            string `flag:"plan" is:"choice" of:"self-hosted developer team business enterprise" default:"self-hosted" group:"Limits" help:"features of accounts: self-hosted has all of them; with developer, status pages cannot hide the branding and have no features"`

	TrustedProxies  []netip.Prefix `flag:"trusted-proxies" is:"networks" group:"Network" help:"networks of your proxies, separated by commas; only they may state the address of a client"`
	MetricsToken    string         `flag:"metrics-token" is:"text" group:"Network" secret:"yes" help:"Bearer token, or password, required to read /metrics; empty: no token opens it"`
	MetricsProjects bool           `flag:"metrics-projects" is:"switch" default:"false" group:"Network" help:"count notices per project in /metrics, for up to 1,000 projects"`
	HeartbeatURL    string         `flag:"heartbeat-url" is:"url" group:"Network" secret:"yes" help:"URL of a check-in on another system, such as another sett, which this server requests every minute while its database takes writes; give each server its own to be notified of each; empty for none"`
	MetricsNetworks []netip.Prefix `flag:"metrics-networks" is:"networks" group:"Network" help:"networks, separated by commas, whose clients may read /metrics without a token, such as 127.0.0.1 if no proxy runs on this machine"`
	SecurityContact string         `flag:"security-contact" is:"securitycontact" group:"Network" help:"email or web address that /.well-known/security.txt names for people who find a vulnerability in your server; empty: no such file"`
	StatusHost      string         `flag:"status-host" is:"domain" group:"Network" help:"CNAME target for the domains of status pages, such as pages.example.org; empty for the host of the base URL"`
	Resolver        string         `flag:"resolver" is:"nameserver" group:"Network" help:"host and port of the name server that verifies the domains of status pages, such as 9.9.9.9:53; empty for those of the system"`
	SMTPURL         string         `flag:"smtp-url" is:"smtp" group:"Network" secret:"yes" help:"mail server: smtp://user:password@host:587, which must support STARTTLS unless you add ?tls=none; smtps://user:password@host:465; or stdout: to print emails; empty to send no email"`
	MailFrom        string         `flag:"mail-from" is:"mailbox" group:"Network" help:"sender of emails, such as sett@example.org; empty for sett at the host of the base URL"`

	Location    string         `flag:"location" is:"choice" of:"Virginia Oregon Frankfurt Singapore London none" default:"Virginia" group:"Checks" help:"location from which this program checks sites; with none, only agents check"`
	Egress      string         `flag:"egress" is:"choice" of:"private public" default:"private" group:"Checks" help:"networks that checks and webhooks may reach: private also allows private networks, public allows only the public internet; addresses from status page subscribers must always be public"`
	EgressAllow []netip.Prefix `flag:"egress-allow" is:"networks" group:"Checks" help:"networks, separated by commas, that checks and webhooks may reach although they are refused by default"`
	EgressDeny  []netip.Prefix `flag:"egress-deny" is:"networks" group:"Checks" help:"networks, separated by commas, that checks and webhooks must not reach"`
	Canaries    []string       `flag:"canaries" is:"urls" group:"Checks" help:"web addresses, separated by commas, that respond whenever this machine is online, such as https://one.one.one.one/; if most sites and all of these fail, sett ignores the checks"`

	CheckDays int64 `flag:"check-days" is:"days" default:"30" group:"Checks" help:"days to keep each uptime check; daily totals stay as long as the site"`

	ACME   ACME
	SignIn SignIn
	Agent  Agent

	LogLevel  slog.Level `flag:"log-level" is:"level" of:"debug info warn error" default:"info" group:"Log" help:"lowest level to log"`
	LogFormat string     `flag:"log-format" is:"choice" of:"text json" default:"text" group:"Log" help:"log format"`

	First FirstAccount
	JSON  bool `flag:"json" is:"switch" default:"false" group:"Setup" help:"print the credentials as one JSON object"`

	Job Job
}

// FirstAccount is what the setup command makes when there is nothing yet. It converts to SetupOptions.
type FirstAccount struct {
	Email    string `flag:"email" is:"text" default:"admin@example.com" group:"Setup" help:"email address of the first owner"`
	Name     string `flag:"name" is:"text" default:"Admin" group:"Setup" help:"name of the first owner"`
	Password string `flag:"password" is:"text" group:"Setup" secret:"yes" help:"password of the first owner, for /login; empty: the owner has only tokens until they set a password by email"`
	Account  string `flag:"account" is:"text" default:"Sett" group:"Setup" help:"name of the first account"`
	Project  string `flag:"project" is:"text" default:"My project" group:"Setup" help:"name of the first project"`
}

// Sources are the places of settings, in order of precedence: flag, variable, file, default.
type Sources struct {
	Flags    map[string]string                 // the flags that were given, by name without dashes
	Environ  []string                          // KEY=value, as of os.Environ
	ReadFile func(name string) ([]byte, error) // as of os.ReadFile; used for SETT_…_FILE
}

// LoadConfig reads and checks all settings. Its error has one line for each problem, written for the operator, and never
// contains secrets. BaseURL and ReportURL are empty if BaseURL is not set and the port is only known once listening (see
// BaseURLOf).
func LoadConfig(src Sources) (Config, error) {
	var c Config
	settings, env := Settings(), environment(src.Environ)
	problems := unknownVariables(settings, env)
	for _, s := range settings {
		g, err := src.find(s, env)
		if err != nil {
			problems = append(problems, err)
			continue
		}
		value, err := s.parse(g.text)
		if err != nil {
			problems = append(problems, g.complain(err))
			continue
		}
		reflect.ValueOf(&c).Elem().FieldByIndex(s.field).Set(reflect.ValueOf(value))
	}
	if len(problems) == 0 {
		problems = c.check()
	}
	if err := errors.Join(problems...); err != nil {
		return Config{}, err
	}
	if _, port, _ := net.SplitHostPort(c.Listen); c.BaseURL == "" && port != "0" {
		c.BaseURL = BaseURLOf(c.Listen)
	}
	if c.ReportURL == "" {
		c.ReportURL = c.BaseURL
	}
	return c, nil
}

// addresses are those at which the server is reached: for users, and for clients.
func (c Config) addresses() []string { return []string{c.BaseURL, c.ReportURL} }

// checkAddresses names paths of addresses below which the server cannot be found: links would leave them, or they begin as its own do.
func (c Config) checkAddresses() (problems []error) {
	for i, name := range []string{"--base-url (SETT_BASE_URL)", "--report-url (SETT_REPORT_URL)"} {
		prefix := serve.Prefix(c.addresses()[i])
		first, _, _ := strings.Cut(strings.TrimPrefix(prefix, "/"), "/")
		switch {
		case prefix != "" && path.Clean(prefix) != prefix || strings.Contains(strings.ToLower(prefix), "%2f"):
			problems = append(problems, errors.New(name+" has a path with an empty segment, a dotted segment or an escaped slash: write it like https://example.org/sett"))
		case first == "v1" || first == "v2":
			problems = append(problems, errors.New(name+" has a path that begins like the API: remove /"+first+", or choose another path such as /sett"))
		}
	}
	return problems
}

// BaseURLOf returns the address of a server that listens on the given host and port, as a browser on the same machine
// would write it.
func BaseURLOf(listen string) string {
	host, port, err := net.SplitHostPort(listen)
	if err != nil {
		return ""
	}
	if ip, err := netip.ParseAddr(host); host == "" || err == nil && ip.IsUnspecified() {
		host = "localhost"
	}
	return "http://" + net.JoinHostPort(host, port)
}

// String lists every setting that is not empty; of a secret it says only that there is one.
func (c Config) String() string {
	var parts []string
	for _, s := range Settings() {
		v := reflect.ValueOf(c).FieldByIndex(s.field)
		switch {
		case v.IsZero() && s.Default == "":
		case s.Secret:
			parts = append(parts, s.Flag+"=[secret]")
		default:
			parts = append(parts, fmt.Sprintf("%s=%v", s.Flag, v.Interface()))
		}
	}
	return strings.Join(parts, " ")
}

// GoString is String, so that %#v shows no secret either.
func (c Config) GoString() string { return c.String() }

// LogValue is String, so that no log shows a secret.
func (c Config) LogValue() slog.Value { return slog.StringValue(c.String()) }
