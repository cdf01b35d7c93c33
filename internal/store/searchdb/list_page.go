package searchdb

import (
	"context"
	"maps"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/faults"
	"sett/internal/store/db"
	"sett/internal/store/faultdb"
)

// ListQuery asks for all that the page of a list shows to a user: of a project, or of several.
type ListQuery struct {
	Projects    []int64
	UserID      int64
	Environment string  // of which the tabs count the faults; "": all
	Filter      *Filter // nil: no faults are listed
	Page        Page
}

// List is what the page of a list shows.
type List struct {
	Tabs  faults.FaultTabs
	Saved []faults.SavedSearch // of a list of one project
	Found
	Part     sett.Page                // that was found
	Matches  map[int64]faults.Match   // by fault: what the search has found, if it asks for messages
	Beside   map[int64]faultdb.Beside // by project
	Projects []int64                  // those with the newest notices first
}

// ReadList reads a list for its page. It looks for notices as SearchFaults does. If nothing lies after a mark, it returns the page before: a
// change of all faults of the last page leads there.
func (s *Store) ReadList(ctx context.Context, now time.Time, l ListQuery) (list List, err error) {
	until := time.Now().Add(s.SearchTime)
	err = s.db.Snapshot(ctx, "read a list of faults", func(q db.Querier) error {
		list = List{Part: l.Page.Page, Matches: map[int64]faults.Match{}, Beside: map[int64]faultdb.Beside{}}
		if len(l.Projects) == 0 {
			return nil
		}
		fresh, err := s.fault.NewFaultsOf(ctx, q, l.Projects, now)
		if err != nil {
			return err
		}
		if l.Filter != nil {
			f := *l.Filter
			f.until = until
			if err := s.fillList(ctx, listReader{s, q, now, f, fresh}, l, &list); err != nil {
				return err
			}
		}
		if list.Tabs, err = s.tabs(ctx, q, now, l, fresh); err != nil || len(l.Projects) > 1 {
			return err
		}
		list.Saved, err = s.savedSearches(ctx, q, faults.OfErrors, l.UserID, l.Projects[0])
		return err
	})
	return list, err
}

// fillList finds the faults of a list, and what is shown beside them.
func (s *Store) fillList(ctx context.Context, r listReader, l ListQuery, list *List) (err error) {
	if list.Found, list.Projects, err = r.page(ctx, l.Projects, l.Page); err != nil {
		return err
	}
	if len(list.Faults) == 0 && l.Page.Mark != "" {
		l.Page.Back = !l.Page.Back
		list.Part = l.Page.Page
		if list.Found, list.Projects, err = r.page(ctx, l.Projects, l.Page); err != nil {
			return err
		}
	}
	of := map[int64][]faults.Fault{}
	for _, f := range list.Faults {
		of[f.ProjectID] = append(of[f.ProjectID], f)
	}
	for project, some := range of {
		f, err := r.filter(ctx, project)
		if err != nil {
			return err
		}
		matches, err := s.matched(ctx, r.q, project, f, some)
		if err != nil {
			return err
		}
		maps.Copy(list.Matches, matches)
		if list.Beside[project], err = s.fault.BesideFaults(ctx, r.q, r.now, project, l.UserID, r.fresh[project], some); err != nil {
			return err
		}
	}
	return nil
}
