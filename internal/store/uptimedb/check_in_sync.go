package uptimedb

import (
	"context"
	"slices"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/checks"
	"sett/internal/sett/faults"
	"sett/internal/store/db"
	"sett/internal/store/statusdb"
)

// SyncCheckIns makes the check-ins of a project match a list, by slug: it updates and creates listed ones and deletes the rest, including
// those without a slug. It returns the result for each, first for the listed ones, in order. While an entry has no valid slug that
// identifies its check-in, nothing is deleted. A rejected entry changes nothing, and does not affect the other entries; conflicts of
// names are evaluated with the final names of all check-ins. The error is NotFound if there is no such project. Histories may be long, so that
// many check-ins are deleted in several transactions before the rest is done; a client that gets no answer sends its list again.
func (s *Store) SyncCheckIns(ctx context.Context, now time.Time, projectID int64, list []checks.CheckInChange) (results []checks.CheckInSync, err error) {
	var gone []checks.CheckInSync
	for more := true; more; gone = results {
		err = s.inTx(ctx, "sync check-ins", func(t Tx) error {
			t.KeepsCaches = true
			y := checkInSync{T: t, Now: now, ProjectID: projectID, Have: map[string]storedCheckIn{}, Writes: checkInWrites{Now: now}}
			if more, err = y.Run(ctx, list); err != nil {
				return err
			}
			y.deleted = slices.Concat(gone, y.deleted)
			results = y.results()
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return results, nil
}

// checkInSync is one run of SyncCheckIns.
type checkInSync struct {
	T         Tx
	Now       time.Time
	ProjectID int64
	Have      map[string]storedCheckIn // by slug
	kept      []storedCheckIn          // that are not listed
	entries   []listedCheckIn
	Writes    checkInWrites
	deleted   []checks.CheckInSync
}

// listedCheckIn is an entry of the list.
type listedCheckIn struct {
	slug    string
	is      storedCheckIn // as it is now; zero if it is to be created
	known   bool
	wants   checks.CheckInSettings
	refused error
}

// dropsAtOnce is how many check-ins, with their histories, one transaction deletes.
const dropsAtOnce = 5

// Run makes the check-ins match the list, or deletes some that are not listed and reports that there is more to do.
func (y *checkInSync) Run(ctx context.Context, list []checks.CheckInChange) (more bool, err error) {
	if err := y.T.holdCheckIns(ctx, y.ProjectID); err != nil {
		return false, err
	}
	have, err := y.T.s.checkIns(ctx, y.T, lockCheckIns, y.ProjectID)
	if err != nil {
		return false, err
	}
	for _, c := range have {
		y.Have[c.Slug] = c
	}
	y.read(list)
	drops := y.drops(have, list)
	if more = len(drops) > dropsAtOnce; more {
		drops, y.deleted, y.entries = drops[:dropsAtOnce], y.deleted[:dropsAtOnce], nil
	}
	y.refuseMore(faults.MostCheckIns - len(have) + len(drops))
	y.refuseRenames()
	return more, y.change(ctx, drops)
}

// change deletes check-ins, and writes the entries.
func (y *checkInSync) change(ctx context.Context, drops []storedCheckIn) error {
	pages, err := y.showing(ctx, drops)
	if err != nil {
		return err
	}
	if err := y.T.status().HoldPages(ctx, pages); err != nil {
		return err
	}
	if err := y.drop(ctx, drops); err != nil { // first, so that their names are free
		return err
	}
	if err := y.freeNames(ctx); err != nil {
		return err
	}
	for _, e := range y.entries {
		if err := y.write(ctx, e); err != nil {
			return err
		}
	}
	if err := y.Writes.write(ctx, y.T); err != nil {
		return err
	}
	return y.T.status().BumpPageRevisions(ctx, pages...)
}

const notDeleted = "Nothing is deleted while an entry of the list has no valid slug. Correct it and send the list again."

// drops returns the check-ins that are not listed and are to be deleted: none while an entry might stand for one of them.
func (y *checkInSync) drops(have []storedCheckIn, list []checks.CheckInChange) (drops []storedCheckIn) {
	listed, problem := map[string]bool{"": false}, ""
	for _, change := range list {
		if listed[change.Slug.Value] = change.Slug.Value != ""; !change.NamesCheckIn() {
			problem = notDeleted
		}
	}
	for _, c := range have {
		if listed[c.Slug] {
			continue
		}
		y.deleted = append(y.deleted, checks.CheckInSync{Operation: checks.DeleteCheckIn, Slug: c.Slug, Problem: problem})
		if problem != "" {
			y.kept = append(y.kept, c)
		} else {
			drops = append(drops, c)
		}
	}
	return drops
}

// showing returns the status pages that show check-ins to be deleted or renamed. Changes of state are handled when they are written;
// pages show nothing else of a check-in.
func (y *checkInSync) showing(ctx context.Context, drops []storedCheckIn) (pages []int64, err error) {
	var numbers []int64
	for _, c := range drops {
		numbers = append(numbers, c.number)
	}
	numbers = append(numbers, y.renamed()...)
	err = y.T.EachRow(ctx, statusdb.PagesShowingCheckIns, db.ScanID(func(page int64) { pages = append(pages, page) }), numbers)
	return pages, db.Wrap("find status pages", err)
}

func (y *checkInSync) drop(ctx context.Context, drops []storedCheckIn) error {
	for _, c := range drops {
		if _, err := y.T.Exec(ctx, deleteCheckIn, y.ProjectID, c.ID); err != nil {
			return err
		}
	}
	return nil
}

// read determines what each entry wants, or why it is rejected on its own.
func (y *checkInSync) read(list []checks.CheckInChange) {
	earlier := map[string]bool{}
	for _, change := range list {
		e := listedCheckIn{slug: change.Slug.Value}
		if e.slug != "" {
			e.is, e.known = y.Have[e.slug]
		}
		switch {
		case change.Slug.Bad == "" && e.slug == "":
			e.refused = sett.Refuse("slug", "can't be blank: it identifies the check-in")
		case e.slug != "" && earlier[e.slug]:
			e.is, e.refused = storedCheckIn{}, sett.Refuse("slug", "is used by an earlier check-in of this list")
		case e.known:
			e.wants, e.refused = change.Update(e.is.CheckInSettings)
		default:
			e.wants, e.refused = change.Create()
		}
		earlier[e.slug] = true
		y.entries = append(y.entries, e)
	}
}

// refuseMore rejects entries that would create more check-ins than a project may have.
func (y *checkInSync) refuseMore(room int) {
	for i, e := range y.entries {
		if e.known || e.refused != nil {
			continue
		}
		if room--; room < 0 {
			y.entries[i].refused = sett.Errorf(sett.Conflict, "%s", tooManyCheckIns)
		}
	}
}

// refuseRenames rejects entries whose names other check-ins have in the end.
func (y *checkInSync) refuseRenames() {
	var renames []checks.CheckInRename
	for _, e := range y.entries {
		renames = append(renames, checks.CheckInRename{Has: e.is.Name, Wants: e.wants.Name, Stays: e.refused != nil})
	}
	for _, c := range y.kept {
		renames = append(renames, checks.CheckInRename{Has: c.Name, Stays: true})
	}
	for i, refused := range checks.RefuseRenames(renames) {
		if refused {
			y.entries[i].refused = sett.Refuse("name", takenByCheckIn)
		}
	}
}

const freeCheckInNames = `-- uptimedb.freeCheckInNames
UPDATE check_ins SET name = '' FROM {{rows k(number bigint)}} WHERE check_ins.number = k.number`

// freeNames clears the names that are to change, so that no two check-ins have the same name while names are swapped.
func (y *checkInSync) freeNames(ctx context.Context) error {
	return db.Wrap("free names of check-ins", y.T.Each(ctx, freeCheckInNames, y.renamed()))
}

// renamed returns the numbers of the check-ins whose names are to change.
func (y *checkInSync) renamed() (numbers []int64) {
	for _, e := range y.entries {
		if e.known && e.refused == nil && e.is.Name != e.wants.Name {
			numbers = append(numbers, e.is.number)
		}
	}
	return numbers
}

// write creates or updates the check-in of an entry.
func (y *checkInSync) write(ctx context.Context, e listedCheckIn) error {
	switch {
	case e.refused != nil:
		return nil //nolint:nilerr // results says why it was refused
	case !e.known:
		return y.T.insertCheckIn(ctx, checks.NewCheckIn(db.RandomOf(ctx), y.ProjectID, e.wants, y.Now))
	}
	before := e.is.State
	events, err := y.T.editCheckIn(ctx, y.Now, &e.is, e.wants)
	if err == nil {
		y.Writes.add(before, e.is, events)
	}
	return err
}

func (y *checkInSync) results() (results []checks.CheckInSync) {
	for _, e := range y.entries {
		result := checks.CheckInSync{Operation: checks.CreateCheckIn, Slug: e.slug}
		if e.known {
			result.Operation = checks.UpdateCheckIn
		}
		if e.refused != nil {
			result.Problem = e.refused.Error()
		}
		results = append(results, result)
	}
	return append(results, y.deleted...)
}
