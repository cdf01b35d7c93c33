package searchdb

import (
	"cmp"
	"context"
	"database/sql"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"sett/internal/event/column"
	"sett/internal/event/payload"
	"sett/internal/event/query"
	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/faults"
	"sett/internal/store/block"
	"sett/internal/store/db"
	"sett/internal/store/faultdb"
)

// UserSearch asks for the faults of an affected user.
type UserSearch struct {
	User     string        // the whole ID, email address or name; case does not count
	Projects []int64       // that are searched
	Each     time.Duration // how long the search of one project may take
	All      time.Duration // and that of all
	sett.Page
}

// UserFault is a fault that an affected user ran into, or that happened in a request.
type UserFault struct {
	faults.Fault
	Project     string        // its name
	Count       int64         // notices of the user or request
	First, Last sett.NoticeID // of these
}

// UserFaults are the faults of an affected user in several projects, as far as their notices are stored.
type UserFaults struct {
	Faults   []UserFault // a page of them, the one with the user's last notice first
	Marks    sett.Marks
	Found    int64                   // faults in all
	Notices  int64                   // of the user, of all these faults
	Projects int64                   // that have such faults
	Left     []accounts.NamedProject // that could not be searched in time
}

// userHit is a fault with notices of the user.
type userHit struct {
	project, fault, count int64
	first, last           int64 // ids of notices
}

// FaultsOfUser returns the faults of an affected user. Each project is searched in a snapshot of its own. An invalid cursor is an Invalid
// error.
func (s *Store) FaultsOfUser(ctx context.Context, u UserSearch) (found UserFaults, err error) {
	var at int64
	if u.Mark != "" {
		if err := db.ParseMark(u.Mark, &at); err != nil {
			return found, err
		}
	}
	user := payload.UserText(u.User)
	if user == "" || len(u.Projects) == 0 {
		return found, nil
	}
	hits, left, err := s.searchForUser(ctx, u, user)
	if err != nil {
		return found, err
	}
	in := map[int64]bool{}
	for _, h := range hits {
		found.Notices += h.count
		in[h.project] = true
	}
	found.Found, found.Projects = int64(len(hits)), int64(len(in))
	slices.SortFunc(hits, func(a, b userHit) int { return cmp.Compare(b.last, a.last) }) // no two faults have the same notice
	hits, found.Marks = pageOfHits(u.Page, at, hits)
	err = s.db.Snapshot(ctx, "read faults of user", func(q db.Querier) error {
		if found.Faults, err = s.faultsOfHits(ctx, q, hits); err != nil {
			return err
		}
		found.Left, err = s.projectNames(ctx, q, left)
		return err
	})
	return found, err
}

// pageOfHits returns the page of a sorted list, whose cursors are last notices.
func pageOfHits(p sett.Page, at int64, hits []userHit) ([]userHit, sett.Marks) {
	behind := 0
	if p.Mark != "" {
		behind, _ = slices.BinarySearchFunc(hits, at, func(h userHit, at int64) int {
			if h.last >= at {
				return -1
			}
			return 1
		})
	}
	part := hits[behind:]
	if p.Back {
		part = slices.Clone(hits[:behind])
		slices.Reverse(part)
	}
	skip, most := p.Rows()
	part = part[min(len(part), skip):]
	return sett.Cut(p, part[:min(len(part), most)], func(h userHit) string { return db.FormatMark(h.last) })
}

// searchedAtOnce is how many projects one request searches at once: with SQLite, half of the connections that read.
const searchedAtOnce = 2

// searchForUser returns the faults with notices of a user, and the projects that could not be searched in time.
func (s *Store) searchForUser(ctx context.Context, u UserSearch, user string) (hits []userHit, left []int64, err error) {
	limited, cancel := context.WithTimeout(ctx, u.All)
	defer cancel()
	var next atomic.Int64
	var mu sync.Mutex
	search := func() {
		for i := next.Add(1) - 1; i < int64(len(u.Projects)); i = next.Add(1) - 1 {
			some, inTime, problem := s.searchProjectForUser(limited, u.Each, u.Projects[i], user)
			mu.Lock()
			switch hits = append(hits, some...); {
			case !inTime:
				left = append(left, u.Projects[i])
			case problem != nil && err == nil:
				err = problem
				cancel() // the others need not go on
			}
			mu.Unlock()
		}
	}
	var all sync.WaitGroup
	for range searchedAtOnce {
		all.Go(search)
	}
	all.Wait()
	if err == nil {
		err = ctx.Err()
	}
	return hits, left, err
}

