package searchdb

import (
	"context"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/faults"
	"sett/internal/store/db"
	"sett/internal/store/faultdb"
)

// ListQuery asks for all that the page of a project's list shows to a user.
type ListQuery struct {
	ProjectID, UserID int64
	Environment       string  // of which the tabs count the faults; "": all
	Filter            *Filter // nil: no faults are listed
	Page              Page
}

// List is what the page of a list shows.
type List struct {
	Tabs  faults.FaultTabs
	Saved []faults.SavedSearch
	Found
	Part    sett.Page              // that was found
	Matches map[int64]faults.Match // by fault: what the search has found, if it asks for messages
	faultdb.Beside
}

// ReadList reads a list for its page. It looks for notices as SearchFaults does. If nothing lies after a mark, it returns the page before: a
// change of all faults of the last page leads there.
func (s *Store) ReadList(ctx context.Context, now time.Time, l ListQuery) (list List, err error) {
	until := time.Now().Add(s.SearchTime)
	err = s.db.Snapshot(ctx, "read a list of faults", func(q db.Querier) error {
		list = List{Part: l.Page.Page}
		fresh, err := s.fault.NewFaults(ctx, q, l.ProjectID, now)
		if err != nil {
			return err
		}
		if l.Filter != nil {
			f := *l.Filter
			f.fresh, f.until = fresh, until
			if err := s.fillList(ctx, q, now, l, f, &list); err != nil {
				return err
			}
		}
		if list.Beside, err = s.fault.BesideFaults(ctx, q, now, l.ProjectID, l.UserID, fresh, list.Faults); err != nil {
			return err
		}
		if list.Tabs, err = s.tabs(ctx, q, now, l, fresh); err != nil {
			return err
		}
		list.Saved, err = s.savedSearches(ctx, q, l.UserID, l.ProjectID)
		return err
	})
	return list, err
}

// fillList finds the faults of a list.
func (s *Store) fillList(ctx context.Context, q db.Querier, now time.Time, l ListQuery, f Filter, list *List) error {
	f, err := f.Prepare(ctx, s, q, l.ProjectID, now)
	if err != nil {
		return err
	}
	list.Found, err = s.page(ctx, q, now, l.ProjectID, f, l.Page)
	if err == nil && len(list.Faults) == 0 && l.Page.Mark != "" {
		l.Page.Back = !l.Page.Back
		list.Part = l.Page.Page
		list.Found, err = s.page(ctx, q, now, l.ProjectID, f, l.Page)
	}
	if err != nil {
		return err
	}
	list.Matches, err = s.matched(ctx, q, l.ProjectID, f, list.Faults)
	return err
}
