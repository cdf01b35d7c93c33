package app

import (
	"cmp"
	"fmt"
	"net/url"
	"strings"
)

// place is what may be told of a PostgreSQL address: everything but the password.
type place struct {
	server   string // `PostgreSQL at db.example.org:5432`
	user     string // `the user "sett"`
	database string // `the database "sett"`
}

// placeOf reads a PostgreSQL address, which parsePostgres has let pass. What the address leaves out has no name here.
func placeOf(address string) place {
	p := place{"PostgreSQL", "the user", "the database"}
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
	const correct = "in --database (SETT_DATABASE)"
	switch state {
	case "28P01": // invalid_password, also when there is no such user
		return fmt.Sprintf("%s does not know %s with this password; correct them %s", p.server, p.user, correct)
	case "28000": // invalid_authorization_specification
		return fmt.Sprintf("%s does not let %s in from here; make the user, allow it in pg_hba.conf, or name another %s", p.server, p.user, correct)
	case "3D000": // invalid_catalog_name
		return fmt.Sprintf("%s does not have %s; make it with createdb, or name another %s", p.server, p.database, correct)
	case "42501": // insufficient_privilege
		return fmt.Sprintf("%s may not make tables in %s of %s; make it the owner of the database, or name another %s", p.user, p.database, p.server, correct)
	case "53100": // disk_full
		return fmt.Sprintf("the disk of %s is full; make room on it", p.server)
	case "53300": // too_many_connections
		return fmt.Sprintf("%s has no connection left; raise its max_connections, or stop other programs that use it", p.server)
	case "57P03": // cannot_connect_now
		return fmt.Sprintf("%s is starting or stopping; try again in a moment", p.server)
	}
	return ""
}
