package ingest

import (
	"encoding/json"
	"net/url"
	"strings"
	"time"
	"unicode/utf8"

	"sett/internal/base/moment"
	"sett/internal/ingest/event"
	"sett/internal/sett"
	"sett/internal/sett/faults"
)

// maxDeployText is how many characters a text of a deploy has at most.
const maxDeployText = 1024

// sentDeploy is what a client says of a deploy. Each field may be missing.
type sentDeploy struct {
	Environment   sett.Optional[string]          `json:"environment"`
	Revision      sett.Optional[string]          `json:"revision"`
	Repository    sett.Optional[string]          `json:"repository"`
	LocalUsername sett.Optional[string]          `json:"local_username"`
	Timestamp     sett.Optional[json.RawMessage] `json:"timestamp"`
}

// deployOfForm reads the fields of a form or query: deploy[environment] and so on, or just environment.
func deployOfForm(fields url.Values) (d sentDeploy) {
	text := func(name string) (o sett.Optional[string]) {
		for _, key := range []string{"deploy[" + name + "]", name} {
			if fields.Has(key) {
				return sett.Some(fields.Get(key))
			}
		}
		return o
	}
	d.Environment, d.Revision = text("environment"), text("revision")
	d.Repository, d.LocalUsername = text("repository"), text("local_username")
	if at := text("timestamp"); at.Value != "" {
		d.Timestamp = sett.Some(json.RawMessage(at.Value))
	}
	return d
}

// or returns d with what it does not say taken from more.
func (d sentDeploy) or(more sentDeploy) sentDeploy {
	return sentDeploy{
		Environment: firstSent(d.Environment, more.Environment), Revision: firstSent(d.Revision, more.Revision),
		Repository: firstSent(d.Repository, more.Repository), LocalUsername: firstSent(d.LocalUsername, more.LocalUsername),
		Timestamp: firstSent(d.Timestamp, more.Timestamp),
	}
}

// saysAnything reports whether any field was sent with a value.
func (d sentDeploy) saysAnything() bool {
	return d.Environment.Value != "" || d.Revision.Value != "" || d.Repository.Value != "" || d.LocalUsername.Value != ""
}

func firstSent[T any](a, b sett.Optional[T]) sett.Optional[T] {
	if a.Sent && !a.Null {
		return a
	}
	return b
}

// deploy returns the deploy that was sent, or an Invalid error that names every field that cannot be read. Its
// environment is named as that of a notice would be, so that the two meet.
func (d sentDeploy) deploy(now time.Time) (faults.Deploy, error) {
	var p sett.Problems
	deploy := faults.Deploy{
		Environment:   event.Name(deployText(&p, "environment", d.Environment)),
		Revision:      deployText(&p, "revision", d.Revision),
		Repository:    faults.WithoutPassword(deployText(&p, "repository", d.Repository)),
		LocalUsername: deployText(&p, "local_username", d.LocalUsername),
		CreatedAt:     now,
	}
	if sett.Check(&p, "timestamp", d.Timestamp) {
		said, ok := moment.Read(strings.Trim(string(d.Timestamp.Value), `"`))
		if !ok {
			p.Add("timestamp", "must be Unix seconds, such as 1795000000, or a time such as 2026-11-18T10:30:00Z")
		}
		deploy.CreatedAt = faults.DeployedAt(said, now)
	}
	return deploy, p.Refusal()
}

// deployText returns the text of a field on one line.
func deployText(p *sett.Problems, field string, o sett.Optional[string]) string {
	if !sett.Check(p, field, o) {
		return ""
	}
	if !utf8.ValidString(o.Value) {
		p.Add(field, "must be UTF-8")
		return ""
	}
	if utf8.RuneCountInString(o.Value) > maxDeployText {
		p.Add(field, "is too long (maximum is %d characters)", maxDeployText)
	}
	return event.Line(o.Value, maxDeployText)
}
