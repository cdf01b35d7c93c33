package sheet_test

import (
	"testing"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/faults"
	"sett/internal/sett/stats"
	"sett/internal/store"
	"sett/internal/store/faultdb"
	"sett/internal/store/sheet"
	"sett/internal/store/storetest"
)

// asked asks for the sheet of a fault.
func asked(d *storetest.Desk, fault int64, notice string) sheet.FaultAsk {
	return sheet.FaultAsk{SheetAsk: faultdb.SheetAsk{
		ProjectID: d.ProjectID, FaultID: fault, UserID: d.UserID, Notice: notice, Period: stats.PastDay, History: sett.Page{Size: 10}, Similar: 5,
	}}
}

// A sheet has all that is stored about a fault, and about one of its notices.
func TestFaultSheet(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := storetest.NewDesk(t, s)
		d.Furnish(d.ProjectID)
		id := d.FaultsOf(d.ProjectID)[0]
		d.Pause("A", faults.Pause{Users: sett.Some(int64(2))})
		d.Record(storetest.Noon.Add(time.Minute), accounts.Limits{}, d.Report("A"), d.Report("A", func(r *faults.Report) { r.Environment = "staging" }))
		first := sett.UUID{15: 1}.String()
		got, err := s.Sheets.OfFault(t.Context(), storetest.Noon.Add(2*time.Minute), asked(d, id, first))
		if err != nil {
			t.Fatal(err)
		}
		for what, ok := range map[string]bool{
			"fault":        got.Fault.ID == id && got.Fault.NoticesCount == 4,
			"project":      got.Project.ID == d.ProjectID && len(got.Project.Users) > 0,
			"erasures":     got.Erased != "0-0",
			"pause":        got.Until.Users == 2 && got.Progress.By != nil,
			"notice":       got.Notice != nil && got.Notice.ID.String() == first && got.Away == "",
			"position":     got.Position.Older.IsZero() && !got.Position.Newer.IsZero() && got.Position.After == 3,
			"attachments":  len(got.Attachments) == 1 && got.Attachments[0].Name == "log.txt",
			"chart":        len(got.Points) > 0 && got.Points[len(got.Points)-1].Count > 0,
			"history":      len(got.History) > 0 && got.Beside.Next == "",
			"similar":      len(got.Similar) > 0,
			"reasons":      len(got.Reasons) == 0, // it is paused
			"parts":        len(got.Parts) == 2,
			"links":        len(got.Links) > 0,
			"integrations": len(got.Integrations) > 0,
			"share":        got.Share != nil && got.Share.MadeBy != nil,
		} {
			if !ok {
				t.Errorf("the sheet has the wrong %s: %+v", what, got)
			}
		}
		newest, err := s.Sheets.OfFault(t.Context(), storetest.Noon, asked(d, id, ""))
		if err != nil || newest.Notice == nil || newest.Position.After != 0 || len(newest.Attachments) != 0 {
			t.Errorf("with the newest notice: %+v, %v", newest, err)
		}
	})
}

// What a fault does not have is not on its sheet, and nothing of another project is.
func TestFaultSheetOfLittle(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := storetest.NewDesk(t, s)
		d.Furnish(d.ProjectID)
		d.Record(storetest.Noon.Add(time.Minute), accounts.Limits{}, d.Report("Bare"))
		id := d.FaultID("Bare")
		ask := asked(d, id, "")
		got, err := s.Sheets.OfFault(t.Context(), storetest.Noon.Add(2*time.Minute), ask)
		if err != nil || got.Integrations != nil || got.Links != nil || got.Share != nil || got.Attachments != nil || got.Progress.By != nil || len(got.Parts) != 1 {
			t.Errorf("%+v, %v", got, err)
		}
		ask.Trackers = true
		if got, err = s.Sheets.OfFault(t.Context(), storetest.Noon, ask); err != nil || len(got.Integrations) == 0 {
			t.Errorf("with its trackers: %+v, %v", got.Integrations, err)
		}
		for _, notice := range []string{sett.UUID{15: 1}.String(), "none"} { // of another fault, and of none
			if _, err := s.Sheets.OfFault(t.Context(), storetest.Noon, asked(d, id, notice)); sett.CodeOf(err) != sett.NotFound {
				t.Errorf("notice %s: %v", notice, err)
			}
		}
		ask.ProjectID = d.Project("Other").ID
		if _, err := s.Sheets.OfFault(t.Context(), storetest.Noon, ask); sett.CodeOf(err) != sett.NotFound {
			t.Errorf("of another project: %v", err)
		}
		d.Run(`DELETE FROM notices WHERE id = $1`, int64(d.Newest("Bare")))
		d.Run(`DELETE FROM fault_notices WHERE fault_id = $1`, id)
		if got, err := s.Sheets.OfFault(t.Context(), storetest.Noon, asked(d, id, "")); err != nil || got.Notice != nil || got.Fault.ID != id {
			t.Errorf("without a notice: %+v, %v", got.Notice, err)
		}
	})
}
