-- +goose Up
-- Alarms compare the number of rows of a query with a number, again and again (alarm.Alarm).
CREATE TABLE alarms (
    number        {{identity}},
    id            text NOT NULL UNIQUE,
    project_id    bigint NOT NULL REFERENCES projects ON DELETE CASCADE,
    name          text NOT NULL,
    description   text NOT NULL,
    query         text NOT NULL,
    streams       text NOT NULL,   -- slugs, with commas between; '': all
    period        text NOT NULL,   -- as people wrote it, such as 5m
    lag           text NOT NULL,
    operator      text NOT NULL,
    value         bigint NOT NULL, -- that the number of rows is compared with
    state         text NOT NULL,
    state_since   bigint NOT NULL, -- 0: never evaluated
    error         text NOT NULL,   -- of the last evaluation
    count         bigint NOT NULL, -- of the last evaluation that succeeded
    last_checked  bigint NOT NULL, -- 0: never
    next_check    bigint NOT NULL,
    created_at    bigint NOT NULL,
    updated_at    bigint NOT NULL,
    version       bigint NOT NULL, -- grows with each change and evaluation
    claimed_until bigint NOT NULL  -- a node evaluates it until then, at most
);
CREATE INDEX alarms_by_project ON alarms (project_id, number);
CREATE INDEX alarms_due ON alarms (next_check);

-- Changes of the state of alarms.
CREATE TABLE alarm_changes (
    id      {{identity}},
    alarm   bigint NOT NULL REFERENCES alarms ON DELETE CASCADE,
    at      bigint NOT NULL,
    state   text NOT NULL,
    from_at bigint NOT NULL, -- the time whose events were counted
    to_at   bigint NOT NULL,
    count   bigint NOT NULL,
    error   text NOT NULL,
    query     text NOT NULL, -- that was counted, and
    condition text NOT NULL  -- in words: both may have been changed since
);
CREATE INDEX alarm_changes_by_alarm ON alarm_changes (alarm, id);
CREATE INDEX alarm_changes_by_time ON alarm_changes (at);

-- What the evaluations of the last day found.
CREATE TABLE alarm_results (
    alarm bigint NOT NULL REFERENCES alarms ON DELETE CASCADE,
    at    bigint NOT NULL, -- the end of the time whose events were counted
    count bigint NOT NULL, -- -1: unknown
    note  text NOT NULL,   -- why it is unknown
    PRIMARY KEY (alarm, at)
) {{clustered}};

-- The newest time of a day in which events were refused; 0: none, or by an earlier version.
ALTER TABLE insight_days ADD COLUMN refused_from bigint NOT NULL DEFAULT 0;
ALTER TABLE insight_days ADD COLUMN refused_to bigint NOT NULL DEFAULT 0;

-- Who is notified of outages is notified of alarms: there are none until a user creates one.
UPDATE integrations SET events = replace(events, '"check_in_reporting"', '"check_in_reporting","alarm_alert","alarm_ok"') WHERE events LIKE '%"down"%';
UPDATE personal_alerts SET events = replace(events, '"check_in_reporting"', '"check_in_reporting","alarm_alert","alarm_ok"') WHERE events LIKE '%"down"%';

DROP INDEX deliveries_to_merge;
CREATE INDEX deliveries_to_merge ON deliveries (receiver, due_at) WHERE state = 'due' AND NOT behind AND event IN ('down', 'slow', 'check_in_missing', 'check_in_failed', 'alarm_alert');
