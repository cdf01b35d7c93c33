package store_test

import (
	"testing"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/repo"
	"sett/internal/store"
	"sett/internal/store/storetest"
)

func TestProblemsDoNotDelayTheNextDailyReading(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newFixDesk(t, s)
		ctx, later := t.Context(), d.now.Add(25*time.Hour)
		_, err := s.Repos.Update(ctx, d.now, d.ProjectID, d.r.ID, repo.RepositoryChange{Token: sett.Some("t")})
		if err == nil {
			err = s.Repos.NoteAsked(ctx, d.now, d.r.ID, "")
		}
		d.Run(`DELETE FROM repository_work`)
		if err == nil {
			err = s.Repos.NoteProblem(ctx, d.r.ID, "The host is away.")
		}
		if err == nil {
			err = s.Repos.AskAgain(ctx, later)
		}
		if err != nil {
			t.Fatal(err)
		}
		due, err := s.Repos.Claim(ctx, later, later.Add(time.Hour), 10)
		at, _ := s.Repos.ByID(ctx, d.ProjectID, d.r.ID)
		if err != nil || len(due) != 1 || due[0].SubjectID != d.r.ID || at.Problem != "The host is away." || !at.AskedAt.Equal(d.now) {
			t.Errorf("due: %+v, %v; %+v", due, err, at)
		}
	})
}