// searchProjectForUser searches one project, and reports whether there was time for that.
func (s *Store) searchProjectForUser(ctx context.Context, most time.Duration, project int64, user string) (hits []userHit, inTime bool, err error) {
	limited, cancel := context.WithTimeout(ctx, most)
	defer cancel()
	err = s.db.Snapshot(limited, "search for user", func(q db.Querier) (err error) {
		named := func(b payload.Body, searchField string) (bool, error) {
			return payload.HasValue(b, searchField, user, string(query.User))
		}
		search := block.Search{Terms: []column.Term{column.Whole(string(query.User), user)}, Times: true}
		hits, err = s.hitsOfProject(limited, q, project, search, proof{holds: named})
		return err
	})
	if err != nil {
		return nil, limited.Err() == nil, err
	}
	return hits, true, nil
}

// hitsOfProject returns the faults of a project that have notices that a search finds. Deleted ones are omitted, whose notices may still be
// there.
func (s *Store) hitsOfProject(ctx context.Context, q db.Querier, project int64, search block.Search, p proof) (hits []userHit, err error) {
	found, err := s.block.Find(ctx, q, project, search)
	if err != nil {
		return nil, err
	}
	if err := s.verify(ctx, q, project, p, &found); err != nil || len(found.Counts) == 0 {
		return nil, err
	}
	into, err := s.fault.MergedOf(ctx, q, project)
	if err != nil {
		return nil, err
	}
	byFault := map[int64]userHit{}
	for part, count := range found.Counts {
		fault, b := cmp.Or(into[part], part), found.Bounds[part]
		h, ok := byFault[fault]
		if !ok {
			h = userHit{project, fault, 0, b.First, b.Last}
		}
		h.count, h.first, h.last = h.count+count, min(h.first, b.First), max(h.last, b.Last)
		byFault[fault] = h
	}
	exist, err := s.fault.OfProject(ctx, q, project, db.Sorted(byFault, cmp.Compare))
	maps.DeleteFunc(byFault, func(id int64, _ userHit) bool {
		_, ok := exist[id]
		return !ok
	})
	return slices.Collect(maps.Values(byFault)), err
}

var faultsOfUser = `-- searchdb.FaultsOfUser
SELECT ` + faultdb.Columns + `, p.name
FROM faults f JOIN fault_counts c ON c.fault_id = f.id JOIN projects p ON p.id = f.project_id LEFT JOIN users u ON u.id = f.assignee_id
WHERE f.id IN `

// faultsOfHits reads the faults of a page, without those that have been deleted since the search.
func (s *Store) faultsOfHits(ctx context.Context, q db.Querier, hits []userHit) (faults []UserFault, err error) {
	at := map[int64]userHit{}
	for _, h := range hits {
		at[h.fault] = h
	}
	list, ids := db.In(s.db, 1, db.Sorted(at, cmp.Compare))
	var one UserFault
	scan := faultdb.Scanner(&one.Project)
	rows, err := q.QueryContext(ctx, s.db.Text(faultsOfUser+list), ids...)
	err = db.ScanAll(rows, err, func(rows *sql.Rows) error {
		fault, err := scan(rows)
		h := at[fault.ID]
		one.Fault, one.Count, one.First, one.Last = fault, h.count, sett.NoticeID(h.first), sett.NoticeID(h.last)
		faults = append(faults, one)
		return err
	})
	slices.SortFunc(faults, func(a, b UserFault) int { return cmp.Compare(b.Last, a.Last) })
	return faults, err
}

const namesOfProjects = `-- searchdb.namesOfProjects
SELECT id, name, account_id FROM projects WHERE id IN `

func (s *Store) projectNames(ctx context.Context, q db.Querier, ids []int64) (named []accounts.NamedProject, err error) {
	list, args := db.In(s.db, 1, ids)
	rows, err := q.QueryContext(ctx, s.db.Text(namesOfProjects+list+" ORDER BY name, id"), args...)
	err = db.ScanAll(rows, err, func(rows *sql.Rows) error {
		var p accounts.NamedProject
		err := rows.Scan(&p.ID, &p.Name, &p.AccountID)
		named = append(named, p)
		return err
	})
	return named, err
}
