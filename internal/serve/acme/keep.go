package acme

import (
	"context"
	"path"
	"strings"
	"time"

	"github.com/caddyserver/certmagic"
)

// KeepEvery is how long Keep may rest: so long a node may not know of a certificate that another has been given.
const KeepEvery = time.Minute

// Keep loads the certificates of the store that are not in memory, so that all of them are renewed even without visitors,
// and removes those whose names are no longer served.
func (c *Certificates) Keep(ctx context.Context) (more bool, err error) {
	names, err := c.stored(ctx)
	if err != nil {
		return false, err
	}
	patient, cancel := context.WithTimeout(ctx, patience) // in all: orders go on by themselves
	defer cancel()
	for _, name := range names {
		switch {
		case !c.Has(ctx, name):
			c.cache.RemoveManaged([]certmagic.SubjectIssuer{{Subject: name}})
		case !c.loaded(name):
			_ = c.orders.await(patient, name) // certmagic has logged it, and it is tried again
		}
	}
	c.orders.forget(func(name string) bool { return !c.Has(ctx, name) })
	return false, ctx.Err()
}

// stored returns the names of which the store has a certificate of this issuer.
func (c *Certificates) stored(ctx context.Context) (names []string, err error) {
	all, err := c.Accounts.CertificateFilesBelow(ctx, certmagic.StorageKeys.CertsPrefix(c.ordering.Issuers[0].IssuerKey()))
	for _, file := range all {
		if name, ok := strings.CutSuffix(path.Base(file), ".crt"); ok {
			names = append(names, name)
		}
	}
	return names, err
}

// How long expired certificates are kept, and the interval between prunes.
const (
	endedStay  = 14 * 24 * time.Hour
	PruneEvery = 24 * time.Hour // of all nodes together
)

// Prune deletes expired certificates after a while, such as those of domains that are no longer served.
func (c *Certificates) Prune(ctx context.Context) (more bool, err error) {
	return false, certmagic.CleanStorage(ctx, c.files, certmagic.CleanStorageOptions{
		Logger: newLog(c.Log), InstanceID: c.files.node, Interval: PruneEvery, ExpiredCerts: true, ExpiredCertGracePeriod: endedStay,
	})
}
