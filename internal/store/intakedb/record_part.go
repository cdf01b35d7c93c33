package intakedb

// joinMerged lets the keys of a batch share one batchFault if their faults were merged into the same fault. The fault that each key
// created is kept in parts.
func (b *batch) joinMerged() {
	merged := false
	for _, f := range b.order {
		merged = merged || f.part != f.id
	}
	if !merged {
		return
	}
	b.parts = map[faultKey]int64{}
	first := map[int64]*batchFault{}
	order := b.order[:0:0]
	for _, f := range b.order {
		if f.id != 0 {
			b.parts[f.faultKey] = f.part
		}
		if shared := first[f.id]; f.id != 0 && shared != nil {
			b.faults[f.faultKey] = shared
			continue
		}
		first[f.id] = f
		order = append(order, f)
	}
	b.order = order
}

// partOf returns the fault under which a report is counted: the one that its key created.
func (b *batch) partOf(i int) int64 {
	r := b.in.Reports[i]
	key := faultKey{r.ProjectID, r.Grouping.Key}
	return b.partOfKey(key, b.faults[key])
}

func (b *batch) partOfKey(key faultKey, f *batchFault) int64 {
	if part := b.parts[key]; part != 0 {
		return part
	}
	return f.id
}
