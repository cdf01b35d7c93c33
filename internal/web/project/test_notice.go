package project

import (
	"encoding/json"
	"fmt"
	"net/http"

	"sett/internal/ingest/group"
	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/faults"
	"sett/internal/store/faultdb"
	"sett/internal/store/intakedb"
	"sett/internal/web"
)

// The texts of a test notice.
const (
	testClass   = "sett::Test"
	testMessage = "Test event from sett"
	testPlace   = "test"
)

// recordTest stores a test notice of a project, as intake stores notices of clients.
func (p *pages) recordTest(r *http.Request, project accounts.Project) error {
	now := p.Now()
	report, err := testReport(project, web.Who(r).User.Email)
	if err != nil {
		return err
	}
	report.ReceivedAt = now
	receipts, err := p.Intake.RecordNotices(r.Context(), now, accounts.Limits{}, intakedb.Intake{Reports: new(faultdb.Packer).Pack([]*faults.Report{report})})
	if err != nil {
		return err
	}
	if receipts[0].Outcome != accounts.Stored {
		return sett.Errorf(sett.Conflict, "The test event was not stored because its error is ignored. Stop ignoring the error and try again.")
	}
	return p.DB.Sync()
}

func testReport(project accounts.Project, user string) (*faults.Report, error) {
	body, err := json.Marshal(map[string]any{
		"notifier": map[string]string{"name": "sett"},
		"error":    map[string]any{"class": testClass, "message": testMessage, "tags": []string{"test"}},
		"request":  map[string]any{"component": "setup", "context": map[string]string{"user_email": user}},
		"server":   map[string]string{"environment_name": testPlace},
	})
	if err != nil {
		return nil, fmt.Errorf("write test notice: %w", err)
	}
	in := group.Input{ProjectID: project.ID, Environment: testPlace, Class: testClass, Component: "setup", Message: testMessage}
	return &faults.Report{
		AccountID: project.AccountID, ProjectID: project.ID, Class: testClass, Message: testMessage, Component: "setup", Environment: testPlace,
		Tags: []string{"test"}, User: user, Facets: "\n", Body: body, Grouping: group.Of(in),
	}, nil
}
