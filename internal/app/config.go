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
	"sett/internal/sett/checks"
)

// Config is everything that an operator decides. LoadConfig fills it; flags, variables, help texts and
// docs/configuration.md are all drawn from its tags (see Setting). Settings of one group stand together: the help lists them so.
type Config struct {
	Listen    string `flag:"listen" is:"address" default:"127.0.0.1:8080" group:"Listening" help:"host and port to listen on" more:"with port 0, any free port"`
	BaseURL   string `flag:"base-url" is:"url" group:"Listening" help:"URL at which users and clients reach sett" more:"it may have a path; empty for http:// and the address of --listen"`
	ReportURL string `flag:"report-url" is:"url" group:"Listening" help:"URL that clients report to, if it differs" more:"empty for the base URL"`

	TrustedProxies  []netip.Prefix `flag:"trusted-proxies" is:"networks" group:"Listening" help:"networks of your proxies, separated by commas" more:"only they may state the address of a client"`
	GRPCListen      string         `flag:"otlp-grpc-listen" is:"listener" group:"Listening" help:"host and port for OpenTelemetry by gRPC, such as :4317" more:"without TLS; empty for none: exporters use OTLP by HTTP then"`
	SecurityContact string         `flag:"security-contact" is:"securitycontact" group:"Listening" help:"contact in /.well-known/security.txt" more:"it is an email or web address, for people who find a vulnerability in your server; empty: no such file"`

	ACME ACME

	Data          string `flag:"data" is:"dir" default:"./sett-data" group:"Storage" help:"directory of the SQLite database and secret.key" more:"with PostgreSQL, of secret.key and the spool; created when missing"`
	Database      string `flag:"database" is:"postgres" group:"Storage" secret:"yes" help:"URL of a PostgreSQL database, instead of SQLite" more:"for example postgres://user:password@host:5432/name; empty for SQLite in the data directory"`
	KeyFile       string `flag:"secret-key-file" is:"file" group:"Storage" help:"file with the key that encrypts secrets in the database" more:"created when missing if its directory exists; all servers of one database need the same key; empty for secret.key in the data directory"`
	MigrationCopy bool   `flag:"migration-copy" is:"switch" default:"true" group:"Storage" help:"copy the SQLite database before an upgrade changes it" more:"the copy is in the same directory, and is made when a new version of sett changes the schema; the last two copies are kept"`

	Direct     string `flag:"database-direct" is:"postgres" group:"PostgreSQL" secret:"yes" help:"URL of the same database without the pooler" more:"needed if --database leads to a pooler that shares sessions, such as PgBouncer in transaction mode; used for locks, notifications and changes of the schema, up to three connections per server"`
	Replica    string `flag:"database-read" is:"postgres" group:"PostgreSQL" secret:"yes" help:"URL of a read replica, or of several" more:"pages and API requests that only read use it while it has all that the primary had when they began, and the primary otherwise; empty: all read from the primary"`
	SpoolBytes int64  `flag:"spool-bytes" is:"size" default:"1GiB" group:"PostgreSQL" help:"disk for reports while the database is away" more:"they are in spool.db in the data directory until the database responds; beyond that size, reports are refused with status 503; 0: reports are never kept"`

	Blocks          string `flag:"blocks" is:"objects" group:"Object storage" help:"S3 storage for old event bodies, s3://bucket/prefix" more:"add parameters of the storage, if needed: s3://bucket/prefix?endpoint=https://host:port&region=name&path-style=true; credentials are those of AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, of ~/.aws/credentials or of the machine; all servers of one database need the same address; empty to keep everything in the database"`
	BlockCacheBytes int64  `flag:"block-cache-bytes" is:"size" default:"1GiB" group:"Object storage" help:"disk for what was read last from object storage" more:"it is in the directory block-cache of the data directory; 0: everything is read from object storage"`

	SignIn SignIn

	SMTPURL  string `flag:"smtp-url" is:"smtp" group:"Email" secret:"yes" help:"mail server, smtp://user:password@host:587" more:"it must support STARTTLS unless you add ?tls=none; or smtps://user:password@host:465; or stdout: to print emails; empty to send no email"`
	MailFrom string `flag:"mail-from" is:"mailbox" group:"Email" help:"sender of emails, such as sett@example.org" more:"empty for sett at the host of the base URL"`

	APIRateLimit    int64  `flag:"api-rate-limit" is:"count" default:"360" group:"Limits" help:"API requests (/v2) per user and hour" more:"0 for no limit"`
	MonthlyQuota    int64  `flag:"monthly-quota" is:"count" default:"0" group:"Limits" help:"events stored per account and calendar month" more:"months are in UTC; 0 for no limit"`
	ProjectThrottle int64  `flag:"project-throttle" is:"count" default:"0" group:"Limits" help:"events stored per project and minute" more:"0 for no limit"`
	SourceMapBytes  int64  `flag:"source-map-bytes" is:"size" default:"2GB" group:"Limits" help:"size of all source maps, compressed" more:"beyond that, the least recently used ones of the project with most are deleted; 0 for no limit"`
	AttachmentBytes int64  `flag:"attachment-bytes" is:"size" default:"1GB" group:"Limits" help:"size of all attached files, compressed" more:"one project may take half of it; beyond that, further files are dropped; 0: none are stored"`
	InsightBytes    int64  `flag:"insight-bytes" is:"size" default:"100MB" group:"Limits" help:"structured events (Insights) per project and day" more:"measured as JSON before compression; days are in UTC; beyond that they are rejected until midnight; 0: sett accepts them and stores none"`
	Plan            string `flag:"plan" is:"choice" of:"self-hosted developer team business enterprise" default:"self-hosted" group:"Limits" hidden:"yes" help:"features of accounts" more:"self-hosted has all of them; with developer, status pages cannot hide the branding and have no features"`

	Location       string                `flag:"location" is:"choice" of:"Virginia Oregon Frankfurt Singapore London none" default:"Virginia" group:"Checks" help:"location of this program" more:"with none, only agents check sites"`
	LocationLabels checks.LocationLabels `flag:"location-labels" is:"labels" group:"Checks" help:"names of locations in pages, such as Virginia=Berlin" more:"separated by commas; without one, pages call the location of this server This server; the API keeps the names of --location"`
	Egress         string                `flag:"egress" is:"choice" of:"private public" default:"private" group:"Checks" help:"networks that checks and webhooks may reach" more:"private also allows private networks, public allows only the public internet; addresses from status page subscribers must always be public"`
	EgressAllow    []netip.Prefix        `flag:"egress-allow" is:"networks" group:"Checks" help:"further networks that checks and webhooks may reach" more:"separated by commas"`
	EgressDeny     []netip.Prefix        `flag:"egress-deny" is:"networks" group:"Checks" help:"networks that checks and webhooks must not reach" more:"separated by commas"`
	Canaries       []string              `flag:"canaries" is:"urls" group:"Checks" help:"web addresses that show whether this machine is online" more:"separated by commas, such as https://one.one.one.one/; if most sites and all of these fail, sett ignores the checks"`
	CheckDays      int64                 `flag:"check-days" is:"days" default:"30" group:"Checks" help:"days to keep each uptime check" more:"daily totals stay as long as the site"`

	StatusHost      string `flag:"status-host" is:"domain" group:"Status pages" help:"CNAME target for domains, such as pages.example.org" more:"empty for the host of the base URL"`
	Resolver        string `flag:"resolver" is:"nameserver" group:"Status pages" help:"name server that verifies domains, such as 9.9.9.9:53" more:"empty for those of the system"`
	StatusRateLimit int64  `flag:"status-rate-limit" is:"count" default:"50" group:"Status pages" help:"requests to status pages per IP address and second" more:"with bursts of four times as many; 0 for no limit"`

	MetricsToken    string         `flag:"metrics-token" is:"text" group:"Monitoring of sett" secret:"yes" help:"bearer token, or password, to read /metrics" more:"empty: no token opens it"`
	MetricsNetworks []netip.Prefix `flag:"metrics-networks" is:"networks" group:"Monitoring of sett" help:"networks that may read /metrics without a token" more:"separated by commas, such as 127.0.0.1 if no proxy runs on this machine"`
	MetricsProjects bool           `flag:"metrics-projects" is:"switch" default:"false" group:"Monitoring of sett" help:"count events per project in /metrics" more:"for up to 1,000 projects"`
	HeartbeatURL    string         `flag:"heartbeat-url" is:"url" group:"Monitoring of sett" secret:"yes" help:"URL to request every minute while the database takes writes" more:"a check-in on another system, such as another sett; give each server its own to be notified of each; empty for none"`

	LogLevel  slog.Level `flag:"log-level" is:"level" of:"debug info warn error" default:"info" group:"Log" help:"lowest level to log"`
	LogFormat string     `flag:"log-format" is:"choice" of:"text json" default:"text" group:"Log" help:"log format"`

	Agent Agent

	First FirstAccount
	JSON  bool `flag:"json" is:"switch" default:"false" group:"Setup" help:"print the credentials as one JSON object"`

	Job    Job
	Client Client
}

// FirstAccount is what the setup command makes when there is nothing yet. It converts to SetupOptions.
type FirstAccount struct {
	Email    string `flag:"email" is:"text" default:"admin@example.com" group:"Setup" help:"email address of the first owner"`
	Name     string `flag:"name" is:"text" default:"Admin" group:"Setup" help:"name of the first owner"`
	Password string `flag:"password" is:"text" group:"Setup" secret:"yes" help:"password of the first owner" more:"for /login; empty: the owner has only tokens until they set a password by email"`
	Account  string `flag:"account" is:"text" default:"Sett" group:"Setup" help:"name of the first account"`
	Project  string `flag:"project" is:"text" default:"My project" group:"Setup" help:"name of the first project"`
	Team     string `flag:"team" is:"text" default:"First team" group:"Setup" help:"name of the first team, which has the first project" more:"members see the projects of their teams"`
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
