package store

import (
	"context"
	"fmt"

	"sett/internal/store/db"
)

// placeInEnvironments moves the reports to sett.OtherEnvironment that name an environment for which there is no room.
func (b *batch) placeInEnvironments(ctx context.Context) error {
	b.seen.environments, b.fresh = map[environmentKey]seenEnvironment{}, map[environmentKey]bool{}
	if err := b.settleEnvironments(ctx, b.unknownEnvironments()); err != nil {
		return fmt.Errorf("find room for environments: %w", err)
	}
	others := map[environmentKey]bool{}
	for _, i := range b.live {
		if r := b.in.Reports[i]; b.environmentOf(r).full {
			r.Collect()
			others[environmentKey{r.ProjectID, r.Environment}] = true
		}
	}
	var asked []environmentKey
	for k := range others {
		if known := b.known(k); !known {
			asked = append(asked, k)
		}
	}
	return b.settleEnvironments(ctx, asked)
}

// environmentOf returns what is known of a report's environment.
func (b *batch) environmentOf(r *Packed) seenEnvironment {
	return b.seen.environments[environmentKey{r.ProjectID, r.Environment}]
}

// known reports whether it is known what becomes of an environment, and notes it for the batch.
func (b *batch) known(k environmentKey) bool {
	if _, noted := b.seen.environments[k]; noted {
		return true
	}
	e, ok := b.s.seen.environment(k, b.now.Unix()/minute)
	if ok {
		b.seen.environments[k] = e
	}
	return ok
}

// unknownEnvironments returns the environments of reports that are not known, in the order of their reports.
func (b *batch) unknownEnvironments() (unknown []environmentKey) {
	asked := map[environmentKey]bool{}
	for _, i := range b.live {
		k := environmentKey{b.in.Reports[i].ProjectID, b.in.Reports[i].Environment}
		if !asked[k] && !b.known(k) {
			asked[k], unknown = true, append(unknown, k)
		}
	}
	return unknown
}

// settleEnvironments looks which environments there are, and for which of the others there is room.
func (b *batch) settleEnvironments(ctx context.Context, asked []environmentKey) error {
	there, err := b.t.environmentsThere(ctx, asked)
	if err != nil {
		return err
	}
	now, room := b.now.Unix()/minute, environmentRoom{}
	for _, k := range asked {
		full := false
		if !there[k] {
			if full, err = room.full(ctx, b.t, k); err != nil {
				return err
			}
			b.fresh[k] = !full
		}
		b.seen.environments[k] = seenEnvironment{now, full}
	}
	return nil
}

// noteEnvironments makes the environments that stored notices are the first to name.
func (b *batch) noteEnvironments(ctx context.Context) error {
	if len(b.fresh) == 0 {
		return nil
	}
	var projects, ats []int64
	var names []string
	for _, i := range b.live {
		k := environmentKey{b.in.Reports[i].ProjectID, b.in.Reports[i].Environment}
		if b.fresh[k] {
			b.fresh[k] = false
			projects, names, ats = append(projects, k.project), append(names, k.name), append(ats, db.Micros(b.now))
		}
	}
	b.forgetUnmade()
	return b.t.Each(ctx, addEnvironments, projects, names, ats)
}

// forgetUnmade forgets the environments that nothing was stored in, so that the next notice looks for them again.
func (b *batch) forgetUnmade() {
	for k, unmade := range b.fresh {
		if unmade {
			delete(b.seen.environments, k)
		}
	}
}
