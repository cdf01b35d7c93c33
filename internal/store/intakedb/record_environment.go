package intakedb

import (
	"context"
	"fmt"

	"sett/internal/store/accountdb"
	"sett/internal/store/db"
	"sett/internal/store/faultdb"
)

// placeInEnvironments moves reports to faults.OtherEnvironment if the project has no room for the environment that they name.
func (b *batch) placeInEnvironments(ctx context.Context) error {
	b.seen.environments, b.fresh = map[accountdb.EnvironmentKey]seenEnvironment{}, map[accountdb.EnvironmentKey]bool{}
	if err := b.settleEnvironments(ctx, b.unknownEnvironments()); err != nil {
		return fmt.Errorf("find room for environments: %w", err)
	}
	others := map[accountdb.EnvironmentKey]bool{}
	for _, i := range b.Live {
		if r := b.in.Reports[i]; b.environmentOf(r).full {
			r.Collect()
			others[accountdb.EnvironmentKey{Project: r.ProjectID, Name: r.Environment}] = true
		}
	}
	var asked []accountdb.EnvironmentKey
	for k := range others {
		if known := b.known(k); !known {
			asked = append(asked, k)
		}
	}
	return b.settleEnvironments(ctx, asked)
}

// environmentOf returns what is known of a report's environment.
func (b *batch) environmentOf(r *faultdb.Packed) seenEnvironment {
	return b.seen.environments[accountdb.EnvironmentKey{Project: r.ProjectID, Name: r.Environment}]
}

// known reports whether the cache knows an environment, and if so copies the entry to the batch.
func (b *batch) known(k accountdb.EnvironmentKey) bool {
	if _, noted := b.seen.environments[k]; noted {
		return true
	}
	e, ok := b.S.seen.environment(k, b.now.Unix()/faultdb.Minute)
	if ok {
		b.seen.environments[k] = e
	}
	return ok
}

// unknownEnvironments returns the reports' environments that are not known, in the order of the reports.
func (b *batch) unknownEnvironments() (unknown []accountdb.EnvironmentKey) {
	asked := map[accountdb.EnvironmentKey]bool{}
	for _, i := range b.Live {
		k := accountdb.EnvironmentKey{Project: b.in.Reports[i].ProjectID, Name: b.in.Reports[i].Environment}
		if !asked[k] && !b.known(k) {
			asked[k], unknown = true, append(unknown, k)
		}
	}
	return unknown
}

// settleEnvironments checks which environments exist, and for which of the others there is room.
func (b *batch) settleEnvironments(ctx context.Context, asked []accountdb.EnvironmentKey) error {
	there, err := b.t.account().EnvironmentsThere(ctx, asked)
	if err != nil {
		return err
	}
	now, room := b.now.Unix()/faultdb.Minute, accountdb.EnvironmentRoom{}
	for _, k := range asked {
		full := false
		if !there[k] {
			if full, err = room.Full(ctx, b.t.account(), k); err != nil {
				return err
			}
			b.fresh[k] = !full
		}
		b.seen.environments[k] = seenEnvironment{now, full}
	}
	return nil
}

// noteEnvironments creates the environments that stored notices name for the first time.
func (b *batch) noteEnvironments(ctx context.Context) error {
	if len(b.fresh) == 0 {
		return nil
	}
	var projects, ats []int64
	var names []string
	for _, i := range b.Live {
		k := accountdb.EnvironmentKey{Project: b.in.Reports[i].ProjectID, Name: b.in.Reports[i].Environment}
		if b.fresh[k] {
			b.fresh[k] = false
			projects, names, ats = append(projects, k.Project), append(names, k.Name), append(ats, db.Micros(b.now))
		}
	}
	b.forgetUnmade()
	return b.t.Later(ctx, accountdb.AddEnvironments, projects, names, ats)
}

// forgetUnmade forgets the environments in which nothing was stored, so that the next notice looks them up again.
func (b *batch) forgetUnmade() {
	for k, unmade := range b.fresh {
		if unmade {
			delete(b.seen.environments, k)
		}
	}
}
