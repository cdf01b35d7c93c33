package rollupdb

import (
	"cmp"
	"context"
	"slices"

	"sett/internal/sett"
)

// index lists the notices of each fault.
type index struct{ notices []faultNotice }

type faultNotice struct {
	fault int64
	id    sett.NoticeID
}

func (x *index) add(n *Notice) { x.notices = append(x.notices, faultNotice{n.Fault, n.ID}) }

const addFaultNotices = `-- rollupdb.addFaultNotices
INSERT INTO fault_notices (fault_id, id) SELECT k.fault_id, k.id FROM {{rows k(fault_id bigint, id bigint)}} WHERE true
ON CONFLICT (fault_id, id) DO NOTHING`

// write adds the notices to the lists of their faults, and deletes the notices of deleted faults.
func (x *index) write(ctx context.Context, t tx) error {
	of := make(map[int64]bool)
	for _, n := range x.notices {
		of[n.fault] = true
	}
	gone, err := t.goneFaults(ctx, of)
	if err != nil {
		return err
	}
	slices.SortFunc(x.notices, func(a, b faultNotice) int {
		return cmp.Or(cmp.Compare(a.fault, b.fault), cmp.Compare(a.id, b.id))
	})
	var orphans []int64
	faults, ids := make([]int64, 0, len(x.notices)), make([]int64, 0, len(x.notices))
	for _, n := range x.notices {
		if gone[n.fault] {
			orphans = append(orphans, int64(n.id))
			continue
		}
		faults, ids = append(faults, n.fault), append(ids, int64(n.id))
	}
	if err := t.fault().DeleteNotices(ctx, orphans); err != nil {
		return err
	}
	return t.Each(ctx, addFaultNotices, faults, ids)
}
