package rollupdb

import (
	"cmp"
	"context"
	"fmt"

	"sett/internal/store/db"
	"sett/internal/store/faultdb"
)

// Users counts the notices of each fault by affected user.
type Users map[faultUser]int64

type faultUser struct {
	fault int64
	name  string
}

func newUsers() sum { return Users{} }

func (s Users) add(n *Notice) {
	if n.Facts.User != "" {
		s[faultUser{n.Fault, n.Facts.User}]++
	}
}

const addFaultUsers = `-- rollupdb.addFaultUsers
INSERT INTO fault_users (fault_id, name, count)
SELECT k.fault_id, k.name, k.n FROM {{rows k(fault_id bigint, name text, n bigint)}} WHERE true
ON CONFLICT (fault_id, name) DO UPDATE SET count = fault_users.count + excluded.count`

// write adds to the users of the faults that still exist.
func (s Users) write(ctx context.Context, t tx) error {
	of := map[int64]bool{}
	for k := range s {
		of[k.fault] = true
	}
	gone, err := t.goneFaults(ctx, of)
	if err != nil {
		return err
	}
	var users faultUsers
	for _, k := range db.Sorted(s, func(a, b faultUser) int {
		return cmp.Or(cmp.Compare(a.fault, b.fault), cmp.Compare(a.name, b.name))
	}) {
		if !gone[k.fault] {
			users.add(k, s[k])
		}
	}
	return t.Each(ctx, addFaultUsers, users.faults, users.names, users.ns)
}

// UserOf returns the user in the payload of a notice, "" if there is none.
func UserOf(payload []byte) string {
	o, err := faultdb.OpenPayload(payload)
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

const lowerFaultUsers = `-- rollupdb.lowerFaultUsers
UPDATE fault_users SET count = fault_users.count - k.n FROM {{rows k(fault_id bigint, name text, n bigint)}}
WHERE fault_users.fault_id = k.fault_id AND fault_users.name = k.name`

const dropUsersOfOne = `-- rollupdb.dropUsersOfOne
DELETE FROM fault_users WHERE (fault_id, name) IN (SELECT k.fault_id, k.name FROM {{rows k(fault_id bigint, name text)}}) AND count <= 1`

const dropFaultUsers = `-- rollupdb.dropFaultUsers
DELETE FROM fault_users WHERE (fault_id, name) IN (SELECT k.fault_id, k.name FROM {{rows k(fault_id bigint, name text)}}) AND count <= 0`

// Lower subtracts deleted notices from the users of faults, and deletes users without notices. Most users have a single notice of a fault: they
// are deleted first, so that their rows are written once.
func (s Users) Lower(ctx context.Context, t *db.Tx) error {
	var one, more faultUsers
	for _, k := range db.Sorted(s, func(a, b faultUser) int {
		return cmp.Or(cmp.Compare(a.fault, b.fault), cmp.Compare(a.name, b.name))
	}) {
		if s[k] == 1 {
			one.add(k, 1)
		} else {
			more.add(k, s[k])
		}
	}
	if err := t.Each(ctx, dropUsersOfOne, one.faults, one.names); err != nil {
		return fmt.Errorf("delete users with one notice of a fault: %w", err)
	}
	for _, users := range []faultUsers{one, more} {
		if err := t.Each(ctx, lowerFaultUsers, users.faults, users.names, users.ns); err != nil {
			return fmt.Errorf("lower users of faults: %w", err)
		}
	}
	return db.Wrap("delete users of faults", t.Each(ctx, dropFaultUsers, more.faults, more.names))
}

// faultUsers are users of faults, column by column, with numbers of notices.
type faultUsers struct {
	faults []int64
	names  []string
	ns     []int64
}

func (u *faultUsers) add(k faultUser, n int64) {
	u.faults, u.names, u.ns = append(u.faults, k.fault), append(u.names, k.name), append(u.ns, n)
}
