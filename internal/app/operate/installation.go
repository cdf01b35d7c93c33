// Package operate is what an operator does beside a server, or without one: sett backup, restore, setup, doctor, user, token, secrets and the like.
// It takes an installation and what a command says; it returns what was done or found, for people or as JSON. It serves nothing, reads no
// setting itself, and prints nothing.
package operate

import (
	"net"

	"sett/internal/base/dial"
	"sett/internal/store/db"
)

// Installation is a server as its operator has set it up, whether it runs or not: where its data is, and what it uses besides.
type Installation struct {
	db.Options // of the database

	Blocks          string // address of object storage; "" for none
	BlockCacheBytes int64
	SpoolBytes      int64

	Listen, TLSListen string
	BaseURL           string
	SMTPURL           string
	Resolver          string // the name server; "" for those of the system
	DNS               *net.Resolver
	Egress            dial.Policy
	EgressRules       string // Egress as a sentence
	Canaries          []string

	Explain func(error) error // says what an error means to the operator
}

// existing is where the database is, for commands that create none.
func (in Installation) existing() db.Options {
	o := in.Options
	o.Found = true
	return o
}
