package clients

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	honeybadgerapi "github.com/honeybadger-io/api-go"

	"sett/e2e/clients/recorded"
	"sett/e2e/rig"
)

// decoded are the types that programs with api-go decode answers into, by the names in the recordings.
var decoded = map[string]func() any{
	"Account": of[honeybadgerapi.Account], "AccountListResponse": of[honeybadgerapi.AccountListResponse],
	"AccountUser": of[honeybadgerapi.AccountUser], "AccountUserListResponse": of[honeybadgerapi.AccountUserListResponse],
	"AccountInvitation": of[honeybadgerapi.AccountInvitation], "AccountInvitationListResponse": of[honeybadgerapi.AccountInvitationListResponse],
	"Project": of[honeybadgerapi.Project], "ProjectsResponse": of[honeybadgerapi.ProjectsResponse], "Integrations": of[[]honeybadgerapi.ProjectIntegration],
	"Report":                             of[[][]any],
	"ProjectGetOccurrenceCountsResponse": of[honeybadgerapi.ProjectGetOccurrenceCountsResponse],
	"Fault":                              of[honeybadgerapi.Fault], "FaultListResponse": of[honeybadgerapi.FaultListResponse], "FaultNoticesResponse": of[honeybadgerapi.FaultNoticesResponse],
	"FaultCounts": of[honeybadgerapi.FaultCounts], "AffectedUsers": of[[]honeybadgerapi.FaultAffectedUser],
	"Comment": of[honeybadgerapi.Comment], "CommentListResponse": of[honeybadgerapi.CommentListResponse],
	"Deployment": of[honeybadgerapi.Deployment], "DeploymentListResponse": of[honeybadgerapi.DeploymentListResponse],
	"Environment": of[honeybadgerapi.Environment], "EnvironmentListResponse": of[honeybadgerapi.EnvironmentListResponse],
	"CheckIn": of[honeybadgerapi.CheckIn], "CheckInListResponse": of[honeybadgerapi.CheckInListResponse], "CheckInBulkUpdateResponse": of[honeybadgerapi.CheckInBulkUpdateResponse],
	"Site": of[honeybadgerapi.Site], "SiteListResponse": of[honeybadgerapi.SiteListResponse], "OutageListResponse": of[honeybadgerapi.OutageListResponse],
	"UptimeCheckListResponse": of[honeybadgerapi.UptimeCheckListResponse],
	"StatusPage":              of[honeybadgerapi.StatusPage], "StatusPageListResponse": of[honeybadgerapi.StatusPageListResponse],
	"Team": of[honeybadgerapi.Team], "TeamListResponse": of[honeybadgerapi.TeamListResponse], "TeamMemberListResponse": of[honeybadgerapi.TeamMemberListResponse],
	"TeamInvitation": of[honeybadgerapi.TeamInvitation], "TeamInvitationListResponse": of[honeybadgerapi.TeamInvitationListResponse],
	"StreamListResponse": of[honeybadgerapi.StreamListResponse], "InsightsQueryResponse": of[honeybadgerapi.InsightsQueryResponse],
	"Alarm": of[honeybadgerapi.Alarm], "AlarmListResponse": of[honeybadgerapi.AlarmListResponse], "AlarmHistoryResponse": of[honeybadgerapi.AlarmHistoryResponse],
	"Dashboard": of[honeybadgerapi.Dashboard], "DashboardListResponse": of[honeybadgerapi.DashboardListResponse],
}

func of[T any]() any { return new(T) }

// player plays a recorded program against a server.
type player struct {
	t       testing.TB
	s       *rig.Server
	program recorded.Program
	values  map[string]string
}

// Each command of programs that no registry has is answered as it can read.
func TestPrograms(t *testing.T) {
	t.Parallel()
	programs, err := recorded.Programs()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range programs {
		t.Run(p.Name, func(t *testing.T) {
			t.Parallel()
			for _, wrong := range p.Differences() {
				t.Error(wrong)
			}
			s := rig.Start(t, "")
			pl := player{t, s, p, map[string]string{
				"account": s.AccountID, "user": fmt.Sprint(s.UserID), "project": fmt.Sprint(s.ProjectID), "key": s.APIKey, "now": time.Now().UTC().Format(time.RFC3339),
				"other": strconv.FormatInt(other(t, s), 10),
			}}
			requests := 0
			for _, play := range p.Plays {
				for _, c := range play.Calls {
					pl.call(play.Command, c)
				}
				requests += len(play.Calls)
			}
			t.Logf("%s: %d commands, %d requests", p.Name, len(p.Commands), requests)
		})
	}
}

