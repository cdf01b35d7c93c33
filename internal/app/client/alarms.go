package client

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"sett/internal/api"
	"sett/internal/serve"
	"sett/internal/sett/alarm"
	"sett/internal/sett/ascode"
)

// AlarmSettings are what a command writes of an alarm, by the names of the API; of an alarm that exists, what is to change.
type AlarmSettings map[string]any

// SetWhen sets the condition from a comparison in text, such as "gt 10" or "> 10".
func (a AlarmSettings) SetWhen(text string) error {
	trigger, ok := ascode.ParseWhen(text)
	if !ok {
		return fmt.Errorf("--when %q is no comparison; write one of > >= < <= = != and a whole number, such as '> 10'", text)
	}
	a["trigger_config"] = trigger
	return nil
}

// SetStreams sets the streams that are read, by their slugs, default and internal.
func (s Server) SetStreams(ctx context.Context, a AlarmSettings, slugs []string) error {
	path, err := s.project(ctx)
	if err != nil {
		return err
	}
	var all serve.List[api.Stream]
	if err := s.call(ctx, http.MethodGet, path+"/streams", nil, &all); err != nil {
		return err
	}
	var ids, known []string
	for _, stream := range all.Results {
		known = append(known, string(stream.Slug))
		if slices.Contains(slugs, string(stream.Slug)) {
			ids = append(ids, stream.ID)
		}
	}
	for _, slug := range slugs {
		if !slices.Contains(known, slug) {
			return fmt.Errorf("--stream %q is no stream; the project has %s", slug, strings.Join(known, ", "))
		}
	}
	a["stream_ids"] = ids
	return nil
}

// Alarms returns the alarms of the project, in order of creation.
func (s Server) Alarms(ctx context.Context) ([]api.Alarm, error) {
	var all serve.List[api.Alarm]
	err := s.alarms(ctx, http.MethodGet, "", nil, &all)
	return all.Results, err
}

// Alarm returns an alarm of the project.
func (s Server) Alarm(ctx context.Context, id string) (found api.Alarm, err error) {
	err = s.alarms(ctx, http.MethodGet, "/"+url.PathEscape(id), nil, &found)
	return found, err
}

// AlarmHistory returns the newest changes of the state of an alarm, newest first.
func (s Server) AlarmHistory(ctx context.Context, id string) ([]api.AlarmTrigger, error) {
	var page api.AlarmHistory
	err := s.alarms(ctx, http.MethodGet, "/"+url.PathEscape(id)+"/history", nil, &page)
	return page.Triggers, err
}

// CreateAlarm creates an alarm in the project, and returns it.
func (s Server) CreateAlarm(ctx context.Context, a AlarmSettings) (made api.Alarm, err error) {
	err = s.alarms(ctx, http.MethodPost, "", map[string]any{"alarm": a}, &made)
	return made, err
}

// UpdateAlarm changes an alarm of the project, and returns it as it is then.
func (s Server) UpdateAlarm(ctx context.Context, id string, a AlarmSettings) (api.Alarm, error) {
	if err := s.alarms(ctx, http.MethodPut, "/"+url.PathEscape(id), map[string]any{"alarm": a}, nil); err != nil {
		return api.Alarm{}, err
	}
	return s.Alarm(ctx, id)
}

// DeleteAlarm deletes an alarm of the project with its history.
func (s Server) DeleteAlarm(ctx context.Context, id string) error {
	return s.alarms(ctx, http.MethodDelete, "/"+url.PathEscape(id), nil, nil)
}

// alarms calls a path below the alarms of the project.
func (s Server) alarms(ctx context.Context, method, path string, body, answer any) error {
	project, err := s.project(ctx)
	if err != nil {
		return err
	}
	return s.call(ctx, method, project+"/alarms"+path, body, answer)
}

// ConditionOf says in words when an alarm is raised.
func ConditionOf(a api.Alarm) string {
	return alarm.Settings{Operator: a.Trigger.Config.Operator, Value: a.Trigger.Config.Value, Period: alarm.Span(a.Period)}.Condition()
}
