-- +goose Up
-- Times in which a project holds its alerts while everything is still checked and recorded. See package maintenance.
CREATE TABLE maintenance_windows (
    id           {{identity}},
    project_id   bigint NOT NULL REFERENCES projects ON DELETE CASCADE,
    reason       text NOT NULL,
    starts_at    bigint NOT NULL,
    ends_at      bigint NOT NULL,
    until_ended  boolean NOT NULL, -- no end was planned: ends_at is the latest
    site_ids     text NOT NULL,    -- JSON; if both lists are empty, all sites and check-ins
    check_in_ids text NOT NULL,    -- JSON
    errors       boolean NOT NULL, -- alerts about errors are held too
    made_by      bigint,           -- a user who may be gone; NULL: an operator
    created_at   bigint NOT NULL,
    updated_at   bigint NOT NULL,
    closed_at    bigint NOT NULL DEFAULT 0, -- since then it only holds what must follow an alert that it still holds; 0: not yet
    settled_at   bigint NOT NULL DEFAULT 0, -- when the last alert that it held was sent or dropped; 0: not yet
    held         bigint NOT NULL DEFAULT 0, -- alerts that it held
    sent         bigint NOT NULL DEFAULT 0  -- of these, those that were sent when it ended
);
CREATE INDEX maintenance_windows_by_project ON maintenance_windows (project_id, id);
CREATE INDEX maintenance_windows_open ON maintenance_windows (ends_at) WHERE settled_at = 0;
CREATE INDEX maintenance_windows_settled ON maintenance_windows (settled_at) WHERE settled_at > 0;

-- Alerts that a window holds until it is settled. They count as fanned out (spread) meanwhile.
CREATE TABLE held_alerts (
    alert_id       {{key}} REFERENCES alerts ON DELETE CASCADE,
    window_id      bigint NOT NULL REFERENCES maintenance_windows ON DELETE CASCADE,
    subject        text NOT NULL,
    event          text NOT NULL,
    integration_id bigint NOT NULL,  -- as of the alert
    was_open       boolean NOT NULL  -- the problem of the subject had been sent before
);
CREATE INDEX held_alerts_by_subject ON held_alerts (window_id, subject);
