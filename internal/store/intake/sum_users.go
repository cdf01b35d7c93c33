package intake

import (
	"cmp"
	"context"
	"fmt"

	"sett/internal/store/db"
	"sett/internal/store/fault"
)

// Users counts the notices of each fault by affected user.
type Users map[faultUser]int64

type faultUser struct {
	fault int64
	name  string
}

func newUsers() sum { return Users{} }

func (s Users) add(n *noted) {
	if n.facts.User != "" {
		s[faultUser{n.owner.fault, n.facts.User}]++
	}
}

const addFaultUsers = `-- store.addFaultUsers
INSERT INTO fault_users (fault_id, name, count)
SELECT k.fault_id, k.name, k.n FROM {{rows k(fault_id bigint, name text, n bigint)}} WHERE true
ON CONFLICT (fault_id, name) DO UPDATE SET count = fault_users.count + excluded.count`

// write adds to the users of the faults that still exist.
func (s Users) write(ctx context.Context, t Tx) error {
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

// UserOf returns the user in the payload of a notice, "" if there is none.
func UserOf(payload []byte) string {
	o, err := fault.OpenPayload(payload)
	if err != nil {
		return ""
	}
	return o.Facts.User
}

// Add counts the user of a deleted notice; "" is none.
func (s Users) Add(faultID int64, name string) {
	if name != "" {
		s[faultUser{faultID, name}]++
	}
}

const lowerFaultUsers = `-- store.lowerFaultUsers
UPDATE fault_users SET count = fault_users.count - k.n FROM {{rows k(fault_id bigint, name text, n bigint)}}
WHERE fault_users.fault_id = k.fault_id AND fault_users.name = k.name`

const dropFaultUsers = `-- store.dropFaultUsers
DELETE FROM fault_users WHERE (fault_id, name) IN (SELECT k.fault_id, k.name FROM {{rows k(fault_id bigint, name text)}}) AND count <= 0`

// Lower subtracts deleted notices from the users of faults, and deletes users without notices.
func (s Users) Lower(ctx context.Context, t Tx) error {
	var faults, ns []int64
	var texts []string
	for _, k := range db.Sorted(s, func(a, b faultUser) int {
		return cmp.Or(cmp.Compare(a.fault, b.fault), cmp.Compare(a.name, b.name))
	}) {
		faults, texts, ns = append(faults, k.fault), append(texts, k.name), append(ns, s[k])
	}
	if err := t.Each(ctx, lowerFaultUsers, faults, texts, ns); err != nil {
		return fmt.Errorf("lower users of faults: %w", err)
	}
	return db.Wrap("delete users of faults", t.Each(ctx, dropFaultUsers, faults, texts))
}
