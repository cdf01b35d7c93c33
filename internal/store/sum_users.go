package store

import (
	"cmp"
	"context"

	"sett/internal/store/db"
)

// users are the notices of each fault by whom it happened to.
type users map[faultUser]int64

type faultUser struct {
	fault int64
	name  string
}

func newUsers() sum { return users{} }

func (s users) add(n *noted) {
	if n.facts.user != "" {
		s[faultUser{n.owner.fault, n.facts.user}]++
	}
}

const addFaultUsers = `-- store.addFaultUsers
INSERT INTO fault_users (fault_id, name, count)
SELECT k.fault_id, k.name, k.n FROM {{rows k(fault_id bigint, name text, n bigint)}} WHERE true
ON CONFLICT (fault_id, name) DO UPDATE SET count = fault_users.count + excluded.count`

// write adds to the users of the faults that are not gone.
func (s users) write(ctx context.Context, t *tx) error {
	of := map[int64]bool{}
	for k := range s {
		of[k.fault] = true
	}
	gone, err := t.goneFaults(ctx, of)
	if err != nil {
		return err
	}
	var faults, ns []int64
	var texts []string
	for _, k := range db.Sorted(s, func(a, b faultUser) int {
		return cmp.Or(cmp.Compare(a.fault, b.fault), cmp.Compare(a.name, b.name))
	}) {
		if !gone[k.fault] {
			faults, texts, ns = append(faults, k.fault), append(texts, k.name), append(ns, s[k])
		}
	}
	return t.Each(ctx, addFaultUsers, faults, texts, ns)
}
