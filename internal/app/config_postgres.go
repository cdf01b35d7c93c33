package app

import (
	"cmp"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"sett/internal/app/operate"
	"sett/internal/store/db"
)

// storage is where the data is.
func (c Config) storage() db.Options {
	return db.Options{Dir: c.Data, Database: c.Database, Direct: c.Direct, Replica: c.Replica, KeyFile: c.KeyFile, NoCopy: !c.MigrationCopy}
}

// Installation is what commands beside a server need to know of these settings.
func (c Config) Installation() operate.Installation {
	return operate.Installation{
		Options: c.storage(), Blocks: c.Blocks, BlockCacheBytes: c.BlockCacheBytes, SpoolBytes: c.SpoolBytes,
		Listen: c.Listen, TLSListen: c.ACME.Listen, BaseURL: c.BaseURL, SMTPURL: c.SMTPURL, Resolver: c.Resolver, DNS: c.dns(),
		Egress: c.egress(), EgressRules: c.egressRules(), Canaries: c.Canaries, Explain: c.Explain,
	}
}

// place is the public part of a PostgreSQL URL: everything but the password.
type place struct {
	server   string // `PostgreSQL at db.example.org:5432`
	user     string // `the user "sett"`
	database string // `the database "sett"`
	setting  string // `--database (SETT_DATABASE)`
}

// placeOfError is the place that an error is about.
func (c Config) placeOfError(err error) place {
	if errors.Is(err, db.ErrDirect) {
		return placeOf(c.Direct, "--database-direct (SETT_DATABASE_DIRECT)")
	}
	return placeOf(c.Database, "--database (SETT_DATABASE)")
}

// placeOf reads a PostgreSQL address, which parsePostgres has let pass. What the address leaves out has no name here.
func placeOf(address, setting string) place {
	p := place{"PostgreSQL", "the user", "the database", setting}
	u, err := url.Parse(address)
	if err != nil {
		return p
	}
	query := u.Query()
	if host := cmp.Or(u.Host, query.Get("host")); host != "" {
		p.server += " at " + host
	}
	if user := cmp.Or(u.User.Username(), query.Get("user")); user != "" {
		p.user += fmt.Sprintf(" %q", user)
	}
	if database := cmp.Or(strings.Trim(u.Path, "/"), query.Get("dbname")); database != "" {
		p.database += fmt.Sprintf(" %q", database)
	}
	return p
}

// explainState says what an SQLSTATE (PostgreSQL's appendix A) means for an operator, or nothing when it is not for one.
func (p place) explainState(state string) string {
	correct := "in " + p.setting
	switch state {
	case "28P01": // invalid_password, also for an unknown user
		return fmt.Sprintf("%s refused the password of %s; correct user and password %s", p.server, p.user, correct)
	case "28000": // invalid_authorization_specification
		return fmt.Sprintf("%s does not allow %s to connect from here; create the user, allow it in pg_hba.conf, or use another one %s", p.server, p.user, correct)
	case "3D000": // invalid_catalog_name
		return fmt.Sprintf("%s does not have %s; create it with createdb, or use another one %s", p.server, p.database, correct)
	case "42501": // insufficient_privilege
		return fmt.Sprintf("%s is not allowed to create tables in %s of %s; make it the owner of the database, or use another one %s", p.user, p.database, p.server, correct)
	case "53100": // disk_full
		return fmt.Sprintf("the disk of %s is full; free space on it", p.server)
	case "53300": // too_many_connections
		return fmt.Sprintf("%s has no free connections; raise its max_connections, or stop other programs that use it", p.server)
	case "57P03": // cannot_connect_now
		return fmt.Sprintf("%s is starting or stopping; try again in a moment", p.server)
	}
	return ""
}
