package accounts

import (
	"time"

	"sett/internal/sett"
)

// Configuration is what an account keeps of its configuration as code: which things the files made, and who is applying some now. The files are not kept.
type Configuration struct {
	Version   int64  // of Things; each change adds one
	Salt      string // of the fingerprints of secrets, chosen by the first who applied files
	Things    map[string]ConfiguredThing
	Lease     ConfigurationLease
	UpdatedAt time.Time // zero: never
}

// ConfiguredThing is a thing that files made.
type ConfiguredThing struct {
	ID      string            `json:"id" doc:"Its id in the API; empty for what every project has, such as ownership rules."`
	Set     string            `json:"set" doc:"The name of the files that have it; empty for files without a name."`
	Fields  []string          `json:"fields" doc:"The fields that the files set."`
	Secrets map[string]string `json:"secrets" doc:"Fingerprints of the secrets that the files set, by their place, to see that one has changed. The secrets themselves are not in it."`
}

// ConfigurationLease is the right of one program to apply files, for a short time.
type ConfigurationLease struct {
	ID     string // which proves it; "" for none
	Holder string // who has it, for people
	Until  time.Time
}

// What a configuration may have, and how long a lease lasts unless it is renewed.
const (
	MostConfiguredThings = 5_000
	MostConfiguration    = 900 << 10 // bytes of the things as JSON
	ConfigurationTurn    = 2 * time.Minute
	longestHolder        = 200
	longestSalt          = 100
)

// Held reports whether someone is applying files.
func (c Configuration) Held(now time.Time) bool { return c.Lease.ID != "" && now.Before(c.Lease.Until) }

// ConfigurationLeaseChange is the body that asks for the lease.
type ConfigurationLeaseChange struct {
	Holder sett.Optional[string] `json:"holder,omitzero" doc:"Who applies files, and where, for others who want to." range:"0,200" example:"deploy on ci-7"`
}

// Hold gives the lease to a user's program. The error is a Conflict if another one has it.
func (c Configuration) Hold(now time.Time, id, user string, change ConfigurationLeaseChange) (Configuration, error) {
	var p sett.Problems
	var holder string
	sett.SetField(&p, "holder", change.Holder, &holder, "")
	sett.CheckText(&p, "holder", holder, longestHolder)
	if err := p.Refusal(); err != nil {
		return c, err
	}
	if c.Held(now) {
		return c, sett.Errorf(sett.Conflict, "%s is applying files to this account. Try again when that is done; if it was cut off, at %s.", c.Lease.Holder, c.Lease.Until.UTC().Format("15:04:05 UTC"))
	}
	if holder != "" {
		user += " (" + holder + ")"
	}
	c.Lease = ConfigurationLease{id, user, now.Add(ConfigurationTurn)}
	return c, nil
}

// ConfigurationChange is the body of an update: what the files made by now.
type ConfigurationChange struct {
	Lease   sett.Optional[string]                     `json:"lease,omitzero" doc:"The id of the lease. Required." null:"no"`
	Version sett.Optional[int64]                      `json:"version,omitzero" doc:"The version that was read, or that the last update made. Required." null:"no"`
	Salt    sett.Optional[string]                     `json:"salt,omitzero" doc:"A random text with which fingerprints of secrets are made. It can be set once." range:"0,100"`
	Things  sett.Optional[map[string]ConfiguredThing] `json:"things,omitzero" doc:"What the files made, by path, such as projects/shop/sites/front. It replaces what was there." null:"no"`
	Done    sett.Optional[bool]                       `json:"done,omitzero" doc:"True gives the lease back; otherwise it is renewed."`
}

// Apply returns the configuration with the change made. The error is a Conflict if the program has no lease any more, and Invalid if the change cannot be used.
func (c Configuration) Apply(now time.Time, change ConfigurationChange) (Configuration, error) {
	var p sett.Problems
	sett.CheckSent(&p, "lease", change.Lease, "the id of a lease")
	sett.CheckSent(&p, "version", change.Version, "the version that was read")
	sett.CheckSent(&p, "things", change.Things, "an object with a member for each thing")
	sett.SetField(&p, "salt", change.Salt, &c.Salt, c.Salt)
	sett.CheckText(&p, "salt", c.Salt, longestSalt)
	done := false
	sett.SetField(&p, "done", change.Done, &done, false)
	if n := len(change.Things.Value); n > MostConfiguredThings {
		p.Add("things", "must be at most %d; apply files to several accounts, or leave some things out of them", MostConfiguredThings)
	}
	if err := p.Refusal(); err != nil {
		return c, err
	}
	if !c.Held(now) || c.Lease.ID != change.Lease.Value {
		return c, sett.Errorf(sett.Conflict, "This lease has ended, and another program may have applied files since. Run the command again: it goes on from what is there.")
	}
	if c.Version != change.Version.Value {
		return c, sett.Errorf(sett.Conflict, "The configuration has version %d, not %d. Run the command again: it goes on from what is there.", c.Version, change.Version.Value)
	}
	c.Things, c.Version, c.UpdatedAt = change.Things.Value, c.Version+1, now
	if c.Lease.Until = now.Add(ConfigurationTurn); done {
		c.Lease = ConfigurationLease{}
	}
	return c, nil
}
