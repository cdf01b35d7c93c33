-- +goose Up
-- Jobs that are to report regularly. A row with a deadline is looked at when that has passed; see sett.CheckIn.
CREATE TABLE check_ins (
    number        {{identity}},         -- the order in which they were made
    id            text NOT NULL UNIQUE, -- the secret that the job reports with
    project_id    bigint NOT NULL REFERENCES projects ON DELETE CASCADE,
    name          text NOT NULL, -- '' : none, as those that follow
    slug          text NOT NULL,
    schedule_type text NOT NULL, -- sett.ScheduleType
    report_period text NOT NULL, -- as sent
    grace_period  text NOT NULL, -- as sent
    cron_schedule text NOT NULL,
    cron_timezone text NOT NULL, -- as sent
    state         text NOT NULL,    -- sett.CheckInState
    reported_at   bigint NOT NULL,  -- 0: none, as those that follow
    expected_at   bigint NOT NULL,
    deadline_at   bigint NOT NULL,
    reported      boolean NOT NULL, -- under this schedule
    missed_count  bigint NOT NULL,
    noted_at      bigint NOT NULL,  -- the newest ping in check_in_events
    created_at    bigint NOT NULL,
    updated_at    bigint NOT NULL
);
CREATE INDEX check_ins_by_project ON check_ins (project_id, number);
CREATE UNIQUE INDEX check_ins_by_slug ON check_ins (project_id, slug) WHERE slug <> '';
CREATE UNIQUE INDEX check_ins_by_name ON check_ins (project_id, name) WHERE name <> '';
CREATE INDEX check_ins_due ON check_ins (deadline_at) WHERE deadline_at > 0;

-- The pings of a check-in, and what else happened to it. Old ones are dropped.
CREATE TABLE check_in_events (
    id       {{identity}},
    check_in bigint NOT NULL REFERENCES check_ins ON DELETE CASCADE,
    kind     text NOT NULL, -- sett.CheckInEventKind
    at       bigint NOT NULL,
    payload  text NOT NULL -- JSON of sett.PingPayload, or ''
);
CREATE INDEX check_in_events_by_check_in ON check_in_events (check_in, id);

-- The last moment at which a server is known to have been alive; one row. Where no server was alive, nothing that stayed
-- away is held against anybody.
CREATE TABLE beats (
    last_at bigint NOT NULL -- 0: never
);
INSERT INTO beats (last_at) VALUES (0);

CREATE TABLE blind_windows (
    from_at bigint NOT NULL,
    to_at   bigint NOT NULL,
    PRIMARY KEY (to_at, from_at)
) {{clustered}};