// other has another person join the account, and returns the id.
func other(t testing.TB, s *rig.Server) int64 {
	t.Helper()
	var made struct {
		UserID int64 `json:"user_id"`
	}
	s.Sett(t, &made, "user", "add", "--email", "mia@example.test", "--name", "Mia", "--account", s.AccountID)
	return made.UserID
}

// fill puts values in the places of their names.
func (p player) fill(text string) string {
	for name, value := range p.values {
		text = strings.ReplaceAll(text, "{"+name+"}", value)
	}
	return text
}

func (p player) call(command string, c recorded.Call) {
	p.t.Helper()
	what := fmt.Sprintf("%s, line %d: %s %s", command, c.Line, c.Method, c.Path)
	r, err := http.NewRequestWithContext(p.t.Context(), c.Method, p.s.Base+p.fill(c.Path), bytes.NewReader([]byte(p.fill(c.Body))))
	if err != nil {
		p.t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json") // with GET and DELETE too, as api-go does
	r.Header.Set("Accept", "application/json")
	switch {
	case strings.HasPrefix(c.Path, "/v1/check_in/"), strings.HasPrefix(c.Path, "/resources/"): // without any authentication
	case strings.HasPrefix(c.Path, "/v1/"):
		r.Header.Set("X-API-Key", p.s.APIKey)
		r.Header.Del("Accept")
	case p.program.Auth == "bearer":
		r.Header.Set("Authorization", "Bearer "+p.s.AuthToken)
	default:
		r.SetBasicAuth(p.s.AuthToken, "")
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		p.t.Fatal(err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		p.t.Fatal(err)
	}
	if answer.StatusCode != c.Status {
		p.t.Errorf("%s: status %d, want %d: %s", what, answer.StatusCode, c.Status, body)
		return
	}
	if c.Status == http.StatusNoContent && len(body) > 0 {
		p.t.Errorf("%s: 204 has the body %s", what, body)
	}
	if err := p.read(c, body); err != nil {
		p.t.Errorf("%s: %v: %s", what, err, body)
	}
}

// read reads an answer as the program does, and keeps values of it.
func (p player) read(c recorded.Call, body []byte) error {
	var value any
	if into := decoded[c.Reads]; into != nil {
		program := into()
		if err := json.Unmarshal(body, program); err != nil {
			return err
		}
		body, _ = json.Marshal(program) // what it did not understand is gone
	}
	if c.Reads == "" && len(c.Has) == 0 {
		return nil
	}
	if err := json.Unmarshal(body, &value); err != nil {
		return err
	}
	if fields := p.program.Objects[c.Reads]; fields != nil {
		if err := published(value, fields); err != nil {
			return err
		}
	} else if c.Reads != "" && decoded[c.Reads] == nil {
		return fmt.Errorf("no type is called %s", c.Reads)
	}
	for _, where := range c.Has {
		if at(value, p.fill(where)) == nil {
			return fmt.Errorf("it has no %s", where)
		}
	}
	for name, where := range c.Keeps {
		p.values[name] = text(at(value, where))
	}
	return nil
}

// text returns an id as it is put into a path.
func text(value any) string {
	if n, ok := value.(float64); ok {
		return strconv.FormatInt(int64(n), 10)
	}
	return fmt.Sprint(value)
}

// at returns what is at a path such as results.0.id; nil if there is nothing.
func at(value any, path string) any {
	for part := range strings.SplitSeq(path, ".") {
		switch v := value.(type) {
		case map[string]any:
			value = v[part]
		case []any:
			i, err := strconv.Atoi(part)
			if err != nil || i >= len(v) {
				return nil
			}
			value = v[i]
		default:
			return nil
		}
	}
	return value
}

// published wants an envelope of /v3 with an object, or a list of some, that have all fields, and ids that are texts.
func published(value any, fields []string) error {
	if at(value, "meta.request_id") == nil {
		return fmt.Errorf("it has no request id")
	}
	all, ok := at(value, "data").([]any)
	if !ok {
		all = []any{at(value, "data")}
	}
	if len(all) == 0 {
		return fmt.Errorf("the list is empty")
	}
	for _, one := range all {
		object, ok := one.(map[string]any)
		if !ok {
			return fmt.Errorf("its data is no object")
		}
		for _, f := range fields {
			v, there := object[f]
			if !there {
				return fmt.Errorf("it has no %s", f)
			}
			if _, number := v.(float64); number && (f == "id" || strings.HasSuffix(f, "_id")) {
				return fmt.Errorf("%s is a number, want a text", f)
			}
		}
	}
	return nil
}
